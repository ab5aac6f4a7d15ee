"""When the VERSION of a stage of the games has to be raised."""

from __future__ import annotations

from tests.makers import golden
from tichu_pipeline.games import matches, rules
from tichu_pipeline.storage.folders import DataPaths

PARTS = ("perft", "complexity")


def test_counts_change_only_with_their_version(tmp_path):
    """Counts of other rules that count as up to date."""
    digests = {}
    for name in ("chameleon", "clever", "clever-prototype"):
        facts = rules.count(DataPaths(tmp_path), rules.RulesRequest.of(name, "smoke")).facts
        digests[name] = golden.digest({part: facts[part] for part in PARTS})
    golden.check("game_rules", rules, digests)


def test_matches_change_only_with_their_version(tmp_path):
    """Results of other games that count as up to date."""
    request = matches.MatchesRequest(
        "chameleon", tuple(map(matches.Planned, (("greedy", "random"), ("maxn:depth=2", "brs:depth=2")))), 4
    )
    facts = matches.play(DataPaths(tmp_path), request).facts
    golden.check("game_matches", matches, {"chameleon": golden.digest(facts["results"])})
