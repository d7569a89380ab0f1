"""The process of the command: what is slow is imported once an interrupt ends it without a traceback."""

import sys

from calibviz.app.terminal import take_over


def main() -> int:
    """Run the command that this process was called for, and return its exit code."""
    take_over()
    from calibviz.app.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
