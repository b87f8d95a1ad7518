"""OpenSM, the subnet manager of InfiniBand, on simulated fabrics: its routes beside ours."""
