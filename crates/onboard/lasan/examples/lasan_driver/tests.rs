//! Both roles on boards in memory, which a bus without any time joins.

extern crate std;

use std::boxed::Box;
use std::vec::Vec;

use waywarden_can::Id;
use waywarden_can::mailbox::{MemoryDevice, deliver};
use waywarden_key_suites::Secret;
use waywarden_lasan::{Address, AddressSet, LasanProfile, Name, NetworkBuilder, SubjectRole};
use waywarden_work::Instant;

use super::*;

const MODULE: Address = Address(9);
const BRAKE: Address = Address(1);
const DASHBOARD: Address = Address(2);

fn identity(at: Address) -> PartyIdentity {
    PartyIdentity::new(at, Secret::from_bytes([at.0; 32]))
}

fn boot(at: Address) -> Boot<'static> {
    Boot {
        now: Instant::ZERO,
        seed: [at.0; 32],
        retained: &[],
    }
}

fn kept<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

/// The brake may send the stream to the dashboard.
fn known(stream: StreamId) -> Known {
    let key = |at, role| identity(at).public_key(&FourQSchnorrQ, LasanProfile::Hardened, role);
    let of_module = key(MODULE, SubjectRole::SecurityModule);
    let shared = NetworkBuilder::new(FourQSchnorrQ, MODULE, Name(*b"module"), of_module)
        .with_ecu(BRAKE, Name(*b"brake1"), key(BRAKE, SubjectRole::Ecu))
        .with_ecu(
            DASHBOARD,
            Name(*b"dashb1"),
            key(DASHBOARD, SubjectRole::Ecu),
        )
        .with_stream(stream, BRAKE, AddressSet::NONE.with(DASHBOARD))
        .build()
        .unwrap();
    let shared = &**kept(shared);
    let parties: Vec<Party<&'static [u8]>> = shared
        .parties
        .iter()
        .map(|party| Party {
            address: party.address,
            name: party.name,
            key: &*party.key,
            credential: &*party.credential,
        })
        .collect();
    kept(LasanConfiguration {
        settings: shared.settings,
        authority: (shared.authority.0, &*shared.authority.1),
        parties: &**kept(parties),
        permissions: &*shared.permissions,
    })
}

#[test]
fn a_protected_frame_arrives_in_clear_and_a_replay_is_refused() {
    let id = Id::standard(0x120).unwrap();
    let stream = StreamId::of(id);
    let known = known(stream);
    let ecu = |at| ProtectedEcu::new(&boot(at), identity(at), known, kept(EcuMemory::new()));
    let (mut brake, mut dashboard) = (ecu(BRAKE), ecu(DASHBOARD));
    let memory = kept(ModuleMemory::new(kept(Messages::new())));
    let mut module = Module::new(&boot(MODULE), identity(MODULE), known, memory).unwrap();
    assert!(brake.request(stream));

    let mut boards: [MemoryDevice; 3] = Default::default();
    let mut opened = Vec::new();
    let mut protected = None;
    for round in 0..400_u64 {
        if round == 200 {
            brake.send(&Frame::fd(id, b"40 %").unwrap()).unwrap();
        }
        if let (300, Some(frame)) = (round, protected) {
            boards[1].received.push_back(frame);
        }
        for (at, board) in boards.iter_mut().enumerate() {
            board.now = Instant::from_nanos(round * 500_000);
            match at {
                0 => brake.serve(board),
                1 => dashboard.serve(board),
                _ => module.serve(board),
            }
            .unwrap();
        }
        for (at, frame) in deliver(&mut boards) {
            if round >= 200 && at == 0 {
                assert!(!frame.data().windows(4).any(|bytes| bytes == b"40 %"));
                protected = protected.or(Some(frame));
            }
        }
        opened.extend(dashboard.received());
    }
    let [
        ProtectedOutcome::Authentic { payload, .. },
        ProtectedOutcome::Replay(replayed),
    ] = &opened[..]
    else {
        panic!("{} frames were opened", opened.len());
    };
    assert_eq!((&payload[..4], *replayed), (&b"40 %"[..], stream));
}

#[test]
fn the_memory_of_both_is_what_the_page_says() {
    let sizes = [
        size_of::<ProtectedEcu>(),
        size_of::<EcuMemory>(),
        size_of::<Module>(),
        size_of::<ModuleMemory>() + size_of::<Messages>(),
    ];
    let bounds = [2_704, 2_200, 3_200, 5_931];
    // In a simulation each frame kept has a handle besides.
    let named = 16 * size_of::<waywarden_can::MessageHandle>();
    let within = sizes
        .iter()
        .zip(bounds)
        .all(|(size, bound)| *size <= bound + named);
    assert!(within, "{sizes:?}");
}
