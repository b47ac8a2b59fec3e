//! The trace as JSON Lines: one object an event, one event a line.
//!
//! Times are nanoseconds since the start of the simulation, with a fraction where a bit time has
//! one. `docs/trace.md` lists the fields of each event.

use std::borrow::Cow;

use serde::Serialize;
use waywarden_can::Frame;
use waywarden_can::node::{BusState, Task};

use crate::clock::Time;
use crate::config::Config;
use crate::cpu::{Slice, Unit};
use crate::trace::{BusIndex, EcuIndex, Event, Serial};

/// Names buses and ECUs, and turns events into lines.
#[derive(Clone, Debug)]
pub struct Lines {
    buses: Vec<String>,
    ecus: Vec<String>,
}

/// What a line says of a node's remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemarkText {
    /// What kind of thing it is about: one word that programs can select by.
    pub kind: &'static str,
    /// Who is responsible: the name of an attacker, a role, a module.
    pub by: String,
    /// What happened, for people.
    pub text: String,
}

/// All fields any event has; those it has not are left out.
#[derive(Debug, Default, Serialize)]
struct Line<'a> {
    t: Time,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bus: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ecu: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    serial: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contenders: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boots: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tec: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rec: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    begins: Option<bool>,
}

/// A node's remark.
#[derive(Serialize)]
struct Noted<'a, F> {
    #[serde(flatten)]
    line: Line<'a>,
    fact: F,
}

impl Lines {
    /// Takes the names from a configuration.
    #[must_use]
    pub fn naming<R>(config: &Config<R>) -> Self {
        Lines {
            buses: config.buses.iter().map(|bus| bus.name.clone()).collect(),
            ecus: config.ecus.iter().map(|ecu| ecu.name.clone()).collect(),
        }
    }

    /// Returns the event as one line, with its line feed.
    #[must_use]
    pub fn line(&self, at: Time, event: &Event<'_>) -> String {
        text(&self.fields(at, event))
    }

    /// Returns the event as one line, with its line feed; what it says of a node's remark is
    /// `describe`'s, for people and as fields for programs, and nothing if that says nothing.
    #[must_use]
    pub fn line_with<R, F: Serialize>(
        &self,
        at: Time,
        event: &Event<'_, R>,
        describe: impl FnOnce(EcuIndex, &R) -> Option<(RemarkText, F)>,
    ) -> Option<String> {
        let &Event::Noted { ecu, remark } = event else {
            return Some(text(&self.fields(at, event)));
        };
        let (described, fields) = describe(ecu, remark)?;
        let line = Line {
            kind: Some(described.kind.into()),
            by: Some(&described.by),
            text: Some(&described.text),
            ..self.of_ecu(at, "noted", ecu)
        };
        Some(text(&Noted { line, fact: fields }))
    }

    fn fields<'a, R>(&'a self, at: Time, event: &Event<'a, R>) -> Line<'a> {
        match *event {
            Event::Boot { ecu, boots } => Line {
                boots: Some(boots),
                ..self.of_ecu(at, "boot", ecu)
            },
            Event::Reset { ecu } => self.of_ecu(at, "reset", ecu),
            Event::Retained { ecu, slot } => Line {
                slot: Some(slot.0),
                ..self.of_ecu(at, "retained", ecu)
            },
            Event::Worked { ecu, slice } => worked(self.of_ecu(at, "worked", ecu), &slice),
            Event::Fault { ecu, kind, begins } => Line {
                kind: Some(kind.into()),
                begins: Some(begins),
                ..self.of_ecu(at, "fault", ecu)
            },
            ref other => self.on_its_way(at, other),
        }
    }

    /// The events of a frame on its way.
    fn on_its_way<'a, R>(&'a self, at: Time, event: &Event<'a, R>) -> Line<'a> {
        match *event {
            Event::Requested {
                ecu,
                bus,
                serial,
                token,
                cause,
                frame,
            } => Line {
                token: Some(token.0),
                cause: cause.map(|serial| serial.0),
                ..self.of_frame(at, "requested", (bus, ecu, serial), Some(frame))
            },
            Event::Queued {
                ecu,
                bus,
                serial,
                waiting,
            } => Line {
                waiting: Some(waiting),
                ..self.of_frame(at, "queued", (bus, ecu, serial), None)
            },
            Event::Started {
                bus,
                ecu,
                serial,
                frame,
                contenders,
            } => Line {
                contenders: Some(contenders),
                ..self.of_frame(at, "started", (bus, ecu, serial), Some(frame))
            },
            Event::ArbitrationLost { bus, ecu, serial } => {
                self.of_frame(at, "arbitration-lost", (bus, ecu, serial), None)
            }
            Event::Sent {
                bus,
                ecu,
                serial,
                started,
                frame,
            } => Line {
                started: Some(started),
                ..self.of_frame(at, "sent", (bus, ecu, serial), Some(frame))
            },
            Event::Received {
                bus,
                ecu,
                serial,
                frame,
            } => self.of_frame(at, "received", (bus, ecu, serial), Some(frame)),
            Event::Delivered {
                bus,
                ecu,
                serial,
                frame,
            } => self.of_frame(at, "delivered", (bus, ecu, serial), Some(frame)),
            Event::Overrun { bus, ecu, serial } => {
                self.of_frame(at, "overrun", (bus, ecu, serial), None)
            }
            Event::Withdrawn { bus, ecu, serial } => {
                self.of_frame(at, "withdrawn", (bus, ecu, serial), None)
            }
            ref trouble => self.trouble(at, trouble),
        }
    }

    /// The events of a disturbed bus.
    fn trouble<'a, R>(&'a self, at: Time, event: &Event<'a, R>) -> Line<'a> {
        match *event {
            Event::Error {
                bus,
                ecu,
                kind,
                place,
            } => Line {
                kind: Some(kind.name().into()),
                field: Some(place.field_name().into()),
                bit: Some(place.bit),
                ..self.of_port(at, "error", (bus, ecu))
            },
            Event::ErrorFlag { bus, ecu, active } => Line {
                active: Some(active),
                ..self.of_port(at, "error-flag", (bus, ecu))
            },
            Event::OverloadFlag { bus, ecu } => self.of_port(at, "overload-flag", (bus, ecu)),
            Event::Counters { bus, ecu, tec, rec } => Line {
                tec: Some(tec),
                rec: Some(rec),
                ..self.of_port(at, "counters", (bus, ecu))
            },
            Event::State { bus, ecu, state } => Line {
                state: Some(state_name(state)),
                ..self.of_port(at, "state", (bus, ecu))
            },
            Event::Interfered {
                bus,
                by,
                place,
                only,
            } => Line {
                t: at,
                event: "interfered",
                bus: self.buses.get(bus.0).map(String::as_str),
                ecu: only
                    .and_then(|ecu| self.ecus.get(ecu.0))
                    .map(String::as_str),
                by: Some(by),
                field: Some(place.field_name().into()),
                bit: Some(place.bit),
                ..Line::default()
            },
            _ => Line {
                t: at,
                event: "unknown",
                ..Line::default()
            },
        }
    }

    fn of_ecu(&self, t: Time, event: &'static str, ecu: EcuIndex) -> Line<'_> {
        Line {
            t,
            event,
            ecu: self.ecus.get(ecu.0).map(String::as_str),
            ..Line::default()
        }
    }

    fn of_port(&self, t: Time, event: &'static str, (bus, ecu): (BusIndex, EcuIndex)) -> Line<'_> {
        Line {
            bus: self.buses.get(bus.0).map(String::as_str),
            ..self.of_ecu(t, event, ecu)
        }
    }

    fn of_frame(
        &self,
        t: Time,
        event: &'static str,
        (bus, ecu, serial): (BusIndex, EcuIndex, Serial),
        frame: Option<&Frame>,
    ) -> Line<'_> {
        Line {
            serial: Some(serial.0),
            frame: frame.map(ToString::to_string),
            ..self.of_port(t, event, (bus, ecu))
        }
    }
}

/// Writes a line, with its line feed.
fn text(line: &impl Serialize) -> String {
    // Most lines are no longer, so that they take one piece of memory each.
    let mut text = Vec::with_capacity(256);
    // Serialising strings and numbers into memory has no way to fail, and writes UTF-8.
    let _ = serde_json::to_writer(&mut text, line);
    text.push(b'\n');
    String::from_utf8(text).unwrap_or_default()
}

fn worked<'a>(line: Line<'a>, slice: &Slice) -> Line<'a> {
    let (core, engine) = match slice.unit {
        Unit::Core(core) => (Some(core), None),
        Unit::SecurityModule(engine) => (None, Some(engine)),
    };
    Line {
        core,
        unit: engine.map(|_| "hardware-security-module"),
        engine,
        task: Some(task_name(slice.task)),
        operation: Some(slice.operation.kind.name()),
        algorithm: Some(slice.operation.algorithm.name()),
        bytes: Some(slice.operation.bytes),
        from: Some(slice.from),
        finished: Some(slice.finished),
        ..line
    }
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
