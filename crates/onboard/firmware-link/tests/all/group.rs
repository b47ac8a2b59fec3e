//! The record of an ECU in a group: it comes back as it was, and no bytes do harm.

use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_firmware_link::{
    EcuRecord, FollowedRecord, FollowingRecord, GROUP_KEYS, GroupRecord, KEYS_MAX, MESSAGE_MAX,
    MessageError, NETWORKS_MAX, ORDERS_MAX, PARTIES_MAX, PlanRecord, Record,
};
use waywarden_group_keys::{
    Address, FixedBits, GroupTiming, IdentifierPlan, MergeOrder, OddLevel, Orchestration,
    OrchestratorCommand, PlannedEcu, Scheme, Transport,
};
use waywarden_key_suites::PublicKey;
use waywarden_testkit::{Random, cases, first_seed};
use waywarden_work::{Duration, Instant};

use crate::encoded;
use crate::sample::record;

/// A record with every list full.
fn full() -> GroupRecord {
    let place = |address: usize| PlannedEcu {
        address: Address(address as u8),
        rank: address as u8,
    };
    // The orchestrator is the last of them; 15 members in 4 networks.
    let network = |at: usize| {
        (4 * at + 1..(4 * at + 5).min(PARTIES_MAX))
            .map(place)
            .collect()
    };
    let orders = [
        OrchestratorCommand::Start { gives_way: false },
        OrchestratorCommand::Renew { gives_way: true },
        OrchestratorCommand::Remove(Address(3)),
        OrchestratorCommand::Readmit(Address(3)),
    ];
    let key = |address: usize| {
        let key = PublicKey::from_slice(&[address as u8; 64]).expect("a length of P-256");
        (Address(address as u8), key)
    };
    let following = |at: usize| FollowingRecord {
        id: KeyId(at as u16),
        usage: [Usage::Protect, Usage::Check, Usage::Both][at % 3],
        sends: at.is_multiple_of(2),
        of: [at as u64, u64::MAX],
    };
    let base = FixedBits {
        base: 0x0B00_0000,
        mask: 0x0F00_0000,
    };
    GroupRecord {
        ecu: record(),
        suite: 2,
        plan: PlanRecord {
            scheme: Scheme::TreeWithOrchestrator,
            odd: OddLevel::Promoted,
            orchestrator: Address(PARTIES_MAX as u8),
            networks: (0..NETWORKS_MAX).map(network).collect(),
        },
        transport: Transport::Fd,
        identifiers: IdentifierPlan::extended(base).expect("bits of 29"),
        merge_order: MergeOrder::AsReady,
        orchestration: Orchestration::SignedAhead,
        timing: GroupTiming {
            exchange: Duration::from_millis(500),
            answer: Duration::from_millis(100),
            beacon: Duration::from_millis(1_000),
        },
        directory: (1..=PARTIES_MAX).map(key).collect(),
        address: Address(1),
        secret: [0x5C; 32],
        holds_streams: true,
        orders: (0..ORDERS_MAX)
            .map(|at| (Instant::from_nanos(at as u64), orders[at % orders.len()]))
            .collect(),
        renewal: Some((Instant::from_nanos(1 << 40), Duration::from_millis(3_000))),
        followed: Some(FollowedRecord {
            logical: Some(Address(20)),
            sends_after: Duration::from_millis(10),
            overlap: Duration::from_millis(20),
            keys: (0..KEYS_MAX).map(following).collect(),
        }),
    }
}

#[test]
fn the_record_of_a_group_comes_back() {
    let bytes = encoded(|into| full().encode(into));
    // With 33 bytes for each retained slot it goes into one answer.
    assert!(bytes.len() + 33 * 16 + 80 <= MESSAGE_MAX, "{}", bytes.len());
    assert_eq!(bytes[0], GROUP_KEYS);
    let read = GroupRecord::decode(&bytes).expect("our own");
    let own = full();
    assert_eq!((&read.plan, &read.directory), (&own.plan, &own.directory));
    assert_eq!((&read.orders, &read.renewal), (&own.orders, &own.renewal));
    assert_eq!((&read.followed, read.timing), (&own.followed, own.timing));
    assert_eq!(encoded(|into| read.encode(into)), bytes);
    let other = EcuRecord::decode(&bytes).err();
    assert_eq!(other, Some(MessageError::Kind(GROUP_KEYS)));
    let cut = (0..bytes.len()).map(|length| GroupRecord::decode(&bytes[..length]).is_err());
    assert!(cut.into_iter().all(|refused| refused));
}

#[test]
fn a_plan_that_there_cannot_be_is_refused() {
    let mut twice = full();
    twice.plan.networks[1][0].address = Address(1);
    let mut without = full();
    without.plan.networks.clear();
    let mut many = full();
    for network in &mut many.plan.networks {
        while network.len() < 5 {
            let address = Address(100 + network.len() as u8);
            network.push(PlannedEcu { address, rank: 0 }).expect("room");
        }
    }
    for (record, field) in [
        (twice, "the plan of a group"),
        (without, "the plan of a group"),
        (many, "the number of ECUs in a group"),
    ] {
        let bytes = encoded(|into| record.encode(into));
        let error = GroupRecord::decode(&bytes).err();
        assert_eq!(error, Some(MessageError::Field(field)));
    }
}

#[test]
fn changed_records_of_a_group_are_refused_or_read_alike_again() {
    let seed = first_seed(1);
    let mut random = Random::new(seed);
    let bytes = encoded(|into| full().encode(into));
    let mut read_again = 0;
    for _ in 0..cases(20_000) {
        let mut changed = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = random.index(changed.len());
            changed[at] = random.u64() as u8;
        }
        if let Ok(read) = GroupRecord::decode(&changed) {
            read_again += 1;
            let mut buffer = [0; MESSAGE_MAX];
            let length = read.encode(&mut buffer).expect("what was read fits");
            assert_eq!(buffer[..length], changed[..length], "seed {seed}");
            assert!(read.settings().is_ok(), "seed {seed}");
        }
    }
    assert!(read_again > 100, "{read_again}");
}
