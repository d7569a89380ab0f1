"""Linear maps of the logits: bias-corrected temperature, vector, matrix and Dirichlet scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import validation
from ..predictions import Predictions
from .base import Array, LogitCalibrator
from .conditioning import Affine, Kind
from .cross_validation import best_penalty
from .logit_blocks import log_probs
from .softmax_fit import Penalty, SoftmaxLikelihood

PENALTIES = tuple(10.0**e for e in range(3, -5, -1))  # tried by cross-validation, the strongest first


class LinearScaling(LogitCalibrator):
    """softmax(W z + b) of maximum likelihood.

    Attributes
    ----------
    weight_ : ndarray, shape (), (K,) or (K, K)
        W: a number, its diagonal, or all of it.
    bias_ : ndarray, shape (K,)
    gradient_norm_ : float
        Of the mean loss, with respect to W and b, where the fit ended.
    """

    keeps_ranking = False
    _kind: Kind

    def _fit(self, predictions: Predictions) -> None:
        likelihood = self._likelihood(predictions, 0.0)
        self._take(*likelihood.fit(likelihood.identity()))

    def _likelihood(self, predictions: Predictions, penalty: float) -> SoftmaxLikelihood:
        return SoftmaxLikelihood(predictions, self._input, self._kind, Penalty(penalty, penalty))

    def _take(self, affine: Affine, norm: float) -> None:
        self.weight_ = affine.weight if affine.weight.ndim else float(affine.weight)
        self.bias_ = affine.bias
        self.gradient_norm_ = norm

    def _logits(self, z: Array) -> Array:
        return Affine(np.asarray(self.weight_), self.bias_)(z)


class BiasCorrectedTemperature(LinearScaling):
    """softmax(z / T + b): temperature scaling, and a shift of each class.

    A class that the calibration set lacks is not shifted.

    Attributes
    ----------
    weight_ : float
        1 / T; negative where higher logits mean less, as with reversed labels.
    bias_ : ndarray, shape (K,)
    gradient_norm_ : float
        Of the mean loss, with respect to 1 / T and b, where the fit ended.

    References
    ----------
    Alexandari, Kundaje and Shrikumar 2020, "Maximum likelihood with bias-corrected calibration".

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> repair = cv.BiasCorrectedTemperature().fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(repair.transform(evaluation)), 3)
    (0.202, 0.169)
    """

    short_name = "bias-corrected"
    takes_either = True
    _kind = "number"
    weight_: float

    @property
    def temperature_(self) -> float:
        """T."""
        return 1 / self.weight_


class VectorScaling(LinearScaling):
    """softmax(w * z + b), with a factor and a shift for each class.

    A class that the calibration set lacks keeps the factor 1 and the shift 0.

    Attributes
    ----------
    weight_, bias_ : ndarray, shape (K,)
    gradient_norm_ : float
        Of the mean loss, with respect to W and b, where the fit ended.

    References
    ----------
    Guo et al. 2017, section 4.2.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> repair = cv.VectorScaling().fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(repair.transform(evaluation)), 3)
    (0.202, 0.164)
    """

    short_name = "vector"
    _kind = "diagonal"


class MatrixScaling(LinearScaling):
    """softmax(W z + b), of least mean loss + penalty / (K (K - 1)) sum_{i != j} W_ij^2 + bias_penalty / K sum_j b_j^2.

    The penalty is ODIR, off-diagonal and intercept regularisation. Without any it is Guo's matrix scaling, which with
    many classes and few samples learns them by heart. A class that the calibration set lacks keeps its logit.

    Parameters
    ----------
    penalty : float, at least 0, or "cv"
        "cv" takes the one of 1000, 100, ..., 0.0001 that has the least loss in cross-validation over five folds.
    bias_penalty : float, at least 0, optional
        By default the same as `penalty`.

    Attributes
    ----------
    weight_ : ndarray, shape (K, K)
    bias_ : ndarray, shape (K,)
    penalty_ : float
        The one that was used.
    gradient_norm_ : float
        Of the penalised mean loss, with respect to W and b, where the fit ended.

    References
    ----------
    Guo et al. 2017, section 4.2; Kull et al. 2019, "Beyond temperature scaling", section 3 (ODIR).

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> repair = cv.MatrixScaling(penalty=10.0).fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(repair.transform(evaluation)), 3)
    (0.202, 0.189)
    """

    short_name = "matrix"
    _kind = "matrix"

    def __init__(self, penalty: float | str = 0.0, bias_penalty: float | None = None) -> None:
        if isinstance(penalty, str):
            validation.choice(penalty, "penalty", ("cv",))
        else:
            validation.real_number(penalty, "penalty", 0.0)
        if bias_penalty is not None:
            validation.real_number(bias_penalty, "bias_penalty", 0.0)
        self.penalty = penalty
        self.bias_penalty = bias_penalty

    def _fit(self, predictions: Predictions) -> None:
        penalty = best_penalty(self._likelihood, predictions, PENALTIES) if self.penalty == "cv" else self.penalty
        self.penalty_ = float(penalty)
        likelihood = self._likelihood(predictions, self.penalty_)
        self._take(*likelihood.fit(likelihood.identity()))

    def _likelihood(self, predictions: Predictions, penalty: float) -> SoftmaxLikelihood:
        bias = penalty if self.bias_penalty is None else self.bias_penalty
        return SoftmaxLikelihood(predictions, self._input, self._kind, Penalty(penalty, bias))


class Dirichlet(MatrixScaling):
    """Matrix scaling of log-probabilities: what makes Dirichlet distributed probabilities calibrated.

    Like `MatrixScaling`, whose attributes it has, but always of the log of the probabilities, clipped at 1e-12, even
    where there are logits, and with a penalty unless it is set to 0.

    Parameters
    ----------
    penalty : float, at least 0, or "cv"
    bias_penalty : float, at least 0, optional
        Both as in `MatrixScaling`.

    References
    ----------
    Kull et al. 2019, "Beyond temperature scaling", section 3.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> repair = cv.Dirichlet().fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(repair.transform(evaluation)), 3)
    (0.202, 0.18)
    """

    short_name = "dirichlet"
    takes_either = True

    def __init__(self, penalty: float | str = 10.0, bias_penalty: float | None = None) -> None:
        super().__init__(penalty, bias_penalty)

    @staticmethod
    def _input(predictions: Predictions, rows: slice, dtype: Any = np.float64) -> NDArray[Any]:
        return log_probs(predictions, rows, dtype)
