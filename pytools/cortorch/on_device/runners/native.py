"""Runs an image that is a program of this PC."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import Connection, Runner
from cortorch.on_device.runners.process import Process, ProcessSession

if TYPE_CHECKING:
    from cortorch.images.image import Image


@dataclass(frozen=True)
class NativeRunner(Runner):
    name = "native"

    @classmethod
    def read(cls, settings: Settings) -> NativeRunner:
        return cls()

    def _start(self, image: Image, count: bool, connection: Connection) -> ProcessSession:
        ours, theirs = socket.socketpair()
        with theirs:
            process = Process([str(image.elf)], image.build_dir, stdio=theirs)
        return ProcessSession(image, process, ours)
