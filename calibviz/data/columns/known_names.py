"""The names by which columns and arrays are known without being named by an option."""

from __future__ import annotations

#: Arrays of the arguments of `Predictions`, in files that hold them under these names.
NAMES = {
    "probs": ("probs", "prob"),
    "logits": ("logits",),
    "labels": ("labels", "label", "outcome"),
    "weights": ("weights", "weight"),
}

#: Names of columns and arrays by role; a later group counts where no name of an earlier one is there.
LABELS = (NAMES["labels"], ("y", "y_true", "y_test", "true", "true_label", "target", "actual", "truth", "class"))
SCORES = (
    ("prob", "p"),
    (
        "probs", "proba", "probability", "probabilities", "y_prob", "y_proba", "y_score", "pred_prob", "pred_proba",
    ),
    ("score", "prediction", "confidence"),
)  # fmt: skip  # short entries stand in rows
LOGIT = ("logit", "logits")
WEIGHTS = (NAMES["weights"], ("sample_weight", "sample_weights"))
#: Columns of the classes that a model predicts.
PREDICTED = (
    "predicted", "prediction", "pred", "y_pred", "predicted_class", "predicted_label", "pred_class", "pred_label",
    "y_hat", "yhat",
)  # fmt: skip  # short entries stand in rows

#: What stands before the name or the number of a class in the name of its column.
PREFIXES = ("p_", "prob_", "proba_", "probability_", "y_prob_", "y_proba_", "y_score_", "pred_proba_")
LOGIT_PREFIXES = ("logit_", "logits_")
