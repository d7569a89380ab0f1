"""Questions of the course: a guess before one looks, its answer afterwards, and exercises with hints that grow.

An exercise has the number of its lesson and its own, such as "03.1". Its answer is computed by calibviz when it is
needed. What is shown works without a kernel: a page that nobody runs has the answers, folded.
"""

from .asking import answer, check, guess
from .made_log import made_log

__all__ = ["answer", "check", "guess", "made_log"]
