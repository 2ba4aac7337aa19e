"""The wire protocol: the C server, under the sanitizers, and the Python client over bad lines."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortorch.device import Device
from cortorch.errors import DeviceError, ProtocolError, RunnerError
from cortorch.images import image
from cortorch.images.board import load_board
from cortorch.on_device.protocol import messages as m
from cortorch.on_device.protocol import spec
from cortorch.on_device.protocol.client import Client, RefusedError
from cortorch.on_device.protocol.codec import (
    Frame,
    FrameReader,
    MalformedError,
    decode_frame,
    encode_frame,
    pack,
    unpack,
)
from cortorch.on_device.protocol.replies import DTYPES
from cortorch.on_device.runners import Session
from cortorch.paths import firmware_dir, repo_root
from protocol_host import KINDS, MODELS, BadLine, Fault, Process, build
from testboards import emulated_boards

# A reply of this PC's process mostly takes less; one that takes longer is asked for twice.
RETRY_S = 0.01
SETTINGS = settings(deadline=None, derandomize=True, database=None, max_examples=40)
BUILD = Path(__file__).resolve().parent.parent / "build" / "tests" / "protocol"
STATUS = {code.name: code.value for code in m.STATUSES}


@pytest.fixture(scope="session")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("protocol"))


@pytest.fixture
def app(executable: Path) -> Iterator[Process]:
    process = Process(executable)
    yield process
    assert process.close() == 0


@pytest.fixture
def device(app: Process) -> Device:
    return Device(app)


@pytest.fixture
def inputs(rng: np.random.Generator) -> list[np.ndarray]:
    a, b = rng.integers(-127, 128, (2, 3, 1000), np.int8)
    return [a, b]


def negated_sum(inputs: list[np.ndarray]) -> np.ndarray:
    a, b = inputs
    return -(a + b)


# The device, over a good line


def test_describes_its_models(device: Device) -> None:
    assert (device.hello.board, device.hello.target) == ("host", "host")
    assert [model.name for model in device.models] == [
        *("negated_sum", "stripped", "outdated", "constants", "trapping")
    ]
    model = device.model("negated_sum")
    assert model.pte_sha256 == "010203" + 29 * "00"
    first, second = model.inputs
    assert (first.name, first.scale, first.zero_point, first.shape) == ("a", 0.5, -3, (3, 1000))
    assert (second.dtype, second.bytes) == (np.int8, 3000)
    assert [tensor.dtype for tensor in model.outputs] == [np.int8, np.int32]
    assert device.model("constants").outputs[0].shape == ()


def test_runs(device: Device, inputs: list[np.ndarray]) -> None:
    for calls in (1, 2, 3):
        negated, counter = device.run("negated_sum", inputs)
        np.testing.assert_array_equal(negated, negated_sum(inputs))
        assert counter.tolist() == [calls]


def test_data_without_zeros_crosses_the_blocks_of_cobs(device: Device) -> None:
    inputs = [np.ones((3, 1000), np.int8)] * 2
    np.testing.assert_array_equal(device.run("negated_sum", inputs)[0], negated_sum(inputs))


def test_model_without_inputs_runs_again(device: Device) -> None:
    for _ in range(2):
        assert [output.item() for output in device.run("constants", [])] == [1.5]


def test_reads_the_tensor_of_each_step(device: Device, inputs: list[np.ndarray]) -> None:
    (add, total), (negate, negated) = device.step_tensors("negated_sum", inputs)
    assert (add.name, add.kernel, negate.kernel) == ("add_node", "add", "negate")
    assert len(negate.name) == m.TEXT_BYTES, "a long text is cut"
    np.testing.assert_array_equal(total, sum(inputs).reshape(-1))
    np.testing.assert_array_equal(negated, negated_sum(inputs).reshape(-1))


def test_memory_and_health(device: Device, inputs: list[np.ndarray]) -> None:
    assert device.memory().model_arena_bytes == 0
    device.run("negated_sum", inputs)
    memory = device.memory()
    assert (memory.arena_bytes, memory.model_arena_bytes) == (8192, 6020)
    assert memory.stack_intact
    assert device.cycles() is None
    assert device.fault() is None
    device.clear_fault()


def test_an_input_of_another_shape_or_dtype_is_refused(
    device: Device, inputs: list[np.ndarray]
) -> None:
    a, b = inputs
    with pytest.raises(DeviceError, match=r"takes 2 inputs, 1 were given"):
        device.run("negated_sum", [a])
    with pytest.raises(DeviceError, match=r"input 1 \(b\): expected int8 \(3, 1000\), got int16"):
        device.run("negated_sum", [a, b.astype(np.int16)])
    with pytest.raises(DeviceError, match=r"got int8 \(1000, 3\)"):
        device.run("negated_sum", [a, b.T])


def test_a_failing_kernel_is_named(device: Device, inputs: list[np.ndarray]) -> None:
    inputs[0][0, 0] = -128
    with pytest.raises(DeviceError, match=r"step 0 \(add_node, kernel add\): .*CT_ERR_PARAMETER"):
        device.run("negated_sum", inputs)
    inputs[0][0, 0] = 0
    np.testing.assert_array_equal(device.run("negated_sum", inputs)[0], negated_sum(inputs))


def test_models_that_cannot_run(device: Device, inputs: list[np.ndarray]) -> None:
    with pytest.raises(DeviceError, match="CT_ERR_ABI"):
        device.run("outdated", inputs)
    with pytest.raises(DeviceError, match="ERR_ABSENT"):
        device.steps("stripped")
    with pytest.raises(DeviceError, match="no model 'other'; it has: negated_sum, stripped"):
        device.run("other", [])


# The server's rules


def ask(client: Client, name: str, **values: object) -> str:
    """Name of the status that a request is answered with."""
    try:
        client.request(name, 10, **values)
    except RefusedError as error:
        return next(code.name for code in m.STATUSES if code.value == error.status)
    return "OK"


@pytest.fixture
def client(app: Process) -> Client:
    client = Client(app)
    assert ask(client, "HELLO", version_min=1, version_max=9, frame_bytes=256) == "OK"
    return client


def test_states(client: Client) -> None:
    full = {"offset": 0, "data": bytes(200)}
    assert ask(client, "RUN", first=0, end=2) == "ERR_STATE"
    assert ask(client, "WRITE", input=0, **full) == "ERR_STATE"
    assert ask(client, "READ", kind=0, index=0, offset=0, bytes=1) == "ERR_STATE"
    assert ask(client, "SELECT", model=0) == "OK"
    assert ask(client, "WRITE", input=1, **full) == "ERR_STATE", "input 0 comes first"
    for index in (0, 1):
        assert ask(client, "RUN", first=0, end=2) == "ERR_STATE"
        for offset in range(0, 3000, 200):
            assert ask(client, "WRITE", input=index, offset=offset, data=bytes(200)) == "OK"
    assert ask(client, "RUN", first=1, end=2) == "ERR_STATE"
    assert ask(client, "RUN", first=0, end=3) == "ERR_RANGE"
    assert ask(client, "RUN", first=0, end=1) == "OK"
    assert ask(client, "READ", kind=0, index=0, offset=0, bytes=1) == "ERR_STATE"
    assert ask(client, "READ", kind=1, index=1, offset=0, bytes=1) == "ERR_STATE"
    assert ask(client, "READ", kind=1, index=0, offset=2999, bytes=1) == "OK"
    assert ask(client, "RUN", first=0, end=2) == "ERR_STATE", "the inputs may be overwritten"
    assert ask(client, "RUN", first=1, end=2) == "OK"
    assert ask(client, "READ", kind=0, index=1, offset=0, bytes=4) == "OK"
    assert ask(client, "WRITE", input=0, **full) == "OK"
    assert ask(client, "READ", kind=0, index=1, offset=0, bytes=4) == "ERR_STATE"


@pytest.mark.parametrize(
    ("name", "values", "status"),
    [
        ("HELLO", {"version_min": 2, "version_max": 9, "frame_bytes": 256}, "ERR_VERSION"),
        ("HELLO", {"version_min": 1, "version_max": 1, "frame_bytes": 255}, "ERR_RANGE"),
        ("MODEL", {"model": 5}, "ERR_RANGE"),
        ("SELECT", {"model": 0xFFFF}, "ERR_RANGE"),
        ("TENSOR", {"model": 0, "direction": 2, "index": 0}, "ERR_RANGE"),
        ("TENSOR", {"model": 0, "direction": 1, "index": 2}, "ERR_RANGE"),
        ("STEP", {"model": 0, "step": 2}, "ERR_RANGE"),
        ("WRITE", {"input": 2, "offset": 0, "data": b""}, "ERR_RANGE"),
        ("WRITE", {"input": 0, "offset": 0xFFFFFFFF, "data": b"x"}, "ERR_STATE"),
        ("READ", {"kind": 2, "index": 0, "offset": 0, "bytes": 0}, "ERR_RANGE"),
        ("READ", {"kind": 0, "index": 2, "offset": 0, "bytes": 0}, "ERR_RANGE"),
    ],
)
def test_refuses(client: Client, name: str, values: dict[str, object], status: str) -> None:
    ask(client, "SELECT", model=0)
    assert ask(client, name, **values) == status


def test_a_reply_that_exceeds_the_frame_is_refused(app: Process) -> None:
    reads = [request("READ", 9 + i, kind=1, index=0, offset=0, bytes=1016 + i) for i in (0, 1)]
    answers = transact(app, *loaded(1), *reads)
    assert statuses(answers) == 10 * ["OK"] + ["ERR_TOO_LONG"]


def test_writes_stay_inside_the_tensor(client: Client) -> None:
    assert ask(client, "SELECT", model=0) == "OK"
    for offset in range(0, 2800, 200):
        assert ask(client, "WRITE", input=0, offset=offset, data=bytes(200)) == "OK"
    assert ask(client, "WRITE", input=0, offset=2800, data=bytes(201)) == "ERR_RANGE"
    assert ask(client, "WRITE", input=0, offset=2800, data=bytes(200)) == "OK"


def test_reads_stay_inside_the_tensor(client: Client) -> None:
    assert ask(client, "SELECT", model=3) == "OK"
    assert ask(client, "RUN", first=0, end=0) == "OK"
    read = {"kind": 0, "index": 0}
    assert ask(client, "READ", offset=0, bytes=4, **read) == "OK"
    assert ask(client, "READ", offset=4, bytes=0, **read) == "OK"
    assert ask(client, "READ", offset=0, bytes=5, **read) == "ERR_RANGE"
    assert ask(client, "READ", offset=0xFFFFFFFF, bytes=2, **read) == "ERR_RANGE"


def transact(app: Process, *frames: Frame | bytes) -> list[Frame]:
    """Sends all at once, and what is answered before the answer to a final HELLO."""
    hello = Frame(m.message("HELLO").code, 0, 0xABCD, struct.pack("<BBH", 1, 1, 1024))
    encoded = [encode_frame(f) if isinstance(f, Frame) else f for f in (*frames, hello)]
    app.write(b"".join(encoded))
    reader, answers = FrameReader(), []
    while not (answers and answers[-1].sequence == 0xABCD):
        data = app.read(30)
        assert data, "the device hangs"
        answers += reader.feed(data)
    return answers[:-1]


def request(name: str, sequence: int, **values: object) -> Frame:
    message = m.message(name)
    return Frame(message.code, 0, sequence, pack(message.request, values))


HELLO = {"version_min": 1, "version_max": 1, "frame_bytes": 1024}


def statuses(answers: list[Frame]) -> list[str]:
    return [next(c.name for c in m.STATUSES if c.value == answer.status) for answer in answers]


def test_nothing_before_hello(app: Process) -> None:
    assert statuses(transact(app, request("MEMORY", 1))) == ["ERR_SESSION"]


def test_sequence(app: Process) -> None:
    answers = transact(
        app,
        request("HELLO", 0xFFFF, **HELLO),
        request("SELECT", 0, model=3),
        request("SELECT", 0, model=3),
        request("SELECT", 0, model=0),
        request("MEMORY", 2),
        request("MEMORY", 1),
        request("MEMORY", 0xFFFF),
    )
    assert statuses(answers) == [
        *("OK", "OK", "OK", "ERR_SEQUENCE", "ERR_SEQUENCE", "OK", "ERR_SEQUENCE")
    ]
    assert answers[1] == answers[2], "a repetition has the same answer"


def test_a_failed_command_fails_again(app: Process) -> None:
    answers = transact(
        app,
        request("HELLO", 1, **HELLO),
        request("SELECT", 2, model=9),
        request("SELECT", 2, model=9),
    )
    assert statuses(answers) == ["OK", "ERR_RANGE", "ERR_RANGE"]


def test_frames_that_are_none(app: Process) -> None:
    good = encode_frame(request("HELLO", 1, **HELLO))
    assert statuses(transact(app, good[:-3] + b"\0")) == ["ERR_DAMAGED"]
    assert statuses(transact(app, b"boot message\r\n")) == ["ERR_DAMAGED"]
    no_zeros_at_its_end = encode_frame(request("HELLO", 1, **{**HELLO, "frame_bytes": 0xFFFF}))
    longer = no_zeros_at_its_end.replace(b"\x09\x01\x01", b"\x0a\x01\x01")
    assert longer != no_zeros_at_its_end
    assert statuses(transact(app, longer)) == ["ERR_DAMAGED"], "its last block is cut off"
    assert statuses(transact(app, b"\x01" * 2000)) == ["ERR_TOO_LONG"]
    assert statuses(transact(app, b"\0\0\0\0")) == []
    assert transact(app, Frame(0x81, 0, 1, b"")) == [], "an echo must not be answered"
    assert statuses(transact(app, request("HELLO", 1, **HELLO), Frame(0x7F, 0, 2, b""))) == [
        *("OK", "ERR_UNKNOWN")
    ]
    assert statuses(transact(app, Frame(0x01, 0, 2, b"123"))) == ["ERR_LENGTH"]


def test_reset_ends_the_session(device: Device) -> None:
    with pytest.raises((RunnerError, BrokenPipeError)):  # on the host, the process itself
        device.reset()


# Bad lines


class Line:
    """A device behind a line whose faults begin when the models are described."""

    def __init__(self, executable: Path, at_first: Iterable[Fault] = ()) -> None:
        self._app = Process(executable)
        self.line = BadLine(self._app, at_first)
        self._device = Device(self.line, timeout_s=60, run_timeout_s=60, retry_s=RETRY_S)
        assert len(self._device.models) == 5

    def run(self, faults: Iterable[Fault]) -> None:
        """Results are right, and the model was called just once: it counts."""
        self.line.faults = iter(faults)
        inputs = [np.full((3, 1000), 3, np.int8), np.arange(3000).astype(np.int8).reshape(3, 1000)]
        for calls in (1, 2):
            negated, counter = self._device.run(0, inputs)
            np.testing.assert_array_equal(negated, negated_sum(inputs))
            assert counter.tolist() == [calls]
        assert self._app.close() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_any_one_transfer_may_fail(executable: Path, kind: str) -> None:
    good = Line(executable)
    good.run([])
    assert good.line.transfers >= 40
    for at in range(good.line.transfers // 2):
        Line(executable).run([*at * [Fault("pass", 0)], Fault(kind, 0.4)])


FAULTS = st.lists(st.builds(Fault, st.sampled_from(KINDS), st.floats(0, 1)), max_size=24)


@SETTINGS
@given(FAULTS, FAULTS)
def test_a_bad_line_costs_time_but_no_answer(
    executable: Path, at_first: list[Fault], while_running: list[Fault]
) -> None:
    Line(executable, at_first).run(while_running)


@SETTINGS
@given(st.lists(st.binary(max_size=1500), max_size=8))
def test_any_bytes_leave_the_server_ready(executable: Path, garbage: list[bytes]) -> None:
    app = Process(executable)
    for answer in transact(app, *garbage):
        assert (answer.type, answer.sequence) == (m.NOTICE, 0) or answer.type & m.REPLY_BIT
    assert app.close() == 0


def random_frame(rng: np.random.Generator, sequence: int) -> Frame | bytes:
    """Mostly requests that are right but for their values; some damaged, some out of order."""
    message = m.MESSAGES[rng.integers(len(m.MESSAGES) - 1)]  # not RESET: it would end the process
    payload = b""
    for field in message.request:
        if field.type == "data":
            payload += rng.bytes(rng.choice([0, 1, 200, 1000, 1011]))
        else:
            values = [0, 0, 0, 1, 1, 2, 3, 255, 1016, 1017, 2999, 3000, 0xFFFF, 0xFFFFFFFF]
            size = {"u8": 1, "u16": 2, "u32": 4}[field.type]
            payload += int(rng.choice(values)).to_bytes(4, "little")[:size]
    frame = Frame(message.code, 0, sequence, payload)
    fate = rng.random()
    if fate < 0.8:
        return frame
    if fate < 0.85:
        return Frame(int(rng.integers(0x0E, 0x80)), 0, sequence, payload)
    if fate < 0.9:
        return Frame(message.code, 0, sequence, payload[:-1] + rng.bytes(rng.integers(3)))
    encoded = bytearray(encode_frame(frame))
    encoded[rng.integers(len(encoded))] ^= 1 << rng.integers(8)
    return bytes(encoded)


def loaded(steps: int) -> list[Frame]:
    """A session in which the first model has run some steps."""
    frames = [request("HELLO", 0, **HELLO), request("SELECT", 1, model=0)]
    for index, offset in ((0, 0), (0, 1000), (0, 2000), (1, 0), (1, 1000), (1, 2000)):
        data = bytes(range(250)) * 4
        frames.append(request("WRITE", len(frames), input=index, offset=offset, data=data))
    return [*frames, request("RUN", len(frames), first=0, end=steps)]


def test_twenty_thousand_frames(app: Process, rng: np.random.Generator) -> None:
    answered = dict.fromkeys(STATUS.values(), 0)
    for _ in range(1000):
        frames: list[Frame | bytes] = [*loaded(int(rng.integers(3)))]
        for sequence in range(len(frames), len(frames) + 20):
            frames.append(random_frame(rng, sequence - (rng.random() < 0.05)))
        for answer in transact(app, *frames):
            answered[answer.status] += 1
            if answer.status:
                unpack(m.ERROR_FIELDS, answer.payload)
            else:
                code = answer.type & ~m.REPLY_BIT
                unpack(next(x.reply for x in m.MESSAGES if x.code == code), answer.payload)
    assert sum(answered.values()) >= 20_000
    reached = {name for name, value in STATUS.items() if answered[value]}
    assert reached == set(STATUS)


# Emulated boards


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.emulator) for name in emulated_boards()]
)
def emulator(request: pytest.FixtureRequest) -> Iterator[Session]:
    board = load_board(request.param)
    built = image.build(board, MODELS, "validate", BUILD / board.name)
    with board.runner().start(built) as session:
        yield session


def test_a_crash_is_explained_and_the_session_goes_on(
    emulator: Session, inputs: list[np.ndarray]
) -> None:
    device = Device(emulator)
    crash = (
        r"trapping, step 1 \(trap_node, kernel trap\): the device restarted before RUN.*in step 1"
    )
    with pytest.raises(DeviceError, match=crash):
        device.run("trapping", inputs)
    fault = device.fault()
    assert fault
    assert fault.registers["pc"] != 0
    np.testing.assert_array_equal(device.run("negated_sum", inputs)[0], negated_sum(inputs))
    device.reset()
    assert device.hello.fault, "the report survives a reset"
    device.clear_fault()
    assert device.fault() is None


def test_a_bad_line_to_an_emulator(emulator: Session, rng: np.random.Generator) -> None:
    faults = [Fault(kind, rng.random()) for kind in rng.choice(KINDS, 60)]
    # Every attempt uses up a fault: even if no earlier one came through, the 61st does, in time.
    device = Device(BadLine(emulator, faults), retry_s=0.05, timeout_s=120)
    for number in (1, 2, 3):
        inputs = [np.full((3, 1000), number, np.int8)] * 2
        negated, calls = device.run("negated_sum", inputs)
        np.testing.assert_array_equal(negated, negated_sum(inputs))
        assert calls == [number]
    memory = device.memory()
    assert memory.stack_intact
    assert 0 < memory.stack_peak_bytes < memory.stack_bytes


# The Python side alone


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 65535), st.binary(max_size=600))
def test_frames_survive_the_wire(kind: int, status: int, sequence: int, payload: bytes) -> None:
    frame = Frame(kind, status, sequence, payload)
    encoded = encode_frame(frame)
    assert FrameReader().feed(b"noise" + encoded) == [frame]
    assert [f for byte in encoded for f in FrameReader().feed(bytes([byte]))] == []


@given(st.binary(max_size=300), st.integers(0, 10_000))
def test_one_flipped_bit_is_noticed(payload: bytes, where: int) -> None:
    body = bytearray(encode_frame(Frame(1, 0, 7, payload))[1:-1])
    body[where // 8 % len(body)] ^= 1 << where % 8
    for piece in bytes(body).split(b"\0"):
        with pytest.raises(MalformedError):
            decode_frame(piece)


@given(st.binary(max_size=120))
def test_no_payload_breaks_the_client(payload: bytes) -> None:
    for message in m.MESSAGES:
        try:
            values = unpack(message.reply, payload)
        except MalformedError:
            continue
        assert set(values) == {field.name for field in message.reply}


class Answering:
    """A device that sends the same reply to everything."""

    def __init__(self, status: int, payload: bytes) -> None:
        self._reply = (status, payload)
        self._request: Frame | None = None

    def write(self, data: bytes) -> None:
        self._request = decode_frame(data.strip(b"\0"))

    def read(self, timeout: float) -> bytes:
        assert self._request
        reply = Frame(self._request.type | m.REPLY_BIT, self._reply[0], self._request.sequence, b"")
        return encode_frame(Frame(reply.type, reply.status, reply.sequence, self._reply[1]))


def test_a_malformed_reply_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="reply to HELLO is malformed"):
        Device(Answering(0, b"abc"))
    with pytest.raises(DeviceError, match=r"refused HELLO: ERR_VERSION: .*: 9"):
        Device(Answering(STATUS["ERR_VERSION"], struct.pack("<I", 9)))


class Silent:
    """A device that is not there."""

    def write(self, data: bytes) -> None:
        pass

    def read(self, timeout: float) -> bytes:
        return b""


def test_no_device_is_one_clear_error() -> None:
    with pytest.raises(DeviceError, match=r"no answer to HELLO within 0.1 s .* baud rate"):
        Device(Silent(), timeout_s=0.1)


# One source


def test_spec_tables_are_fresh() -> None:
    text = (repo_root() / "docs" / "SPEC.md").read_text(encoding="utf-8")
    assert spec.render(text) == text, "run: python -m cortorch.on_device.protocol --spec"


def test_every_reply_fits_the_smallest_frame() -> None:
    sizes = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "f32": 4, "sha256": 32, "data": 0}
    sizes |= {"text": 1 + m.TEXT_BYTES, "i32[]": 1 + 4 * m.MAX_RANK}
    for message in m.MESSAGES:
        payload = sum(sizes[field.type] for field in message.reply)
        assert m.HEADER_BYTES + payload + m.CRC_BYTES <= m.MIN_FRAME_BYTES, message.name


def test_message_codes_are_distinct_and_leave_the_reply_bit() -> None:
    codes = [message.code for message in m.MESSAGES]
    assert len(set(codes)) == len(codes)
    assert all(0 < code < m.NOTICE & ~m.REPLY_BIT for code in codes)


def test_dtypes_are_those_of_the_c_library() -> None:
    header = (firmware_dir() / "runtime" / "ct.h").read_text(encoding="utf-8")
    for code, dtype in enumerate(DTYPES):
        assert f"CT_{dtype.name.upper()} = {code}" in header
