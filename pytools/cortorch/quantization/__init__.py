"""What the quantizer does to a captured graph."""
