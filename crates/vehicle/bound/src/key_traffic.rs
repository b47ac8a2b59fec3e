//! The frames that key protocols put on the buses: identifiers, lengths, numbers.
//!
//! Numbers are upper bounds. Every message counts as often as an orchestrator tries an exchange,
//! which is more than what a bus without errors has (docs/protocols/gke.md has the exact numbers).

#[cfg(test)]
mod tests;

use waywarden_can::frame::FD_LENGTHS;
use waywarden_group_keys::{ATTEMPTS_MAX, Scheme, Step, Transport};
use waywarden_lasan::LasanKind;
use waywarden_vehicle_file::{BusIndex, EcuIndex, KeyGroup, Lasan, VehicleFile};
use waywarden_work::Duration;

/// Greatest number of times that a message is sent in one agreement.
pub const KEY_ATTEMPTS: u64 = ATTEMPTS_MAX as u64;
/// From one beacon to the next, at least.
const BEACON: Duration = Duration::from_millis(1_000);
/// The bit of an identifier that makes a frame give way.
const GIVES_WAY: u32 = 1 << 28;
/// Place of the step or the kind in identifiers.
const CODE_SHIFT: u32 = 24;
/// The code that all messages of a security module have.
const LASAN_CODE: u32 = 0xB;
/// Number of short messages' frames that a security module's answer waits behind.
const SHORT_FRAMES: u64 = 32;
/// Number of frames of a group's longest payload.
const PAYLOAD_FRAMES: u64 = 8;
/// Parts of a message are numbered 1 to 15, and part 1 waits for the part 15 before it; one more is
/// forwarded.
const PARTS: u64 = 17;
/// Greatest number of symmetric operations of an ECU for one message: to open and to seal.
const OPERATIONS: u64 = 2;
/// Messages by which a sender gets a stream key.
const GRANTING: [LasanKind; 4] = [
    LasanKind::Request,
    LasanKind::Grant,
    LasanKind::Deny,
    LasanKind::Acknowledge,
];
/// Messages of a member that answers a beacon.
const POLLING: [LasanKind; 3] = [
    LasanKind::Hello,
    LasanKind::EcuConfirmation,
    LasanKind::Acknowledge,
];

/// Frames of a `[[keys]]` that have one range of identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTraffic {
    /// The name of the table.
    pub keys: String,
    /// The buses that carry them.
    pub buses: Vec<BusIndex>,
    /// The ECUs that send and take them, gateways among them.
    pub ecus: Vec<EcuIndex>,
    /// CAN FD with two bit rates, or classic frames.
    pub is_fd: bool,
    /// Lowest 29-bit identifier of the range.
    pub first: u32,
    /// Highest 29-bit identifier of the range.
    pub last: u32,
    /// The payload of the longest frame in bytes.
    pub bytes: u8,
    /// Greatest number of frames in the time of `pace`.
    pub frames: u64,
    /// Time in which they come.
    pub pace: KeyPace,
    /// Greatest number of symmetric operations for them: of the ECU in charge, and of any other
    /// one.
    pub operations: [u64; 2],
    /// The orchestrator or the security module.
    pub in_charge: EcuIndex,
    /// Number of frames of the table that an ECU hands to one controller at a time; as many as
    /// there is room for if none.
    pub in_hand: Option<u64>,
    /// The ECU that forwards them, if it has more in its hands than others.
    pub gateway: Option<EcuIndex>,
}

/// Time in which a number of key frames comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPace {
    /// Once.
    Once,
    /// Once in each period; each can take as long as a period.
    Each(Duration),
    /// Once in the time that a table waits for an answer: twice the time of so many of its longest
    /// frames, and 10 ms at least.
    Answer(u64),
}

/// Returns the frames of all key tables of a vehicle.
#[must_use]
pub(crate) fn key_traffic(file: &VehicleFile) -> Vec<KeyTraffic> {
    let groups = file.groups.iter().flat_map(of_group);
    let networks = file.lasan.iter().enumerate();
    let networks = networks.flat_map(|(at, network)| of_network(file, at, network));
    groups.chain(networks).collect()
}

impl KeyTraffic {
    /// Returns how many frames an ECU hands to one controller at a time; as many as there is room
    /// for if none.
    #[must_use]
    pub fn in_hand_of(&self, ecu: EcuIndex) -> Option<u64> {
        self.in_hand.filter(|_| self.gateway != Some(ecu))
    }

    /// Returns how many symmetric operations an ECU does for them at most.
    #[must_use]
    pub fn operations_of(&self, ecu: EcuIndex) -> u64 {
        match self.ecus.contains(&ecu) {
            false => 0,
            true if ecu == self.in_charge => self.operations[0],
            true => self.operations[1],
        }
    }

    /// Returns true if these frames lose arbitration to all 11-bit identifiers below 0x400.
    #[must_use]
    pub const fn gives_way(&self) -> bool {
        self.first & GIVES_WAY != 0
    }
}

fn of_group(group: &KeyGroup) -> Vec<KeyTraffic> {
    let members = group.members.len() as u64;
    let mut all = Vec::new();
    let changes = group.changes.len() as u64;
    let joins = group.networks.iter().filter(|one| one.joins.is_some());
    let orders = 1 + changes + joins.count() as u64;
    let mut agreements = vec![(group.gives_way, orders, KeyPace::Once)];
    if let Some(renewal) = group.renewal {
        agreements.push((true, 1, KeyPace::Each(renewal)));
        if !group.gives_way {
            agreements.push((true, changes, KeyPace::Once));
        }
    }
    for (gives_way, times, pace) in agreements {
        for step in Step::ALL {
            let messages = (messages(group, step) * times * KEY_ATTEMPTS, times);
            all.push(of_step(group, (step, gives_way), messages, pace));
        }
    }
    for gives_way in [group.gives_way, true] {
        let beacon = KeyPace::Each(BEACON);
        all.push(of_step(group, (Step::Finish, gives_way), (1, 1), beacon));
        if group.gives_way || group.renewal.is_none() {
            break;
        }
    }
    let answer = KeyPace::Answer(8 * members + 16);
    let report = (Step::Report, false);
    all.push(of_step(group, report, (members, 1), answer));
    all.retain(|one| one.frames > 0);
    all
}

/// Returns how many messages of a step one agreement has in which nothing is repeated.
fn messages(group: &KeyGroup, step: Step) -> u64 {
    let members = group.members.len() as u64;
    // No logical ECU without an exchange: promotions send less.
    let merges = match group.plan(group.members.iter().map(|_| 0)) {
        Ok(plan) => plan.merges().count() as u64,
        Err(_) => 3 * members,
    };
    let is_symmetric = group.scheme == Scheme::SymmetricDistribution;
    match step {
        Step::Freshness => merges + 1,
        Step::Orchestration
        | Step::ShareA
        | Step::ShareB
        | Step::ConfirmationA
        | Step::ConfirmationB => merges,
        Step::MasterSignature | Step::MasterSecret if is_symmetric => members,
        Step::MasterSignature | Step::MasterSecret | Step::Report => 0,
        Step::Acknowledge => members,
        Step::Finish | Step::End | Step::Start => 1,
    }
}

fn of_step(
    group: &KeyGroup,
    (step, gives_way): (Step, bool),
    (messages, times): (u64, u64),
    pace: KeyPace,
) -> KeyTraffic {
    let mut ecus: Vec<EcuIndex> = group.parties().map(|party| party.ecu).collect();
    ecus.extend(group.gateway);
    let first = u32::from(step.code()) << CODE_SHIFT | if gives_way { GIVES_WAY } else { 0 };
    // A member reads one of these in each exchange above it, and one that is for it alone.
    let plan = group.plan(group.members.iter().map(|_| 0));
    let own = plan.map_or(messages, |plan| {
        let levels = plan.ecus().map(|ecu| plan.path(ecu).count());
        levels.max().unwrap_or(0) as u64 + 1
    });
    let is_sealed = matches!(
        step,
        Step::ConfirmationA | Step::ConfirmationB | Step::MasterSignature | Step::MasterSecret
    );
    KeyTraffic {
        keys: group.name.value.clone(),
        buses: group.buses.clone(),
        ecus,
        is_fd: group.transport == Transport::Fd,
        first,
        last: first | ((1 << CODE_SHIFT) - 1),
        bytes: longest_frame(group.transport, step.payload_length()),
        frames: messages * step.frame_count(group.transport) as u64,
        pace,
        operations: [messages, messages.min(own * times * KEY_ATTEMPTS)]
            .map(|all| if is_sealed { all * OPERATIONS } else { 0 }),
        in_charge: group.orchestrator.ecu,
        in_hand: Some(PAYLOAD_FRAMES),
        // One that is no party forwards frame by frame.
        gateway: group
            .gateway
            .filter(|gateway| group.parties().any(|one| one.ecu == *gateway)),
    }
}

fn of_network(file: &VehicleFile, at: usize, network: &Lasan) -> Vec<KeyTraffic> {
    let Some(lengths) = network.lengths() else {
        return Vec::new();
    };
    let members = network.members.len() as u64;
    let frames = |kind: LasanKind| {
        lengths
            .of(kind)
            .map_or(0, |length| network.frame_count(length))
    };
    let sum = |kinds: &[LasanKind]| kinds.iter().map(|&kind| frames(kind)).sum::<u64>();
    let of_epoch = lengths
        .authentication()
        .map(|(kind, _)| match kind.is_broadcast() {
            true => frames(kind),
            false => frames(kind) * members,
        });
    let of_epoch = of_epoch.sum::<u64>() + members * frames(LasanKind::Acknowledge);
    let keys = file.granted_keys(at);
    let holders = keys
        .iter()
        .map(|key| 1 + key.receivers.len() as u64)
        .sum::<u64>();
    let of_keys = holders * sum(&GRANTING);
    // What is asked and said again while an ECU lacks a session.
    let polls = members * sum(&POLLING) + frames(LasanKind::Beacon);
    let again = network.changes.len() as u64 + 1;
    let epochs = match network.renewal {
        Some(renewal) => KeyPace::Each(renewal),
        None => KeyPace::Once,
    };
    // A sender asks for the next key when half of the time is over, or later.
    let half = Duration::from_nanos(network.stream_key.as_nanos() / 2);
    let answer = KeyPace::Answer(SHORT_FRAMES * frames(LasanKind::Grant).max(1));
    // Proofs and confirmations of each member, and what is granted.
    let (proofs, granted) = (4 * members, 4 * holders);
    let all = [
        (of_epoch * KEY_ATTEMPTS, proofs * KEY_ATTEMPTS, epochs),
        (
            (of_epoch + of_keys) * again * KEY_ATTEMPTS,
            (proofs + granted) * again * KEY_ATTEMPTS,
            KeyPace::Once,
        ),
        (
            of_keys * KEY_ATTEMPTS,
            granted * KEY_ATTEMPTS,
            KeyPace::Each(half),
        ),
        (polls, proofs, answer),
    ];
    let mut ecus: Vec<EcuIndex> = network.parties().map(|party| party.ecu).collect();
    ecus.extend(network.gateway);
    let first = LASAN_CODE << CODE_SHIFT | if network.gives_way { GIVES_WAY } else { 0 };
    let all = all.into_iter().filter(|(frames, ..)| *frames > 0);
    all.map(|(frames, sealed, pace)| KeyTraffic {
        keys: network.name.value.clone(),
        buses: network.buses.clone(),
        ecus: ecus.clone(),
        is_fd: network.transport == Transport::Fd,
        first,
        last: first | ((1 << CODE_SHIFT) - 1),
        bytes: longest_frame(network.transport, lengths.longest()),
        frames,
        pace,
        operations: [sealed, sealed.div_ceil(members.max(1))].map(|all| all * OPERATIONS),
        in_charge: network.security_module.ecu,
        in_hand: lengths.numbers_parts().then_some(PARTS),
        gateway: None,
    })
    .collect()
}

/// Returns the payload of the longest frame of a message.
fn longest_frame(transport: Transport, length: usize) -> u8 {
    match transport {
        Transport::Classic => length.min(8) as u8,
        Transport::Fd => {
            let mut lengths = FD_LENGTHS.into_iter();
            let found = lengths.find(|&one| usize::from(one) >= length);
            found.unwrap_or(waywarden_can::frame::DATA_MAX as u8)
        }
    }
}
