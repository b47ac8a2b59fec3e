//! The trace: all events as values, which tables, reports and tests read.
//!
//! The engine hands each [`TraceEvent`] to an [`EventSink`] in order of time.
//! [`crate::json::Lines`] turns them into JSON Lines; `docs/trace.md` lists the fields.

use waywarden_can::Frame;
use waywarden_can::node::{BusState, Slot, Token};

use crate::bitwise::{BitPlace, ErrorKind};
use crate::clock::Time;
use crate::cpu::TimeSlice;

/// An ECU, as an index into the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EcuIndex(pub usize);

/// A bus, as an index into the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusIndex(pub usize);

/// Names one transmission in a run, from the node's request to the last receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serial(pub u64);

/// The type of nodes' remarks.
pub trait Remark: Sized {
    /// Hands over an event that is no remark.
    fn record(sink: &mut dyn EventSink<Self>, at: Time, event: &TraceEvent<'_>) {
        if let Some(event) = event.without_remark() {
            sink.record(at, &event);
        }
    }
}

/// The remark of nodes that make none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRemark {}

impl Remark for NoRemark {
    /// The same type of event: nothing is copied, which is a twentieth of a run of the bare engine.
    fn record(sink: &mut dyn EventSink, at: Time, event: &TraceEvent<'_>) {
        sink.record(at, event);
    }
}

/// One thing that happened; `R` is what nodes remark, see [`crate::remarks`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TraceEvent<'a, R = NoRemark> {
    /// An ECU started, or started again after a reset.
    Boot {
        /// The ECU.
        ecu: EcuIndex,
        /// Number of its starts so far, from 1.
        boots: u32,
    },
    /// An ECU was reset and is silent until its next boot.
    Reset {
        /// The ECU.
        ecu: EcuIndex,
    },
    /// A node asked for a frame to be sent.
    Requested {
        /// The ECU.
        ecu: EcuIndex,
        /// The bus.
        bus: BusIndex,
        /// The transmission.
        serial: Serial,
        /// The node's own name for it.
        token: Token,
        /// The received frame in reaction to which the node asked, if it was one.
        cause: Option<Serial>,
        /// The frame.
        frame: &'a Frame,
    },
    /// The frame is in the controller and competes for the bus.
    Queued {
        /// The ECU.
        ecu: EcuIndex,
        /// The bus.
        bus: BusIndex,
        /// The transmission.
        serial: Serial,
        /// Number of frames that wait in this queue now.
        waiting: usize,
    },
    /// Start of frame: this frame won the bus.
    Started {
        /// The bus.
        bus: BusIndex,
        /// The winner.
        ecu: EcuIndex,
        /// Its transmission.
        serial: Serial,
        /// The frame.
        frame: &'a Frame,
        /// Number of controllers that competed, at least 1.
        contenders: usize,
    },
    /// A controller competed and a frame of higher priority won.
    ArbitrationLost {
        /// The bus.
        bus: BusIndex,
        /// The loser.
        ecu: EcuIndex,
        /// Its transmission, which stays queued.
        serial: Serial,
    },
    /// A frame was sent and acknowledged.
    Sent {
        /// The bus.
        bus: BusIndex,
        /// The sender.
        ecu: EcuIndex,
        /// The transmission.
        serial: Serial,
        /// The time of its start of frame.
        started: Time,
        /// The frame.
        frame: &'a Frame,
    },
    /// A controller received a frame without error and its filter took it.
    Received {
        /// The bus.
        bus: BusIndex,
        /// The receiver.
        ecu: EcuIndex,
        /// The transmission.
        serial: Serial,
        /// The frame, as this receiver saw it.
        frame: &'a Frame,
    },
    /// The processor took a received frame out of the controller and the node has it.
    Delivered {
        /// The bus.
        bus: BusIndex,
        /// The receiver.
        ecu: EcuIndex,
        /// The transmission.
        serial: Serial,
        /// The frame.
        frame: &'a Frame,
    },
    /// A received frame was lost because the receive queue was full.
    Overrun {
        /// The bus.
        bus: BusIndex,
        /// The receiver.
        ecu: EcuIndex,
        /// The transmission.
        serial: Serial,
    },
    /// A frame was taken back: by its node, by bus-off, or by a reset.
    Withdrawn {
        /// The bus.
        bus: BusIndex,
        /// The ECU.
        ecu: EcuIndex,
        /// The transmission.
        serial: Serial,
    },
    /// The processor ran a job without interruption.
    Worked {
        /// The ECU.
        ecu: EcuIndex,
        /// The job, its unit and its time.
        slice: TimeSlice,
    },
    /// A fault of an ECU begins or ends.
    Fault {
        /// The ECU.
        ecu: EcuIndex,
        /// `reset`, `clock-drift` or `bus-open`.
        kind: &'static str,
        /// True if it begins.
        begins: bool,
    },
    /// A node made a remark.
    Noted {
        /// The ECU.
        ecu: EcuIndex,
        /// The remark.
        remark: &'a R,
    },
    /// A node's memory that survives a reset was written.
    Retained {
        /// The ECU.
        ecu: EcuIndex,
        /// The slot that was written.
        slot: Slot,
    },
    /// A controller detected an error in the frame on the bus.
    Error {
        /// The bus.
        bus: BusIndex,
        /// The controller's ECU.
        ecu: EcuIndex,
        /// The kind of the error, one of five.
        kind: ErrorKind,
        /// The field and the bit in which it was detected.
        place: BitPlace,
    },
    /// A controller began an error flag.
    ErrorFlag {
        /// The bus.
        bus: BusIndex,
        /// The controller's ECU.
        ecu: EcuIndex,
        /// Six dominant bits (true) or six recessive ones.
        active: bool,
    },
    /// A controller began an overload flag.
    OverloadFlag {
        /// The bus.
        bus: BusIndex,
        /// The controller's ECU.
        ecu: EcuIndex,
    },
    /// A controller's error counters changed.
    Counters {
        /// The bus.
        bus: BusIndex,
        /// The controller's ECU.
        ecu: EcuIndex,
        /// The transmit error counter.
        tec: u16,
        /// The receive error counter.
        rec: u16,
    },
    /// A controller changed its fault confinement state.
    State {
        /// The bus.
        bus: BusIndex,
        /// The controller's ECU.
        ecu: EcuIndex,
        /// The new state.
        state: BusState,
    },
    /// An interferer disturbed the frame on the bus.
    Interfered {
        /// The bus.
        bus: BusIndex,
        /// The interferer's name.
        by: &'a str,
        /// The place it struck first.
        place: BitPlace,
        /// The only controller that saw it, if not all did.
        only: Option<EcuIndex>,
    },
}

impl<'a, R> TraceEvent<'a, R> {
    /// Returns the event as one of another type of remarks; none if it is a remark.
    #[must_use]
    #[inline]
    pub fn without_remark<S>(&self) -> Option<TraceEvent<'a, S>> {
        /// The same variant with the same fields, of another type of remarks.
        macro_rules! same {
            ($($variant:ident { $($field:ident),* }),* $(,)?) => {
                match *self {
                    Self::Noted { .. } => return None,
                    $(Self::$variant { $($field),* } => TraceEvent::$variant { $($field),* },)*
                }
            };
        }
        Some(same! {
            Boot { ecu, boots },
            Reset { ecu },
            Requested { ecu, bus, serial, token, cause, frame },
            Queued { ecu, bus, serial, waiting },
            Started { bus, ecu, serial, frame, contenders },
            ArbitrationLost { bus, ecu, serial },
            Sent { bus, ecu, serial, started, frame },
            Received { bus, ecu, serial, frame },
            Delivered { bus, ecu, serial, frame },
            Overrun { bus, ecu, serial },
            Withdrawn { bus, ecu, serial },
            Worked { ecu, slice },
            Fault { ecu, kind, begins },
            Retained { ecu, slot },
            Error { bus, ecu, kind, place },
            ErrorFlag { bus, ecu, active },
            OverloadFlag { bus, ecu },
            Counters { bus, ecu, tec, rec },
            State { bus, ecu, state },
            Interfered { bus, by, place, only },
        })
    }
}

/// A receiver of the trace.
pub trait EventSink<R = NoRemark> {
    /// Takes one event; `at` never goes back.
    fn record(&mut self, at: Time, event: &TraceEvent<'_, R>);
}

/// A sink that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl<R> EventSink<R> for Discard {
    fn record(&mut self, _at: Time, _event: &TraceEvent<'_, R>) {}
}

impl<R, F: FnMut(Time, &TraceEvent<'_, R>)> EventSink<R> for F {
    fn record(&mut self, at: Time, event: &TraceEvent<'_, R>) {
        self(at, event);
    }
}
