//! Figures of a security module: authentication of ECUs, holders of stream keys, and cost.

mod reported;

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_can::node::Task;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::TimeSlice;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_group_keys::Address;
use waywarden_lasan::{EVERY_ECU, LasanFrameReader, LasanKind, StreamId};
use waywarden_work::{Duration, OperationKind};

use super::requests::Requests;
use waywarden_vehicle_file::{GrantedKey, KeyParty, VehicleFile};

/// Figures of one security module and its ECUs.
#[derive(Clone, Debug, Default)]
pub struct NetworkFigures {
    /// The security module, then the members, in the vehicle file's order.
    pub parties: Vec<AuthenticatedFigures>,
    /// The keys that it grants, in the order of [`VehicleFile::granted_keys`].
    pub keys: Vec<GrantedKeyFigures>,
    /// Time at which the security module began to compute for the first epoch.
    pub computed_from: Option<Time>,
    /// Time at which the first epoch began: its start-up message was computed.
    pub started: Option<Time>,
    /// Number of epochs begun.
    pub epochs: u64,
    /// Time at which all members were authenticated, and had the keys of all streams whose windows
    /// had begun by then. It stays none if a stream's window is over before all have its key.
    pub complete: Option<Time>,
    /// Messages by kind, on each bus that carries them.
    pub kinds: BTreeMap<LasanKind, CarriedFrames>,
    /// Authentications that failed, as the security module saw it.
    pub failed: u64,
    /// Requests that it refused.
    pub refused: u64,
    /// The same and more from each boot of the security module to its next; the first is empty if
    /// it never booted.
    pub lives: Vec<ModuleLife>,
    buses: Vec<usize>,
    gateway: Option<usize>,
    /// Tells its messages from other frames.
    frames: Option<LasanFrameReader>,
    /// Time at which the security module is ordered to begin, by any clock that the file allows.
    ordered: Time,
    /// Beginning of the epoch under way.
    epoch_began: Time,
    requests: Requests,
}

/// Figures of a security module from one boot to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleLife {
    /// Time of the boot.
    pub began: Time,
    /// Number of epochs begun.
    pub epochs: u64,
    /// Mutual authentications with ECUs.
    pub sessions: u64,
    /// Authentications that failed, as it saw it.
    pub failed: u64,
    /// Keys that it made.
    pub keys: u64,
    /// Grants that were delivered: each key to each holder once.
    pub grants: u64,
    /// Requests that it refused.
    pub refused: u64,
}

/// Frames, their payload, and how long they and their intermissions had the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarriedFrames {
    /// Number of frames.
    pub frames: u64,
    /// Payload, in bytes.
    pub bytes: u64,
    /// Bus time, in picoseconds.
    pub busy: u64,
}

/// Figures of one ECU under a security module, or of the security module itself.
#[derive(Clone, Copy, Debug)]
pub struct AuthenticatedFigures {
    /// The ECU.
    pub ecu: EcuIndex,
    /// Its address.
    pub address: Address,
    /// Time of the first mutual authentication.
    pub first: Option<Time>,
    /// The longest time from the beginning of an epoch until that.
    pub longest: Option<Duration>,
    /// Number of mutual authentications.
    pub sessions: u64,
    /// Authentications that failed, as the ECU saw it.
    pub failed: u64,
    /// True if the workshop has taken it out.
    pub retired: bool,
    /// True if it was taken out when all others were authenticated and authorized.
    pub absent: bool,
    /// True if its last session ended with a certificate, and none has begun since.
    pub cut_off: bool,
    /// Computing time, and bus time of messages from it and for it, from power-on until it was
    /// authenticated, in picoseconds.
    pub until_first: Option<(u64, u64)>,
    /// Sides that have reported a success: the ECU, the security module.
    said: [bool; 2],
    /// True if it has been authenticated in this epoch; later authentications are the workshop's,
    /// or a reset's.
    in_epoch: bool,
    /// Picoseconds of messages from it and for it.
    communication: u64,
}

/// Figures of one granted key, and of the frames under it.
#[derive(Clone, Debug)]
pub struct GrantedKeyFigures {
    /// The key.
    pub key: GrantedKey,
    /// Time at which its sender first had the key.
    pub sender_first: Option<Time>,
    /// Time at which the last of its holders first had it.
    pub complete: Option<Time>,
    /// Number of keys it had.
    pub keys: u64,
    /// Number of times its permission came to an end.
    pub revoked: u64,
    /// Its frames, as its sender sent them.
    pub carried: CarriedFrames,
    id: StreamId,
    sender: EcuIndex,
    /// Time from which it may be used.
    from: Time,
    /// Holders of the key; true for those that have had it.
    holders: Vec<(EcuIndex, bool)>,
}

impl NetworkFigures {
    pub(super) fn of(file: &VehicleFile, at: usize) -> Self {
        let lasan = &file.lasan[at];
        let party = |party: &KeyParty| AuthenticatedFigures {
            ecu: EcuIndex(party.ecu.0),
            address: party.address,
            first: None,
            longest: None,
            sessions: 0,
            failed: 0,
            retired: false,
            absent: false,
            cut_off: false,
            until_first: None,
            said: [false; 2],
            in_epoch: false,
            communication: 0,
        };
        let keys = file.granted_keys(at).into_iter().map(|key| {
            let holders = key.receivers.iter().chain([&key.sender]);
            GrantedKeyFigures {
                sender_first: None,
                complete: None,
                keys: 0,
                revoked: 0,
                carried: CarriedFrames::default(),
                id: StreamId::of(key.id),
                sender: EcuIndex(key.sender.0),
                from: Time::from_nanos(key.window.from.as_nanos()),
                holders: holders.map(|ecu| (EcuIndex(ecu.0), false)).collect(),
                key,
            }
        });
        NetworkFigures {
            parties: lasan.parties().map(party).collect(),
            keys: keys.collect(),
            buses: lasan.buses.iter().map(|bus| bus.0).collect(),
            gateway: lasan.gateway.map(|ecu| ecu.0),
            frames: Some(lasan.frames()),
            requests: Requests::of(lasan),
            ordered: Time::from_nanos(lasan.start.as_nanos() - lasan.start.as_nanos() / 1_000),
            ..NetworkFigures::default()
        }
    }

    /// Returns true if an ECU was not to be authenticated at the start; before that is complete, if
    /// it is not to be now.
    #[must_use]
    pub fn is_left_out(&self, party: &AuthenticatedFigures) -> bool {
        match self.complete {
            None => party.retired,
            Some(_) => party.absent,
        }
    }

    /// Returns true if no ECU is to be able to send a stream: its sender, or all its receivers, are
    /// left out.
    #[must_use]
    pub fn is_stream_left_out(&self, stream: &GrantedKeyFigures) -> bool {
        let is_out = |ecu: EcuIndex| {
            let mut parties = self.parties.iter();
            parties.any(|party| party.ecu == ecu && self.is_left_out(party))
        };
        let receivers = || {
            stream
                .holders
                .iter()
                .filter(|(ecu, _)| *ecu != stream.sender)
        };
        is_out(stream.sender)
            || (receivers().next().is_some() && receivers().all(|(ecu, _)| is_out(*ecu)))
    }

    /// Returns true if the start is complete only when all have a stream's key: its window had
    /// begun by then, or by the end of the run.
    #[must_use]
    pub fn is_awaited(&self, stream: &GrantedKeyFigures, end: Time) -> bool {
        stream.from <= self.complete.unwrap_or(end) && !self.is_stream_left_out(stream)
    }

    /// Notes the streams whose keys all their holders have.
    fn complete_streams(&mut self, at: Time) {
        let retired = self.parties.iter().filter(|party| party.retired);
        let retired: Vec<EcuIndex> = retired.map(|party| party.ecu).collect();
        for stream in &mut self.keys {
            let lacking = |(ecu, has): &(EcuIndex, bool)| !has && !retired.contains(ecu);
            let keyed = stream.sender_first.is_some() && !stream.holders.iter().any(lacking);
            let useless =
                |(ecu, _): &(EcuIndex, bool)| *ecu == stream.sender || retired.contains(ecu);
            let useless = stream.holders.len() > 1 && stream.holders.iter().all(useless);
            if stream.complete.is_none() && keyed && !useless {
                stream.complete = Some(at);
            }
        }
    }

    /// Returns the broadcast frames, which \[LASAN\] calls amortized.
    #[must_use]
    pub fn amortised(&self) -> CarriedFrames {
        self.sum(LasanKind::is_broadcast)
    }

    /// Returns all messages.
    #[must_use]
    pub fn messages(&self) -> CarriedFrames {
        self.sum(|_| true)
    }

    fn sum(&self, counts: impl Fn(LasanKind) -> bool) -> CarriedFrames {
        let kinds = self.kinds.iter().filter(|(kind, _)| counts(**kind));
        kinds.fold(CarriedFrames::default(), |sum, (_, one)| CarriedFrames {
            frames: sum.frames + one.frames,
            bytes: sum.bytes + one.bytes,
            busy: sum.busy + one.busy,
        })
    }

    /// Counts a frame that was sent, and returns whether it is one of its exchanges.
    pub(super) fn sent(&mut self, bus: BusIndex, ecu: EcuIndex, frame: &Frame, busy: u64) -> bool {
        let read = self.frames.as_ref().and_then(|frames| frames.read(frame));
        let Some((header, _)) = read else {
            let stream = StreamId::of(frame.id());
            let own = |one: &&mut GrantedKeyFigures| one.id == stream && one.sender == ecu;
            if let Some(stream) = self.keys.iter_mut().find(own) {
                stream.carried.add(frame, busy);
            }
            return false;
        };
        let party = self.parties.iter().position(|one| one.ecu == ecu);
        let its_own =
            self.buses.contains(&bus.0) && (party.is_some() || self.gateway == Some(ecu.0));
        if !its_own {
            return false;
        }
        self.kinds.entry(header.kind).or_default().add(frame, busy);
        // A gateway sends what others say once more, which concerns no ECU twice.
        let sender = party.and_then(|at| self.parties.get(at));
        if sender.is_none_or(|one| one.address != header.source) {
            return true;
        }
        if header.kind == LasanKind::Request {
            self.requests.made(header.source);
        }
        for party in &mut self.parties {
            let concerned = party.address == header.source
                || party.address == header.target
                || header.target == EVERY_ECU;
            party.communication += if concerned { busy } else { 0 };
        }
        true
    }

    /// Returns from when on the first start is counted: from the security module's first
    /// computation for it.
    #[must_use]
    pub fn begun(&self) -> Option<Time> {
        self.started?;
        self.computed_from.or(self.started)
    }

    /// An ECU begins a computation. What the security module computes between the order and the
    /// first epoch is for the epoch, unless it is a tag.
    pub(super) fn computes(&mut self, ecu: EcuIndex, slice: &TimeSlice) {
        let is_module = self.parties.first().is_some_and(|module| module.ecu == ecu);
        let is_first = self.started.is_none() && self.computed_from.is_none();
        let kind = slice.operation.kind;
        let is_for_it = slice.task == Task::Crypto
            && !matches!(kind, OperationKind::Tag | OperationKind::ModuleCall)
            && slice.from >= self.ordered;
        if is_module && is_first && is_for_it {
            self.computed_from = Some(slice.from);
        }
    }

    /// An ECU boots: half an authentication that was under way is over.
    pub(super) fn booted(&mut self, at: Time, ecu: EcuIndex) {
        if self.parties.first().is_some_and(|module| module.ecu == ecu) {
            if self.started.is_none() {
                self.computed_from = None;
            }
            self.lives.push(ModuleLife {
                began: at,
                ..ModuleLife::default()
            });
            for party in &mut self.parties {
                party.said = [false; 2];
            }
        }
        for party in self.parties.iter_mut().filter(|party| party.ecu == ecu) {
            party.said = [false; 2];
        }
    }

    fn count(&mut self, what: fn(&mut ModuleLife) -> &mut u64) {
        if let Some(life) = self.lives.last_mut() {
            *what(life) += 1;
        }
    }
}

impl CarriedFrames {
    fn add(&mut self, frame: &Frame, busy: u64) {
        self.frames += 1;
        self.bytes += frame.data().len() as u64;
        self.busy += busy;
    }
}

impl GrantedKeyFigures {
    fn granted(&mut self, at: Time, ecu: EcuIndex) {
        if ecu == self.sender {
            self.sender_first = self.sender_first.or(Some(at));
        }
        for (holder, has) in &mut self.holders {
            *has |= *holder == ecu;
        }
    }
}
