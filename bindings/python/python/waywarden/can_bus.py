"""Exact simulated buses for python-can: interface ``waywarden``.

Two programs on one bus, in simulated time::

    import can

    fast = can.Bus(interface="waywarden", channel="powertrain", clock="virtual")
    slow = can.Bus(interface="waywarden", channel="powertrain", clock="virtual")
    slow.send(can.Message(arbitration_id=0x300, is_extended_id=False, data=[1, 2]))
    fast.send(can.Message(arbitration_id=0x100, is_extended_id=False))
    assert slow.recv().arbitration_id == 0x100    # it won the arbitration
    assert fast.recv().arbitration_id == 0x300
    print(fast.load, fast.arbitrations_lost)
    fast.shutdown(), slow.shutdown()

Buses of a process with the same channel share one bus, on which each is a controller: frames
compete bit by bit, are acknowledged by the others, and are repeated after errors. A program alone
on a bus is not acknowledged, so its controller repeats the frame and becomes error-passive, as
real ones do.

With ``vehicle="car.toml"`` the network is that of a vehicle file, with its simulated ECUs and
attackers and the logs that it plays back; ``channel`` is one of its buses.

The real clock follows the computer's monotonic one. With ``clock="virtual"`` simulated time goes on
only while a program waits in ``recv``, whose timeout is in simulated seconds: exact and
repeatable in programs of one thread, and not made for ``can.Notifier``.
"""

from __future__ import annotations

import logging
import math
import os
import reprlib
import threading
import time
from typing import Any

import can
from can.bus import BusState, CanProtocol

from . import _native, errors

__all__ = ["Bus"]

_LOG = logging.getLogger("can.waywarden")

#: Error classes and details of Linux' ``can/error.h``, in which error frames come.
_ERR_CONTROLLER = 0x004
_ERR_PROTOCOL = 0x008
_ERR_ACKNOWLEDGEMENT = 0x020
_ERR_BUS_OFF = 0x040
_ERR_BUS_ERROR = 0x080
_ERR_RESTARTED = 0x100
_ERR_COUNTERS = 0x200
_DETAILS = {"bit": 0x01, "form": 0x02, "stuff": 0x04}
_SENDING = 0x80
_LOCATION_CRC = 0x08
_LOCATION_ACKNOWLEDGEMENT = 0x19
_PASSIVE = {True: 0x20, False: 0x10}
_ACTIVE = 0x40

_STATES = {"active": BusState.ACTIVE, "passive": BusState.PASSIVE, "off": BusState.ERROR}

#: The collector may shut a forgotten bus down while its thread has the lock.
_lock = threading.RLock()
_open: dict[tuple[str, str | None], _Opened] = {}


class _Opened:
    """A network that buses have open, and what it was opened with."""

    def __init__(self, network: Any, clock: str, scale: float) -> None:
        self.network = network
        self.clock = clock
        self.scale = scale
        self.users: list[str] = []


class Bus(can.BusABC):
    """A controller on a simulated bus.

    Parameters
    ----------
    channel : str
        Name of the bus; with ``vehicle`` one of the vehicle file's.
    can_filters : optional
        As in python-can.
    bitrate : int, optional
        Bits a second; 500000 without it. Those of a channel that is open, or of a vehicle file,
        must agree.
    fd : bool, optional
        True for a bus of CAN FD.
    data_bitrate : int, optional
        Bits a second of the data phase of CAN FD; 2000000 without it.
    timing : can.BitTiming or can.BitTimingFd, optional
        Bit rates and sample point, in place of the above.
    receive_own_messages : bool, optional
        True to receive what this bus object sent, error frames too, with ``is_rx`` False.
    clock : {"real", "virtual"}, optional
        See above.
    scale : float, optional
        Simulated seconds in a real one; for the real clock.
    vehicle : path, optional
        A vehicle file.
    seed : int, optional
        Seed of every random choice; a vehicle file's own without it.
    network : str, optional
        Buses of networks with different names never meet.
    channels : sequence of str, optional
        Names of further buses of the same network, which have the same clock.
    queue : {"priority", "fifo"}, optional
        Order in which the controller sends the up to 32 frames that it holds.
    error_frames : bool, optional
        False to leave error frames out of ``recv``.

    acknowledge : bool, optional
        True, at the first bus object of a network, for one more controller on each bus, which sends
        nothing: then a bus object alone is acknowledged.

    Other arguments, which are for other interfaces, are logged and ignored.

    Raises
    ------
    can.CanInitializationError
        An argument that cannot be, or that contradicts what the network was opened with.

    Examples
    --------
    >>> bus = can.Bus(interface="waywarden", channel="body", vehicle="car.toml")  # doctest: +SKIP
    """

    _has_left = False
    _is_fd = False
    _mailbox: Any = None
    clock = "real"

    def __init__(
        self,
        channel: Any = None,
        can_filters: Any = None,
        *,
        bitrate: int | None = None,
        fd: bool | None = None,
        data_bitrate: int | None = None,
        timing: can.BitTiming | can.BitTimingFd | None = None,
        receive_own_messages: bool = False,
        clock: str = "real",
        scale: float = 1.0,
        vehicle: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        network: str = "",
        channels: tuple[str, ...] = (),
        queue: str = "priority",
        error_frames: bool = True,
        acknowledge: bool = False,
        **others: Any,
    ) -> None:
        if others:
            _LOG.info("ignored: %s are no arguments of this interface", ", ".join(sorted(others)))
        for name, named in ("channel", channel), *(("channels", one) for one in channels):
            if named is not None and not isinstance(named, (str, int)):
                shown = reprlib.repr(named)
                raise can.CanInitializationError(f"{name} {shown}: the name of a bus, or a number")
        if channel is None or channel == "":
            raise can.CanInitializationError("channel is missing: name the bus, such as 'can0'")
        if not isinstance(network, str):
            shown = reprlib.repr(network)
            raise can.CanInitializationError(f"network {shown}: the name of a network")
        if not isinstance(queue, str) or queue not in ("priority", "fifo"):
            shown = reprlib.repr(queue)
            raise can.CanInitializationError(f"queue {shown} is neither 'priority' nor 'fifo'")
        self.channel = channel
        self._name = str(channel)
        self.channel_info = f"waywarden {self._name}"
        rates = _Rates(bitrate, fd, data_bitrate, timing)
        place = None if vehicle is None else os.path.abspath(os.fspath(vehicle))
        self._key = (network if channels or place else f"{network}\0{self._name}", place)
        try:
            self._join(
                rates,
                (clock, scale, seed, tuple(channels), bool(acknowledge)),
                fifo=queue == "fifo",
                hears_itself=bool(receive_own_messages),
                hears_errors=bool(error_frames),
            )
        except (errors.Error, TypeError, ValueError, OverflowError) as error:
            raise can.CanInitializationError(f"{self._name}: {error}") from error
        try:
            super().__init__(channel=self.channel, can_filters=can_filters)
        except BaseException:
            self._leave()
            raise

    def _join(
        self,
        rates: _Rates,
        settings: tuple[str, float, int | None, tuple[str, ...], bool],
        **controller: bool,
    ) -> None:
        clock, scale, seed, channels, acknowledge = settings
        with _lock:
            opened = _open.get(self._key)
            if opened is None:
                names = [] if self._key[1] else dict.fromkeys([self._name, *map(str, channels)])
                network = _native.can_bus.Network(
                    [(name, *rates.of_new()) for name in names],
                    seed=seed,
                    clock=clock,
                    scale=scale,
                    vehicle=self._key[1],
                    acknowledge=acknowledge,
                )
                opened = _Opened(network, clock, float(scale))
            elif (opened.clock, opened.scale) != (clock, float(scale)):
                raise errors.ParameterError(
                    f"this network is open with clock={opened.clock!r}, scale={opened.scale}: "
                    "open all its buses with the same, or give network= another name"
                )
            for name, bitrate, data_bitrate in opened.network.buses:
                if name == self._name:
                    rates.check(bitrate, data_bitrate)
                    self._is_fd = data_bitrate is not None
            self._mailbox = opened.network.join(self._name, **controller)
            opened.users.append(self._name)
            _open[self._key] = opened
        self._network = opened.network
        self.clock = clock
        self._can_protocol = CanProtocol.CAN_FD if self._is_fd else CanProtocol.CAN_20

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Hands a message to the controller, at the present time.

        An error frame (``is_error_frame``; its other fields say nothing) makes the controller send
        an error flag, ahead of the messages that wait: on an idle bus at once, in a frame with the
        bit after next, which destroys the frame. The others see an error and answer with flags of
        their own. It counts in the error counters as an error that the controller detected; an
        error-passive controller sends a passive flag, which is recessive.

        Parameters
        ----------
        msg : can.Message
            The message.
        timeout : float, optional
            Seconds to wait for room, if 65536 messages wait already.

        Raises
        ------
        can.CanOperationError
            A message that the bus cannot carry, an error frame in bus-off, or a bus that was shut
            down.
        can.CanTimeoutError
            No room in time.
        """
        end = time.monotonic() + (_seconds(timeout) or 0.0)
        while True:
            try:
                return self._mailbox.send(msg)  # type: ignore[no-any-return]
            except (errors.Error, TypeError, ValueError, OverflowError) as error:
                if getattr(error, "code", None) != "full":
                    raise can.CanOperationError(f"{self._name}: {error}") from error
                if time.monotonic() >= end:
                    raise can.CanTimeoutError(f"{self._name}: {error}") from error
                time.sleep(0.001)

    def recv(self, timeout: float | None = None) -> can.Message | None:
        """Waits for a message; see the module about simulated time.

        Parameters
        ----------
        timeout : float, optional
            Seconds, simulated ones of a virtual clock; None to wait for ever.

        Returns
        -------
        can.Message or None
            None if none came in time. Timestamps are seconds since the Epoch, of a virtual clock
            since its start.
        """
        timeout = _seconds(timeout)
        if self.clock == "real":
            return super().recv(timeout)
        end = None if timeout is None else self.now + max(timeout, 0.0)
        while True:
            message, _ = self._recv_internal(None if end is None else max(end - self.now, 0.0))
            if message is None or self._matches_filters(message):
                return message

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        try:
            event = self._mailbox.receive(timeout)
        except (errors.Error, TypeError, ValueError, OverflowError) as error:
            raise can.CanOperationError(f"{self._name}: {error}") from error
        return (None if event is None else self._message(*event)), False

    def _message(self, kind: str, at: float, what: Any) -> can.Message:
        if kind in ("error", "flag", "state"):
            return _error_frame(self.channel, kind, at, what)
        number, extended, remote, is_fd, switch, passive, length, data = what
        return can.Message(
            timestamp=at,
            arbitration_id=number,
            is_extended_id=extended,
            is_remote_frame=remote,
            is_fd=is_fd,
            bitrate_switch=switch,
            error_state_indicator=passive,
            dlc=length,
            data=None if remote else data,
            channel=self.channel,
            is_rx=kind == "received",
        )

    def flush_tx_buffer(self) -> None:
        """Withdraws the messages that the controller does not have yet; it holds up to 32."""
        self._figures()
        self._mailbox.flush()

    def shutdown(self) -> None:
        """Closes the bus object. Its controller leaves when the messages that wait are sent; with the
        last bus object of a network they are lost. A second call does nothing.
        """
        super().shutdown()
        self._leave()

    def _leave(self) -> None:
        with _lock:
            if self._mailbox is None or self._has_left:
                return
            self._has_left = True
            self._mailbox.leave()
            opened = _open[self._key]
            opened.users.remove(self._name)
            if not opened.users:
                del _open[self._key]

    @property
    def state(self) -> BusState:
        """Fault confinement: ACTIVE, PASSIVE, or ERROR in bus-off."""
        try:
            return _STATES[self._mailbox.state[0]]
        except errors.Error as error:
            raise can.CanOperationError(f"{self._name}: {error}") from error

    @state.setter
    def state(self, new_state: BusState) -> None:
        raise NotImplementedError("the state of a controller follows from its error counters")

    @property
    def error_counters(self) -> tuple[int, int]:
        """Transmit and receive error counter of this controller."""
        self._figures()
        _, transmit, receive = self._mailbox.state
        return transmit, receive

    @property
    def now(self) -> float:
        """Simulated seconds since the network began."""
        return float(self._network.now)

    @property
    def load(self) -> float:
        """Share of the time since the network began in which frames were on the bus, 0 to 1."""
        return float(self._figures()["load"])

    @property
    def arbitrations_lost(self) -> int:
        """Arbitrations that were lost on this bus, by all controllers together."""
        return int(self._figures()["arbitrations_lost"])

    @property
    def own_arbitrations_lost(self) -> int:
        """Arbitrations that this controller lost."""
        return int(self._figures()["own_arbitrations_lost"])

    @property
    def frames(self) -> int:
        """Frames that this bus carried, of all controllers."""
        return int(self._figures()["frames"])

    @property
    def statistics(self) -> dict[str, Any]:
        """All figures: ``now``, ``load``, ``busy`` (seconds), ``frames``, ``arbitrations_lost`` and
        ``error_flags`` of the bus; ``own_arbitrations_lost``, ``waiting`` (messages not sent yet),
        ``dropped`` (events that ``recv`` did not fetch in time) and ``takes_part`` of this one.
        """
        return dict(self._figures())

    def _figures(self) -> dict[str, Any]:
        try:
            return self._mailbox.figures  # type: ignore[no-any-return]
        except errors.Error as error:
            raise can.CanOperationError(f"{self._name}: {error}") from error

    @staticmethod
    def _detect_available_configs() -> list[Any]:
        """Returns the channels that this process has open, and a free one."""
        with _lock:
            taken = [user for opened in _open.values() for user in opened.users]
        free = next(name for at in range(len(taken) + 1) if (name := f"can{at}") not in taken)
        return [
            {"interface": "waywarden", "channel": name}
            for name in [*dict.fromkeys(taken), free]
        ]


def _seconds(timeout: Any) -> float | None:
    """Returns a timeout as a float.

    Raises
    ------
    TypeError, ValueError
        No number.
    """
    if timeout is None:
        return None
    seconds = float(timeout)
    if math.isnan(seconds):
        raise ValueError("timeout nan: give seconds, or None to wait for ever")
    return seconds


class _Rates:
    """Bit rates that a bus is opened with."""

    def __init__(
        self,
        bitrate: int | None,
        fd: bool | None,
        data_bitrate: int | None,
        timing: can.BitTiming | can.BitTimingFd | None,
    ) -> None:
        self.sample_point: int | None = None
        if isinstance(timing, can.BitTimingFd):
            bitrate, fd, data_bitrate = timing.nom_bitrate, True, timing.data_bitrate
            self.sample_point = round(timing.nom_sample_point * 10)
        elif isinstance(timing, can.BitTiming):
            bitrate, fd = timing.bitrate, bool(fd)
            self.sample_point = round(timing.sample_point * 10)
        elif timing is not None:
            raise can.CanInitializationError("timing is no can.BitTiming or can.BitTimingFd")
        for name, rate in ("bitrate", bitrate), ("data_bitrate", data_bitrate):
            if rate is not None and not isinstance(rate, int):
                shown = reprlib.repr(rate)
                raise can.CanInitializationError(f"{name} {shown}: bits a second, such as 500000")
        self.bitrate = bitrate
        self.fd = fd
        self.data_bitrate = data_bitrate

    def of_new(self) -> tuple[int, int | None, int | None]:
        """Returns the rates of a new bus."""
        rate = 500_000 if self.bitrate is None else self.bitrate
        if not self.fd:
            return rate, None, self.sample_point
        data = self.data_bitrate
        return rate, 2_000_000 if data is None else data, self.sample_point

    def check(self, bitrate: int, data_bitrate: int | None) -> None:
        """Raises ParameterError for rates that a bus has not."""
        if self.bitrate is not None and self.bitrate != bitrate:
            raise errors.ParameterError(
                f"bitrate {self.bitrate}: the bus has {bitrate} bit/s; leave bitrate out"
            )
        if self.fd is not None and bool(self.fd) != (data_bitrate is not None):
            kind = "classic CAN" if data_bitrate is None else "CAN FD"
            raise errors.ParameterError(f"fd={self.fd}: the bus is {kind}; leave fd out")
        if self.fd and self.data_bitrate is not None and self.data_bitrate != data_bitrate:
            raise errors.ParameterError(
                f"data_bitrate {self.data_bitrate}: the bus has {data_bitrate} bit/s; "
                "leave data_bitrate out"
            )


def _error_frame(channel: Any, kind: str, at: float, what: dict[str, Any]) -> can.Message:
    """Returns an error frame as SocketCAN reports it."""
    data = bytearray(8)
    data[6], data[7] = min(what["tec"], 255), min(what["rec"], 255)
    if kind == "state":
        state = what["state"]
        error = _ERR_COUNTERS | (_ERR_BUS_OFF if state == "off" else _ERR_CONTROLLER)
        if state == "passive":
            data[1] = _PASSIVE[what["tec"] > 127]
        elif state == "active":
            error |= _ERR_RESTARTED
            data[1] = _ACTIVE
    elif kind == "flag":
        error = _ERR_COUNTERS
    elif what["kind"] == "ack":
        error = _ERR_ACKNOWLEDGEMENT | _ERR_PROTOCOL | _ERR_BUS_ERROR | _ERR_COUNTERS
        data[3] = _LOCATION_ACKNOWLEDGEMENT
    else:
        error = _ERR_PROTOCOL | _ERR_BUS_ERROR | _ERR_COUNTERS
        data[2] = _DETAILS.get(what["kind"], 0)
        if what["kind"] == "crc":
            data[3] = _LOCATION_CRC
    if kind == "error" and what["sending"]:
        data[2] |= _SENDING
    return can.Message(
        timestamp=at,
        arbitration_id=error,
        is_extended_id=False,
        is_error_frame=True,
        dlc=8,
        data=data,
        channel=channel,
        is_rx=kind != "flag",
    )
