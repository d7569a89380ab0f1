"""Sentences on a page that does not react: its kernel or server has ended, is frozen or busy, or never was there."""

from __future__ import annotations

BUSY = "The kernel is busy."
COMPUTING = "Still computing …"  # a kernel that has much to do says so itself only once it has a moment
MUTE = "The kernel does not answer. If this stays, run the cell again or reload the page."
MUTE_PAGE = "The kernel does not answer. If this stays, reload the page."  # which has no cells
SILENT = "The server does not answer. As soon as it does, this goes on."
FROZEN = "The kernel is frozen: it computes nothing and does not answer. As soon as it does, this goes on."
UNHEARD = "The kernel does not answer, not even to say that it computes. As soon as it does, this goes on."
CUT = "The connection to the kernel is lost. As soon as it is back, this goes on; else reload the page."

SHARED = {"silent": SILENT, "unheard": UNHEARD, "cut": CUT, "busy": BUSY, "computing": COMPUTING}
#: Sentences in JupyterLab and Notebook, in Voila, and on a page that was saved with its widgets.
STOPPED = {
    "notebook": {
        **SHARED,
        "stopped": "The kernel has stopped: run the cell again.",
        "ended": "The server has ended: start it again, then run the cell again.",
        "mute": MUTE,
    },
    "voila": {
        **SHARED,
        "stopped": "The kernel has stopped: reload the page.",
        "ended": "The server has ended: start it again and reload the page.",
        "frozen": FROZEN,
        "mute": MUTE_PAGE,
    },
    "page": {"stopped": "This page has no kernel: open the notebook and run the cell."},
}

#: The sentence in Voila where it is known which command serves the page.
ENDED_COMMAND = "The server has ended: start `{command}` again."

#: The sentence above the still picture of a notebook that was saved, which any page may show.
STILL = "Without a kernel this is a still picture: run the cell in Jupyter to bring it to life."

#: Why a host without widgets shows something else, and how to have the live view there or elsewhere.
RECORDED = "No widgets are shown here, so this page holds the choices that were recorded. {how}"
PICTURE = "No widgets are shown here, so this is a still picture. {how}"
IN_MARIMO = "JupyterLab, Notebook, Voila and Solara show the view live."
IN_COLAB = "google.colab.output.enable_custom_widget_manager() lets them be shown: call it and run this cell again."
