//! Messages of the road: each is read and written again byte for byte.

use std::collections::BTreeMap;

use waywarden_testkit::{bytes_of, corpus_text};
use waywarden_v2x_wire::detect::{detect, unsecured};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};

use crate::Message;

/// Returns the payload of a signed message.
fn payload<'a>(data: &Ieee1609Dot2Data<'a>) -> Option<&'a [u8]> {
    match &data.content {
        Ieee1609Dot2Content::Signed(signed) => {
            payload(&signed.tbs_data.payload.data.as_ref()?.view().ok()?)
        }
        Ieee1609Dot2Content::Unsecured(bytes) => Some(bytes),
        _ => None,
    }
}

#[test]
fn every_message_of_american_roads_is_written_again_byte_for_byte() {
    let Some(text) = corpus_text("v2x/us_field/signed.hex") else {
        return;
    };
    let frame = Message::find("J2735-MessageFrame", None).expect("a layout");
    let mut counts = BTreeMap::<i64, usize>::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let bytes = bytes_of(line.split_whitespace().next_back().unwrap_or(line));
        let found = detect(&bytes).expect("a signed message");
        let payload = payload(&found.data).expect("a payload");
        let value = frame
            .read(payload)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(frame.write(&value).as_deref(), Ok(payload), "{line}");
        *counts
            .entry(value["messageId"].as_i64().expect("a number"))
            .or_default() += 1;
    }
    println!("messages by number: {counts:?}");
    assert_eq!(counts.values().sum::<usize>(), 843);
}

/// A DENM of a road-side unit and CAMs of two cars in Europe, of release 1.
pub(super) const EUROPEAN: [&str; 3] = [
    "0201000fb70de30007ca2400689389b1e953a4e26c7a54ed23ad24f737a1882320320e1125c98f400f01\
     e700c104805f604bac73993093e7f2f8e7326611d4af31ce62280fc4c3d34adfa9e39c3c974dec5639c3\
     ba8edf7ee39c39fbcd9ed639c39f22d64b639c3cc22e3dfe39c3d85ce426e39c3ddb8e050e39c3e742e1\
     ce639c3e8becc41639c3ead6cc7a639c3cd54c456e39c44f4d2b7ea78e70f50c394a38e70e14d328d38e\
     70f8ebbe1bf8e70f9253ff198e70fac841aab8e70ff0841e798e71010ac13e38e710536c1ad18e71036d\
     4036d8e710523bf9bd8e7109af3d4098e710608bccbd8e71030dbc42b8e70ffffbc17d8e70fd773cfdd8\
     e70f9e3bdb318e70229494f7fffdffffc7380001f289001a00",
    "0202bcb32d104e2f005a94ddf14dc2bf4d4cd8cce9be32e75458906122a38302d68a7f33f881ff9a103f\
     e0145980",
    "0202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ffba203f\
     ff945980",
];

#[test]
fn messages_of_european_roads_are_written_again_byte_for_byte() {
    for text in EUROPEAN {
        let bytes = bytes_of(text);
        let kind = unsecured(&bytes).expect("a header of ETSI ITS").kind();
        let message = Message::find(kind, Some(1)).expect("a layout");
        let value = message.read(&bytes).expect(text);
        assert_eq!(message.write(&value), Ok(bytes), "{kind}");
    }
}
