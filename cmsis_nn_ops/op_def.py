"""What an operator must declare.

An operator is a folder with one ``OP = OpDef(...)`` in its ``op.py``. Everything else (the torch
library entry, the quantizer's annotations, the lowering, the kernel choice of the baker, the tests)
follows from it; no other file names an operator.

Every callable here takes one ``Args``: the bound arguments as attributes, under the names of the
schema. Tensor arguments are torch tensors; constants (weights, tables) hold their data, activations
may be ``meta`` or fake tensors with shape and dtype only, except in ``reference`` and ``ideal``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import torch

from cortorch.target import Isa

NAMESPACE = "cortex_m"

Args = SimpleNamespace  # attributes differ by operator
"""Bound arguments of one call, by schema name; ``out`` is the (first) output as a meta tensor."""


@dataclass(frozen=True)
class Constraint:
    """A numbered condition on a call. ``cases.py`` has a rejected case for each."""

    id: str
    text: str
    holds: Callable[[Args], bool]


def _nothing(_: Args) -> dict[str, Any]:
    return {}


def _zero(_: Args) -> int:
    return 0


def _always(_: Args) -> bool:
    return True


@dataclass(frozen=True)
class Kernel:
    """One C function that can execute the operator: ``ct_status function(const params *,
    operands...)``.

    Its C prototype stands in ``<op>.h``. The baker takes the first kernel of ``OpDef.kernels``
    whose ISA the target has and whose ``accepts`` holds, so the list goes from the most special to
    the portable one.
    """

    function: str
    operands: tuple[str, ...]
    """C parameters after the struct, in order: schema tensors, names made by ``pack``, ``out``,
    ``scratch``."""
    isa: Isa = Isa.SCALAR
    accepts: Callable[[Args], bool] = _always
    params: Callable[[Args], Mapping[str, Any]] = _nothing
    """Fields of ``struct ct_<op>_params``; a field that the header does not have is a compile
    error."""
    pack: Callable[[Args], Mapping[str, torch.Tensor]] = _nothing
    """Constants made on the host for this kernel (reordered weights, folded biases, tables)."""
    scratch_bytes: Callable[[Args], int] = _zero
    in_place: tuple[str, ...] = ()
    """Tensor arguments whose buffer the output may reuse when nothing else needs it (same bytes,
    same order)."""


@dataclass(frozen=True)
class Pattern:
    """How the quantizer treats ATen operators that this operator implements.

    Argument names are those of the ATen schema.
    """

    targets: tuple[str, ...]
    """Overload names such as ``aten.conv2d.default``, as PT2E sees them."""
    activations: tuple[str, ...] = ("input",)
    weight: str | None = None
    bias: str | None = None
    parameters: tuple[str, ...] = ()
    """Further arguments that must be constants; the lowering takes them in float."""
    weight_channel_axis: int | None = 0
    """Axis of the output channels for per-channel scales; None = per tensor."""
    output: str | FixedQParams = "observed"
    """``observed``, ``shared`` (same scale and zero point as the activations), ``unquantized``
    (indices, truth values), or fixed parameters."""
    fuses_activation: bool = False
    """A single-user relu/relu6/hardtanh/clamp behind it becomes the bounds of its output."""
    rejects: Callable[[Args], str | None] = field(default=lambda _: None)
    """Reason why this very node cannot be quantized, or None."""


@dataclass(frozen=True)
class FixedQParams:
    """Output parameters that the arithmetic of the operator prescribes."""

    scale: float
    zero_point: int


@dataclass(frozen=True)
class Lowering:
    """Rewrites quantized ATen nodes of the edge dialect into this operator.

    ``rewrite(ctx)`` gets a ``cortorch.edge.lowering.LoweringContext`` and returns the new node;
    ``ctx.reject(reason)`` leaves the node in float with that reason.
    """

    targets: tuple[str, ...]
    """Overload names of the edge dialect, such as ``aten.convolution.default``."""
    rewrite: Callable[[Any], torch.fx.Node]
    needs_quantization: bool = True
    """False for operators that only move data: they take any dtype, and apply to float nodes
    too."""
    priority: int = 0
    """Lowerings of the same target are tried from the highest to the lowest; ``ctx.decline()``
    passes the node on to the next one."""
    late: bool = False
    """Apply after the layout passes (which see ``aten.permute_copy`` and ``aten.view_copy``
    only)."""


@dataclass(frozen=True)
class Case:
    """One call of an operator as data, for ``cases.py``: name and arguments by schema name, made
    from a seeded generator. ``rejects`` names the constraint that must refuse it.

    The module's ``CASES`` are tests: small, at the limits. Its ``BENCHMARKS`` are what ``make
    bench`` counts: shapes of real networks, at least one for each kernel."""

    name: str
    make: Callable[[torch.Generator], dict[str, Any]]
    rejects: str | None = None


class Declaration:
    """Name and arguments of an operator, from its functional schema without a name: ``(Tensor
    input, int[] perm) -> Tensor``."""

    name: str
    schema: str
    ignored: tuple[str, ...]
    """Tensor arguments that the static form does not need (upstream's scratch tensors)."""

    @cached_property
    def parsed(self) -> torch.FunctionSchema:
        return torch._C.parse_schema(f"{NAMESPACE}::{self.name}{self.schema}")

    @cached_property
    def argument_names(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.parsed.arguments)

    @cached_property
    def tensor_arguments(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.parsed.arguments if "Tensor" in str(a.type))

    @cached_property
    def dtype_arguments(self) -> tuple[str, ...]:
        """Arguments of the schema's type ScalarType; TorchScript's parser calls them int."""
        types = re.findall(r"ScalarType\s+(\w+)", self.schema)
        return tuple(types)

    @property
    def out_schema(self) -> str:
        """Schema of the ``.out`` overload that ExecuTorch calls."""
        head, returns = self.schema.rsplit("->", 1)
        if returns.strip() != "Tensor":
            raise ValueError(f"{self.name}: only single-tensor operators have an out variant here")
        return f"{head.rstrip()[:-1]}, *, Tensor(a!) out) -> Tensor(a!)"

    def bind(self, values: Sequence[Any] | Mapping[str, Any]) -> Args:
        """Arguments as attributes, checked for number and names."""
        names = self.argument_names
        if not isinstance(values, Mapping):
            if len(values) != len(names):
                raise ValueError(f"{self.name}: {len(values)} arguments for {names}")
            values = dict(zip(names, values, strict=True))
        if set(values) != set(names):
            odd = sorted(set(values) ^ set(names))
            raise ValueError(f"{self.name}: missing or unknown arguments {odd}")
        return Args(**values)


@dataclass(frozen=True)
class Foreign(Declaration):
    """An operator that only programs of ExecuTorch's Cortex-M backend call: as ours, but its
    activations are NCHW by shape and NHWC in memory, where ours are NHWC by shape."""

    name: str
    schema: str
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpDef(Declaration):
    name: str
    schema: str
    fake: Callable[[Args], torch.Tensor]
    """Shape and dtype of the output, from shapes and dtypes."""
    reference: Callable[[Args], torch.Tensor]
    """The definition of the operator: every kernel agrees with it bit for bit."""
    summary: str
    """One line for the table of supported operators."""
    ideal: Callable[[Args], torch.Tensor] | None = None
    """The same function in real arithmetic: float64, unrounded, in steps of the output scale. The
    reference stays within ``float_error_lsb`` of it. None where the reference moves data and rounds
    nothing."""
    float_error_lsb: float = 1.0
    constants: tuple[str, ...] = ()
    """Tensor arguments that must be constants of the program (weights, tables)."""
    ignored: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    lowerings: tuple[Lowering, ...] = ()
    preserve: tuple[str, ...] = ()
    """ATen overloads of the lowerings that ``to_edge`` must not decompose."""
    permuted: Callable[[Args, tuple[int, ...]], Mapping[str, Any]] | None = None
    """For operators that do not care for the layout: the arguments to change (``{}`` for
    elementwise ones; remapped ``dim``, pads, ... otherwise) so that the same operator works on
    activations permuted by ``perm`` (as ``Tensor.permute``) and yields its output permuted by
    ``perm``. ``None``: permutes do not move past it. Raise ``LookupError`` where it cannot be
    done."""
    absorbs_reorder: Callable[[Args, torch.Tensor], Mapping[str, torch.Tensor]] | None = None
    """For operators that contract the last dimension of ``input`` with constants: the constants to
    change when the input's features come in another order (feature j of the new input is feature
    ``order[j]`` of the old one)."""
    macs: Callable[[Args], int] = _zero
    foreign: tuple[Foreign, ...] = ()

    def violated(self, args: Args) -> Constraint | None:
        """First constraint that does not hold for these arguments."""
        return next((c for c in self.constraints if not c.holds(args)), None)

    def kernel_for(self, args: Args, isa: Isa) -> Kernel | None:
        """The kernel that the baker uses for this call on that instruction set."""
        return next((k for k in self.kernels if k.isa <= isa and k.accepts(args)), None)
