//! Waits of a stream's receivers for a first message that they accept as authentic: from power-on,
//! and from each later boot of its sender or of a receiver.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_lasan::{EcuEvent, ProtectedOutcome, StreamId};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_trace::{
    AuthorizationEvent, CheckOutcome, CheckRefusal, Genuine, ProtectedEvent, Truth,
};
use waywarden_work::Duration;

use super::span;

/// Origin of a stream's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKeySource {
    /// An authentication names it, by its place in the vehicle file.
    Authentication(usize),
    /// A security module grants them, by its place in the vehicle file.
    SecurityModule(usize),
}

/// A wait for a first authentic message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    /// Beginning of the wait: power-on, or a boot.
    pub since: Time,
    /// Time at which a message was accepted; none if none was.
    pub accepted: Option<Time>,
    /// End of the wait: that time, or the end of the run.
    pub ended: Time,
    /// Events during the wait.
    pub seen: SeenDuringWait,
}

/// Events that a receiver and its sender saw during a wait.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeenDuringWait {
    /// Arrival of the stream's first frame at the receiver's check.
    pub first_frame: Option<Time>,
    /// Time at which the receiver had a key, where the keys are agreed on or granted.
    pub receiver_key: Option<Time>,
    /// Time at which the sender had a key, likewise.
    pub sender_key: Option<Time>,
    /// Instances that the sender could not protect.
    pub withheld: u64,
    /// Frames that came while the receiver could check nothing.
    pub not_ready: u64,
    /// Messages that did not fit what the receiver expected: a wrong code, an old counter, no
    /// freshness.
    pub refused: u64,
    /// Frames for which there was no room.
    pub no_room: u64,
}

/// The first authentic messages of a stream at one ECU that checks them.
#[derive(Clone, Copy, Debug)]
pub struct FirstMessage {
    /// The stream, by its place in the vehicle file.
    pub stream: usize,
    /// The ECU that checks.
    pub ecu: EcuIndex,
    /// The stream's sender.
    pub sender: EcuIndex,
    /// Origin of the keys.
    pub source: StreamKeySource,
    /// The wait from power-on.
    pub power_on: Wait,
    /// Later boots of sender and receiver.
    pub boots: u64,
    /// The longest wait from one of them on.
    pub after_boot: Option<Wait>,
    /// The group whose key it is under.
    group: Option<usize>,
    /// The wait from a later boot that goes on.
    current: Option<Wait>,
    /// Time of the sender's last boot after power-on.
    sender_boot: Time,
}

/// The first authentic messages of a run.
#[derive(Debug, Default)]
pub(super) struct FirstMessages {
    /// First messages in the order of authentications and of security modules, by stream and ECU.
    pub(super) all: Vec<FirstMessage>,
    /// First messages of each stream, by their places in `all`.
    of_stream: Vec<Vec<usize>>,
    /// Streams whose keys each security module grants.
    granted: Vec<BTreeMap<StreamId, usize>>,
}

impl FirstMessages {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let mut all = Vec::new();
        for (at, table) in file.authentications.iter().enumerate() {
            let group = table.keys.group_key().map(|key| key.group);
            let checks = file.checks(table).map(|check| (check.stream.0, check.ecu));
            let mut checks: Vec<_> = checks.collect();
            checks.dedup();
            let source = StreamKeySource::Authentication(at);
            let first = |(stream, ecu)| FirstMessage::new(file, (stream, ecu), source, group);
            all.extend(checks.into_iter().map(first));
        }
        for (at, lasan) in file.lasan.iter().enumerate() {
            // A stream that may be sent for a time only has no start that could be measured.
            let lines = lasan.protected.iter();
            let lines = lines.filter(|line| line.window == Default::default());
            let source = StreamKeySource::SecurityModule(at);
            for line in lines {
                let receivers = file.stream(line.stream).receivers.iter();
                let pair = receivers.map(|one| (line.stream.0, one.ecu));
                all.extend(pair.map(|pair| FirstMessage::new(file, pair, source, None)));
            }
        }
        let mut of_stream = vec![Vec::new(); file.streams.len()];
        for (at, first) in all.iter().enumerate() {
            of_stream[first.stream].push(at);
        }
        let ids = |network| {
            let keys = file.granted_keys(network).into_iter();
            let of_streams = keys.filter_map(|key| Some((StreamId::of(key.id), key.stream()?.0)));
            of_streams.collect()
        };
        FirstMessages {
            all,
            of_stream,
            granted: (0..file.lasan.len()).map(ids).collect(),
        }
    }

    /// Returns true if every wait so far ended with a message.
    pub(super) fn are_all_accepted(&self) -> bool {
        self.all.iter().all(|one| !one.is_open())
    }

    /// An ECU boots, not for the first time.
    pub(super) fn booted_again(&mut self, at: Time, ecu: EcuIndex) {
        for one in &mut self.all {
            if one.sender == ecu {
                one.sender_boot = at;
            }
            if one.sender == ecu || one.ecu == ecu {
                one.boots += 1;
                // Who is reset before anything was accepted waits since the first of these boots.
                let wait = || Wait {
                    since: at,
                    ..Wait::default()
                };
                one.current.get_or_insert_with(wait);
            }
        }
    }

    /// An ECU has a key of a group.
    pub(super) fn has_group_key(&mut self, at: Time, group: usize, ecu: EcuIndex) {
        for one in self.all.iter_mut().filter(|one| one.group == Some(group)) {
            one.has_key(at, ecu);
        }
    }

    /// Something happened under a security module.
    pub(super) fn add_event(
        &mut self,
        at: Time,
        (network, ecu): (usize, EcuIndex),
        event: &AuthorizationEvent,
    ) {
        let AuthorizationEvent::Ecu(EcuEvent::Granted { stream, .. }) = event else {
            return;
        };
        let granted = self.granted.get(network);
        if let Some(&stream) = granted.and_then(|streams| streams.get(stream)) {
            self.each(stream, |one| one.has_key(at, ecu));
        }
    }

    /// A sender could not protect an instance of a stream.
    pub(super) fn withheld(&mut self, stream: usize) {
        self.each(stream, |one| one.see(|seen| seen.withheld += 1));
    }

    /// A frame of a stream came to the check of an ECU.
    pub(super) fn handed_in(&mut self, at: Time, (stream, ecu): (usize, EcuIndex)) {
        self.each_at((stream, ecu), |one| one.came(at));
    }

    /// A message was checked.
    pub(super) fn checked(
        &mut self,
        at: Time,
        (stream, ecu): (usize, EcuIndex),
        (outcome, genuine): (&CheckOutcome, Option<Genuine>),
    ) {
        self.each_at((stream, ecu), |one| match (outcome, genuine) {
            (CheckOutcome::Authentic(_), Some(genuine)) => one.accept(at, genuine.released),
            (CheckOutcome::Authentic(_), None) | (CheckOutcome::Resynced, _) => {}
            (CheckOutcome::Refused(CheckRefusal::NotReady), _) => {
                one.see(|seen| seen.not_ready += 1);
            }
            (CheckOutcome::Refused(CheckRefusal::NoRoom), _) => one.see(|seen| seen.no_room += 1),
            _ => one.see(|seen| seen.refused += 1),
        });
    }

    /// A frame under a security module's key came.
    pub(super) fn protected(
        &mut self,
        at: Time,
        (stream, ecu): (usize, EcuIndex),
        (event, truth): (&ProtectedEvent, Option<Truth>),
    ) {
        self.each_at((stream, ecu), |one| match (event, truth) {
            (ProtectedEvent::Waiting, _) => one.came(at),
            (ProtectedEvent::NoRoom, _) => {
                one.came(at);
                one.see(|seen| seen.no_room += 1);
            }
            (ProtectedEvent::WithoutKey, _) => {
                one.came(at);
                one.see(|seen| seen.not_ready += 1);
            }
            (
                ProtectedEvent::Opened(ProtectedOutcome::Authentic { .. }),
                Some(Truth::Genuine(genuine)),
            ) => {
                one.accept(at, genuine.released);
            }
            (
                ProtectedEvent::Opened(ProtectedOutcome::Authentic { .. }) | ProtectedEvent::Unsent,
                _,
            ) => {}
            (ProtectedEvent::Opened(_) | ProtectedEvent::TooLate, _) => {
                one.see(|seen| seen.refused += 1);
            }
        });
    }

    /// Ends open waits.
    pub(super) fn finish(&mut self, at: Time) {
        for one in &mut self.all {
            if one.power_on.accepted.is_none() {
                one.power_on.ended = at;
            }
            if let Some(wait) = one.current.take() {
                one.keep(Wait { ended: at, ..wait });
            }
        }
    }

    fn each(&mut self, stream: usize, act: impl FnMut(&mut FirstMessage)) {
        self.each_of(stream, |_| true, act);
    }

    fn each_at(&mut self, (stream, ecu): (usize, EcuIndex), act: impl FnMut(&mut FirstMessage)) {
        self.each_of(stream, |one| one.ecu == ecu, act);
    }

    fn each_of(
        &mut self,
        stream: usize,
        is_meant: impl Fn(&FirstMessage) -> bool,
        mut act: impl FnMut(&mut FirstMessage),
    ) {
        for &at in self.of_stream.get(stream).into_iter().flatten() {
            let one = &mut self.all[at];
            if one.is_open() && is_meant(one) {
                act(one);
            }
        }
    }
}

impl FirstMessage {
    fn new(
        file: &VehicleFile,
        (stream, ecu): (usize, waywarden_vehicle_file::EcuIndex),
        source: StreamKeySource,
        group: Option<usize>,
    ) -> Self {
        FirstMessage {
            stream,
            ecu: EcuIndex(ecu.0),
            sender: EcuIndex(file.streams[stream].sender.0),
            source,
            power_on: Wait::default(),
            boots: 0,
            after_boot: None,
            group,
            current: None,
            sender_boot: Time::ZERO,
        }
    }

    /// Returns the waits that are over, the one from power-on first.
    pub fn waits(&self) -> impl Iterator<Item = &Wait> {
        std::iter::once(&self.power_on).chain(&self.after_boot)
    }

    const fn is_open(&self) -> bool {
        self.power_on.accepted.is_none() || self.current.is_some()
    }

    fn see(&mut self, mut note: impl FnMut(&mut SeenDuringWait)) {
        if self.power_on.accepted.is_none() {
            note(&mut self.power_on.seen);
        }
        if let Some(wait) = &mut self.current {
            note(&mut wait.seen);
        }
    }

    fn came(&mut self, at: Time) {
        self.see(|seen| {
            seen.first_frame.get_or_insert(at);
        });
    }

    fn has_key(&mut self, at: Time, ecu: EcuIndex) {
        let (is_sender, is_receiver) = (self.sender == ecu, self.ecu == ecu);
        self.see(|seen| {
            if is_sender {
                seen.sender_key.get_or_insert(at);
            }
            if is_receiver {
                seen.receiver_key.get_or_insert(at);
            }
        });
    }

    /// Ends an open wait, unless the message is older than the sender's last boot: it was under
    /// way.
    fn accept(&mut self, at: Time, released: Time) {
        if released < self.sender_boot {
            return;
        }
        let ended = |wait: Wait| Wait {
            accepted: Some(at),
            ended: at,
            ..wait
        };
        if self.power_on.accepted.is_none() {
            self.power_on = ended(self.power_on);
        }
        if let Some(wait) = self.current.take() {
            self.keep(ended(wait));
        }
    }

    fn keep(&mut self, wait: Wait) {
        let longest = self.after_boot.map(|longest| longest.lasted());
        if longest.is_none_or(|longest| wait.lasted() > longest) {
            self.after_boot = Some(wait);
        }
    }
}

impl Wait {
    /// Returns how long it lasted, to the nanosecond.
    #[must_use]
    pub fn lasted(&self) -> Duration {
        span(self.since, self.ended)
    }

    /// Orders waits: one in which no message was accepted is longer than any other.
    #[must_use]
    pub fn rank(&self) -> (bool, Duration) {
        (self.accepted.is_none(), self.lasted())
    }
}
