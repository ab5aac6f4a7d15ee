"""Which method learns MADN best in equally many minutes, and which parts of MuZero matter, arm by arm.

madn_arms.toml has the arms. MuZero uses two cores, TD one, and PPO as many threads as torch has.
"""

from __future__ import annotations

from tichu_pipeline.games.studies.arms import ALL
from tichu_pipeline.games.studies.timed import arms_of, timed_study

ARMS = arms_of("madn", "madn_arms.toml")
STUDY = timed_study(
    "Which method learns MADN best in equally many minutes",
    ", MuZero with two cores",
    ARMS,
    {
        "smoke": {"arms": "base,td", "preset": "smoke", "minutes": 0.001, "evaluations": 1, "judged": 4},
        "demo": {"arms": "td,ppo", "preset": "demo", "minutes": 0.05, "evaluations": 1, "judged": 24},
        "laptop": {"arms": ALL, "preset": "laptop", "minutes": 8.0, "evaluations": 4, "judged": 400},
    },
)
