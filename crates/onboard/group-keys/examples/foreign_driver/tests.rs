//! Two members and an orchestrator on boards in memory, which a bus without any time joins.

extern crate std;

use std::boxed::Box;

use waywarden_can::mailbox::{MemoryDevice, PORT, deliver};
use waywarden_can::node::{Ports, Slot};
use waywarden_group_keys::{
    GroupPlan, GroupProfile, GroupSettings, GroupTiming, MergeOrder, OddLevel, Orchestration,
    PlannedEcu, Scheme, Transport,
};
use waywarden_key_suites::SignatureScheme;
use waywarden_work::{Duration, Instant};

use super::*;

fn signing_key(at: u8) -> <FourQ as SignatureScheme>::SigningKey {
    FourQ::signing_key(&Secret::from_bytes([at; 32]))
}

fn identity(at: u8) -> MemberIdentity<FourQ> {
    MemberIdentity {
        address: Address(at),
        ports: Ports::NONE.with(PORT),
        suite: FourQ,
        signing_key: signing_key(at),
        slot: Slot(0),
    }
}

fn known() -> Known {
    let places = [1, 2].map(|at| PlannedEcu {
        address: Address(at),
        rank: 0,
    });
    let scheme = Scheme::TreeWithOrchestrator;
    let settings = GroupSettings {
        plan: GroupPlan::new(scheme, OddLevel::Skipped, Address(3), &places).unwrap(),
        profile: GroupProfile::Hardened,
        transport: Transport::Fd,
        identifiers: waywarden_group_keys::IDENTIFIERS,
        merge_order: MergeOrder::AsReady,
        orchestration: Orchestration::Each,
        timing: GroupTiming {
            exchange: Duration::from_millis(500),
            answer: Duration::from_millis(100),
            beacon: Duration::from_millis(1_000),
        },
    };
    let keys = [1, 2, 3].map(|at| (Address(at), FourQ::public_key(&signing_key(at))));
    Box::leak(Box::new(GroupConfiguration { settings, keys }))
}

fn boot(at: u8) -> Boot<'static> {
    Boot {
        now: Instant::from_nanos(0),
        seed: [at; 32],
        retained: &[],
    }
}

#[test]
fn two_stations_get_the_group_key() {
    let known = known();
    let memory = || Box::leak(Box::new(MemberArrays::new()));
    let mut stations = [1, 2].map(|at| Station::new(&boot(at), identity(at), known, memory()));
    let memory = Box::leak(Box::new(OrchestratorMemory::new()));
    let mut orchestrator = Coordinator::new(&boot(3), identity(3), known, memory).unwrap();
    orchestrator.renew();
    let mut boards: [MemoryDevice; 3] = Default::default();
    for round in 0..400_u64 {
        for (at, board) in boards.iter_mut().enumerate() {
            board.now = Instant::from_nanos(round * 500_000);
            match stations.get_mut(at) {
                Some(station) => station.serve(board),
                None => orchestrator.serve(board),
            }
            .unwrap();
        }
        deliver(&mut boards);
    }
    let (epoch, key) = orchestrator.key().expect("a key");
    for (station, board) in stations.iter().zip(&boards) {
        let (mine, own) = station.key().expect("a key of one's own");
        assert!(mine == epoch && own == key);
        assert!(!board.stored.is_empty(), "the epoch is kept over a reset");
    }
}

/// The figures of `docs/embedding.md`, on a machine of 64 bits: an upper bound for one of 32.
#[test]
fn the_memory_of_a_station_is_what_the_page_says() {
    let sizes = [size_of::<Station>(), size_of::<MemberArrays<FourQ>>()];
    assert!(sizes[0] <= 1_648 && sizes[1] <= 2_224, "{sizes:?}");
}
