"""From a quantized program of the edge dialect to calls of our operators."""
