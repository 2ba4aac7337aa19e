"""Which places of the graph get one observer, and so one scale and zero point.

A *point* is where torchao may put an observer: the output of a node, or the edge from a producer to
a consumer. torchao's own sharing follows chains of references and can run in circles; here the
clusters are worked out first, and then every point of a cluster refers to its first one directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from torch.fx import Node

from cmsis_nn_ops.op_def import FixedQParams
from cortorch.quantization.annotation_step import Step

Point: TypeAlias = "Node | tuple[Node, Node]"


@dataclass
class Clusters:
    """A partition of points."""

    parent: dict[Point, Point] = field(default_factory=dict)
    prescribed: dict[Point, FixedQParams] = field(default_factory=dict)
    """By representative: parameters that an operator's arithmetic prescribes."""
    wishes: list[tuple[Point, Point]] = field(default_factory=list)
    """Pairs that need not share parameters, but save a requantization if they do."""

    def find(self, point: Point) -> Point:
        """The representative of the point's cluster."""
        while self.parent[point] != point:
            point = self.parent[point]
        return point

    def unite(self, points: Iterable[Point]) -> None:
        """Joins the clusters of all points; new points are welcome."""
        first, *others = [self.find(self.parent.setdefault(p, p)) for p in points]
        for other in others:
            self.parent[other] = first
            if other in self.prescribed:
                self.prescribed[first] = self.prescribed.pop(other)

    def fixed(self, point: Point) -> FixedQParams | None:
        return self.prescribed.get(self.find(point))

    def leaders(self, ordered: Iterable[Point]) -> Iterator[tuple[Point, Point]]:
        """(point, first point of its cluster) for points in the order of the graph."""
        first: dict[Point, Point] = {}
        for point in ordered:
            yield point, first.setdefault(self.find(point), point)


def cluster(steps: Sequence[Step], joins_are_final: bool) -> Clusters:
    """Works out the clusters of steps in graph order.

    ``joins_are_final``: nothing is left to ``wishes``; fake quantization must know at once.
    """
    clusters = Clusters()
    source_points: dict[Node, Point] = {}
    for step in steps:
        edges: list[Point] = [(a, step.node) for a in step.activations]
        for edge, producer in zip(edges, step.activations, strict=True):
            clusters.unite([edge])
            source_points.setdefault(producer, edge)
        sources = [source_points[a] for a in step.activations]
        if step.shares and step.output is not None:
            clusters.unite([*edges, step.output])
        if step.shares and step.output is not None and len(sources) > 1:
            _meet(clusters, step.output, sources, edges, joins_are_final)
        else:
            for source, edge in zip(sources, edges, strict=True):
                clusters.unite([source, edge])
        if step.output is None:
            continue
        clusters.unite([step.output])
        if step.fixed is not None:
            clusters.prescribed[clusters.find(step.output)] = step.fixed
        source_points[step.output] = step.output
    return clusters


def _meet(
    clusters: Clusters,
    output: Point,
    sources: list[Point],
    edges: list[Point],
    joins_are_final: bool,
) -> None:
    """An operator whose inputs must all have the parameters of its output.

    A source with prescribed parameters would force its range on the others, so it is requantized on
    its edge unless all sources agree.
    """
    prescribed = [clusters.fixed(s) for s in sources]
    if prescribed[0] is not None and all(p == prescribed[0] for p in prescribed):
        clusters.unite([*sources, output])
        return
    for source, edge, params in zip(sources, edges, prescribed, strict=True):
        if params is not None:
            continue
        if joins_are_final or source == edge or not isinstance(source, Node):
            clusters.unite([source, output])
        else:
            clusters.wishes.append((source, output))
