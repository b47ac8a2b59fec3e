//! vatiCAN and LeiA as published in whole ECUs: what they do, and that what is wrong with them is
//! still wrong. The hardened ones beside them.

use waywarden_can::node::Boot;
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::KeyId;
use waywarden_can_auth::paired::{self, WireForm};
use waywarden_can_auth::stream::{LeiaReceivers, LeiaSenders, VaticanSenders};
use waywarden_can_auth::{leia, vatican};
use waywarden_ecu::{Authenticator, FreshnessRole};
use waywarden_work::RecordedOperations;

use crate::auth::lab::{self, Act, Auth, KEY, Part, Receiving, Ring, SLOT, Sending, end, id, ring};

/// The identifier under which the receiver asks, or says what it refused.
const ASKS: u16 = 0x0AA;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    VaticanPublished,
    LeiaPublished,
    Hardened(WireForm),
}

const ALL: [Protocol; 4] = [
    Protocol::VaticanPublished,
    Protocol::LeiaPublished,
    Protocol::Hardened(WireForm::Vatican),
    Protocol::Hardened(WireForm::Leia),
];

/// A stream and the receiver's failures in LeiA, begun; with their epochs' keys.
fn leia(stream: u16, keys: &mut Ring) -> (leia::LeiaConnection, leia::LeiaConnection) {
    let meter = &mut RecordedOperations::new();
    let own = leia::LeiaConnection::new(id(stream), KEY, KeyId(2)).unwrap();
    let failures = leia::LeiaConnection::of_failures(id(ASKS), KEY, KeyId(3));
    (
        own.begin(keys, meter).unwrap(),
        failures.begin(keys, meter).unwrap(),
    )
}

pub(crate) fn sending(protocol: Protocol, stream: u16, keys: &mut Ring) -> Sending {
    match protocol {
        Protocol::VaticanPublished => {
            let connection = vatican::VaticanConnection::new(id(stream), KEY).unwrap();
            let senders = vec![vatican::VaticanSender::new(connection)];
            Sending::Vatican(VaticanSenders::new(senders, false))
        }
        Protocol::LeiaPublished => {
            let (own, failures) = leia(stream, keys);
            let senders = LeiaSenders::new(vec![leia::LeiaSender::new(own)], vec![failures]);
            Sending::Leia(senders)
        }
        Protocol::Hardened(wire) => {
            let connection = paired::PairedConnection::new(wire, id(stream), KEY).unwrap();
            Sending::Paired(paired::PairedSender::in_epoch(connection, 0))
        }
    }
}

pub(crate) fn receiving(
    protocol: Protocol,
    stream: u16,
    seed: &[u8; 32],
    keys: &mut Ring,
) -> Receiving {
    match protocol {
        Protocol::VaticanPublished => {
            let connection = vatican::VaticanConnection::new(id(stream), KEY).unwrap();
            Receiving::Vatican(vatican::VaticanReceiver::new(vec![connection], false))
        }
        Protocol::LeiaPublished => {
            let (own, failures) = leia(stream, keys);
            let receiver =
                leia::LeiaReceiver::new(vec![own], Some(leia::LeiaSender::new(failures)));
            Receiving::Leia(LeiaReceivers::new(receiver))
        }
        Protocol::Hardened(wire) => {
            let connection = paired::PairedConnection::new(wire, id(stream), KEY).unwrap();
            let seed = seed[..16].try_into().unwrap();
            let receiver = paired::PairedReceiver::new(connection, id(ASKS), &seed);
            Receiving::Paired(receiver)
        }
    }
}

pub(crate) fn part(protocol: Protocol, stream: u16, sends: bool) -> Part {
    let build = move |boot: &Boot<'_>| -> Auth {
        let mut keys = ring();
        let (mut senders, mut receivers) = (Vec::new(), Vec::new());
        if sends {
            senders.push(end(sending(protocol, stream, &mut keys)));
        } else {
            receivers.push(end(receiving(protocol, stream, &boot.seed, &mut keys)));
        }
        let part = FreshnessRole::Unsynchronised;
        Authenticator::new(SLOT, boot, part, keys, senders, receivers).unwrap()
    };
    Part {
        name: if sends { "central" } else { "cluster" },
        streams: sends.then_some((stream, 8)).into_iter().collect(),
        build: Box::new(build),
        buses: vec![0],
        resets: Vec::new(),
    }
}

/// The identifier of a stream's data; LeiA's with a counter that is not old.
fn data_id(protocol: Protocol, stream: u16) -> Id {
    match protocol {
        Protocol::LeiaPublished | Protocol::Hardened(WireForm::Leia) => {
            Id::extended(u32::from(stream) << 18 | 0x7000).unwrap()
        }
        _ => id(stream).into(),
    }
}

/// One data frame, put in line while the data of 505 ms are on the bus: so it is there before their
/// tag.
fn injects(frame: Frame) -> Act {
    let mut frame = Some(frame);
    Box::new(move |now, _| frame.take_if(|_| now.as_nanos() >= 505_100_000))
}

fn run(protocol: Protocol, stream: u16, act: Option<Act>) -> lab::Ran {
    let parts = vec![part(protocol, stream, true), part(protocol, stream, false)];
    let ran = lab::run(parts, act, 2_000, 1);
    assert!(ran.is_faithful("cluster", stream), "{protocol:?}");
    ran
}

#[test]
fn every_message_is_taken_when_no_one_disturbs() {
    for protocol in ALL {
        let ran = run(protocol, 0x0F0, None);
        ran.assert_all("cluster", 0x0F0, 100);
        let bad = ran.count("cluster", |event| {
            matches!(event, FrameOutcome::WrongTag(_))
        });
        assert_eq!(bad, 0, "{protocol:?}");
    }
}

/// One injected frame ends a published vatiCAN stream; it ends LeiA's where the identifier has more
/// than eight bits; the hardened ones lose nothing.
#[test]
fn an_injected_data_frame_does_for_ever_as_published_and_nothing_lasting_hardened() {
    for stream in [0x0F0, 0x280] {
        for protocol in ALL {
            let forged = Frame::classic(data_id(protocol, stream), &[0xEE; 8]).unwrap();
            let ran = run(protocol, stream, Some(injects(forged)));
            let taken = ran.taken("cluster", stream);
            let last = taken.last().unwrap().0;
            let is_for_good = match protocol {
                Protocol::VaticanPublished => true,
                Protocol::LeiaPublished => stream > 0xFF,
                Protocol::Hardened(_) => false,
            };
            if is_for_good {
                assert!(
                    (480_000_000..510_000_000).contains(&last),
                    "{protocol:?} {last}"
                );
                continue;
            }
            ran.assert_all("cluster", stream, 600);
            let sent = ran.sent(stream, 100);
            let is_lost = |sent: &&(u64, CanPayload)| taken.iter().all(|one| one.1 != sent.1);
            let lost = sent[..sent.len() - 2].iter().filter(is_lost).count();
            match protocol {
                Protocol::LeiaPublished => assert!((1..5).contains(&lost), "{lost} lost"),
                _ => assert_eq!(lost, 0, "{protocol:?}"),
            }
        }
    }
}
