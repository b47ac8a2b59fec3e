//! Outcomes of the frames that the keys of a security module protect, at each ECU.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can_sim::trace::EcuIndex;
use waywarden_group_keys::Address;
use waywarden_lasan::{EcuEvent, ModuleEvent, ProtectedOutcome, StreamId};

use waywarden_vehicle_file::{Lasan, VehicleFile};
use waywarden_vehicle_trace::{AuthorizationEvent, ProtectedEvent};

/// Outcomes of the protected frames of one stream at one receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// Frames of the sender, each newer than the one before.
    pub authentic: u64,
    /// Frames with a wrong tag.
    pub wrong_tag: u64,
    /// Frames not newer than the one before.
    pub replay: u64,
    /// Frames under another key than the one that the receiver has.
    pub unknown_key: u64,
    /// Frames that came while the receiver had no key of the stream at all.
    pub without_key: u64,
    /// Frames of these that came after it had had a key, which the security module had not taken
    /// away: the time of one key was over before the next one had come. At the sender, instances
    /// that it could not send for the same reason.
    pub between_keys: u64,
    /// Frames dropped because the queue of frames that wait to be opened was full.
    pub no_room: u64,
    /// Frames under an unknown key that the stream's sender had sent, once each and in order.
    pub unknown_genuine: u64,
    /// Frames without room that the stream's sender had sent, likewise.
    pub no_room_genuine: u64,
}

/// The receipts of a run.
#[derive(Debug, Default)]
pub(super) struct ReceiptBook {
    networks: Vec<NetworkKeys>,
    /// Network of each protected stream.
    network_of: BTreeMap<usize, usize>,
    /// Receipts by stream and ECU.
    receipts: BTreeMap<(usize, usize), Receipts>,
}

/// Holders of the keys of a security module, and the ECUs that are to have them.
#[derive(Debug, Default)]
struct NetworkKeys {
    /// The places of ECUs in the vehicle file, by address.
    places: BTreeMap<Address, usize>,
    /// The places of protected streams there.
    streams: BTreeMap<StreamId, usize>,
    /// The streams whose permission has an end, at which their ECUs are without a key.
    ending: BTreeSet<usize>,
    /// The streams of which an ECU has had a key since it booted, and none has been taken away.
    granted: BTreeMap<usize, BTreeSet<usize>>,
    /// ECUs that are not to have keys.
    excluded: BTreeMap<usize, KeyExclusion>,
}

/// Reason why an ECU is not to have keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyExclusion {
    /// It is out of the roster.
    Retired,
    /// It is back in it, and has had no key since.
    Enrolled,
}

impl ReceiptBook {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let networks = file.lasan.iter();
        let lines = file.lasan.iter().enumerate();
        let lines = lines.flat_map(|(at, one)| one.protected.iter().map(move |line| (line, at)));
        ReceiptBook {
            networks: networks.map(|one| NetworkKeys::of(file, one)).collect(),
            network_of: lines.map(|(line, at)| (line.stream.0, at)).collect(),
            receipts: BTreeMap::new(),
        }
    }

    /// Returns the outcomes of the protected frames of a stream at an ECU.
    pub(super) fn of_stream(&self, stream: usize, ecu: usize) -> Receipts {
        self.receipts
            .get(&(stream, ecu))
            .copied()
            .unwrap_or_default()
    }

    /// An ECU boots: it has no keys.
    pub(super) fn booted(&mut self, ecu: EcuIndex) {
        for network in &mut self.networks {
            network.granted.remove(&ecu.0);
        }
    }

    /// Updates the holders of keys, and the ECUs that are to have them.
    pub(super) fn add_event(&mut self, network: usize, ecu: EcuIndex, event: &AuthorizationEvent) {
        if let Some(network) = self.networks.get_mut(network) {
            network.add_event(ecu.0, event);
        }
    }

    /// Returns true if an ECU is to have the key of a stream until the end of the run, as far as a
    /// security module grants it.
    pub(super) fn is_to_have(&self, stream: usize, ecu: EcuIndex) -> bool {
        let network = self.network_of.get(&stream);
        let network = network.and_then(|at| self.networks.get(*at));
        network.is_none_or(|network| network.is_to_have(stream, ecu.0))
    }

    /// Counts a protected frame; `genuine` if its sender sent it.
    pub(super) fn count(
        &mut self,
        (stream, ecu): (usize, EcuIndex),
        event: &ProtectedEvent,
        genuine: bool,
    ) {
        let at = self.network_of.get(&stream);
        let Some(network) = at.and_then(|at| self.networks.get(*at)) else {
            return;
        };
        let is_to_have = network.is_to_have(stream, ecu.0);
        let granted = network.granted.get(&ecu.0);
        let between = is_to_have && granted.is_some_and(|own| own.contains(&stream));
        let genuine = u64::from(genuine && is_to_have);
        let receipts = self.receipts.entry((stream, ecu.0)).or_default();
        match event {
            ProtectedEvent::Waiting => {}
            ProtectedEvent::NoRoom => {
                receipts.no_room += 1;
                receipts.no_room_genuine += genuine;
            }
            ProtectedEvent::WithoutKey | ProtectedEvent::TooLate => {
                receipts.without_key += 1;
                receipts.between_keys += u64::from(between);
            }
            ProtectedEvent::Unsent => receipts.between_keys += u64::from(between),
            ProtectedEvent::Opened(ProtectedOutcome::Authentic { .. }) => receipts.authentic += 1,
            ProtectedEvent::Opened(ProtectedOutcome::Replay(_)) => receipts.replay += 1,
            ProtectedEvent::Opened(ProtectedOutcome::UnknownKey(_)) => {
                receipts.unknown_key += 1;
                receipts.unknown_genuine += genuine;
            }
            // What is not authentic counts as a wrong tag until it has a counter of its own.
            ProtectedEvent::Opened(_) => receipts.wrong_tag += 1,
        }
    }
}

impl NetworkKeys {
    fn of(file: &VehicleFile, lasan: &Lasan) -> Self {
        let places = lasan.parties().map(|party| (party.address, party.ecu.0));
        let streams = lasan.protected.iter();
        let streams = streams.map(|line| {
            let id = file.stream(line.stream).id.value;
            (StreamId::of(id), line.stream.0)
        });
        let ending = lasan.protected.iter();
        let ending = ending.filter(|line| line.window.until.is_some());
        NetworkKeys {
            places: places.collect(),
            streams: streams.collect(),
            ending: ending.map(|line| line.stream.0).collect(),
            ..NetworkKeys::default()
        }
    }

    fn add_event(&mut self, ecu: usize, event: &AuthorizationEvent) {
        match event {
            AuthorizationEvent::Ecu(EcuEvent::Granted { stream, .. }) => {
                let granted = self.granted.entry(ecu).or_default();
                if self.excluded.get(&ecu) == Some(&KeyExclusion::Enrolled) {
                    self.excluded.remove(&ecu);
                    granted.clear();
                }
                granted.extend(self.streams.get(stream));
            }
            AuthorizationEvent::Ecu(EcuEvent::Denied { stream, .. }) => {
                if let (Some(own), Some(stream)) =
                    (self.granted.get_mut(&ecu), self.streams.get(stream))
                {
                    own.remove(stream);
                }
            }
            AuthorizationEvent::Module(ModuleEvent::Retired(address)) => {
                self.exclude(address, KeyExclusion::Retired);
            }
            AuthorizationEvent::Module(ModuleEvent::Enrolled(address)) => {
                self.exclude(address, KeyExclusion::Enrolled);
            }
            _ => {}
        }
    }

    fn exclude(&mut self, address: &Address, excluded: KeyExclusion) {
        if let Some(ecu) = self.places.get(address) {
            self.excluded.insert(*ecu, excluded);
        }
    }

    /// Returns true if an ECU is to have the key of a stream until the end of the run.
    fn is_to_have(&self, stream: usize, ecu: usize) -> bool {
        !self.ending.contains(&stream) && !self.excluded.contains_key(&ecu)
    }
}
