"""Make the data sets embedded in calibviz/data/datasets from data of scikit-learn, and from heart.csv beside this.

    python scripts/make_datasets.py            # all of them
    python scripts/make_datasets.py digits     # only some

Every sample is predicted by a model that never saw it: ten-fold stratified cross-validation with fixed seeds. The
hearts outside Cleveland are predicted by models of all patients there. A run with the same scikit-learn gives the same
bytes; other versions differ in the last digits, and a network in more.

A further data set is one more function that returns a `Recipe`, listed in `RECIPES`; `load_dataset` finds the file.
"""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDER = Path(__file__).resolve().parent.parent / "calibviz" / "data" / "datasets"
FOLDS = 10

Outputs = Callable[[Any, np.ndarray], np.ndarray]  # (fitted model, features) -> its probabilities or logits


@dataclass(frozen=True)
class Model:
    """A classifier, what it outputs ("probs" or "logits") and one line on how it was made."""

    estimator: Any
    kind: str
    outputs: Outputs
    made: str


@dataclass(frozen=True)
class Recipe:
    """Everything that one embedded file is made from."""

    title: str
    licence: str
    noun: str
    features: np.ndarray
    labels: np.ndarray
    class_names: list[str]
    models: dict[str, Model]
    fields: dict[str, np.ndarray]
    groups: dict[str, list[str]] | None = None
    hierarchy: dict[str, dict[str, list[str]]] | None = None
    images: np.ndarray | None = None
    event_noun: str | None = None
    home: np.ndarray | None = None  # the samples that models are fitted to; by default all


def probabilities(model: Any, features: np.ndarray) -> np.ndarray:
    """Class probabilities (n, K); of two classes only the second, since the first is one minus it."""
    probs = model.predict_proba(features)
    return probs[:, 1] if probs.shape[1] == 2 else probs


def log_joint(model: Any, features: np.ndarray) -> np.ndarray:
    """Logits of naive Bayes: log prior plus log likelihood, the largest of a row moved to 0.

    The shift changes no probability, and float32 is then finest where it matters.
    """
    joint = model.predict_joint_log_proba(features)
    return joint - joint.max(axis=1, keepdims=True)


def log_odds(model: Any, features: np.ndarray) -> np.ndarray:
    """Logits of a binary model: the log odds of its second class, shape (n,)."""
    return model.decision_function(features)


def pre_softmax(model: Any, features: np.ndarray) -> np.ndarray:
    """What a network with ReLU layers feeds into its softmax."""
    hidden = features
    for weights, bias in zip(model.coefs_[:-1], model.intercepts_[:-1], strict=True):
        hidden = np.maximum(hidden @ weights + bias, 0)
    return hidden @ model.coefs_[-1] + model.intercepts_[-1]


def out_of_fold(model: Model, features: np.ndarray, labels: np.ndarray, home: np.ndarray | None) -> np.ndarray:
    """The outputs for every sample of a clone fitted to the other nine folds, away from home to all; as float32."""
    at_home = np.arange(len(labels)) if home is None else np.flatnonzero(home)
    away = np.setdiff1d(np.arange(len(labels)), at_home)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(at_home, labels[at_home])
    splits = [(at_home[train], at_home[test]) for train, test in folds]
    parts, places = [], []
    for train, test in [*splits, (at_home, away)] if len(away) else splits:
        with warnings.catch_warnings():  # a fixed number of epochs is part of the recipe
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = clone(model.estimator).fit(features[train], labels[train])
        parts.append(model.outputs(fitted, features[test]))
        places.append(test)
    return np.concatenate(parts)[np.argsort(np.concatenate(places))].astype(np.float32)


def digits() -> Recipe:
    """Handwritten digits, ten classes: three models that err in three ways."""
    data = load_digits()
    images = data.images / 16
    parity = {"even": list("02468"), "odd": list("13579")}
    return Recipe(
        title="Handwritten digits, 8 x 8 pixels",
        licence="CC BY 4.0. E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits (test part), "
        "UCI Machine Learning Repository, https://doi.org/10.24432/C50P49",
        noun="images",
        features=images.reshape(len(images), -1),
        labels=data.target,
        class_names=[str(digit) for digit in range(10)],
        models={
            "naive Bayes": Model(
                GaussianNB(var_smoothing=0.1),
                "logits",
                log_joint,
                "Gaussian naive Bayes with var_smoothing=0.1, log joint likelihoods",
            ),
            "random forest": Model(
                RandomForestClassifier(200, random_state=0),
                "probs",
                probabilities,
                "random forest of 200 trees, mean of their votes",
            ),
            "neural network": Model(
                MLPClassifier((8,), alpha=1e-5, learning_rate_init=0.02, n_iter_no_change=200, random_state=0),
                "logits",
                pre_softmax,
                "neural network with 8 hidden ReLU units, 200 epochs of Adam, outputs before the softmax",
            ),
        },
        fields={"ink": images.mean(axis=(1, 2)), "slant": slant(images), "aspect": aspect(images)},
        groups=parity,
        hierarchy={"parity": parity, "shape": {"round": list("0689"), "straight": list("147"), "bent": list("235")}},
        images=np.rint(255 * (1 - images)).astype(np.uint8),  # dark ink on white
    )


def slant(images: np.ndarray) -> np.ndarray:
    """Degrees by which the strokes lean to the right of the vertical, from the second moments of the ink."""
    rows, columns = np.indices(images.shape[1:])
    total = images.sum(axis=(1, 2))
    y = rows - ((images * rows).sum(axis=(1, 2)) / total)[:, None, None]
    x = columns - ((images * columns).sum(axis=(1, 2)) / total)[:, None, None]
    # Rows count downwards: ink that moves left from row to row leans to the right.
    return np.degrees(np.arctan(-(images * x * y).sum(axis=(1, 2)) / (images * y * y).sum(axis=(1, 2))))


def aspect(images: np.ndarray) -> np.ndarray:
    """Height over width of the box around all pixels with at least a quarter of full ink."""
    inked = images >= 0.25

    def extent(lines: np.ndarray) -> np.ndarray:
        return lines.shape[1] - lines.argmax(axis=1) - lines[:, ::-1].argmax(axis=1)

    return extent(inked.any(axis=2)) / extent(inked.any(axis=1))


def tumours() -> Recipe:
    """Breast tumours, benign or malignant: binary, and a case where the cost of an error is plain."""
    data = load_breast_cancer()
    columns = {str(name): column for name, column in zip(data.feature_names, data.data.T, strict=True)}
    chosen = ["mean radius", "mean texture", "mean smoothness", "mean concavity", "mean symmetry", "worst area"]
    return Recipe(
        title="Breast tumours, benign or malignant",
        licence="CC BY 4.0. W. H. Wolberg, W. N. Street and O. L. Mangasarian (1993), Breast Cancer Wisconsin "
        "(Diagnostic), UCI Machine Learning Repository, https://doi.org/10.24432/C5DW2B",
        noun="tumours",
        event_noun="are malignant",
        features=data.data,
        labels=1 - data.target,  # scikit-learn codes malignant as 0; here class 1 is the one to find
        class_names=["benign", "malignant"],
        models={
            "logistic regression": Model(
                make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
                "logits",
                log_odds,
                "logistic regression on standardised measurements, log odds",
            ),
            "naive Bayes": Model(GaussianNB(), "logits", log_joint, "Gaussian naive Bayes, log joint likelihoods"),
            "random forest": Model(
                RandomForestClassifier(200, random_state=0),
                "probs",
                probabilities,
                "random forest of 200 trees, mean of their votes",
            ),
            "gradient boosting": Model(
                GradientBoostingClassifier(random_state=0),
                "logits",
                log_odds,
                "gradient boosting of 100 trees of depth 3, log odds",
            ),
        },
        fields={name.replace(" ", "_"): columns[name] for name in chosen},
    )


def heart() -> Recipe:
    """Patients of four hospitals: models of one of them, which know nothing of the others."""
    with (Path(__file__).parent / "heart.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    column = {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0] if name != "site"}
    site = np.array([row["site"] for row in rows])
    pain = column["cp"]
    features = [column["age"], column["sex"], pain == 4, column["exang"], column["oldpeak"], column["thalach"]]
    kinds = {1: "typical angina", 2: "atypical angina", 3: "non-anginal pain", 4: "asymptomatic"}
    cholesterol = np.where(column["chol"] == 0, np.nan, column["chol"])  # a missing value was written as 0
    return Recipe(
        title="Heart disease at four hospitals",
        licence="CC BY 4.0. A. Janosi (Budapest), W. Steinbrunn (Zurich), M. Pfisterer (Basel) and R. Detrano (Long "
        "Beach and Cleveland) (1989), Heart Disease, UCI Machine Learning Repository, https://doi.org/10.24432/C52P4X",
        noun="people",
        event_noun="had the disease",
        features=np.column_stack(features),
        labels=(column["num"] > 0).astype(int),
        class_names=["no disease", "disease"],
        models={
            "logistic regression": Model(
                make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
                "logits",
                log_odds,
                "logistic regression on age, sex, pain, angina in exercise, ST depression and heart rate, log odds",
            ),
            "random forest": Model(
                make_pipeline(SimpleImputer(), RandomForestClassifier(200, random_state=0)),
                "probs",
                probabilities,
                "random forest of 200 trees on the same six measurements, mean of their votes",
            ),
            "gradient boosting": Model(
                make_pipeline(SimpleImputer(), GradientBoostingClassifier(random_state=0)),
                "logits",
                log_odds,
                "gradient boosting of 100 trees of depth 3 on the same six measurements, log odds",
            ),
        },
        fields={
            "site": site,
            "age": column["age"],
            "sex": np.where(column["sex"] == 1, "male", "female"),
            "chest_pain": np.array([kinds[int(kind)] for kind in pain]),
            "exercise_angina": yes_or_no(column["exang"]),
            "st_depression": column["oldpeak"],
            "max_heart_rate": column["thalach"],
            "cholesterol": cholesterol,
        },
        home=site == "Cleveland",
    )


def yes_or_no(column: np.ndarray) -> np.ndarray:
    """A column of 1 and 0 as text, empty where it is missing."""
    return np.where(np.isnan(column), "", np.where(column == 1, "yes", "no"))


RECIPES: dict[str, Callable[[], Recipe]] = {"digits": digits, "heart": heart, "tumours": tumours}


def predicted_by(recipe: Recipe) -> str:
    """How it comes that no sample was predicted by a model that had seen it."""
    folds = f"predicted by a model fitted to the other nine of {FOLDS} stratified folds"
    if recipe.home is None:
        return f"each sample {folds}"
    return f"fitted to Cleveland alone, whose own patients are each {folds}"


def arrays(recipe: Recipe) -> dict[str, np.ndarray]:
    """The members of the .npz file, the texts among them as one piece of JSON."""
    about = {
        "title": recipe.title,
        "licence": recipe.licence,
        "noun": recipe.noun,
        "event_noun": recipe.event_noun,
        "made": {
            name: f"{model.made}; {predicted_by(recipe)}; scikit-learn {sklearn.__version__}"
            for name, model in recipe.models.items()
        },
        "class_names": recipe.class_names,
        "groups": recipe.groups,
        "hierarchy": recipe.hierarchy,
    }
    out = {"about": np.array(json.dumps(about)), "labels": recipe.labels.astype(np.int16)}
    for name, column in recipe.fields.items():
        out[f"fields/{name}"] = column if column.dtype.kind == "U" else column.astype(np.float32)
    for name, model in recipe.models.items():
        out[f"{model.kind}/{name}"] = out_of_fold(model, recipe.features, recipe.labels, recipe.home)
    if recipe.images is not None:
        out["images"] = recipe.images
    return out


def main(names: list[str]) -> None:
    """Write the named data sets, or all of them."""
    for name in names or RECIPES:
        path = FOLDER / f"{name}.npz"
        np.savez_compressed(path, **arrays(RECIPES[name]()))
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(sys.argv[1:])
