"""The names that tools give to columns and arrays: each row of this table names its tool.

Names are compared in the form of `known_names.plain`. In names of columns of all classes `C` stands for the class.
`docs/data.md` shows the table; `scripts/make_tools.py` writes it there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    """The names that a tool, or a habit, gives to columns."""

    name: str
    truth: tuple[str, ...] = ()
    predicted: tuple[str, ...] = ()  # columns of the predicted class
    single: tuple[str, ...] = ()  # of one probability
    family: tuple[str, ...] = ()  # of the probabilities of all classes
    logits: tuple[str, ...] = ()  # of log-odds or logits
    typed: str = ""  # what a user has to type beside the name of the file
    note: str = ""  # what is special about it


TOOLS = (
    Tool(
        "calibviz",
        truth=("label", "labels", "outcome"),
        predicted=("predicted", "prediction"),
        single=("prob", "p", "probs"),
        family=("p_C", "prob_C"),
        logits=("logit", "logits"),
    ),
    Tool(
        "scikit-learn, pandas",
        truth=("y", "y_true", "y_test", "true", "true_label", "target", "actual", "truth", "class"),
        predicted=("pred", "y_pred", "predicted_class", "predicted_label", "pred_class", "pred_label", "y_hat", "yhat"),
        single=("proba", "probability", "probabilities", "y_prob", "y_proba", "y_score", "pred_prob", "pred_proba"),
        family=("C", "proba_C", "P(C)", "C_prob"),
        logits=("log_odds",),
    ),
    Tool(
        "any model",
        truth=("y_val", "y_actual", "true_class", "targets", "actual_label", "actual_class", "observed",
               "observed_outcome", "ground_truth", "gt", "reference", "expected", "event", "status", "result"),
        predicted=("predictions", "y_predicted", "output", "choice", "decision"),
        single=("score", "confidence", "conf", "predicted_probability", "predicted_risk", "risk", "risk_score",
                "forecast"),
    ),
    Tool("Keras", family=("class_C", "softmax_C"), truth=("true_class",), predicted=("pred_class",)),
    Tool("PyTorch, arrays", truth=("targets", "labels", "gt"), single=("preds", "predictions", "softmax", "outputs"),
         note="numbers outside of [0, 1] are logits"),
    Tool("transformers, `pipeline`", predicted=("label",), single=("score",), note="beside a column of the truth"),
    Tool("transformers, `Trainer.predict`", truth=("label_ids",), logits=("predictions",), typed="`ignore=-100`",
         note="where labels are -100"),
    Tool("tidymodels (R)", predicted=(".pred_class",), family=(".pred_C",), typed="`model='.config'`",
         note="where several models are tuned"),
    Tool("caret (R)", truth=("obs",), predicted=("pred",), family=("C",)),
    Tool("mlr3 (R)", truth=("truth",), predicted=("response",), family=("prob.C",)),
    Tool("glm, broom (R)", single=("phat", "p.hat", "pihat", "fitted")),
    Tool("H2O", predicted=("predict",), family=("pC", "C", "cal_pC")),
    Tool("KNIME", predicted=("Prediction (T)",), family=("P (T=C)",)),
    Tool("RapidMiner", predicted=("prediction(label)",), family=("confidence(C)",)),
    Tool("Weka", truth=("actual",), predicted=("predicted",), single=("prediction", "distribution")),
    Tool("Spark ML", truth=("label",), predicted=("prediction",), single=("probability",),
         note="vectors in a cell"),
    Tool("SAS PROC LOGISTIC", truth=("_FROM_",), predicted=("_INTO_",), single=("P_1", "IP_1"), family=("IP_C",)),
    Tool("SAS Enterprise Miner", predicted=("I_T", "U_T"), family=("P_TC",)),
    Tool("SPSS", predicted=("PGR_1",), single=("PRE_1",), note="of the larger value"),
    Tool("Stata", single=("phat",)),
    Tool("Azure ML", predicted=("Scored Labels",), single=("Scored Probabilities",),
         family=('Scored Probabilities for Class "C"', "Scored Probabilities_C")),
    Tool("ML.NET", predicted=("PredictedLabel",), single=("Probability",), logits=()),
    Tool("DataRobot", predicted=("T_PREDICTION",), family=("T_C_PREDICTION",)),
    Tool("CatBoost", family=("Probability:Class=C",)),
    Tool("MLflow, W&B", truth=("label", "target"), predicted=("guess",), single=("prediction_proba", "predicted_probs"),
         family=("score_C",), note="`eval_results_table.json`, `*.table.json`"),
    Tool("OHDSI PatientLevelPrediction", truth=("outcomeCount",), single=("value",)),
    Tool("aequitas", truth=("label_value",), single=("score",)),
    Tool("PD models (credit)", truth=("default", "bad"), single=("pd",)),
    Tool("questions with one right answer", truth=("gold", "gold_label", "gold_answer", "ideal", "correct_answer",
         "answer", "answer_key", "human_label"),
         predicted=("predicted_answer", "model_answer", "extracted_answer", "model_output", "picked", "sampled",
                    "completion")),
    Tool("language models, asked or sampled", single=("verbalised_confidence", "verbalized_confidence",
         "stated_confidence", "sampled_confidence", "self_consistency", "logprob_confidence", "p_true"),
         note="of several, each or `model=[...]`, all side by side"),
    Tool("Metaculus, Manifold, GJOpen", truth=("resolution", "resolved_to", "resolved_outcome"),
         single=("probability_yes", "community_prediction", "forecast_probability", "prob_after"),
         typed="`ignore=['MKT', 'CANCEL']`", note="where markets were annulled"),
    Tool("FiveThirtyEight", truth=("X_outcome",), single=("X",), typed="`prob=`, `label=`",
         note="where a file holds several events"),
    Tool("German", truth=("wahrheit", "wahr", "wahre_klasse", "ergebnis"), single=("wahrscheinlichkeit", "risiko")),
    Tool("French", truth=("vrai", "résultat"), single=("probabilité", "risque")),
    Tool("Spanish, Italian", truth=("verdadero", "real", "resultado", "vero", "esito"),
         single=("probabilidad", "riesgo")),
)  # fmt: skip  # short entries stand in rows
