//! `vectors/secoc-production.txt`: whole logs by the published rules of the profile `production`,
//! every frame with its verdict.

use std::collections::BTreeMap;

use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, FreshnessFollower, Layout, PRODUCTION_ID, SecocCarrier, SecocProfile,
    SecocReceiver, SecocStream, Synchronisation,
};
use waywarden_testkit::bytes_of;
use waywarden_work::RecordedOperations;

const VECTORS: &str = include_str!("../../../../../../vectors/secoc-production.txt");
const KEY: KeyId = KeyId(1);

/// A bus: who hears announcements, and a receiver for each stream.
struct Bus {
    keys: Keyring<AesCmac, 1>,
    follower: FreshnessFollower,
    receivers: BTreeMap<u16, SecocReceiver>,
}

impl Bus {
    fn new(key: &[u8]) -> Self {
        let mut keys = Keyring::new();
        let key = MacKey::from_bytes(key.try_into().unwrap());
        keys.insert(KEY, Usage::Both, &key).unwrap();
        let (profile, carrier) = (SecocProfile::PRODUCTION, SecocCarrier::Classic);
        let sync = Synchronisation::new(
            &profile,
            AnnouncementFrame {
                carrier,
                id: id(PRODUCTION_ID),
                mac_bits: 28,
            },
            KEY,
        )
        .unwrap();
        Bus {
            keys,
            follower: FreshnessFollower::new(sync, None).with_resets_ahead(4),
            receivers: BTreeMap::new(),
        }
    }

    fn add(&mut self, raw: u16, data_id: u16) {
        let layout = Layout::variable(SecocCarrier::Classic, 0..=4);
        let stream = SecocStream::new(SecocProfile::PRODUCTION, layout, id(raw), KEY).unwrap();
        let receiver = SecocReceiver::under_fresh_key(stream.with_data_id(data_id));
        self.receivers.insert(raw, receiver);
    }

    fn verdict(&mut self, raw: u16, data: &[u8]) -> &'static str {
        let frame = Frame::classic(id(raw), data).unwrap();
        let mut meter = RecordedOperations::new();
        let mut event = self.follower.accept(&frame, &mut self.keys, &mut meter);
        if let Some(epoch) = self.follower.to_retain() {
            self.follower.retained(epoch);
        }
        if let Some(receiver) = self.receivers.get_mut(&raw) {
            let freshness_state = self.follower.freshness_state();
            event = receiver.accept(&frame, &freshness_state, &mut self.keys, &mut meter);
        }
        match event.unwrap() {
            Some(FrameOutcome::Authentic { .. } | FrameOutcome::Resynced(_)) => "authentic",
            Some(FrameOutcome::WrongTag(_)) => "wrong tag",
            Some(FrameOutcome::Replay(_)) => "replay",
            Some(FrameOutcome::OutOfStep(_)) => "out of step",
            other => panic!("{other:?}"),
        }
    }
}

fn id(raw: u16) -> StandardId {
    StandardId::new(raw).unwrap()
}

fn hex(text: &str) -> u16 {
    u16::from_str_radix(text, 16).unwrap()
}

#[test]
fn verdicts_are_those_of_the_published_rules() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut bus = Bus::new(&[0; 16]);
    let lines = VECTORS.lines().enumerate();
    for (at, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let (first, rest) = line.split_once(' ').unwrap();
        match first {
            "key" => bus = Bus::new(&bytes_of(rest)),
            "stream" => {
                let (raw, data_id) = rest.split_once(' ').unwrap();
                bus.add(hex(raw), hex(data_id));
            }
            frame => {
                let (raw, data) = frame.split_once('#').unwrap();
                let verdict = bus.verdict(hex(raw), &bytes_of(data));
                assert_eq!(verdict, rest, "line {}: {line}", at + 1);
                *seen.entry(verdict).or_default() += 1;
            }
        }
    }
    let words: Vec<&str> = seen.keys().copied().collect();
    let all = ["authentic", "out of step", "replay", "wrong tag"];
    assert_eq!(words, all, "{seen:?}");
    assert!(seen["authentic"] > 300, "{seen:?}");
}
