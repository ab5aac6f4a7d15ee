"""Residual blocks, of which networks are made deeper."""

from __future__ import annotations

from torch import Tensor, nn


class Block(nn.Module):
    """A residual block of two layers."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.LayerNorm(width), nn.Linear(width, width), nn.ReLU()]
        if dropout:
            layers.append(nn.Dropout(dropout))
        self.inside = nn.Sequential(*layers, nn.Linear(width, width))
        last = self.inside[-1]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inside(x)
