"""How much pages draw in tests: less than for a person, but where a test is about what is drawn."""

from dataclasses import fields, replace

from calibviz.answers.asked import effort

USUAL = effort.Effort()
#: Views and reports draw little for noise floors and tests, and leave out intervals, which take long.
FEW = replace(
    USUAL,
    floors=39,
    floors_of_cells=9,
    floors_of_contests=19,
    tests=39,
    means=60,
    least_means=30,
    errors=20,
    acting=100,
    sizes=(100, 400),
    of_size=2,
    simulations=100,
    simulations_of_map=30,
    slow_simulations=10,
    slow_simulations_of_map=3,
    most_judged=0,
)


def now():
    """The effort of a page that is opened now."""
    return effort.usual()


def spend(patch, **numbers):
    """Have pages draw so much from now on."""
    patch.setattr(effort, "USUAL", replace(now(), **numbers))


def spend_as_usual(patch, *names):
    """Have pages draw as much of something as for a person, by the names of fields of `Effort`."""
    spend(patch, **{name: getattr(USUAL, name) for name in names})


def line(spent=FEW):
    """A line of code that has the pages of another process draw so much."""
    changed = {one.name: getattr(spent, one.name) for one in fields(spent)}
    numbers = ", ".join(f"{name}={value!r}" for name, value in changed.items() if value != getattr(USUAL, name))
    return f"from calibviz.answers.asked import effort\neffort.USUAL = effort.Effort({numbers})\n"
