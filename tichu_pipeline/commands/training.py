"""`tichu train`, `runs`, `explain`: training networks, listing runs, and asking them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, JsonOption, fail, print_table

if TYPE_CHECKING:
    from tichu_models.learning.training import TrainingProgress


def train(
    network: Annotated[
        str,
        typer.Argument(help="PolicyNet, ValueNet, .. (a wrong name lists all).", autocompletion=completion.networks),
    ],
    config: Annotated[
        Path | None, typer.Option(help="A TOML file: a preset and other settings.", show_default=False, metavar="FILE")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="smoke, demo, laptop (the default) or full.",
            metavar="PRESET",
            autocompletion=completion.presets,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting, such as training.epochs=4; may be repeated.",
            show_default=False,
            metavar="KEY=VALUE",
        ),
    ] = None,
    data: DataOption = Path("data"),
    name: Annotated[
        str,
        typer.Option(
            help="The run's name, as a folder of DATA/runs.",
            show_default="from the network: policy_net",
            metavar="NAME",
        ),
    ] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace another finished run of this name.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Trains a network on the rounds of a data folder.

    If it is interrupted, call it again: it resumes where it stopped.

    Example: tichu train PolicyNet --preset demo --set training.epochs=4
    """
    from tichu_models.learning.config_files import DEFAULT_PRESET, PRESETS, ConfigError
    from tichu_models.networks.architectures import ARCHITECTURES
    from tichu_models.observation.scaling import ScalingError
    from tichu_models.samples.loader import StateError
    from tichu_models.samples.sources import SourceError
    from tichu_pipeline.scaling.fit import ScalingFitError as FitError
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.training.inputs import InputError
    from tichu_pipeline.training.runs import RunError, figures_line
    from tichu_pipeline.training.train import TrainingRequest, is_helper, read_request, train_run

    if network not in ARCHITECTURES:
        raise typer.BadParameter(f"expected one of {', '.join(ARCHITECTURES)}", param_hint="NETWORK")
    if preset is not None and preset not in PRESETS:
        raise typer.BadParameter(f"expected one of {', '.join(PRESETS)}", param_hint="--preset")
    if preset is not None and config is not None:
        raise typer.BadParameter("a config file names its own preset; give one of the two", param_hint="--preset")
    request = TrainingRequest(network, str(config or preset or DEFAULT_PRESET), tuple(settings or ()), name)
    try:
        read_request(request)
        from tichu_models.learning.learner import NotFiniteError
        from tichu_models.samples.feed import EmptyError

        quiet = as_json or sys.stderr.isatty()  # there Lightning shows its bar
        made = train_run(
            DataPaths(data),
            request,
            report=lambda epoch, figures: None if as_json else _say_epoch(network, epoch, figures),
            progress=(lambda _: None) if quiet else _say_progress,
            replace=replace,
        )
    except (ConfigError, InputError, RunError, SourceError, StateError, ScalingError, FitError) as error:
        fail(str(error))
    except (EmptyError, NotFiniteError) as error:
        fail(str(error))
    if is_helper():
        return
    if as_json:
        facts = {"run": made.name, "folder": str(made.path), "stamp": made.stamp, "reused": made.reused}
        typer.echo(json.dumps({**facts, "seconds": round(made.seconds, 2), "figures": made.figures}))
        return
    how = "was there" if made.reused else f"{made.seconds:.0f} s"
    typer.echo(f"{made.path}: {figures_line(network, made.figures, ())}, {how}")


def runs(data: DataOption = Path("data"), as_json: JsonOption = False) -> None:
    """Lists the runs of a data folder: trained networks, with their figures.

    Networks that learned from logs have figures on the validation split, players that learned from self-play the points
    by which they beat the player heuristic, or the player that they trained against.
    """
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.training.runs import named_figures, points_lines
    from tichu_pipeline.training.runs import runs as find

    listed = find(DataPaths(data))
    if as_json:
        typer.echo(json.dumps([_run_facts(run) for run in listed]))
        return
    rows = []
    for run in listed:
        network = run.manifest.network if run.manifest else ""
        named = named_figures(network, run.figures) if network else {}
        lines = [f"{value:7.4f} {name}" for name, value in named.items()]
        figures = "\n".join(lines if run.learned_from_logs else points_lines(run.figures, run.opponent)) or run.problem
        seconds = f"{run.trial['seconds']:,.0f} s" if run.trial else ""
        rows.append((f"{run.name}\n  {network}", run.state, run.trial.get("config", ""), seconds, figures))
    colours = {"finished": "green", "unfinished": "yellow", "damaged": "red"}
    print_table(("run, network", "state", "config", "took", "figures"), rows, colours, 2)


def _run_facts(run: Any) -> dict[str, Any]:
    """The facts of a run for JSON."""
    manifest = run.manifest
    facts = {"name": run.name, "folder": str(run.folder), "state": run.state, "problem": run.problem}
    if manifest:
        facts |= {"network": manifest.network, "spec": manifest.spec.name, "seed": manifest.seed}
        facts |= {"settings": manifest.training, "data": manifest.data}
    return {**facts, "figures": run.figures, "trial": run.trial}


def _say_progress(progress: TrainingProgress) -> None:
    typer.echo(str(progress), err=True)


def _say_epoch(network: str, epoch: int, figures: dict[str, float]) -> None:
    from tichu_pipeline.training.runs import figures_line

    typer.echo(f"epoch {epoch}: {figures_line(network, figures)}", err=True)


def explain(
    run: Annotated[
        str,
        typer.Argument(
            help="A name that `tichu runs` lists, a network in a run of self-play (my_run/grand), or champion.",
            autocompletion=completion.explained,
        ),
    ],
    file: Annotated[Path, typer.Option(help="The game log, a .tch file.", metavar="FILE")],
    round_index: Annotated[int, typer.Option("--round", help="The round; the first is 0.", min=0, metavar="N")],
    turn: Annotated[
        int | None,
        typer.Option(help="Only the decision after N plays and passes.", show_default="all", min=0, metavar="N"),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(help="Only the player in this seat.", show_default="all", min=0, max=3, metavar="N")
    ] = None,
    rtg: Annotated[
        float | None,
        typer.Option(
            help="The points still to win that a goal-conditioned network is asked for.",
            show_default="as the round ended",
            metavar="POINTS",
        ),
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            help="How scores of cards become the score of a play: sum, mean, rarity or likelihood.", metavar="RULE"
        ),
    ] = "sum",
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Prints a network's score for every legal answer to a decision in a game log.

    The answer that was given is marked.

    Example: tichu explain policy_net --file 2203201.tch --round 0 --turn 3
    """
    from tichu_models.agents.registry import AgentError
    from tichu_models.observation.specs import SpecError
    from tichu_models.runs.manifest import CheckpointError
    from tichu_pipeline.features.log_decisions import LogError
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.training.runs import RunError, network_folder

    try:
        folder = network_folder(DataPaths(data), run)
        from tichu_models.networks.interface import DECISION_RULES
        from tichu_pipeline.training.explain import explain as answers
        from tichu_pipeline.training.questions import Question

        if rule not in DECISION_RULES:
            raise typer.BadParameter(f"expected one of {', '.join(DECISION_RULES)}", param_hint="--rule")
        question = Question(file, round_index, turn, seat, rtg, rule)  # type: ignore[arg-type]
        decisions = list(answers(folder, question, run))
    except (RunError, AgentError, LogError, CheckpointError, SpecError) as error:
        fail(str(error))
    if as_json:
        typer.echo(json.dumps(decisions))
        return
    for decision in decisions:
        _say_decision(decision)


def _say_decision(decision: dict[str, Any]) -> None:
    when = "before play" if decision["turn"] is None else f"turn {decision['turn']}"
    typer.echo(f"round {decision['round']}, {when}, seat {decision['seat']}: {decision['kind']}")
    for name in ("expected_difference", "difference", "expected_rtg", "asked_rtg"):
        if name in decision:
            typer.echo(f"  {name} {decision[name]:+.0f}")
    rows, whom = [], ["to"] if any("to" in answer for answer in decision["answers"]) else []
    for answer in decision["answers"]:
        cards = answer["answer"]
        text = (" ".join(cards) or "pass") if isinstance(cards, list) else cards
        mark = "<-" if answer["played"] else ""
        to = [answer[name] for name in whom]
        rows.append((text, *to, f"{answer['score']:.3f}", f"{answer['probability']:.1%}", mark))
    if rows:
        print_table(("answer", *whom, "score", "probability", "logged"), rows, {"<-": "green"})
