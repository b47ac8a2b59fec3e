//! Forged key exchange messages that ECUs accepted as genuine.
//!
//! A protocol cannot report these itself. The trace knows who really sent each frame and which key
//! each ECU uses; attackers that play a role say with whom they share a session.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_work::Duration;

use waywarden_vehicle_file::{
    Attack, BusIndex, ForwardedFrames, Interference, KeyFrames, KeyMessages, KeyTable,
    RecordedFrames, VehicleFile,
};

/// Kind of forgery that an ECU accepted as genuine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyDeception {
    /// A member of a group answered an order that the orchestrator did not give.
    Order,
    /// A member of a group used a key that the orchestrator does not have.
    GroupKey,
    /// A security module or an ECU has a session with an attacker.
    Session,
    /// A security module granted a key once more without a request for it.
    Request,
}

impl KeyDeception {
    /// Returns the description of the counted event.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            KeyDeception::Order => "order that the orchestrator did not give",
            KeyDeception::GroupKey => "group key that the orchestrator does not have",
            KeyDeception::Session => "session with an attacker",
            KeyDeception::Request => "request that its sender did not make",
        }
    }
}

/// An attacker or interferer that is after keys.
#[derive(Clone, Debug)]
struct Aim {
    name: String,
    from: Duration,
    tables: Vec<KeyTable>,
}

/// Forgeries that ECUs accepted as genuine, and the attacks that may have caused them.
#[derive(Clone, Debug, Default)]
pub struct KeyDeceptions {
    aims: Vec<Aim>,
    attackers: Vec<String>,
    /// Number of times, by ECU and kind.
    pub taken: BTreeMap<(usize, KeyDeception), u64>,
    /// Number of times since the attacker began, by attacker, ECU and kind.
    pub by_attack: BTreeMap<(String, usize, KeyDeception), u64>,
    /// Time of the first, by ECU.
    pub first: BTreeMap<usize, Time>,
}

impl KeyDeceptions {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let attackers = file.attackers.iter().map(|one| Aim {
            name: one.name.value.clone(),
            from: one.window.from,
            tables: attacked(file, &one.attack),
        });
        let interferers = file.interferers.iter().map(|one| Aim {
            name: one.name.value.clone(),
            from: one.window.from,
            tables: match &one.interference {
                Interference::KeyFrameOverwrite { frames, .. } => vec![table(frames)],
                _ => Vec::new(),
            },
        });
        let names = file.attackers.iter().map(|one| one.name.value.clone());
        KeyDeceptions {
            aims: attackers.chain(interferers).collect(),
            attackers: names.collect(),
            ..KeyDeceptions::default()
        }
    }

    /// Counts a forgery that an ECU accepted as genuine. The effect of an attacker may show long
    /// after it has stopped.
    pub(super) fn took(&mut self, at: Time, table: KeyTable, ecu: usize, what: KeyDeception) {
        let now = Duration::from_nanos(at.as_picos() / 1_000);
        let aims = self.aims.iter();
        let active = aims.filter(|aim| aim.from <= now && aim.tables.contains(&table));
        let names: Vec<String> = active.map(|aim| aim.name.clone()).collect();
        self.count(at, ecu, what, names);
    }

    /// Notes that an ECU has a session with an attacker, by its place in the vehicle file.
    pub(super) fn shares_session(&mut self, at: Time, ecu: usize, attacker: usize) {
        let name = self.attackers.get(attacker).cloned();
        self.count(at, ecu, KeyDeception::Session, name);
    }

    fn count(
        &mut self,
        at: Time,
        ecu: usize,
        what: KeyDeception,
        by: impl IntoIterator<Item = String>,
    ) {
        *self.taken.entry((ecu, what)).or_default() += 1;
        self.first.entry(ecu).or_insert(at);
        for name in by {
            *self.by_attack.entry((name, ecu, what)).or_default() += 1;
        }
    }

    /// Returns the number of forgeries that an ECU accepted as genuine, by kind.
    pub fn of_ecu(&self, ecu: usize) -> impl Iterator<Item = (KeyDeception, u64)> + '_ {
        let own = self.taken.iter().filter(move |((one, _), _)| *one == ecu);
        own.map(|((_, what), times)| (*what, *times))
    }

    /// Returns, for an attacker, the deceived ECUs with the kind and number of forgeries.
    pub fn of_attack<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (usize, KeyDeception, u64)> + 'a {
        let all = self.by_attack.iter();
        let own = all.filter(move |((attack, ..), _)| attack == name);
        own.map(|((_, ecu, what), times)| (*ecu, *what, *times))
    }
}

/// Returns the tables of keys that an attacker is after.
fn attacked(file: &VehicleFile, attack: &Attack) -> Vec<KeyTable> {
    match attack {
        Attack::Replay {
            which: RecordedFrames::Keys(frames),
            ..
        }
        | Attack::Suppress {
            what: ForwardedFrames::Keys(frames),
            ..
        }
        | Attack::Modify {
            what: ForwardedFrames::Keys(frames),
            ..
        } => vec![table(frames)],
        Attack::Replay {
            bus,
            which: RecordedFrames::All,
            ..
        }
        | Attack::Relay { to: bus, .. } => on(file, *bus),
        Attack::Masquerade { network, .. } | Attack::ManInTheMiddle { network, .. } => {
            vec![KeyTable::Lasan(*network)]
        }
        _ => Vec::new(),
    }
}

fn table(frames: &KeyFrames) -> KeyTable {
    match frames.messages {
        KeyMessages::Group { group, .. } => KeyTable::Group(group),
        KeyMessages::Lasan { network, .. } => KeyTable::Lasan(network),
    }
}

/// Returns the tables of keys that have frames on a bus.
fn on(file: &VehicleFile, bus: BusIndex) -> Vec<KeyTable> {
    let groups = file.groups.iter().enumerate();
    let groups = groups.filter(|(_, group)| group.buses.contains(&bus));
    let networks = file.lasan.iter().enumerate();
    let networks = networks.filter(|(_, network)| network.buses.contains(&bus));
    let groups = groups.map(|(at, _)| KeyTable::Group(at));
    groups
        .chain(networks.map(|(at, _)| KeyTable::Lasan(at)))
        .collect()
}
