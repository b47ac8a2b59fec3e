//! The settings of a group: the plan of its exchanges, and ranks and times from its boards and
//! buses.

use waywarden_boards::Board;
use waywarden_can_sim::config::BusConfig;
use waywarden_group_keys::{GroupPlan, GroupSettings, GroupTiming, Scheme, Transport};
use waywarden_work::{Algorithm, Duration, Operation, OperationKind};

use crate::lower::LowerError;
use crate::lower::board::board_of;
use crate::lower::keys::frame_time;
use waywarden_vehicle_file::{EcuIndex, Firmware, KeyGroup, KeyParty, KeySuite, VehicleFile};
use waywarden_vehicle_resources::Resources;

/// From one beacon of an orchestrator to the next.
const BEACON: Duration = Duration::from_millis(1_000);

/// Number of verifications that an ECU computes in one exchange: of the orchestrator's signature
/// and the peer's, or those of both peers.
const VERIFICATIONS: u64 = 3;

/// The board with the instructions of our own code.
const COUNTED: &str = "m4f-emulated";

/// The ECU that computes longest for one key.
pub(super) struct Slowest {
    pub(super) ecu: EcuIndex,
    pub(super) takes: Duration,
}

/// Makes a group's settings: the slower a member's board, the higher its rank.
///
/// # Errors
/// [`LowerError::Keys`] if a board has no figure for an operation, or no plan has room for all.
pub(super) fn settings(
    file: &VehicleFile,
    group: &KeyGroup,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<(GroupSettings, Slowest, Vec<u8>), LowerError> {
    let wrong = |why: String| LowerError::Keys {
        place: file.source.place(&group.name.span),
        name: group.name.value.clone(),
        why,
    };
    let mut costs = Vec::new();
    for party in group.parties() {
        let ecu = file.ecu(party.ecu);
        let cost = match &ecu.firmware {
            Some(firmware) => image_cost(group.suite, firmware),
            None => exchange_cost(group.suite, &*board_of(ecu, resources)?),
        };
        costs.push(cost.map_err(|why| LowerError::Keys {
            place: file.source.place(&ecu.board.span),
            name: format!("ECU {} in group {}", ecu.name.value, group.name.value),
            why,
        })?);
    }
    let slowest = costs.iter().copied().max().unwrap_or(Duration::ZERO);
    let mut by_cost: Vec<Duration> = costs.iter().skip(1).copied().collect();
    by_cost.sort_unstable();
    by_cost.dedup();
    let rank = |cost: &Duration| by_cost.partition_point(|other| other < cost).min(254) as u8;
    let ranks: Vec<u8> = costs.iter().skip(1).map(rank).collect();
    let plan = group.plan(ranks.iter().copied());
    let plan = plan.map_err(|error| wrong(error.to_string()))?;
    // An ECU in several groups computes for all of them at a time.
    let groups_of = |party: &KeyParty| {
        let takes_part = |group: &&KeyGroup| group.parties().any(|other| other.ecu == party.ecu);
        file.groups.iter().filter(takes_part).count() as u64
    };
    let shared = group.parties().map(groups_of).max().unwrap_or(1);
    let timing = exchange_timing(group, slowest.times(shared), buses).map_err(wrong)?;
    let computing = group.parties().zip(&costs);
    let computing = computing.map(|(party, cost)| Slowest {
        ecu: party.ecu,
        takes: cost.times(exchanges(group, &plan, party)),
    });
    let first = Slowest {
        ecu: group.orchestrator.ecu,
        takes: Duration::ZERO,
    };
    let slowest = computing.fold(
        first,
        |most, one| if one.takes > most.takes { one } else { most },
    );
    let settings = GroupSettings {
        plan,
        profile: group.profile,
        transport: group.transport,
        identifiers: group.identifiers,
        merge_order: group.merge_order,
        orchestration: group.orchestration,
        timing,
    };
    Ok((settings, slowest, ranks))
}

/// Returns how many exchanges a party takes part in for one key: one for each level above it, and
/// as the orchestrator of most schemes one with each member.
fn exchanges(group: &KeyGroup, plan: &GroupPlan, party: &KeyParty) -> u64 {
    let with_each = group.scheme != Scheme::TreeWithoutOrchestrator;
    match *party == group.orchestrator && with_each {
        true => group.members.len() as u64,
        false => plan.path(party.address).count() as u64,
    }
}

/// Returns what one exchange computes on a board: share, extract, sign, and all verifications.
fn exchange_cost(suite: KeySuite, board: &Board) -> Result<Duration, String> {
    let algorithm = match suite {
        KeySuite::FourQ => Algorithm::FourQ,
        KeySuite::P256 => Algorithm::P256,
    };
    let cost = |kind, algorithm, bytes| {
        let response = board.response(&Operation::new(kind, algorithm, bytes));
        response.map_err(|missing| missing.to_string())
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

/// Returns what one exchange computes in an image: the instructions of the board on which its code
/// was counted, at its clock.
fn image_cost(suite: KeySuite, firmware: &Firmware) -> Result<Duration, String> {
    let counted = Board::builtin(COUNTED).ok_or_else(|| format!("there is no board {COUNTED}"))?;
    let cost = u128::from(exchange_cost(suite, &counted)?.as_nanos());
    let clock = u128::from(counted.characteristics().clock_hz);
    let scaled = cost * clock / u128::from(firmware.clock.max(1));
    Ok(Duration::from_nanos(
        u64::try_from(scaled).unwrap_or(u64::MAX),
    ))
}

/// Returns how long to wait: twice what the slowest pair of boards computes, after an orchestrator
/// as slow has signed, and twice what the frames of all exchanges that can run at once take on the
/// slowest bus.
fn exchange_timing(
    group: &KeyGroup,
    slowest: Duration,
    buses: &[BusConfig],
) -> Result<GroupTiming, String> {
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
    // What takes time are the check of one signature, far below an exchange, and the
    // acknowledgements on the bus.
    let members = group.members.len() as u64;
    let answer = frame.times(8 * members + 16).times(2) + slowest;
    Ok(GroupTiming {
        exchange,
        answer: answer.max(Duration::from_millis(10)),
        beacon: BEACON.max(answer),
    })
}
