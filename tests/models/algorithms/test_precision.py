"""Who multiplies may be chosen by speed, as long as the numbers are the same. Tried in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from tichu_models.algorithms.precision import keeps_float32

PRODUCTS = """
import torch
from tichu_models.algorithms.precision import float32_by_onednn

torch.manual_seed(0)
x, y = torch.randn(1024, 375), torch.randn(1024, 512)
weight, bias = torch.randn(512, 375), torch.randn(512)
linear = torch.nn.functional.linear
with float32_by_onednn():
    setting = torch.get_float32_matmul_precision()
    found = linear(x, weight, bias), y @ weight, y.mT @ x, x.view(8, 128, -1) @ weight.mT
x, y, weight, bias = (each.double() for each in (x, y, weight, bias))
exact = linear(x, weight, bias), y @ weight, y.mT @ x, x.view(8, 128, -1) @ weight.mT
errors = [float((one - other).norm() / other.norm()) for one, other in zip(found, exact)]
print(setting, max(errors), torch.get_float32_matmul_precision())
"""


def test_float32_is_float32():
    """Whoever asks for training.precision=float32 would get the three digits of bfloat16, and never know."""
    done = subprocess.run([sys.executable, "-c", PRODUCTS], check=True, capture_output=True, text=True)
    setting, error, afterwards = done.stdout.split()
    assert setting == ("medium" if keeps_float32() else "highest")
    assert float(error) < 2e-6
    assert afterwards == "highest"
