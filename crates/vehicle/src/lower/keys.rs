//! Groups that agree on keys: plans, ranks and times from the boards, and a role for each ECU.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can::timing::{self, BitTiming};
use waywarden_can::{Frame, Id, bits};
use waywarden_can_sim::config::BusConfig;
use waywarden_ecu::{Matching, Role, Route};
use waywarden_ecu_keys::group::{
    Address, Identity, Member, Network, OddLevel, Orchestrator, Place, Plan, Scheme, Settings,
    Timing, Transport,
};
use waywarden_ecu_keys::suite::{Entropy, FourQ, P256, PublicKey, Secret, Suite};
use waywarden_work::{Algorithm, Duration, Instant, Operation, OperationKind};

use super::{LowerError, board, port_on};
use crate::file::{BusIndex, EcuIndex, KeyGroup, KeyParty, KeySuite, VehicleFile};
use crate::nodes::{Groups, Keyed, Order, Renewing, Tidings, Timetable};
use crate::resources::Resources;

type Known = Arc<Network<Vec<(Address, PublicKey)>>>;

/// Room for every address that there is.
const ECUS: usize = 127;
const LOGICAL: usize = 256;

/// The 29-bit identifiers of key frames, as values and masks: steps 0 to 7, 8 and 9, A, and F.
const KEY_FRAMES: [(u32, u32); 4] = [
    (0x0000_0000, 0x0800_0000),
    (0x0800_0000, 0x0E00_0000),
    (0x0A00_0000, 0x0F00_0000),
    (0x0F00_0000, 0x0F00_0000),
];

/// From one beacon of an orchestrator to the next.
const BEACON: Duration = Duration::from_millis(1_000);

/// How many verifications one exchange takes of an ECU: of the orchestrator's signature and the
/// peer's, or those of both peers.
const VERIFICATIONS: u64 = 3;

/// A group, ready to make roles.
pub(super) struct Group<'a> {
    at: usize,
    group: &'a KeyGroup,
    known: Known,
    seed: u64,
}

type MakeRole = Box<dyn Fn(&Boot<'_>, Slot) -> Box<dyn Keyed>>;

/// Makes the role of one ECU in one group at each boot.
pub(super) struct Part {
    make: MakeRole,
    ports: Ports,
    timetable: Timetable,
}

/// Makes the groups of a vehicle.
pub(super) fn groups<'a>(
    file: &'a VehicleFile,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<Vec<Group<'a>>, LowerError> {
    let mut groups = Vec::new();
    for (at, group) in file.groups.iter().enumerate() {
        let settings = settings(file, group, resources, buses)?;
        let keys = group.parties().map(|party| {
            let key = public_key(group.suite, &identity_secret(file.seed, at, party.address));
            (party.address, key)
        });
        let known = Arc::new(Network {
            keys: keys.collect(),
            settings,
        });
        let seed = file.seed;
        groups.push(Group {
            at,
            group,
            known,
            seed,
        });
    }
    Ok(groups)
}

/// Makes the parts of an ECU, and what it tells of them.
pub(super) fn parts(
    file: &VehicleFile,
    groups: &[Group<'_>],
    index: EcuIndex,
    tidings: &Rc<Tidings>,
) -> (Vec<Rc<Part>>, Groups) {
    let mut told = Groups {
        ecu: index.0,
        tidings: tidings.clone(),
        ..Groups::default()
    };
    let mut parts = Vec::new();
    for one in groups {
        let mut parties = one.group.parties();
        if let Some(party) = parties.find(|party| party.ecu == index) {
            parts.push(Rc::new(one.part(file, party)));
            told.names.push((one.at, one.group.name.value.clone()));
            told.awaited.push(one.group.holds_streams);
        }
    }
    (parts, told)
}

/// Makes the roles of an ECU at a boot, each from a seed of its own.
pub(super) fn roles(boot: &Boot<'_>, parts: &[Rc<Part>]) -> Vec<Role<Renewing>> {
    let mut seeds = Entropy::new(boot.seed);
    let role = |(at, part): (usize, &Rc<Part>)| {
        let seed = *seeds.draw().as_bytes();
        // An orchestrator keeps two things over a reset.
        let slot = Slot(2 * at as u8);
        let node = (part.make)(&Boot { seed, ..*boot }, slot);
        Role::new(
            Renewing::new(node, part.timetable.clone()),
            part.ports,
            slot,
        )
    };
    parts.iter().enumerate().map(role).collect()
}

/// Returns what a gateway forwards of the groups that span it.
pub(super) fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<Route> {
    let spanned = file
        .groups
        .iter()
        .filter(|group| group.gateway == Some(gateway));
    let mut routes = Vec::new();
    for group in spanned {
        for (from, to) in pairs(&group.buses) {
            let [from, to] = [from, to].map(|bus| port_on(file, gateway, bus));
            let matching = KEY_FRAMES.map(|(value, mask)| Matching::Extended { value, mask });
            routes.extend(matching.map(|matching| Route { from, to, matching }));
        }
    }
    routes
}

fn pairs(buses: &[BusIndex]) -> impl Iterator<Item = (BusIndex, BusIndex)> + '_ {
    let pair = |&from: &BusIndex| buses.iter().map(move |&to| (from, to));
    buses.iter().flat_map(pair).filter(|(from, to)| from != to)
}

/// Returns which 29-bit identifiers an ECU needs on a bus for its keys, or for those it forwards.
pub(super) fn accepted(
    file: &VehicleFile,
    index: EcuIndex,
    bus: BusIndex,
) -> Option<&'static [(u32, u32)]> {
    let concerned = |group: &&KeyGroup| {
        let takes_part = group.parties().any(|party| party.ecu == index);
        group.buses.contains(&bus) && (takes_part || group.gateway == Some(index))
    };
    file.groups
        .iter()
        .find(concerned)
        .map(|_| KEY_FRAMES.as_slice())
}

impl Group<'_> {
    fn part(&self, file: &VehicleFile, party: &KeyParty) -> Part {
        let group = self.group;
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
        let timetable = match conducts {
            true => timetable(group, ecu.start),
            false => Timetable::default(),
        };
        let (known, address) = (self.known.clone(), party.address);
        let secret = identity_secret(self.seed, self.at, address);
        let symmetric = group.scheme == Scheme::SymmetricDistribution;
        let suite = group.suite;
        let make = move |boot: &Boot<'_>, slot: Slot| -> Box<dyn Keyed> {
            let known = known.clone();
            let place = (address, ports, slot);
            match suite {
                KeySuite::FourQ => role::<FourQ>(boot, place, &secret, known, conducts, symmetric),
                KeySuite::P256 => role::<P256>(boot, place, &secret, known, conducts, symmetric),
            }
        };
        Part {
            make: Box::new(make),
            ports,
            timetable,
        }
    }
}

fn role<S>(
    boot: &Boot<'_>,
    (address, ports, slot): (Address, Ports, Slot),
    secret: &Secret,
    known: Known,
    conducts: bool,
    symmetric: bool,
) -> Box<dyn Keyed>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]> + 'static,
{
    let identity = Identity::<S> {
        address,
        ports,
        signing_key: S::signing_key(secret),
        slot,
    };
    if !conducts {
        return match symmetric {
            true => Box::new(Member::<S, Known, ECUS>::new(boot, identity, known)),
            false => Box::new(Member::<S, Known>::new(boot, identity, known)),
        };
    }
    match Orchestrator::<S, Known, ECUS, LOGICAL>::new(boot, identity, known) {
        Ok(role) => Box::new(role),
        // The file was read with the same bounds, so this cannot be.
        Err(error) => unreachable!("{error}"),
    }
}

/// Puts the orders of an orchestrator on the clock of its ECU, which starts with it.
fn timetable(group: &KeyGroup, ecu_start: Duration) -> Timetable {
    let local = |at: Duration| {
        let nanos = at.as_nanos().saturating_sub(ecu_start.as_nanos());
        Instant::ZERO + Duration::from_nanos(nanos)
    };
    let gives_way = group.gives_way;
    let mut orders = vec![(local(group.start), Order::Renew { gives_way })];
    orders.extend(group.changes.iter().map(|change| {
        let address = change.member.address;
        let order = match change.is_removal {
            true => Order::Remove(address),
            false => Order::Readmit(address),
        };
        (local(change.at), order)
    }));
    orders.sort_by_key(|&(at, _)| at);
    let renewal = group
        .renewal
        .map(|period| (local(group.start) + period, period));
    Timetable {
        orders: VecDeque::from(orders),
        renewal,
    }
}

/// The secret behind an ECU's signing key: what a factory would have put there.
fn identity_secret(seed: u64, group: usize, address: Address) -> Secret {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8..16].copy_from_slice(&(group as u64).to_be_bytes());
    bytes[16] = address.0;
    Entropy::new(bytes).draw()
}

fn public_key(suite: KeySuite, secret: &Secret) -> PublicKey {
    fn of<S: Suite<PublicKey = PublicKey>>(secret: &Secret) -> PublicKey {
        S::public_key(&S::signing_key(secret))
    }
    match suite {
        KeySuite::FourQ => of::<FourQ>(secret),
        KeySuite::P256 => of::<P256>(secret),
    }
}

fn settings(
    file: &VehicleFile,
    group: &KeyGroup,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<Settings, LowerError> {
    let wrong = |why: String| LowerError::Keys {
        place: file.source.place(&group.name.span),
        name: group.name.value.clone(),
        why,
    };
    let mut costs = Vec::new();
    for party in group.parties() {
        let ecu = file.ecu(party.ecu);
        let cost = exchange_cost(group.suite, &*board(&ecu.board.value, resources)?);
        costs.push(cost.map_err(|why| LowerError::Keys {
            place: file.source.place(&ecu.board.span),
            name: format!("ECU {} in group {}", ecu.name.value, group.name.value),
            why,
        })?);
    }
    let slowest = costs.iter().copied().max().unwrap_or(Duration::ZERO);
    let members = group.members.iter().zip(costs.iter().skip(1));
    let mut by_cost: Vec<Duration> = costs.iter().skip(1).copied().collect();
    by_cost.sort_unstable();
    by_cost.dedup();
    let places = members.map(|(member, cost)| Place {
        address: member.address,
        rank: by_cost.partition_point(|other| other < cost).min(254) as u8,
    });
    let (places, odd) = (places.collect::<Vec<_>>(), OddLevel::Skipped);
    let plan = Plan::new(group.scheme, odd, group.orchestrator.address, &places)
        .map_err(|error| wrong(error.to_string()))?;
    // Whoever is in several groups computes for all of them at a time.
    let groups_of = |party: &KeyParty| {
        let takes_part = |group: &&KeyGroup| group.parties().any(|other| other.ecu == party.ecu);
        file.groups.iter().filter(takes_part).count() as u64
    };
    let shared = group.parties().map(groups_of).max().unwrap_or(1);
    let timing = exchange_timing(group, slowest.times(shared), buses).map_err(wrong)?;
    Ok(Settings {
        plan,
        profile: group.profile,
        transport: group.transport,
        pace: group.pace,
        orchestration: group.orchestration,
        timing,
    })
}

/// Returns what one exchange computes on a board: share, extract, sign, and all verifications.
fn exchange_cost(suite: KeySuite, board: &Board) -> Result<Duration, String> {
    let algorithm = match suite {
        KeySuite::FourQ => Algorithm::FourQ,
        KeySuite::P256 => Algorithm::P256,
    };
    let cost = |kind, algorithm, bytes| {
        let cost = board.cost(&Operation::new(kind, algorithm, bytes));
        cost.map(|cost| cost.duration)
            .map_err(|missing| missing.to_string())
    };
    let mut total = Duration::ZERO;
    for (kind, times) in [
        (OperationKind::Share, 1),
        (OperationKind::Extract, 1),
        (OperationKind::Sign, 1),
        (OperationKind::Verify, VERIFICATIONS),
    ] {
        // As long as what is signed: two shares and who they are of.
        total += cost(kind, algorithm, 128)?.times(times);
    }
    for kind in [OperationKind::Encrypt, OperationKind::Decrypt] {
        total += cost(kind, Algorithm::Aes128Ctr, 64)?;
    }
    Ok(total)
}

/// Returns how long to wait: twice what the slowest pair of boards computes, after an orchestrator
/// as slow has signed, and twice what the frames of all exchanges that can run at once take on the
/// slowest bus.
fn exchange_timing(
    group: &KeyGroup,
    slowest: Duration,
    buses: &[BusConfig],
) -> Result<Timing, String> {
    let computed = slowest.times(3).times(2);
    let mut frame = Duration::ZERO;
    for bus in &group.buses {
        let Some(bus) = buses.get(bus.0) else {
            continue;
        };
        frame = frame.max(frame_time(group.transport, &bus.timing).map_err(|e| e.to_string())?);
    }
    let frames = match group.transport {
        Transport::Classic => 34,
        Transport::Fd => 6,
    };
    let at_once = group.members.len().div_ceil(2).max(1) as u64;
    let sent = frame.times(frames * at_once).times(2);
    let exchange = (computed + sent).max(Duration::from_millis(10));
    // A proof is checked at once; what takes time are the acknowledgements on the bus.
    let members = group.members.len() as u64;
    let answer = frame.times(8 * members + 16).times(2) + slowest;
    Ok(Timing {
        exchange,
        answer: answer.max(Duration::from_millis(10)),
        beacon: BEACON.max(answer),
    })
}

/// How long the longest key frame takes.
fn frame_time(
    transport: Transport,
    timing: &BitTiming,
) -> Result<Duration, waywarden_can::IdError> {
    let id = Id::extended(0)?;
    let frame = match transport {
        Transport::Classic => Frame::classic(id, &[0; 8]),
        Transport::Fd => Frame::fd(id, &[0; 64]),
    };
    let longest = frame.ok().map_or(0, |frame| {
        let length = bits::frame_length(&frame, bits::FdVariant::Iso);
        (timing::duration(&length, timing) + timing.intermission()).get()
    });
    Ok(Duration::from_nanos(longest.div_ceil(1_000)))
}
