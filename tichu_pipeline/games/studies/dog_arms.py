"""What learns to play DOG with hidden cards: by TD or PPO, with hands that are open at first, with deeper networks.

dog_arms.toml has the arms. TD uses one core, PPO as many threads as torch has.
"""

from __future__ import annotations

from tichu_pipeline.games.studies.arms import ALL
from tichu_pipeline.games.studies.timed import arms_of, timed_study

ARMS = arms_of("dog", "dog_arms.toml")
STUDY = timed_study(
    "What learns to play DOG with hidden cards in equally many minutes",
    ", TD with one core",
    ARMS,
    {
        "smoke": {"arms": "td", "preset": "smoke", "minutes": 0.001, "evaluations": 1, "judged": 4},
        "demo": {"arms": "td,opened", "preset": "demo", "minutes": 0.2, "evaluations": 1, "judged": 24},
        "laptop": {"arms": ALL, "preset": "laptop", "minutes": 8.0, "evaluations": 4, "judged": 400},
    },
)
