//! The trace as JSON Lines: one object an event, one event a line.
//!
//! Times are nanoseconds since the start of the simulation, with a fraction where a bit time has
//! one. `docs/trace.md` lists the fields of each event.

mod line;

use serde::Serialize;
use waywarden_can::Frame;
use waywarden_can::node::{BusState, Task};

use self::line::LineText;
use crate::clock::Time;
use crate::config::Config;
use crate::cpu::{ProcessingUnit, TimeSlice};
use crate::trace::{BusIndex, EcuIndex, Serial, TraceEvent};

/// Names buses and ECUs, and turns events into lines.
#[derive(Clone, Debug)]
pub struct Lines {
    /// In quotation marks, as they stand in a line.
    buses: Vec<String>,
    ecus: Vec<String>,
}

/// The fields of a line about a node's remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemarkText {
    /// The kind of the remark: one word that programs can select by.
    pub kind: &'static str,
    /// The author: the name of an attacker, a role, a module.
    pub by: String,
    /// The event in words, for people.
    pub text: String,
}

impl Lines {
    /// Takes the names from a configuration.
    #[must_use]
    pub fn naming<R>(config: &Config<R>) -> Self {
        Lines {
            buses: config
                .buses
                .iter()
                .map(|bus| line::quoted(&bus.name))
                .collect(),
            ecus: config
                .ecus
                .iter()
                .map(|ecu| line::quoted(&ecu.name))
                .collect(),
        }
    }

    /// Returns the event as one line, with its line feed.
    #[must_use]
    pub fn line(&self, at: Time, event: &TraceEvent<'_>) -> String {
        let mut text = Vec::new();
        self.append_event(&mut text, at, event);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends the event as one line, with its line feed; what it says of a node's remark is
    /// `describe`'s, for people and as fields for programs, and nothing if that says nothing.
    pub fn append_with<R, F: Serialize>(
        &self,
        text: &mut Vec<u8>,
        at: Time,
        event: &TraceEvent<'_, R>,
        describe: impl FnOnce(EcuIndex, &R) -> Option<(RemarkText, F)>,
    ) {
        let &TraceEvent::Noted { ecu, remark } = event else {
            return self.append_event(text, at, event);
        };
        let Some((described, fields)) = describe(ecu, remark) else {
            return;
        };
        let mut line = self.of_ecu(text, at, "noted", ecu);
        line.word("kind", described.kind);
        line.value("by", &described.by);
        line.value("text", &described.text);
        line.value("fact", &fields);
        line.end();
    }

    fn append_event<R>(&self, text: &mut Vec<u8>, at: Time, event: &TraceEvent<'_, R>) {
        let line = match *event {
            TraceEvent::Boot { ecu, boots } => {
                self.of_ecu(text, at, "boot", ecu).with("boots", &boots)
            }
            TraceEvent::Reset { ecu } => self.of_ecu(text, at, "reset", ecu),
            TraceEvent::Retained { ecu, slot } => {
                self.of_ecu(text, at, "retained", ecu).with("slot", &slot.0)
            }
            TraceEvent::Worked { ecu, slice } => {
                worked(self.of_ecu(text, at, "worked", ecu), &slice)
            }
            TraceEvent::Fault { ecu, kind, begins } => {
                let mut line = self.of_ecu(text, at, "fault", ecu);
                line.word("kind", kind);
                line.with("begins", &begins)
            }
            ref other => self.on_its_way(text, at, other),
        };
        line.end();
    }

    /// The events of a frame on its way.
    fn on_its_way<'t, R>(
        &self,
        text: &'t mut Vec<u8>,
        at: Time,
        event: &TraceEvent<'_, R>,
    ) -> LineText<'t> {
        match *event {
            TraceEvent::Requested {
                ecu,
                bus,
                serial,
                token,
                cause,
                frame,
            } => {
                let mut line = self.of_frame(text, (at, "requested"), (bus, ecu, serial), None);
                if let Some(cause) = cause {
                    line.value("cause", &cause.0);
                }
                line.frame(frame);
                line.with("token", &token.0)
            }
            TraceEvent::Queued {
                ecu,
                bus,
                serial,
                waiting,
            } => self
                .of_frame(text, (at, "queued"), (bus, ecu, serial), None)
                .with("waiting", &waiting),
            TraceEvent::Started {
                bus,
                ecu,
                serial,
                frame,
                contenders,
            } => self
                .of_frame(text, (at, "started"), (bus, ecu, serial), Some(frame))
                .with("contenders", &contenders),
            TraceEvent::ArbitrationLost { bus, ecu, serial } => {
                self.of_frame(text, (at, "arbitration-lost"), (bus, ecu, serial), None)
            }
            TraceEvent::Sent {
                bus,
                ecu,
                serial,
                started,
                frame,
            } => self
                .of_frame(text, (at, "sent"), (bus, ecu, serial), Some(frame))
                .with("started", &started),
            TraceEvent::Received {
                bus,
                ecu,
                serial,
                frame,
            } => self.of_frame(text, (at, "received"), (bus, ecu, serial), Some(frame)),
            TraceEvent::Delivered {
                bus,
                ecu,
                serial,
                frame,
            } => self.of_frame(text, (at, "delivered"), (bus, ecu, serial), Some(frame)),
            TraceEvent::Overrun { bus, ecu, serial } => {
                self.of_frame(text, (at, "overrun"), (bus, ecu, serial), None)
            }
            TraceEvent::Withdrawn { bus, ecu, serial } => {
                self.of_frame(text, (at, "withdrawn"), (bus, ecu, serial), None)
            }
            ref disturbance => self.disturbance(text, at, disturbance),
        }
    }

    /// The events of a disturbed bus.
    fn disturbance<'t, R>(
        &self,
        text: &'t mut Vec<u8>,
        at: Time,
        event: &TraceEvent<'_, R>,
    ) -> LineText<'t> {
        match *event {
            TraceEvent::Error {
                bus,
                ecu,
                kind,
                place,
            } => {
                let mut line = self.of_port(text, at, "error", (bus, ecu));
                line.word("kind", kind.name());
                line.value("field", &place.field_name());
                line.with("bit", &place.bit)
            }
            TraceEvent::ErrorFlag { bus, ecu, active } => self
                .of_port(text, at, "error-flag", (bus, ecu))
                .with("active", &active),
            TraceEvent::OverloadFlag { bus, ecu } => {
                self.of_port(text, at, "overload-flag", (bus, ecu))
            }
            TraceEvent::Counters { bus, ecu, tec, rec } => self
                .of_port(text, at, "counters", (bus, ecu))
                .with("tec", &tec)
                .with("rec", &rec),
            TraceEvent::State { bus, ecu, state } => {
                let mut line = self.of_port(text, at, "state", (bus, ecu));
                line.word("state", state_name(state));
                line
            }
            TraceEvent::Interfered {
                bus,
                by,
                place,
                only,
            } => {
                let mut line = LineText::begin(text, &at, "interfered");
                line.name("bus", self.buses.get(bus.0));
                line.name("ecu", only.and_then(|ecu| self.ecus.get(ecu.0)));
                line.value("field", &place.field_name());
                line.value("bit", &place.bit);
                line.with("by", &by)
            }
            _ => LineText::begin(text, &at, "unknown"),
        }
    }

    fn of_ecu<'t>(
        &self,
        text: &'t mut Vec<u8>,
        at: Time,
        event: &'static str,
        ecu: EcuIndex,
    ) -> LineText<'t> {
        let mut line = LineText::begin(text, &at, event);
        line.name("ecu", self.ecus.get(ecu.0));
        line
    }

    fn of_port<'t>(
        &self,
        text: &'t mut Vec<u8>,
        at: Time,
        event: &'static str,
        (bus, ecu): (BusIndex, EcuIndex),
    ) -> LineText<'t> {
        let mut line = LineText::begin(text, &at, event);
        line.name("bus", self.buses.get(bus.0));
        line.name("ecu", self.ecus.get(ecu.0));
        line
    }

    fn of_frame<'t>(
        &self,
        text: &'t mut Vec<u8>,
        (at, event): (Time, &'static str),
        (bus, ecu, serial): (BusIndex, EcuIndex, Serial),
        frame: Option<&Frame>,
    ) -> LineText<'t> {
        let mut line = self.of_port(text, at, event, (bus, ecu));
        line.value("serial", &serial.0);
        if let Some(frame) = frame {
            line.frame(frame);
        }
        line
    }
}

fn worked<'t>(mut line: LineText<'t>, slice: &TimeSlice) -> LineText<'t> {
    match slice.unit {
        ProcessingUnit::Core(core) => line.value("core", &core),
        ProcessingUnit::SecurityModule(engine) => {
            line.word("unit", "hardware-security-module");
            line.value("engine", &engine);
        }
    }
    line.word("task", task_name(slice.task));
    line.word("operation", slice.operation.kind.name());
    line.word("algorithm", slice.operation.algorithm.name());
    line.value("bytes", &slice.operation.bytes);
    line.value("from", &slice.from);
    line.with("finished", &slice.finished)
}

/// Returns the name of a task in traces and tables.
#[must_use]
pub const fn task_name(task: Task) -> &'static str {
    match task {
        Task::Receive => "receive",
        Task::Send => "send",
        Task::Crypto => "crypto",
    }
}

/// Returns the name of a fault confinement state in traces and tables.
#[must_use]
pub const fn state_name(state: BusState) -> &'static str {
    match state {
        BusState::Active => "error-active",
        BusState::Passive => "error-passive",
        BusState::Off => "bus-off",
    }
}
