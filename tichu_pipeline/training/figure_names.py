"""Names and meanings of the figures of networks, for people. JSON, CSV and Parquet keep keys such as `top1`."""

from __future__ import annotations

from tichu_models.networks.architectures import Objective

NAMES = {
    "train_loss": "loss in training",
    "loss": "loss",
    "top1": "top-1",
    "top1_not_forced": "top-1 without forced plays",
    "top1_no_blunder": "top-1 without forced plays and blunders",
    "top5_not_forced": "top-5 without forced plays",
    "pass_precision": "precision of passing",
    "pass_recall": "recall of passing",
    "nll": "negative log-likelihood",
    "mse": "mean squared error",
    "mae": "mean absolute error",
    "r2": "R²",
    "r2_from_28": "R² in mid-round",
    "value_r2": "R² of the value",
    "value_r2_from_28": "R² of the value in mid-round",
    "called_auc": "AUC of calling",
    "called_brier_skill": "Brier skill of calling",
    "called_ece": "calibration error of calling",
    "called_base_rate": "share of calls",
    "first_out_auc": "AUC of going out first",
    "right_top1": "top-1 of the card to the right",
    "partner_top1": "top-1 of the card to the partner",
    "left_top1": "top-1 of the card to the left",
    "auc": "AUC",
    "brier_skill": "Brier skill",
    "ece": "calibration error",
    "base_rate": "share of yes",
    "points_per_round": "points a round against heuristic",
    "low": "points a round against heuristic, at least",
    "high": "points a round against heuristic, at most",
    "rounds": "rounds of self-play",
    "minutes": "minutes",
}

# What the figures of a network mean, by its objective.
MEANINGS: dict[Objective, str] = {
    "cards": "How often the network's first choice, or one of its first five, is the play that was made.",
    "goal": "How often the network's first choice is the play that was made, knowing how the round ends; and how much "
    "of the variance of the points still to come its value explains.",
    "sequence": "How often the network's first choice is the play that was made, knowing how the round ends; and how "
    "much of the variance of the points still to come its value explains.",
    "move": "How often the network's first choice, or one of its first five, is the play that was made.",
    "value": "How much of the variance of a round's difference in points the network predicts; errors are in points / "
    "100.",
    "calls": "How well the network predicts who calls, and who goes out first. A Brier skill of 1 is perfect; always "
    "predicting the mean has 0.",
    "schupf": "How often the network's first choice is the card that was passed to this player.",
    "choice": "How often the network's first choice is the answer that was given.",
    "bomb": "How well the network predicts who throws a bomb. A Brier skill of 1 is perfect; always predicting the "
    "mean has 0.",
}
BASELINES = (
    "Each network is judged on decisions of games that it was not trained on. Grey lines are baselines: 'constant' "
    "takes any legal play, or the most frequent answer; 'heuristic' plays by rules of thumb; 'always pass' passes; "
    "'points so far' predicts the result from the points collected so far. A forced play is the only legal one. In "
    "mid-round, 28 to 34 cards have been played."
)


def name_of(figure: str) -> str:
    """The name of a figure by its key, with or without `val_`. A key without a name is spelled out."""
    key = figure.removeprefix("val_")
    return NAMES.get(key, key.replace("_", " "))
