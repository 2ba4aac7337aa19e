"""What an inference costs: instructions, counted exactly, and estimated cycles."""
