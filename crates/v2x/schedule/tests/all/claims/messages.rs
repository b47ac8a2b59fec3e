//! Features that are read from messages: those of the field, and changed ones.

use waywarden_testkit::{Random, bytes_of, cases, corpus_text};
use waywarden_testkit_v2x::world::{MessageContents, Named};
use waywarden_v2x_schedule::{ClaimedSender, Features, MessageClass, PositionSource, position_of};
use waywarden_v2x_wire::btp::port;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Data, Time64, TwoDLocation};

use super::{NETWORK, PAYLOAD, SAFETY_MESSAGE, cam, claim, denm, holder, packet};
use crate::{NOW, at};

#[test]
fn features_are_read_from_a_message() {
    let payload = packet(NETWORK, port::DENM, &denm(PAYLOAD));
    let expires = Some(Time64(NOW.0 + 5));
    let (own, id) = (holder(), holder().id());
    for named in [Named::Digest, Named::Certificates(&[])] {
        let message = MessageContents {
            psid: 37,
            payload: &payload,
            expires,
            named,
            ..MessageContents::new()
        };
        let spdu = message.sign(&own);
        let expected = Features {
            position: Some(at(PAYLOAD.0, PAYLOAD.1)),
            class: MessageClass::Warning,
            deadline: expires,
            sender: ClaimedSender::Certificate(id),
            generated: message.made,
        };
        assert_eq!(Features::of(&detect(&spdu).unwrap()), expected);
        // On a link the sender is the link's.
        let ethernet = [
            &[0xFF; 6][..],
            &[2, 0, 0, 0, 0, 9],
            &0x8947_u16.to_be_bytes(),
            &[0x12, 0, 0x05, 1],
            &spdu,
        ];
        let found = Features::of(&detect(&ethernet.concat()).unwrap());
        let sender = ClaimedSender::Link([2, 0, 0, 0, 0, 9]);
        assert_eq!(found, Features { sender, ..expected });
    }
}

/// Each basic safety message of the field says where it is: in Wyoming or Colorado.
#[test]
fn messages_of_the_field_claim_their_position() {
    let Some(text) = corpus_text("v2x/us_field/signed.hex") else {
        return;
    };
    let mut sources = std::collections::BTreeMap::new();
    for line in text.lines() {
        let spdu = bytes_of(line.split_whitespace().last().unwrap());
        let data: Ieee1609Dot2Data<'_> = parse(&spdu).unwrap();
        let claimed = position_of(&data);
        let features = Features::of(&detect(&spdu).unwrap());
        assert_eq!(features.position, claimed.map(|claimed| claimed.place));
        assert_ne!(features.sender, ClaimedSender::Unknown);
        let is_awareness = features.class == MessageClass::Awareness;
        let source = claimed.map(|claimed| claimed.source);
        assert!(
            !is_awareness || source == Some(PositionSource::Payload),
            "{line}"
        );
        if let Some(TwoDLocation {
            latitude,
            longitude,
        }) = features.position
        {
            assert!((390_000_000..=450_100_000).contains(&latitude.0), "{line}");
            assert!(
                (-1_111_000_000..=-1_030_000_000).contains(&longitude.0),
                "{line}"
            );
        }
        *sources.entry(source).or_insert(0) += 1;
    }
    println!("{sources:?}");
    assert_eq!(sources.values().sum::<i32>(), 843);
}

/// Bits of payloads changed at random: a position that comes out is a place on Earth.
#[test]
fn changed_payloads_claim_a_place_or_none() {
    let mut random = Random::of_test("changed_payloads_claim_a_place_or_none");
    let originals = [
        (36, packet(NETWORK, port::CAM, &cam(PAYLOAD))),
        (37, packet(NETWORK, port::DENM, &denm(PAYLOAD))),
        (32, bytes_of(SAFETY_MESSAGE)),
    ];
    let (mut known, mut unknown) = (0, 0);
    for _ in 0..cases(3_000) {
        let (psid, original) = &originals[random.index(3)];
        let mut payload = original.clone();
        for _ in 0..=random.index(4) {
            let bit = random.index(payload.len() * 8);
            payload[bit / 8] ^= 0x80 >> (bit % 8);
        }
        if random.once_in(4) {
            payload.truncate(random.index(payload.len()));
        }
        match claim(&unsigned_shell(*psid, &payload)) {
            Some(claimed) => {
                let TwoDLocation {
                    latitude,
                    longitude,
                } = claimed.place;
                assert!(latitude.0.abs() <= 900_000_000);
                assert!((-1_799_999_999..=1_800_000_000).contains(&longitude.0));
                known += 1;
            }
            None => unknown += 1,
        }
    }
    println!("{known} with a position, {unknown} without");
    assert!(known > 0 && unknown > 0);
}

/// Signed data with a signature of no worth, for a position is read before it is verified.
fn unsigned_shell(psid: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    let long: &[u8] = if length < 0x80 { &[] } else { &[0x81] };
    [
        &[3, 0x81, 0, 0x40, 3, 0x80][..],
        long,
        &[length],
        payload,
        // The header has an application only; the signer is a digest.
        &[0, 1, psid, 0x80, 1, 2, 3, 4, 5, 6, 7, 8],
        // A signature on P-256: r is an x-coordinate.
        &[0x80, 0x80],
        &[7; 64],
    ]
    .concat()
}
