"""`answers.match` with a gradient: the scores of answers from the vectors of their states and their own."""

from __future__ import annotations

import torch
from torch import Tensor

from tichu_models.algorithms.answers import match, match_backward


class Match(torch.autograd.Function):
    """`match` with a gradient: (n, d), (u, d) -> (m,), on the CPU, in float32."""

    @staticmethod
    def forward(ctx, states: Tensor, answers: Tensor, which: Tensor, counts: Tensor, scale: float) -> Tensor:  # type: ignore[override]
        ctx.types, ctx.scale = (states.dtype, answers.dtype), scale
        states, answers = states.float(), answers.float()
        ctx.save_for_backward(states, answers, which, counts)
        return torch.from_numpy(match(states.numpy(), answers.numpy(), which.numpy(), counts.numpy(), scale))

    @staticmethod
    def backward(ctx, of_scores: Tensor):  # type: ignore[override]
        states, answers, which, counts = ctx.saved_tensors
        of_states, of_answers = torch.zeros_like(states), torch.zeros_like(answers)
        match_backward(
            states.numpy(),
            answers.numpy(),
            which.numpy(),
            counts.numpy(),
            ctx.scale,
            of_scores.contiguous().numpy(),
            of_states.numpy(),
            of_answers.numpy(),
        )
        return of_states.to(ctx.types[0]), of_answers.to(ctx.types[1]), None, None, None
