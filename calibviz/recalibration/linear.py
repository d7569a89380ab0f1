"""Linear maps of the logits: bias-corrected temperature, vector, matrix and Dirichlet scaling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.arrays import Array
from .base import LogitCalibrator
from .solvers.conditioning import Affine, Kind
from .solvers.cross_validation import best_penalty
from .solvers.logit_blocks import log_probs, logits_of, with_one_rest
from .solvers.softmax_likelihood import Penalty, SoftmaxLikelihood

PENALTIES = tuple(10.0**e for e in range(3, -5, -1))  # tried by cross-validation, the strongest first


class LinearScaling(LogitCalibrator):
    """softmax(W z + b), fitted by maximum likelihood; W is a number, a diagonal or a matrix."""

    keeps_ranking = False
    _kind: Kind

    def _fit(self, predictions: Predictions) -> None:
        self._take(*self._likelihood(predictions, Penalty()).fit())

    def _likelihood(self, predictions: Predictions, penalty: Penalty) -> SoftmaxLikelihood:
        return SoftmaxLikelihood(predictions, self._input, self._kind, penalty)

    def _take(self, affine: Affine, norm: float) -> None:
        self.weight_ = affine.weight if affine.weight.ndim else float(affine.weight)
        self.bias_ = affine.bias
        self.gradient_norm_ = norm  # of the mean loss, with respect to W and b, where the fit ended

    def _logits(self, z: Array) -> Array:
        return Affine(np.asarray(self.weight_), self.bias_)(z)


class BiasCorrectedTemperature(LinearScaling):
    """Bias-corrected temperature scaling: softmax(z / T + b), with a shift b of each class.

    A class without samples in the calibration set is not shifted.

    Attributes
    ----------
    weight_ : float
        1 / T; negative where higher logits mean less, as with reversed labels.
    bias_ : ndarray, shape (K,)
    gradient_norm_ : float
        Of the mean loss, with respect to 1 / T and b, where the fit ended.

    See Also
    --------
    Temperature : Without the shift.
    VectorScaling : With a factor for each class.

    References
    ----------
    Alexandari, Kundaje and Shrikumar 2020, "Maximum likelihood with bias-corrected calibration".

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.BiasCorrectedTemperature().fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(calibrator.transform(evaluation)), 3)
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
    """Vector scaling: softmax(w * z + b), with a factor and a shift for each class.

    A class without samples in the calibration set keeps the factor 1 and the shift 0.

    Attributes
    ----------
    weight_, bias_ : ndarray, shape (K,)
    gradient_norm_ : float
        Of the mean loss, with respect to W and b, where the fit ended.

    See Also
    --------
    BiasCorrectedTemperature : One factor for all classes.
    MatrixScaling : A matrix in place of the factors.

    References
    ----------
    Guo et al. 2017, section 4.2.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.VectorScaling().fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(calibrator.transform(evaluation)), 3)
    (0.202, 0.164)
    """

    short_name = "vector"
    _kind = "diagonal"

    def _fit(self, predictions: Predictions) -> None:
        likelihood = self._likelihood(predictions, Penalty())
        if (present := likelihood.present).all():
            self._take(*likelihood.fit())
            return
        few = with_one_rest(predictions, self._input, present)
        fitted, norm = SoftmaxLikelihood(few, logits_of, self._kind).fit()
        whole = likelihood.identity()
        whole.weight[present], whole.bias[present] = fitted.weight[:-1], fitted.bias[:-1]
        self._take(whole, norm)


class MatrixScaling(LinearScaling):
    """Matrix scaling: softmax(W z + b) of least mean loss plus ODIR, off-diagonal and intercept regularisation.

    The penalty is penalty / (K (K - 1)) sum_{i != j} W_ij^2 + bias_penalty / K sum_j b_j^2. Without a penalty this is
    the matrix scaling of Guo et al., which overfits with many classes and few samples. A class without samples in the
    calibration set keeps its logit.

    The fit ends where the loss is flat, or where eight steps gain less than a millionth. On few samples with a tiny
    penalty or none, large entries of W may not have converged then. A constant added to all rows of W changes no
    probability; it is chosen to make the penalty least. After about a minute of work (3,000 samples of 1,000 classes
    take more) the fit ends with a warning that names the gradient.

    Kull et al. choose each penalty by cross-validation of its own, as "cv" for both does; a common value can give
    another result. For ResNet-110 on CIFAR-10 the top-1 KS error, published as 0.98 %, is 1.06 % with "cv" for both,
    and from 1.00 to 1.38 % over all pairs of penalties from 0.01 to 1000. (Their code multiplies plain sums of squares:
    its penalties are ours divided by K (K - 1) and by K.)

    Parameters
    ----------
    penalty : float, at least 0, or "cv"
        "cv" takes the one of 1000, 100, ..., 0.0001 that has the least loss in cross-validation over five folds.
    bias_penalty : float, at least 0, or "cv", optional
        By default the same as `penalty`. "cv" then chooses it in the same way, under the `penalty` that was chosen, and
        after that the `penalty` once more.

    Attributes
    ----------
    weight_ : ndarray, shape (K, K)
    bias_ : ndarray, shape (K,)
    penalty_, bias_penalty_ : float
        Those that were used.
    gradient_norm_ : float
        Of the penalised mean loss, with respect to W and b, where the fit ended.

    See Also
    --------
    Dirichlet : The same for log-probabilities.

    References
    ----------
    Guo et al. 2017, section 4.2; Kull et al. 2019, "Beyond temperature scaling", section 3 (ODIR).

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.MatrixScaling(penalty=10.0).fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(calibrator.transform(evaluation)), 3)
    (0.202, 0.189)
    """

    short_name = "matrix"
    _kind = "matrix"

    def __init__(self, penalty: float | str = 0.0, bias_penalty: float | str | None = None) -> None:
        for name, given in (("penalty", penalty), ("bias_penalty", bias_penalty)):
            if isinstance(given, str):
                validation.choice(given, name, ("cv",))
            elif given is not None or name == "penalty":
                validation.real_number(given, name, 0.0)
        self.penalty = penalty
        self.bias_penalty = bias_penalty

    def _fit(self, predictions: Predictions) -> None:
        def best(penalty: Callable[[float], Penalty]) -> float:
            return best_penalty(lambda some, value: self._likelihood(some, penalty(value)), predictions, PENALTIES)

        given, bias = self.penalty, None if isinstance(self.bias_penalty, str) else self.bias_penalty
        off = best(lambda v: Penalty(v, v if bias is None else bias)) if isinstance(given, str) else float(given)
        bias_used = off if bias is None else float(bias)
        if isinstance(self.bias_penalty, str):
            bias_used = best(lambda v: Penalty(off, v))
            off = best(lambda v: Penalty(v, bias_used)) if isinstance(given, str) else off
        self.penalty_, self.bias_penalty_ = off, bias_used
        self._take(*self._likelihood(predictions, Penalty(self.penalty_, self.bias_penalty_)).fit())


class Dirichlet(MatrixScaling):
    """Dirichlet calibration: matrix scaling of log-probabilities, which calibrates Dirichlet distributed probabilities.

    It has the attributes of `MatrixScaling`. But it always takes the log of the probabilities, clipped at 1e-12, even
    where there are logits, and has a penalty by default.

    Parameters
    ----------
    penalty : float, at least 0, or "cv"
    bias_penalty : float, at least 0, or "cv", optional
        Both as in `MatrixScaling`.

    See Also
    --------
    MatrixScaling : The same for logits.

    Notes
    -----
    The probabilities P become softmax(W ln P + b).

    References
    ----------
    Kull et al. 2019, "Beyond temperature scaling", section 3.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.Dirichlet().fit(calibration)
    >>> round(cv.log_loss(evaluation), 3), round(cv.log_loss(calibrator.transform(evaluation)), 3)
    (0.202, 0.18)
    """

    short_name = "dirichlet"
    takes_either = True

    def __init__(self, penalty: float | str = 10.0, bias_penalty: float | str | None = None) -> None:
        super().__init__(penalty, bias_penalty)

    @staticmethod
    def _input(predictions: Predictions, rows: slice, dtype: Any = np.float64) -> NDArray[Any]:
        return log_probs(predictions, rows, dtype)
