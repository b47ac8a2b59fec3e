//! Group keys: members, the role of each ECU, and the frames that go between them.

mod image;
mod settings;

use std::cell::Cell;
use std::sync::Arc;

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_sim::config::BusConfig;
use waywarden_group_keys::{
    Address, AnyGroupSuite, GroupConfiguration, GroupFrameReader, GroupSuite, IdPattern, Member,
    MemberIdentity, MemberStorage, Orchestrator, OrchestratorCommand, OrchestratorStorage,
};
use waywarden_key_suites::{Entropy, FourQ, P256, Secret};
use waywarden_work::{Duration, Instant};

use crate::lower::boot_timeline::{BootPeriod, boot_timeline};
use crate::lower::part::Part;
use crate::lower::{KeyTimes, LowerError, port_on};
use crate::nodes::{
    AnyGroupRole, GroupKeyId, GroupKeyRole, GroupKnowledge, KeyRole, KeysInUse, PublishedKeys,
    TimedParty,
};
use waywarden_session_keys::{ChangeOver, GroupParty, GroupRole, Timetable};
use waywarden_vehicle_file::{BusIndex, EcuIndex, KeyGroup, KeySuite, SourceLocation, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::Facts;

use settings::{Slowest, settings};

/// The orders of an orchestrator, with their times.
type Orders = Timetable<Vec<(Instant, OrchestratorCommand)>, OrchestratorCommand>;

/// Number of items that a part keeps over a reset: an orchestrator keeps two.
const SLOTS: usize = 2;

/// A group, ready to make roles.
pub(in crate::lower) struct Group<'a> {
    at: usize,
    group: &'a KeyGroup,
    known: GroupKnowledge,
    seed: u64,
    slowest: Slowest,
    /// The ranks of its members, in their order.
    ranks: Vec<u8>,
}

/// Makes the groups of a vehicle.
///
/// # Errors
/// [`LowerError::Keys`] for a group that its boards or its size do not allow.
pub(super) fn groups<'a>(
    file: &'a VehicleFile,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<Vec<Group<'a>>, LowerError> {
    let mut groups = Vec::new();
    for (at, group) in file.groups.iter().enumerate() {
        let (settings, slowest, ranks) = settings(file, group, resources, buses)?;
        let keys = group.parties().map(|party| {
            let suite = suite(group.suite);
            let secret = identity_secret(file.seed, at, party.address);
            (party.address, suite.public_key(&suite.signing_key(&secret)))
        });
        let known = Arc::new(GroupConfiguration {
            keys: keys.collect(),
            settings,
        });
        let seed = file.seed;
        groups.push(Group {
            at,
            group,
            known,
            seed,
            slowest,
            ranks,
        });
    }
    Ok(groups)
}

/// Returns patterns that cover the identifiers of a group's frames. A group without a plan, of
/// which the file was refused, has none.
pub(super) fn patterns(group: &KeyGroup) -> Vec<IdPattern> {
    let frames = group.frames().ok();
    let patterns = frames.iter().flat_map(GroupFrameReader::patterns);
    super::patterns::merged(patterns.collect())
}

/// Returns whether an ECU needs the key frames of a bus, for itself or to forward them.
pub(super) fn concerns(group: &KeyGroup, index: EcuIndex, bus: BusIndex) -> bool {
    let takes_part = group.parties().any(|party| party.ecu == index);
    group.buses.contains(&bus) && (takes_part || group.gateway == Some(index))
}

impl Group<'_> {
    /// Returns true if an ECU is one of its parties.
    pub(super) fn has(&self, index: EcuIndex) -> bool {
        self.group.parties().any(|party| party.ecu == index)
    }

    /// Returns true if the streams of its ECUs wait for the first key.
    pub(super) const fn holds_streams(&self) -> bool {
        self.group.holds_streams
    }

    /// Returns how long its ECUs wait for what.
    pub(super) fn times(&self) -> KeyTimes {
        let timing = self.known.settings.timing;
        KeyTimes {
            exchange: timing.exchange,
            answer: timing.answer,
        }
    }

    /// Returns how long a change of its key takes: the last ECU confirms it so long after the
    /// first.
    pub(super) fn change_over(&self) -> ChangeOver {
        let answer = self.known.settings.timing.answer;
        ChangeOver {
            sends_after: answer,
            overlap: answer.times(2),
        }
    }

    /// Returns what the file wants and its boards do not keep up with.
    pub(super) fn warnings(&self, file: &VehicleFile) -> Option<(SourceLocation, String)> {
        let (group, takes) = (self.group, self.slowest.takes);
        let renewal = group.renewal.filter(|&renewal| renewal < takes)?;
        let ecu = &file.ecu(self.slowest.ecu).name.value;
        let text = format!(
            "{}: renewal {renewal:#} is shorter than the {takes} that ECU {ecu} computes for one \
             key: a key is renewed when all have the one before, so write {:#} or more",
            group.name.value,
            Duration::from_millis(takes.as_nanos().div_ceil(1_000_000)),
        );
        Some((file.source.place(&group.name.span), text))
    }

    /// Makes an ECU's part, if it has one.
    pub(super) fn part(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
        (in_use, facts): (&Arc<KeysInUse>, &Facts),
    ) -> Option<Part> {
        let group = self.group;
        let party = group.parties().find(|party| party.ecu == index)?;
        let ecu = file.ecu(party.ecu);
        let mut ports = Ports::NONE;
        for &bus in group.buses.iter().filter(|bus| ecu.ports.contains(bus)) {
            ports = ports.with(port_on(file, party.ecu, bus));
            // Whatever one bus has, the gateway brings to the others.
            if group.gateway != Some(party.ecu) {
                break;
            }
        }
        let conducts = *party == group.orchestrator;
        let lives = boot_timeline(file, party.ecu);
        let timetables = lives.iter().map(|life| match conducts {
            true => timetable(group, life),
            false => Timetable::default(),
        });
        let timetables: Vec<Orders> = timetables.collect();
        let is_new: Vec<bool> = lives.iter().map(BootPeriod::is_of_new_part).collect();
        let booted = Cell::new(0);
        let (known, address) = (self.known.clone(), party.address);
        let secret = identity_secret(self.seed, self.at, address);
        let answer = known.settings.timing.answer;
        let suite = suite(group.suite);
        let published = PublishedKeys {
            in_use: in_use.clone(),
            wanted: wanted(file, self.at),
        };
        let (at, facts) = (self.at, facts.clone());
        let frames = Arc::new(group.frames().ok()?);
        let make = move |boot: &Boot<'_>, slot: Slot| -> Box<dyn KeyRole> {
            let identity = MemberIdentity {
                address,
                ports,
                suite,
                signing_key: suite.signing_key(&secret),
                slot,
            };
            let role = role(boot, identity, known.clone(), conducts);
            let number: usize = booted.replace(booted.get() + 1);
            // There are no boots that the file does not plan.
            let timetable = &timetables[number.min(timetables.len() - 1)];
            match is_new.get(number) {
                Some(true) => published.in_use.forget_all(at),
                _ => published.in_use.forget(at),
            }
            let published = published.clone();
            let timetable = timetable.clone();
            let role = TimedParty::new(AnyGroupRole(role), timetable, answer);
            let reports = (at, facts.clone());
            Box::new(GroupKeyRole::new(role, frames.clone(), published, reports))
        };
        Some(Part {
            make: Box::new(make),
            ports,
            slots: SLOTS,
        })
    }
}

fn role(
    boot: &Boot<'_>,
    identity: MemberIdentity<AnyGroupSuite>,
    known: GroupKnowledge,
    conducts: bool,
) -> Box<dyn GroupRole + Send> {
    let plan = &known.settings.plan;
    if !conducts {
        let storage = MemberStorage::boxed(plan);
        let member = Member::new(boot, identity, known, storage);
        return Box::new(GroupParty::Member(member));
    }
    let storage = OrchestratorStorage::boxed(plan);
    match Orchestrator::new(boot, identity, known, storage) {
        Ok(role) => Box::new(GroupParty::Orchestrator(role)),
        // The storage was made for the plan, so this cannot be.
        Err(error) => unreachable!("{error}"),
    }
}

/// Returns the keys of a group that message authentication uses. An intruder makes do with the
/// group's own where its ECU does not hold the key of a subgroup.
fn wanted(file: &VehicleFile, group: usize) -> Vec<GroupKeyId> {
    let tables = file.authentications.iter();
    let keys = tables.filter_map(|table| table.keys.group_key());
    let keys = keys.filter(|key| key.group == group);
    let mut wanted: Vec<GroupKeyId> = keys
        .flat_map(|key| [(group, key.logical), (group, None)])
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// Puts the orders of an orchestrator on the clock of its ECU in a boot period. It remembers over a
/// reset whom it removed; the group restarts with each boot.
fn timetable(group: &KeyGroup, life: &BootPeriod) -> Orders {
    let (orders, renewal) = orders(group, life);
    Timetable::new(orders, renewal)
}

/// The orders with their times; the first renewal, the time from one to the next, and its order.
type Planned = (
    Vec<(Instant, OrchestratorCommand)>,
    Option<(Instant, Duration, OrchestratorCommand)>,
);

/// Plans the orders of a boot period.
fn orders(group: &KeyGroup, life: &BootPeriod) -> Planned {
    let gives_way = group.gives_way;
    let start = life.shows(group.start);
    let mut orders = Vec::new();
    let joining = group.networks.iter();
    for (joins, network) in joining.filter_map(|one| Some((one.joins?, one))) {
        for member in &network.members {
            if life.is_due_from(group.start) {
                orders.push((start, OrchestratorCommand::Remove(member.address)));
            }
            if life.is_due_from(joins) {
                orders.push((
                    life.shows(joins),
                    OrchestratorCommand::Readmit(member.address),
                ));
            }
        }
    }
    // A network that joins later is out before the first order is signed.
    orders.push((start, OrchestratorCommand::Start { gives_way }));
    let changes = group.changes.iter();
    orders.extend(
        changes
            .filter(|change| life.is_due_from(change.at))
            .map(|change| {
                let address = change.member.address;
                let order = match change.is_removal {
                    true => OrchestratorCommand::Remove(address),
                    false => OrchestratorCommand::Readmit(address),
                };
                (life.shows(change.at), order)
            }),
    );
    let renewal = group.renewal;
    let renewal = renewal.map(|period| {
        (
            start + period,
            period,
            OrchestratorCommand::Renew { gives_way: true },
        )
    });
    (orders, renewal)
}

/// The secret behind an ECU's signing key: what a factory would have put there.
fn identity_secret(seed: u64, group: usize, address: Address) -> Secret {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8..16].copy_from_slice(&(group as u64).to_be_bytes());
    bytes[16] = address.0;
    Entropy::new(bytes).draw()
}

fn suite(suite: KeySuite) -> AnyGroupSuite {
    match suite {
        KeySuite::FourQ => AnyGroupSuite::of::<FourQ>(),
        KeySuite::P256 => AnyGroupSuite::of::<P256>(),
    }
}
