//! Messages that receivers accepted although the sender did not send them, and the attacks that may
//! have caused it.

use std::collections::BTreeMap;

use waywarden_can::Id;
use waywarden_can_sim::clock::Time;

use waywarden_vehicle_file::{
    Attack, BusIndex, EcuIndex, Interference, RecordedFrames, StreamIndex, VehicleFile,
};
use waywarden_vehicle_trace::TamperedBy;

/// An attacker or interferer that is after streams.
#[derive(Clone, Debug)]
struct Aim {
    name: String,
    /// The streams, by their places in the vehicle file.
    streams: Vec<bool>,
}

/// Messages that receivers accepted and that were not the sender's.
#[derive(Clone, Debug, Default)]
pub struct Forgeries {
    aims: Vec<Aim>,
    /// Number of accepted messages, by stream and ECU.
    pub taken: BTreeMap<(usize, usize), u64>,
    /// Number of an attacker's accepted messages, by attacker, stream and ECU.
    pub by_attack: BTreeMap<(String, usize, usize), u64>,
    /// Number of an attacker's messages that a check refused, by attacker, stream and ECU.
    pub refused_by_attack: BTreeMap<(String, usize, usize), u64>,
    /// Time of the first accepted one, by stream and ECU.
    pub first: BTreeMap<(usize, usize), Time>,
}

impl Forgeries {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let attackers = file.attackers.iter().map(|one| {
            let hit = |stream| attacks(file, &one.attack, stream);
            aim(file, &one.name.value, hit)
        });
        let interferers = file.interferers.iter().map(|one| {
            let hit = |stream| interferes(file, &one.interference, one.bus, stream);
            aim(file, &one.name.value, hit)
        });
        Forgeries {
            aims: attackers.chain(interferers).collect(),
            ..Forgeries::default()
        }
    }

    /// Notes that an ECU took a message of a stream that the stream's sender did not send, or only
    /// once, and whose it was.
    pub(super) fn took(&mut self, at: Time, (stream, ecu): (usize, usize), by: Option<TamperedBy>) {
        *self.taken.entry((stream, ecu)).or_default() += 1;
        self.first.entry((stream, ecu)).or_insert(at);
        if let Some(aim) = by.and_then(|by| self.aims.get(by.attacker)) {
            let key = (aim.name.clone(), stream, ecu);
            *self.by_attack.entry(key).or_default() += 1;
        }
    }

    /// Notes that an ECU refused such a message.
    pub(super) fn refused(&mut self, (stream, ecu): (usize, usize), by: Option<TamperedBy>) {
        if let Some(aim) = by.and_then(|by| self.aims.get(by.attacker)) {
            let key = (aim.name.clone(), stream, ecu);
            *self.refused_by_attack.entry(key).or_default() += 1;
        }
    }

    /// Returns true if an attacker or interferer targets a stream, both by their places in the
    /// vehicle file; interferers come behind attackers.
    #[must_use]
    pub fn is_after(&self, attack: usize, stream: usize) -> bool {
        let aim = self.aims.get(attack);
        aim.is_some_and(|aim| aim.streams.get(stream) == Some(&true))
    }

    /// Returns how many messages receivers took that the sender did not send, of all streams.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.taken.values().sum()
    }

    /// Returns how many messages receivers took while an attacker was after their streams.
    #[must_use]
    pub fn of_attack(&self, name: &str) -> u64 {
        let own = self.by_attack.iter().filter(|((one, ..), _)| one == name);
        own.map(|(_, count)| count).sum()
    }
}

fn aim(file: &VehicleFile, name: &str, hit: impl Fn(StreamIndex) -> bool) -> Aim {
    let streams = (0..file.streams.len()).map(|at| hit(StreamIndex(at)));
    Aim {
        name: name.to_owned(),
        streams: streams.collect(),
    }
}

fn is_on(file: &VehicleFile, stream: StreamIndex, bus: BusIndex) -> bool {
    file.stream(stream)
        .carried
        .iter()
        .any(|carried| carried.bus == bus)
}

fn has_id(file: &VehicleFile, stream: StreamIndex, id: Id) -> bool {
    file.stream(stream).id.value == id
}

fn attacks(file: &VehicleFile, attack: &Attack, stream: StreamIndex) -> bool {
    match attack {
        Attack::Spoof { bus, frame, .. } | Attack::Flood { bus, frame, .. } => {
            is_on(file, stream, *bus) && has_id(file, stream, frame.id)
        }
        Attack::Replay { bus, which, .. } => {
            let is_aimed = match which {
                RecordedFrames::All => true,
                RecordedFrames::Id(id) => has_id(file, stream, *id),
                RecordedFrames::Keys(_) => false,
            };
            is_aimed && is_on(file, stream, *bus)
        }
        Attack::Forge { stream: aimed, .. } => *aimed == stream,
        Attack::Relay { to, .. } => is_on(file, stream, *to),
        Attack::Register { .. } | Attack::Masquerade { .. } | Attack::ManInTheMiddle { .. } => {
            false
        }
        Attack::Compromise { ecus, .. } => {
            let own = file.stream(stream);
            let mut there = own.receivers.iter().map(|one| one.ecu).chain([own.sender]);
            there.any(|ecu| ecus.contains(&ecu))
                || ecus.iter().any(|ecu| has_group_key(file, stream, *ecu))
                || file
                    .routes
                    .iter()
                    .any(|one| one.streams.contains(&stream) && ecus.contains(&one.gateway))
        }
        Attack::Suppress { what, .. } | Attack::Modify { what, .. } => {
            what.streams().contains(&stream)
        }
    }
}

/// Returns true if an ECU is in the group whose key a stream comes under, or that of a subgroup.
fn has_group_key(file: &VehicleFile, stream: StreamIndex, ecu: EcuIndex) -> bool {
    let key = file.authentication_of(stream);
    let key = key.and_then(|(_, table)| table.keys.group_key());
    key.is_some_and(|key| {
        let mut parties = file.groups[key.group].parties();
        parties.any(|party| party.ecu == ecu)
    })
}

fn interferes(
    file: &VehicleFile,
    interference: &Interference,
    bus: BusIndex,
    stream: StreamIndex,
) -> bool {
    let id = match interference {
        Interference::ErrorPassiveOverwrite { id, .. } | Interference::Janus { id, .. } => Some(id),
        Interference::DoubleReceive { id, .. } => id.as_ref(),
        // What changes bits at random makes frames that are thrown away, or, at their very end,
        // taken twice.
        Interference::BitErrors { .. }
        | Interference::ReceiverLocal { .. }
        | Interference::Babbling { .. } => None,
        Interference::BusOff { .. } | Interference::KeyFrameOverwrite { .. } => return false,
    };
    is_on(file, stream, bus) && id.is_none_or(|id| has_id(file, stream, *id))
}
