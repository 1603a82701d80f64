"""How many nodes a launch leaves in a CUDA graph: its kernels, copies and fills.

Asked of the driver, not of the profiler, whose hooks slow every later launch of the process.
"""

from __future__ import annotations

import ctypes

import torch

from roofwatch.probes.timing import Launch


def graph_nodes(launch: Launch) -> int | None:
    """Nodes of ``launch`` captured alone; None where this torch or driver does not tell.

    It must have run before: what is loaded or chosen on the way cannot be captured.
    """
    try:
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(graph):
            launch()
        count = ctypes.c_size_t()
        handle = ctypes.c_void_p(graph.raw_cuda_graph())
        # cuda.h: CUresult cuGraphGetNodes(CUgraph, CUgraphNode *nodes, size_t *numNodes)
        failed = ctypes.CDLL("libcuda.so.1").cuGraphGetNodes(handle, None, ctypes.byref(count))
    except (AttributeError, TypeError, OSError, RuntimeError):
        return None
    return None if failed else count.value
