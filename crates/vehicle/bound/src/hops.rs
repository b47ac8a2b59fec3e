//! The frames of a vehicle, bus by bus: who sends each, how often, and what it waits for.

mod authentication;

use std::sync::Arc;

use waywarden_boards::{Board, NoModule};
use waywarden_can::{Frame, Id};
use waywarden_response_time::Priority;
use waywarden_vehicle_file::{
    self as file, Accept, BusIndex, CryptoEngine, EcuIndex, FrameFormat, Protection, StreamIndex,
    VehicleFile,
};
use waywarden_vehicle_resources::Resources;

use crate::cpu::{self, Cost, Task};
use crate::timing::{BusTimes, FrameTimes, at_least, at_most};
use crate::tries::Tries;

/// Reason why a vehicle cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeriveError {
    /// A board is neither built in nor loaded.
    #[error("board `{0}` is not loaded")]
    Board(String),
    /// An ECU computes on a security module that its board has not.
    #[error("ECU {ecu} has `crypto = \"module\"`: {missing}")]
    NoModule {
        /// Name of the ECU.
        ecu: String,
        /// The board, and the ones that have a module.
        missing: NoModule,
    },
    /// A bus has rates that no controller has.
    #[error("bus `{0}` has a bit rate or a sample point that no controller has")]
    Timing(String),
}

/// Event that a frame waits for before it is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Its release.
    Release,
    /// The code that is computed of it.
    Tagged,
    /// The receipt of these frames at the same ECU.
    Received(Vec<usize>),
    /// The receipt of these frames, their check, and this pause in picoseconds.
    Checked(Vec<usize>, u64),
}

/// Role of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The message of a stream.
    Data,
    /// The tag of a message in a frame of its own.
    Tag,
    /// Anything else of message authentication.
    Other,
}

/// A frame that comes again and again on one bus.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    pub(crate) stream: Option<StreamIndex>,
    pub(crate) role: Role,
    pub(crate) bus: BusIndex,
    pub(crate) ecu: EcuIndex,
    pub(crate) priority: Priority,
    pub(crate) frame: FrameTimes,
    /// The shortest true time between two nominal releases, and their jitter, in picoseconds.
    pub(crate) period: u64,
    pub(crate) jitter: u64,
    pub(crate) source: Source,
    pub(crate) form: Form,
}

/// Properties that decide the cost of driver calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) id: Id,
    pub(crate) format: FrameFormat,
    pub(crate) bytes: u8,
}

/// Event that triggers a job of an ECU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    /// With the releases of a hop's messages.
    Release(usize),
    /// With the request of a frame.
    Request(usize),
    /// With its receipt.
    Receipt(usize),
}

/// A job of an ECU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) ecu: EcuIndex,
    pub(crate) task: Task,
    pub(crate) trigger: Trigger,
    pub(crate) cost: Cost,
}

/// All frames and jobs of a vehicle.
pub(crate) struct Hops<'a> {
    pub(crate) file: &'a VehicleFile,
    pub(crate) buses: Vec<BusTimes>,
    boards: Vec<Arc<Board>>,
    tries: &'a Tries,
    pub(crate) hops: Vec<Hop>,
    pub(crate) loads: Vec<Load>,
}

impl<'a> Hops<'a> {
    /// Gathers them; receivers compute as many codes for a message as `tries` says.
    pub(crate) fn of(
        file: &'a VehicleFile,
        resources: &Resources,
        tries: &'a Tries,
    ) -> Result<Self, DeriveError> {
        let timing = |bus: &file::Bus| {
            BusTimes::of(bus).ok_or_else(|| DeriveError::Timing(bus.name.value.clone()))
        };
        let board = |ecu: &file::Ecu| board(ecu, resources);
        let mut own = Hops {
            file,
            tries,
            buses: file.buses.iter().map(timing).collect::<Result<_, _>>()?,
            boards: file.ecus.iter().map(board).collect::<Result<_, _>>()?,
            hops: Vec::new(),
            loads: Vec::new(),
        };
        for at in 0..file.streams.len() {
            own.add_stream(StreamIndex(at));
        }
        own.add_authentication();
        own.add_driver_calls();
        Ok(own)
    }

    /// Returns the hops of a stream's messages on a bus: data, and the tag if it has a frame.
    pub(crate) fn parts(&self, stream: StreamIndex, bus: BusIndex) -> Vec<usize> {
        let all = self.hops.iter().enumerate();
        let own = all.filter(|(_, hop)| {
            hop.stream == Some(stream) && hop.bus == bus && hop.role != Role::Other
        });
        own.map(|(at, _)| at).collect()
    }

    pub(crate) fn board(&self, ecu: EcuIndex) -> &Board {
        &self.boards[ecu.0]
    }

    /// Adds a stream's frames on every bus that it travels on.
    fn add_stream(&mut self, index: StreamIndex) {
        let stream = self.file.stream(index);
        let ppm = self.file.ecu(stream.sender).clock_ppm;
        let period = at_least(stream.period, ppm);
        let jitter = at_most(stream.jitter, ppm);
        for carried in &stream.carried {
            let route = carried.by.map(|by| &self.file.routes[by.0]);
            let is_clear = self.file.is_verified(index, carried.bus);
            let before = route.map(|route| self.parts(index, route.from));
            let is_secoc = matches!(stream.protection, Protection::Trailer(_));
            let ecu = route.map_or(stream.sender, |route| route.gateway);
            let verifies = route.is_some_and(|route| {
                route.verify.is_some() && !self.file.is_verified(index, route.from)
            });
            let own = |role: Role, parts: &Option<Vec<usize>>, of_role: Vec<usize>| match (
                parts, role, verifies,
            ) {
                (None, Role::Data, _) if !is_secoc => Source::Release,
                (None, ..) => Source::Tagged,
                (Some(parts), _, true) => Source::Checked(parts.clone(), 0),
                (Some(_), ..) => Source::Received(of_role),
            };
            let length = if is_clear {
                stream.length
            } else {
                stream.wire_length()
            };
            let mut forms = vec![self.data_form(index, carried.bus, is_clear, length)];
            if let (Protection::Paired(wire), false) = (stream.protection, is_clear) {
                forms.push(self.tag_form(stream.id.value, wire, carried.bus));
            }
            if let (Protection::Separate { id, bytes }, false) = (stream.protection, is_clear) {
                forms.push(self.cryptographic_form((id, bytes), stream.format, carried.bus));
            }
            for (role, (form, priority, frame)) in [Role::Data, Role::Tag].into_iter().zip(forms) {
                let parts = before.clone().unwrap_or_default().into_iter();
                let of_role = parts.filter(|&part| self.hops[part].role == role);
                let source = own(role, &before, of_role.collect());
                self.hops.push(Hop {
                    stream: Some(index),
                    role,
                    bus: carried.bus,
                    ecu,
                    priority,
                    frame,
                    period,
                    jitter,
                    source,
                    form,
                });
            }
        }
    }

    /// Adds the driver calls: each frame's sender, and every ECU whose filter passes it.
    fn add_driver_calls(&mut self) {
        let mut loads = Vec::new();
        for (at, hop) in self.hops.iter().enumerate() {
            let Form { id, format, bytes } = hop.form;
            let mut add = |ecu: EcuIndex, task, trigger| {
                let board = self.board(ecu);
                let cost = cpu::driver(board, task, format, id.is_extended(), bytes);
                let cost = Cost::on_core(cost);
                loads.push(Load {
                    ecu,
                    task,
                    trigger,
                    cost,
                });
            };
            add(hop.ecu, Task::Send, Trigger::Request(at));
            for (ecu, own) in self.file.ecus.iter().enumerate() {
                let ecu = EcuIndex(ecu);
                if ecu != hop.ecu && own.ports.contains(&hop.bus) && self.accepts(ecu, hop) {
                    add(ecu, Task::Receive, Trigger::Receipt(at));
                }
            }
        }
        self.loads.extend(loads);
    }

    /// Returns true if a frame passes an ECU's filter, or may.
    fn accepts(&self, ecu: EcuIndex, hop: &Hop) -> bool {
        let (Some(stream), Role::Data) = (hop.stream, hop.role) else {
            // Choice: frames of message authentication count at every ECU of the bus.
            return true;
        };
        let besides = match &self.file.ecu(ecu).accept {
            Accept::All => return true,
            Accept::Needed(besides) => besides,
        };
        let receivers = &self.file.stream(stream).receivers;
        let mut forwarded = self.file.forwarded_by(ecu);
        besides.contains(&hop.form.id)
            || hop.form.id.is_extended()
            || receivers
                .iter()
                .any(|one| one.ecu == ecu && one.bus == hop.bus)
            || forwarded
                .any(|(route, one)| one == stream && self.file.routes[route.0].from == hop.bus)
    }
}

/// Returns the arbitration key of an identifier.
pub(crate) fn priority(id: Id) -> Priority {
    let key = Frame::classic(id, &[]).map_or(0, |frame| frame.arbitration_key());
    Priority {
        first: key,
        last: key,
    }
}

fn board(ecu: &file::Ecu, resources: &Resources) -> Result<Arc<Board>, DeriveError> {
    let (file::BoardSource::BuiltIn(name) | file::BoardSource::File(name)) = &ecu.board.value;
    let found = resources.board(&ecu.board.value);
    let found = found.ok_or_else(|| DeriveError::Board(name.clone()))?;
    if ecu.crypto == CryptoEngine::Software {
        return Ok(found);
    }
    let with_module = Board::clone(&found).with_module_in_use();
    with_module
        .map(Arc::new)
        .map_err(|missing| DeriveError::NoModule {
            ecu: ecu.name.value.clone(),
            missing,
        })
}
