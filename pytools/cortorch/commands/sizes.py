"""The table of an image's sizes that `build` ends with."""
