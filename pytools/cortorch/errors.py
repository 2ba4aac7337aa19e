"""One exception class per cause. The text says what is wrong, where, and what to try."""


class CorTorchError(Exception):
    """Base of everything that the command line prints as `error: ...` without a traceback."""


class CompatError(CorTorchError, ImportError):
    """cortorch meets ExecuTorch's Cortex-M backend in one process, or a path has no counterpart."""


class ExportError(CorTorchError):
    """A module, its inputs or its graph cannot be exported."""


class QuantizationError(CorTorchError):
    """Weights, calibration data or a quantizer configuration make no usable numbers."""


class PteError(CorTorchError):
    """A .pte file is damaged, or is not what a Cortex-M program may hold."""


class BakeError(CorTorchError):
    """A program cannot be turned into a static plan for this target."""


class TargetError(CorTorchError, ValueError):
    """A CPU is unknown, or cannot have the options that were asked for."""


class BoardError(CorTorchError):
    """A board is unknown, or its board.yml is wrong."""


class BuildError(CorTorchError):
    """Firmware does not compile, link or fit."""


class TooBigError(BuildError):
    """An image does not fit the memories of its board."""


class RunnerError(CorTorchError):
    """An emulator or a programmer did not start, or died."""


class DifferenceError(CorTorchError):
    """Two runs of one program are not the same to the last bit."""


class DeviceError(CorTorchError):
    """A device answered with an error, crashed, or does not answer."""


class ProtocolError(CorTorchError):
    """Bytes from a device are not a frame of the protocol."""


class ToolError(CorTorchError):
    """A program that is needed is not installed."""
