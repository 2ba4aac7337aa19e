"""Graph-wide passes, one file each; every ``run(ep)`` edits the program in place. ``ORDER`` is the
pipeline."""

from cortorch.edge.graph import Pass
from cortorch.edge.passes import (
    absorb_padding,
    canonicalize,
    fold_constants,
    fold_quantization,
    fold_reorder,
    fuse_activation,
    lower_operators,
    merge_duplicates,
    move_permutes,
    simplify_views,
)

ORDER: tuple[tuple[str, Pass], ...] = (
    ("canonicalize", canonicalize.run),
    ("merge_duplicates", merge_duplicates.run),
    ("fold_quantization", fold_quantization.run),
    ("fuse_activation", fuse_activation.run),
    ("absorb_padding", absorb_padding.run),
    ("lower_operators", lower_operators.run),
    ("move_permutes", move_permutes.run),
    ("fold_reorder", fold_reorder.run),
    ("fold_constants", fold_constants.run),
    ("lower_late", lower_operators.run_late),
    ("simplify_views", simplify_views.run),
)
