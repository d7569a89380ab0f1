"""Nixon et al. 2019, Measuring Calibration in Deep Learning (workshop version)."""

from __future__ import annotations

from dataclasses import replace

from . import gce_measuring
from .item import NETWORK, Item, live, named

PAPER = "workshop"
ROWS = ("uncalibrated", "temperature", "vector", "matrix", "isotonic")
_BY_NAME = {item.name: item for item in gce_measuring.ITEMS}


def _table(number: int, what: str, numbers: dict[str, tuple[float, ...]]) -> Item:
    best = {name: min(zip(of, ROWS, strict=True))[1] for name, of in numbers.items()}
    return Item(
        PAPER, "table", number, f"ECE, TACE, SCE and ACE in 15 bins, in per cent, of {what}", "other data",
        NETWORK + """\
calibrators = {
    "uncalibrated": None, "temperature": cv.Temperature(), "vector": cv.VectorScaling(), "matrix": cv.MatrixScaling(),
    "isotonic": cv.OneVsRest(cv.Isotonic()),
}
judged = {
    name: network if each is None else each.fit(validation).transform(network) for name, each in calibrators.items()
}
table = pd.DataFrame({
    name: {row: 100 * cv.GCE.named(name)(p) for row, p in judged.items()} for name in ("ECE", "TACE", "SCE", "ACE")
})
least = ", ".join(f"{name} by {table[name].idxmin()}" for name in table)
table
""",
        "Least " + ", ".join(f"{name} by {row}" for name, row in best.items()) + ".", "Least {least}.",
        "Logits of CIFAR-100 and ImageNet are not shipped: this is the ResNet-110 on CIFAR-10. SCE and ACE are means "
        "over all probabilities of a class, nearly all of them tiny: the more classes, the smaller they are.",
        {name: named(ROWS, of) for name, of in numbers.items()}, "{:.3f}",
        live(lens="classwise", panels=["comparison"]),
    )  # fmt: skip  # one row


ITEMS = (
    replace(
        _BY_NAME["figure 3"], paper=PAPER, number=1, title="Errors under label noise",
        says="The more labels are noisy, the worse ECE approximates the true error, since it leaves out more of the "
        "probabilities that matter; ACE and TACE do better.",
    ),
    replace(_BY_NAME["figure 2"], paper=PAPER, number=2),
    _table(1, "a ResNet-110 on CIFAR-100", {
        "ECE": (19.64, 2.16, 2.27, 12.11, 17.85), "TACE": (10.03, 0.52, 0.61, 3.98, 2.83),
        "SCE": (0.41, 0.06, 0.04, 0.26, 0.35), "ACE": (0.13, 0.06, 0.01, 0.26, 0.12),
    }),
    _table(2, "a ResNet-50 on ImageNet", {
        "ECE": (6.63, 5.42, 1.44, 5.06, 3.474), "TACE": (2.51, 2.64, 1.25, 1.98, 1.862),
        "SCE": (0.02, 0.01, 0.002, 0.01, 0.01), "ACE": (0.015, 0.001, 0.004, 0.001, 0.000),
    }),
)  # fmt: skip  # numbers of a table stand in rows
