//! The trace as JSON for Perfetto and Chrome: tracks of frames, of work, of error counters.
//!
//! Each bus is a process with a track of frames (more where frames collide), a track of errors and
//! a counter of its load; each ECU is a process with a track for every core and task, one for what
//! happens to it, and its error counters. Arrows lead from the work that sent a frame to the frame,
//! from the frame to the work that received it, and through gateways. `docs/report.md` lists the
//! names; the form is the Trace Event Format.
//!
//! Written as the run goes: memory is bounded by the frames under way. Whatever happens, the text
//! is whole JSON: [`Perfetto::finish`] completes it, and so does dropping.

mod arrows;
mod items;
mod load;
mod tracks;

use std::io::{self, Write};

use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::cpu::TimeSlice;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_work::Duration;

use self::arrows::Arrows;
use self::items::{Items, Point};
use self::load::Loads;
use self::tracks::Tracks;
use crate::attempt::{Attempt, AttemptOutcome, Attempts};
use crate::identifiers::IdentifierNames;
use crate::measure::Watched;
use crate::prose::Prose;
use waywarden_vehicle_file::Window;
use waywarden_vehicle_trace::{Fact, TraceSink, VehicleEvent};

/// Writes a trace for Perfetto.
pub struct Perfetto<W: Write> {
    items: Items<W>,
    tracks: Tracks,
    attempts: Attempts,
    arrows: Arrows,
    loads: Loads,
    identifiers: IdentifierNames,
    now: Time,
    prose: Prose,
}

#[derive(Serialize)]
struct FrameArguments<'a> {
    frame: String,
    sender: &'a str,
    outcome: &'static str,
    /// Number of controllers that competed for the bus.
    contenders: usize,
    /// Number of the attempt to send this frame, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arbitrations_lost: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since_request_us: Option<f64>,
    serial: u64,
}

#[derive(Serialize)]
struct WorkArguments {
    algorithm: &'static str,
    bytes: u32,
    finished: bool,
}

#[derive(Serialize)]
struct ErrorLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    ecu: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bit: Option<u32>,
}

#[derive(Serialize)]
struct ErrorCounters {
    #[serde(rename = "TEC")]
    tec: u16,
    #[serde(rename = "REC")]
    rec: u16,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct Load {
    percent: f64,
}

impl<W: Write> Perfetto<W> {
    /// Begins the trace of a part of this run. Stretches that reach into the window are whole;
    /// counters begin with the value they have.
    pub fn during(
        out: W,
        (config, watched): (&Config<Fact>, &[Watched]),
        prose: Prose,
        window: &Window,
    ) -> Self {
        let end = |until: Duration| Time::from_nanos(until.as_nanos());
        let from = Time::from_nanos(window.from.as_nanos());
        let mut items = Items::begin(out, (from, window.until.map_or(Time::NEVER, end)));
        Perfetto {
            tracks: Tracks::new(config, &mut items),
            items,
            attempts: Attempts::on(&config.buses),
            arrows: Arrows::new(config.ecus.len()),
            loads: Loads::new(&config.buses),
            identifiers: IdentifierNames::of(watched),
            now: Time::ZERO,
            prose,
        }
    }

    /// Completes the text and gives back where it was written to.
    ///
    /// # Errors
    /// The first error of the writer: a sink cannot refuse, so it is kept until here.
    pub fn finish(mut self) -> io::Result<W> {
        let mut over = Vec::new();
        self.attempts
            .finish(self.now, &mut |attempt| over.push(attempt));
        over.iter().for_each(|attempt| self.attempt(attempt));
        let rest = self.loads.finish();
        self.load(&rest);
        self.items.finish()
    }

    fn attempt(&mut self, attempt: &Attempt) {
        let &Attempt {
            bus,
            lane,
            ecu,
            serial,
            started,
            ended,
            ..
        } = attempt;
        let track = self.tracks.frames(bus, lane, &mut self.items);
        let id = attempt.frame.id();
        let name = match self.identifiers.name(bus, id) {
            Some(stream) => format!("{id} {stream}"),
            None => id.to_string(),
        };
        let way = self.arrows.attempted(serial);
        let arguments = FrameArguments {
            frame: attempt.frame.to_string(),
            sender: self.tracks.ecu_name(ecu),
            outcome: attempt.outcome.name(),
            contenders: attempt.contenders,
            attempt: way.map(|way| way.attempts),
            arbitrations_lost: way.map(|way| way.losses),
            since_request_us: way.map(|way| started.since(way.requested).get() as f64 / 1e6),
            serial: serial.0,
        };
        self.items
            .slice(track, (&name, "frame"), (started, ended), &arguments);
        if let Some(from) = way.and_then(|way| way.sent_by) {
            self.items
                .arrow("send", from, Point::within(track, started, ended));
        }
        if attempt.outcome == AttemptOutcome::Sent {
            let steps = self.loads.add(bus, started, ended);
            self.load(&steps);
        }
    }

    fn load(&mut self, steps: &[load::Step]) {
        for &(bus, from, percent) in steps {
            self.items
                .counter(self.tracks.bus(bus), "load", from, Load { percent });
        }
    }

    fn worked(&mut self, ecu: EcuIndex, slice: &TimeSlice) {
        let track = self
            .tracks
            .work(ecu, (slice.unit, slice.task), &mut self.items);
        let operation = slice.operation;
        let arguments = WorkArguments {
            algorithm: operation.algorithm.name(),
            bytes: operation.bytes,
            finished: slice.finished,
        };
        let title = (operation.kind.name(), "work");
        self.items
            .slice(track, title, (slice.from, slice.to), arguments);
        self.arrows.worked(ecu, slice, track);
    }

    /// Marks something on the track of an ECU's events.
    fn life(&mut self, at: Time, ecu: EcuIndex, name: &str, text: Option<&str>) {
        let track = self.tracks.life(ecu, &mut self.items);
        self.items
            .instant(track, (name, "ecu"), at, text.map(|text| Text { text }));
    }

    /// Marks something on the track of a bus's errors.
    fn disturbance_event(&mut self, at: Time, bus: BusIndex, name: &str, location: &ErrorLocation) {
        let track = self.tracks.disturbance_event(bus, &mut self.items);
        self.items
            .instant(track, (name, "disturbance"), at, Some(location));
    }

    /// Follows a frame on its way.
    fn way(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let arrow = match *event {
            VehicleEvent::Requested {
                ecu, serial, cause, ..
            } => {
                self.arrows.requested(at, ecu, serial, cause.is_some());
                None
            }
            VehicleEvent::Queued { ecu, serial, .. } => self
                .arrows
                .queued(at, ecu, serial)
                .map(|arrow| ("forward", arrow)),
            VehicleEvent::ArbitrationLost { serial, .. } => {
                self.arrows.lost(serial);
                None
            }
            VehicleEvent::Sent { serial, .. } | VehicleEvent::Withdrawn { serial, .. } => {
                self.arrows.done(serial);
                None
            }
            VehicleEvent::Received {
                bus, ecu, serial, ..
            } => {
                if let Some(lane) = self.attempts.lane(bus, serial) {
                    let track = self.tracks.frames(bus, lane, &mut self.items);
                    self.arrows.received(at, ecu, serial, track);
                }
                None
            }
            VehicleEvent::Delivered { ecu, serial, .. } => self
                .arrows
                .delivered(at, ecu, serial)
                .map(|arrow| ("receive", arrow)),
            _ => None,
        };
        if let Some((name, (from, to))) = arrow {
            self.items.arrow(name, from, to);
        }
    }

    /// Marks events of an ECU.
    fn happening(&mut self, at: Time, event: &VehicleEvent<'_>) {
        match *event {
            VehicleEvent::Boot { ecu, boots } => self.life(at, ecu, &format!("boot {boots}"), None),
            VehicleEvent::Reset { ecu } => {
                self.arrows.reset(ecu);
                self.life(at, ecu, "reset", None);
            }
            VehicleEvent::Overrun { bus, ecu, .. } => {
                let name = format!("receive queue full: {}", self.tracks.bus_name(bus));
                self.life(at, ecu, &name, None);
            }
            VehicleEvent::Withdrawn { bus, ecu, .. } => {
                let name = format!("frame taken back: {}", self.tracks.bus_name(bus));
                self.life(at, ecu, &name, None);
            }
            VehicleEvent::Noted { ecu, remark } => {
                if let (Some(kind), Some(text)) = (remark.kind(), self.prose.text(remark)) {
                    self.life(at, ecu, kind.name(), Some(&text));
                }
            }
            VehicleEvent::State { bus, ecu, state } => {
                let name = format!("{}: {}", self.tracks.bus_name(bus), state_name(state));
                self.life(at, ecu, &name, None);
            }
            VehicleEvent::Counters { bus, ecu, tec, rec } => {
                let name = format!("error counters {}", self.tracks.bus_name(bus));
                let values = ErrorCounters { tec, rec };
                self.items.counter(self.tracks.ecu(ecu), &name, at, values);
            }
            _ => {}
        }
    }

    /// Marks events of a bus.
    fn disturbance(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let (bus, ecu, name, place) = match *event {
            VehicleEvent::Error {
                bus,
                ecu,
                kind,
                place,
            } => (
                bus,
                Some(ecu),
                format!("{} error", kind.name()),
                Some(place),
            ),
            VehicleEvent::ErrorFlag { bus, ecu, active } => {
                let kind = if active { "active" } else { "passive" };
                (bus, Some(ecu), format!("{kind} error flag"), None)
            }
            VehicleEvent::OverloadFlag { bus, ecu } => {
                (bus, Some(ecu), "overload flag".to_owned(), None)
            }
            VehicleEvent::Interfered {
                bus,
                by,
                place,
                only,
            } => (bus, only, format!("strike of {by}"), Some(place)),
            _ => return,
        };
        let location = ErrorLocation {
            ecu: ecu.map(|ecu| self.tracks.ecu_name(ecu).to_owned()),
            field: place.map(|place| place.field_name()),
            bit: place.map(|place| place.bit),
        };
        self.disturbance_event(at, bus, &name, &location);
    }
}

impl<W: Write> TraceSink for Perfetto<W> {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        self.now = at;
        let mut over = Vec::new();
        self.attempts
            .follow(at, event, &mut |attempt| over.push(attempt));
        over.iter().for_each(|attempt| self.attempt(attempt));
        if let VehicleEvent::Worked { ecu, slice } = event {
            self.worked(*ecu, slice);
        }
        self.way(at, event);
        self.happening(at, event);
        self.disturbance(at, event);
    }
}
