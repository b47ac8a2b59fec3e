//! `vectors/secoc.txt`, both ways: the sender makes each frame, the receiver takes it.

use std::collections::HashMap;

use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey, Tag};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Epoch, FreshnessFollower, FreshnessMaster, FreshnessState, FreshnessWidths,
    Layout, ProfileParameters, SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream,
    Synchronisation,
};
use waywarden_work::{Duration, Instant, Meter, NoMeter, RecordedOperations};

const VECTORS: &str = include_str!("../../../../../../vectors/secoc.txt");
const KEY: KeyId = KeyId(1);

struct Block<'a>(HashMap<&'a str, &'a str>);

impl<'a> Block<'a> {
    fn all(kind: &str) -> Vec<Block<'a>> {
        let blocks = VECTORS.split("\n\n").map(|block| {
            let lines = block.lines().filter(|line| !line.starts_with('#'));
            let split = |line: &'a str| line.split_once(' ').unwrap_or((line, ""));
            Block(
                lines
                    .map(split)
                    .map(|(name, text)| (name, text.trim()))
                    .collect(),
            )
        });
        blocks
            .filter(|block| block.0.get("kind") == Some(&kind))
            .collect()
    }

    fn numbers<const N: usize>(&self, name: &str) -> Option<[u64; N]> {
        let numbers = self
            .0
            .get(name)?
            .split(' ')
            .map(|text| text.parse().unwrap());
        Some(numbers.collect::<Vec<u64>>().try_into().unwrap())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.numbers(name).map(|[number]| number)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let text = self.0[name];
        let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(byte).collect()
    }

    fn id(&self) -> StandardId {
        StandardId::new(u16::from_str_radix(self.0["id"], 16).unwrap()).unwrap()
    }

    fn profile(&self) -> SecocProfile {
        match self.0["profile"] {
            "autosar-1" => SecocProfile::AUTOSAR_1,
            "autosar-2-as-published" => SecocProfile::AUTOSAR_2_AS_PUBLISHED,
            "autosar-2-synchronised" => SecocProfile::AUTOSAR_2_SYNCHRONISED,
            "jaspar" => SecocProfile::JASPAR,
            "production" => SecocProfile::PRODUCTION,
            _ => {
                let [trip, reset, message, flag] = self.numbers("widths").unwrap().map(|n| n as u8);
                let freshness = FreshnessWidths {
                    trip,
                    reset,
                    message,
                    flag,
                };
                let (truncated, mac) = (self.number("truncated"), self.number("mac"));
                SecocProfile::new(ProfileParameters {
                    freshness,
                    truncated_bits: truncated.unwrap() as u8,
                    mac_bits: mac.unwrap() as u8,
                    attempts: 1,
                })
                .unwrap()
            }
        }
    }

    fn carrier(&self) -> SecocCarrier {
        match self.0.get("carrier") {
            Some(&"fd") => SecocCarrier::Fd,
            _ => SecocCarrier::Classic,
        }
    }

    fn frame(&self, id: StandardId, carrier: SecocCarrier, name: &str) -> Frame {
        match carrier {
            SecocCarrier::Classic => Frame::classic(id, &self.bytes(name)).unwrap(),
            SecocCarrier::Fd => Frame::fd(id, &self.bytes(name)).unwrap(),
        }
    }

    fn stream(&self) -> SecocStream {
        let length = self.bytes("payload").len() as u8;
        let mut layout = Layout::fixed(self.carrier(), length);
        if let Some([offset, length]) = self.numbers("secured") {
            layout = layout.secured(offset as u8..offset as u8 + length as u8);
        }
        if self.0.contains_key("padding") {
            layout = layout.padded_with(self.bytes("padding")[0]);
        }
        let stream = SecocStream::new(self.profile(), layout, self.id(), KEY).unwrap();
        let data_id = self.bytes("dataid").try_into().unwrap();
        stream.with_data_id(u16::from_be_bytes(data_id))
    }

    fn key_store(&self) -> Recorder {
        let mut ring = Keyring::new();
        let key = MacKey::from_bytes(self.bytes("key").try_into().unwrap());
        ring.insert(KEY, Usage::Both, &key).unwrap();
        Recorder {
            ring,
            seen: Vec::new(),
        }
    }

    /// Returns the freshness state of an ECU that received `announced`, with its epoch retained.
    fn freshness_state(&self, key_store: &mut Recorder) -> FreshnessState {
        let Some([trip, reset]) = self.numbers::<2>("epoch") else {
            return FreshnessState::UNSYNCHRONISED;
        };
        let long = self.bytes("announced").len() > 8;
        let (carrier, mac) = if long {
            (SecocCarrier::Fd, 24)
        } else {
            (SecocCarrier::Classic, 28)
        };
        let id = StandardId::new(0x00F).unwrap();
        let sync = Synchronisation::new(
            &self.profile(),
            AnnouncementFrame {
                carrier,
                id,
                mac_bits: mac,
            },
            KEY,
        )
        .unwrap();
        let mut follower = FreshnessFollower::new(sync, None);
        let frame = self.frame(id, carrier, "announced");
        let event = follower.accept(&frame, key_store, &mut NoMeter).unwrap();
        assert_eq!(event, Some(FrameOutcome::Resynced(id)));
        let epoch = Epoch {
            trip: trip as u32,
            reset: reset as u32,
        };
        assert_eq!(follower.to_retain(), Some(epoch));
        follower.retained(epoch);
        follower.freshness_state()
    }
}

/// A keyring that notes what the last code was computed over.
struct Recorder {
    ring: Keyring<AesCmac, 1>,
    seen: Vec<u8>,
}

impl MacKeyStore for Recorder {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        self.seen = message.concat();
        self.ring.tag(key, message, meter)
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        self.seen = message.concat();
        self.ring.check(key, message, received, bits, meter)
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        self.ring.derive(from, into, context, meter)
    }
}

#[test]
fn messages_are_those_of_an_independent_program() {
    let blocks = Block::all("message");
    assert!(blocks.len() >= 20, "{}", blocks.len());
    let by_cantools = blocks
        .iter()
        .filter(|block| block.0["origin"] == "cantools");
    assert!(by_cantools.count() >= 15);
    for block in &blocks {
        let (stream, mut key_store) = (block.stream(), block.key_store());
        let freshness_state = block.freshness_state(&mut key_store);
        let (payload, message) = (block.bytes("payload"), block.number("message").unwrap_or(0));
        let is_counter = block.0.contains_key("message") && !block.0.contains_key("epoch");
        let retained = if is_counter { message - 1 } else { 0 };
        let mut sender = SecocSender::resumed(stream, retained);
        sender.retained(u64::MAX);
        let mut receiver = SecocReceiver::resumed(stream, retained);
        receiver.retained(u64::MAX);
        let before = if is_counter { 0 } else { message };
        for _ in 0..before {
            let frame = sender
                .protect(&payload, &freshness_state, &mut key_store, &mut NoMeter)
                .unwrap();
            let event = receiver
                .accept(&frame, &freshness_state, &mut key_store, &mut NoMeter)
                .unwrap();
            assert!(
                matches!(event, Some(FrameOutcome::Authentic { .. })),
                "{:?}",
                block.0
            );
        }
        let frame = sender
            .protect(&payload, &freshness_state, &mut key_store, &mut NoMeter)
            .unwrap();
        assert_eq!(
            key_store.seen,
            block.bytes("authenticated"),
            "{:?}",
            block.0
        );
        assert_eq!(
            frame,
            block.frame(block.id(), block.carrier(), "frame"),
            "{:?}",
            block.0
        );
        let event = receiver
            .accept(&frame, &freshness_state, &mut key_store, &mut NoMeter)
            .unwrap();
        match event {
            Some(FrameOutcome::Authentic {
                stream,
                payload: came,
            }) => {
                assert_eq!((stream, came.as_bytes()), (block.id(), &payload[..]));
            }
            other => panic!("{other:?} from {:?}", block.0),
        }
    }
}

#[test]
fn announcements_are_those_of_an_independent_program() {
    let blocks = Block::all("announcement");
    assert!(blocks.len() >= 4, "{}", blocks.len());
    for block in &blocks {
        let [trip, reset] = block.numbers("epoch").unwrap().map(|n| n as u32);
        let mac = block.number("mac").unwrap() as u8;
        let (profile, carrier, id) = (block.profile(), block.carrier(), block.id());
        let sync = Synchronisation::new(
            &profile,
            AnnouncementFrame {
                carrier,
                id,
                mac_bits: mac,
            },
            KEY,
        )
        .unwrap();
        let (mut key_store, mut meter) = (block.key_store(), RecordedOperations::new());
        let before = reset.checked_sub(1).map(|reset| Epoch { trip, reset });
        let mut follower = FreshnessFollower::new(sync, before);
        let frame = block.frame(id, carrier, "frame");
        let event = follower.accept(&frame, &mut key_store, &mut meter).unwrap();
        assert_eq!(event, Some(FrameOutcome::Resynced(id)), "{:?}", block.0);
        assert_eq!(key_store.seen, block.bytes("authenticated"));
        assert_eq!(follower.to_retain(), Some(Epoch { trip, reset }));
        if reset == 1 {
            let mut master =
                FreshnessMaster::new(sync, trip.checked_sub(1), Duration::ZERO).unwrap();
            master.retained(trip);
            let own = master
                .outgoing(Instant::ZERO, &mut key_store, &mut meter)
                .unwrap();
            assert_eq!(own, Some(frame));
        }
    }
}
