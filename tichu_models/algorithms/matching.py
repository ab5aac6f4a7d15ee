"""`answers.match` with a gradient: the scores of answers from the vectors of their states and their own."""

from __future__ import annotations

import torch
from torch import Tensor

from tichu_models.algorithms.answers import match, match_backward


def match_tensors(states: Tensor, answers: Tensor, which: Tensor, counts: Tensor, scale: float) -> Tensor:
    """The score of every answer, float32: (n, d), (u, d) -> (m,). By kernels on the CPU, by torch on other devices.

    States and answers may be filled up by rows at the end, which get no gradient.
    """
    if states.device.type == "cpu":
        return MatchByKernels.apply(states, answers, which, counts, scale)
    return match_by_torch(states, answers, which, counts, scale)


def match_by_torch(states: Tensor, answers: Tensor, which: Tensor, counts: Tensor, scale: float) -> Tensor:
    """`match_tensors` by torch: it copies a state for each of its answers, which takes a CPU several times as long."""
    of_each = states[: len(counts)].float().repeat_interleave(counts, dim=0, output_size=len(which))
    return (of_each * answers.float()[which]).sum(1) * scale


class MatchByKernels(torch.autograd.Function):
    """`match_tensors` by the kernels of `answers`."""

    @staticmethod
    def forward(ctx, states: Tensor, answers: Tensor, which: Tensor, counts: Tensor, scale: float) -> Tensor:
        ctx.types, ctx.scale = (states.dtype, answers.dtype), scale
        states, answers = states.float(), answers.float()
        ctx.save_for_backward(states, answers, which, counts)
        return torch.from_numpy(match(states.numpy(), answers.numpy(), which.numpy(), counts.numpy(), scale))

    @staticmethod
    def backward(ctx, of_scores: Tensor):
        states, answers, which, counts = ctx.saved_tensors
        of_states, of_answers = torch.zeros_like(states), torch.zeros_like(answers)
        match_backward(
            *(states.numpy(), answers.numpy(), which.numpy(), counts.numpy(), ctx.scale),
            *(of_scores.contiguous().numpy(), of_states.numpy(), of_answers.numpy()),
        )
        return of_states.to(ctx.types[0]), of_answers.to(ctx.types[1]), None, None, None
