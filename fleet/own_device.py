"""Which device is a rank's own."""

from __future__ import annotations

CPU, CUDA, AUTO = "cpu", "cuda", "auto"


def own_device(asked: str, local_rank: int) -> str:
    """``cpu``, or ``cuda:N`` by the rank's place on its machine.

    Where a launcher shows each rank one card alone (as ``--gpus-per-task=1`` does), that one is
    ``cuda:0`` for everybody. A card that is not there is named all the same: its suite says so.
    """
    if asked == CPU:
        return CPU
    import torch

    count = torch.cuda.device_count()  # by NVML where it can: no context is made
    if count == 0 and asked == AUTO:
        return CPU
    return f"{CUDA}:{0 if count == 1 else local_rank}"
