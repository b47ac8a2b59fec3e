//! Counters in retained memory: what waits until they are written, and what happens at their end.

use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, FreshnessMaster, FreshnessWidths, ProfileParameters, ProtectError, RESERVE,
    SecocCarrier, SecocProfile, SecocReceiver, SecocSender, Synchronisation, TripsExhaustedError,
};
use waywarden_work::{Duration, Instant, RecordedOperations};

use super::{KEY, Pair, SECRET};
use crate::secoc::car::{CYCLE, Codes, Ecu, Kind, MasterEcu, STREAM, standard};

#[test]
fn nothing_goes_on_before_it_is_retained() {
    let kind = Kind::Production;
    let codes = Codes::default();
    let mut master = MasterEcu::new(kind, SECRET, &codes).unwrap();
    assert_eq!(
        master.outgoing(Instant::ZERO),
        None,
        "the trip is not retained"
    );
    master.write();
    master.written();
    let first = master.outgoing(Instant::ZERO).unwrap();
    let mut sender = Ecu::<SecocSender>::new(kind, STREAM, SECRET, &codes, 0);
    let mut receiver = Ecu::<SecocReceiver>::new(kind, STREAM, SECRET, &codes, 0);
    assert_eq!(sender.send(&[0; 4]), Err(ProtectError::Unsynchronised));
    for ecu in [sender.receive(&first), receiver.receive(&first)] {
        assert!(matches!(ecu, Some(FrameOutcome::Resynced(_))));
    }
    assert_eq!(sender.send(&[0; 4]), Err(ProtectError::Unsynchronised));
    sender.write();
    sender.written();
    let message = sender.send(&[0; 4]).unwrap();
    let out_of_step = Some(FrameOutcome::OutOfStep(standard(STREAM)));
    assert_eq!(receiver.take(&message), (out_of_step, 0));
    receiver.write();
    receiver.written();
    assert!(matches!(
        receiver.take(&message).0,
        Some(FrameOutcome::Authentic { .. })
    ));
    // The next epoch begins once it is retained; until then the one before goes on.
    let second = master.outgoing(Instant::ZERO + CYCLE).unwrap();
    sender.receive(&second);
    let message = sender.send(&[0; 4]).unwrap();
    assert!(matches!(
        receiver.take(&message).0,
        Some(FrameOutcome::Authentic { .. })
    ));
    receiver.receive(&second);
    assert!(matches!(
        receiver.receive(&second),
        Some(FrameOutcome::Replay(_))
    ));
    assert!(matches!(
        receiver.receive(&first),
        Some(FrameOutcome::Replay(_))
    ));
    // An ECU that was reset hears what it knew already, and stays silent.
    receiver.write();
    receiver.reset(kind, STREAM, 0);
    assert!(matches!(
        receiver.receive(&second),
        Some(FrameOutcome::Replay(_))
    ));
    assert_eq!(receiver.take(&message).0, out_of_step);
}

#[test]
fn a_counter_uses_no_more_than_is_retained() {
    let stream = Kind::Counter.stream(STREAM);
    let codes = Codes::default();
    let mut ecu = Ecu::<SecocSender>::new(Kind::Counter, STREAM, SECRET, &codes, 0);
    assert_eq!(ecu.role.to_retain(), Some(RESERVE));
    assert_eq!(ecu.send(&[0; 4]), Err(ProtectError::Unretained));
    ecu.write();
    ecu.written();
    let sent = (0..100).take_while(|_| ecu.send(&[0; 4]).is_ok()).count();
    assert_eq!(sent as u64, RESERVE);
    assert_eq!(ecu.role.to_retain(), Some(2 * RESERVE));
    let sender = SecocSender::resumed(stream, u64::MAX - 1);
    assert_eq!(sender.to_retain(), Some(u64::MAX));
    ecu.role = sender;
    ecu.role.retained(u64::MAX);
    assert!(ecu.send(&[0; 4]).is_ok(), "the last of all");
    assert_eq!(ecu.send(&[0; 4]), Err(ProtectError::Exhausted));
}

#[test]
fn counters_at_their_end_stay_there() {
    let mut pair = Pair::new(Kind::Production, 1);
    for _ in 0..256 {
        let frame = pair.send();
        assert!(pair.is_taken(&frame));
    }
    let payload = pair.kind.payload(7);
    assert_eq!(pair.sender.send(&payload), Err(ProtectError::Exhausted));
    pair.announce(true, true);
    let frame = pair.send();
    assert!(pair.is_taken(&frame), "a new epoch");

    let profile = SecocProfile::new(ProfileParameters {
        freshness: FreshnessWidths {
            trip: 2,
            reset: 2,
            message: 8,
            flag: 2,
        },
        truncated_bits: 4,
        mac_bits: 28,
        attempts: 1,
    })
    .unwrap();
    let sync = Synchronisation::new(
        &profile,
        AnnouncementFrame {
            carrier: SecocCarrier::Classic,
            id: standard(1),
            mac_bits: 28,
        },
        KEY,
    )
    .unwrap();
    let full = FreshnessMaster::new(sync, Some(3), CYCLE).err();
    assert_eq!(full, Some(TripsExhaustedError));
    let mut master = FreshnessMaster::new(sync, Some(1), Duration::ZERO).unwrap();
    let mut announced = Vec::new();
    let mut ring = Keyring::<AesCmac, 1>::new();
    ring.insert(KEY, Usage::Protect, &MacKey::from_bytes(SECRET))
        .unwrap();
    for _ in 0..40 {
        if let Some(trip) = master.to_retain() {
            master.retained(trip);
        }
        let mut meter = RecordedOperations::new();
        let frame = master
            .outgoing(Instant::ZERO, &mut ring, &mut meter)
            .unwrap();
        announced.extend(frame.map(|frame| frame.data()[0] >> 4));
    }
    // Trip 2 with resets 1 to 3, then trip 3: two bits each.
    assert_eq!(announced, [0b1001, 0b1010, 0b1011, 0b1101, 0b1110, 0b1111]);
    assert_eq!(master.next_deadline(), None);
}
