"""The forms that a program runs in: C with a plan, and a .pte in ExecuTorch's runtime."""
