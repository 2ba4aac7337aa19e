"""Changes of a captured graph before it is annotated; ``annotation.REWRITES`` orders them."""
