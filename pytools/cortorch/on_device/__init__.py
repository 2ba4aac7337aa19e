"""Boards at work: runners, protocol, comparison, faults, debuggers, pytest."""
