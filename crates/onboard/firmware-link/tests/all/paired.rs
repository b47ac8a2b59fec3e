//! The record of an ECU with vatiCAN or LeiA.

use waywarden_can::StandardId;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::paired::{PairedConnection, WireForm};
use waywarden_firmware_link::{
    ENDS_MAX, KEYS_MAX, KeyRecord, List, MESSAGE_MAX, MessageError, PairedRecord, Record,
};
use waywarden_testkit::{Random, cases, first_seed};

use crate::{encoded, sample};

fn id(raw: u16) -> StandardId {
    StandardId::new(raw).expect("11 bits")
}

/// Returns a record with every list full.
fn record() -> PairedRecord {
    let end = |at: usize| {
        let wire = [WireForm::Vatican, WireForm::Leia][at % 2];
        PairedConnection::new(wire, id(0x100 + 2 * at as u16), KeyId(at as u16)).expect("even")
    };
    PairedRecord {
        streams: sample::record().streams,
        asks_under: Some(id(0x7F0)),
        senders: (0..ENDS_MAX).map(end).collect(),
        receivers: (ENDS_MAX..2 * ENDS_MAX).map(end).collect(),
        keys: (0..KEYS_MAX)
            .map(|at| KeyRecord {
                id: KeyId(at as u16),
                usage: [Usage::Protect, Usage::Check][at % 2],
                key: MacKey::from_bytes([at as u8; 16]),
            })
            .collect(),
    }
}

#[test]
fn a_record_comes_back() {
    let bytes = encoded(|into| record().encode(into));
    let read = PairedRecord::decode(&bytes).expect("our own");
    assert_eq!(read.streams, record().streams);
    assert_eq!(read.asks_under, record().asks_under);
    assert_eq!(
        (read.senders.as_slice(), read.receivers.as_slice()),
        (record().senders.as_slice(), record().receivers.as_slice())
    );
    assert_eq!(encoded(|into| read.encode(into)), bytes);
}

#[test]
fn an_ecu_that_checks_has_an_identifier_to_ask_under() {
    let mut record = record();
    record.asks_under = None;
    let bytes = encoded(|into| record.encode(into));
    let refused = PairedRecord::decode(&bytes).err();
    let why = "the identifier of questions";
    assert_eq!(refused, Some(MessageError::Field(why)));
    record.receivers = List::new();
    let bytes = encoded(|into| record.encode(into));
    assert!(PairedRecord::decode(&bytes).is_ok());
}

#[test]
fn hostile_bytes_are_refused_or_read_alike_again() {
    let whole = encoded(|into| record().encode(into));
    for length in 0..whole.len() {
        assert!(PairedRecord::decode(&whole[..length]).is_err(), "{length}");
    }
    let seed = first_seed(1);
    let mut random = Random::new(seed);
    for case in 0..cases(20_000) {
        let mut bytes = whole.clone();
        match case % 2 {
            0 => {
                for _ in 0..=random.below(3) {
                    let at = random.index(bytes.len());
                    bytes[at] = random.u64() as u8;
                }
            }
            _ => {
                bytes.truncate(random.index(64));
                bytes.iter_mut().for_each(|byte| *byte = random.u64() as u8);
            }
        }
        if let Ok(read) = PairedRecord::decode(&bytes) {
            let again = encoded(|into| read.encode(into));
            assert_eq!(again, bytes, "seed {seed}");
            assert!(again.len() <= MESSAGE_MAX);
        }
    }
}
