//! SecOC in an authenticator driven by hand: what is said before freshness is known, what is
//! written, where announcements go.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can_auth::event::CanPayload;
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Layout, PRODUCTION_ID, RESERVE, SecocCarrier, SecocProfile, SecocReceiver,
    SecocSender, SecocStream, Synchronisation,
};
use waywarden_work::Duration;

use super::*;

type Tested = Authenticator<
    Keyring<AesCmac, 1>,
    Vec<End<SecocSender>>,
    Vec<End<SecocReceiver>>,
    SecocSender,
    SecocReceiver,
>;

const PACE: Duration = Duration::from_millis(50);

fn stream(profile: SecocProfile, raw: u16) -> SecocStream {
    SecocStream::new(
        profile,
        Layout::fixed(SecocCarrier::Classic, 4),
        id(raw),
        KEY,
    )
    .unwrap()
}

fn sync() -> Synchronisation {
    let id = id(PRODUCTION_ID);
    Synchronisation::new(
        &SecocProfile::PRODUCTION,
        AnnouncementFrame {
            carrier: SecocCarrier::Classic,
            id,
            mac_bits: 28,
        },
        KEY,
    )
    .unwrap()
}

fn follower() -> FreshnessRole {
    let (port, sync, resets_ahead) = (Port(0), sync(), 0);
    FreshnessRole::Follower {
        port,
        sync,
        resets_ahead,
    }
}

fn master(ports: Ports) -> FreshnessRole {
    let (sync, pace) = (sync(), PACE);
    FreshnessRole::Master { ports, sync, pace }
}

fn node(
    part: FreshnessRole,
    senders: &[SecocStream],
    receivers: &[SecocStream],
    retained: &[(Slot, Retained)],
) -> Result<Tested, CountersError> {
    let senders = senders
        .iter()
        .map(|one| end(SecocSender::under_fresh_key(*one)));
    let receivers = receivers
        .iter()
        .map(|one| end(SecocReceiver::under_fresh_key(*one)));
    let (senders, receivers) = (senders.collect(), receivers.collect());
    Authenticator::new(Slot(0), &boot(retained), part, keys(), senders, receivers)
}

/// Serves a node until it is at rest; returns what left, and keeps what it retains.
fn serve(
    node: &mut Tested,
    now: Instant,
    room: Ports,
    slots: &mut Vec<(Slot, Retained)>,
) -> Vec<(Port, Frame)> {
    let mut left = Vec::new();
    loop {
        match node.poll(now, room) {
            Output::Transmit { port, frame, .. } => left.push((port, frame)),
            Output::Work { ticket, .. } => node.handle(now, Input::Done(ticket)),
            Output::Retain { slot, value } => {
                slots.retain(|(at, _)| *at != slot);
                slots.push((slot, value));
                node.handle(now, Input::Retained(slot));
            }
            _ => return left,
        }
    }
}

fn payload(raw: u16, length: usize) -> Frame {
    Frame::classic(id(raw), &[1; 8][..length]).unwrap()
}

#[test]
fn what_is_withheld_is_withheld_for_the_reason_it_says() {
    let (speed, lights) = (
        stream(SecocProfile::PRODUCTION, 0x131),
        stream(SecocProfile::AUTOSAR_1, 0x140),
    );
    let mut slots = Vec::new();
    let mut follows = node(follower(), &[speed, lights], &[], &[]).unwrap();
    let refused = |node: &mut Tested, frame| node.send(Port(0), &frame).err();
    assert_eq!(
        refused(&mut follows, payload(0x131, 4)),
        Some(Withheld::Unretained)
    );
    serve(&mut follows, Instant::ZERO, Ports::ALL, &mut slots);
    assert_eq!(
        refused(&mut follows, payload(0x131, 4)),
        Some(Withheld::Unsynchronised)
    );
    assert_eq!(refused(&mut follows, payload(0x140, 4)), None);
    assert_eq!(
        refused(&mut follows, payload(0x140, 5)),
        Some(Withheld::Form)
    );
    let unknown = payload(0x141, 4);
    assert_eq!(refused(&mut follows, unknown), Some(Withheld::Unauthorized));
    let one = Ports::NONE.with(Port(0));
    let mut leads = node(master(one), &[], &[], &[]).unwrap();
    let said = serve(&mut leads, Instant::ZERO, Ports::ALL, &mut Vec::new());
    assert_eq!(said.len(), 1);
    follows.handle(
        Instant::ZERO,
        Input::Frame {
            port: Port(0),
            frame: &said[0].1,
        },
    );
    serve(&mut follows, Instant::ZERO, Ports::ALL, &mut slots);
    assert!(follows.is_synchronised());
    // The counter of messages of an epoch has eight bits.
    for _ in 0..256 {
        assert_eq!(refused(&mut follows, payload(0x131, 4)), None);
        let left = serve(&mut follows, Instant::ZERO, Ports::ALL, &mut slots);
        let (port, frame) = left[0];
        assert_eq!((port, frame.id()), (Port(0), id(0x131).into()));
        assert_eq!(frame.data()[..4], [1; 4]);
        assert_eq!(left.len(), 1, "message and code in one frame");
    }
    let refused = refused(&mut follows, payload(0x131, 4));
    assert_eq!(refused, Some(Withheld::Exhausted));
}

/// Each end has its own counter in memory; after a reset it goes on above it.
#[test]
fn counters_are_each_ends_own_over_resets() {
    let streams: Vec<SecocStream> = (0..16)
        .map(|index| stream(SecocProfile::AUTOSAR_1, 0x100 + index))
        .collect();
    let one_too_many = node(FreshnessRole::Unsynchronised, &streams, &streams[..1], &[]);
    assert_eq!(one_too_many.err(), Some(CountersError(COUNTERS + 1)));
    let (mut slots, mut seen) = (Vec::new(), Vec::new());
    for turn in 0..3 {
        let mut node = node(FreshnessRole::Unsynchronised, &streams, &[], &slots).unwrap();
        serve(&mut node, Instant::ZERO, Ports::ALL, &mut slots);
        for (index, stream) in streams.iter().enumerate() {
            for _ in 0..index {
                node.send(Port(0), &payload(stream.id().raw(), 4)).unwrap();
                for (_, frame) in serve(&mut node, Instant::ZERO, Ports::ALL, &mut slots) {
                    assert!(!seen.contains(&frame), "one freshness twice");
                    seen.push(frame);
                }
            }
        }
        let counters = match &node.memory {
            Ok(memory) => memory.kept().counters,
            Err(fault) => panic!("{fault}"),
        };
        for (index, counter) in counters.into_iter().enumerate() {
            let (least, most) = (turn * RESERVE + index as u64, (turn + 1) * (RESERVE + 16));
            assert!((least..=most).contains(&counter), "{index}: {counter}");
        }
    }
    assert_eq!(seen.len(), 3 * (0..16).sum::<usize>());
}

/// A bus that takes nothing costs the others no announcement, and gets the newest when it does.
#[test]
fn announcements_do_not_pile_up_before_a_bus_that_takes_nothing() {
    let (both, one) = (
        Ports::NONE.with(Port(0)).with(Port(1)),
        Ports::NONE.with(Port(0)),
    );
    let mut leads = node(master(both), &[], &[], &[]).unwrap();
    let (mut now, mut last) = (Instant::ZERO, None);
    for _ in 0..3 * WAITING {
        now += PACE;
        let said = serve(&mut leads, now, one, &mut Vec::new());
        let [(Port(0), frame)] = said[..] else {
            panic!("{said:?}");
        };
        assert_ne!(last, Some(frame));
        last = Some(frame);
    }
    assert_eq!(leads.dropped(), 0);
    let late = serve(&mut leads, now, both, &mut Vec::new());
    assert_eq!(late, [(Port(1), last.unwrap())]);
}

/// Under the keys of another ECU's streams nothing of this one is synchronised by accident.
#[test]
fn synchronised_streams_without_a_part_in_freshness_stay_silent() {
    let speed = stream(SecocProfile::PRODUCTION, 0x131);
    let mut alone = node(FreshnessRole::Unsynchronised, &[speed], &[], &[]).unwrap();
    serve(&mut alone, Instant::ZERO, Ports::ALL, &mut Vec::new());
    let refused = alone.send(Port(0), &payload(0x131, 4));
    assert_eq!(refused, Err(Withheld::Unsynchronised));
    assert!(!alone.is_synchronised());
}

#[test]
fn a_shield_passes_longer_payloads_in_the_next_fd_frame() {
    let (from, to) = (Port(0), Ports::NONE.with(Port(1)));
    let mut shield = Shield::new(to, None, PACE);
    for length in 0..=64 {
        let bytes = [9; 64];
        let event = FrameOutcome::Authentic {
            stream: id(0x300),
            payload: CanPayload::new(&bytes[..length]),
        };
        let (_, frame) = shield.pass(Instant::ZERO, from, &event).unwrap();
        assert_eq!(frame.is_fd(), length > 8);
        assert_eq!(frame.data()[..length], bytes[..length]);
        assert!(frame.data()[length..].iter().all(|byte| *byte == 0));
        let mut lengths = FD_LENGTHS.into_iter().map(usize::from);
        assert_eq!(
            Some(frame.data().len()),
            lengths.find(|fits| *fits >= length)
        );
    }
}
