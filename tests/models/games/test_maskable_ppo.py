"""MaskablePPO of sb3-contrib, which the thesis used, learns in the environments as they are. Its files are pickles, and
are never loaded."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra `games` is not installed")
sb3_contrib = pytest.importorskip("sb3_contrib", reason="the extra `dev` is not installed")
MODULE = "tichu_models.games.environments"


@pytest.mark.parametrize(("name", "words"), [("clever", {}), ("clever-prototype", {"dice": "4"})])
def test_maskable_ppo_learns_in_the_environments(name, words):
    """A library that finds no mask, and learns from illegal actions; or one that refuses what `reset` returns."""
    import gymnasium
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(lambda: gymnasium.make(f"{MODULE}:{name}-v0", **words), n_envs=4, seed=1)
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, gamma=1.0, seed=1, policy_kwargs={"net_arch": [16]}
    )
    model.learn(128)
    assert model.num_timesteps == 128
    seen, before = envs.reset(), [env.unwrapped for env in envs.envs]
    for _ in range(40):
        masks = get_action_masks(envs)
        actions, _ = model.predict(seen, action_masks=masks)
        assert masks[np.arange(len(actions)), actions].all()
        seen, _, _, _ = envs.step(actions)
    if name == "clever":
        assert sum(int(env._batch.invalid[0]) for env in before) == 0
