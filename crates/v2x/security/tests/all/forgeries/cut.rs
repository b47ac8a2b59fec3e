//! Messages that end before a field.

use std::collections::BTreeMap;

use waywarden_testkit_v2x::world::{MessageContents, Named, now};
use waywarden_v2x_security::ResultCode::ParsingInvalidInput;
use waywarden_v2x_wire::coer::{Visitor, parse_with};
use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, Ieee1609Dot2Data, Time64};

use super::build::{HERE, Pki, above_ground, at_now};
use super::elements::{inline_request, learning_request, missing_crl, public_key};
use super::table::Family;

#[test]
fn messages_cut_short_are_refused() {
    family().check();
}

/// Offsets of fields, with the name of the outermost field that starts there.
#[derive(Default)]
struct Fields(BTreeMap<usize, &'static str>);

impl Visitor for Fields {
    fn enter(&mut self, field: &'static str, of_type: &'static str, offset: usize) {
        let name = if field.is_empty() { of_type } else { field };
        // The outermost of those that begin here.
        self.0.entry(offset).or_insert(name);
    }
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("cut");
    let pki = Pki::plain();
    let station = pki.station();
    let message = MessageContents::new();
    let full = full(message.header());
    let digest = MessageContents {
        named: Named::Digest,
        ..message
    };
    let messages = [
        ("with a certificate", message.sign(station)),
        (
            "with all of a header, by digest",
            digest.sign_with(full, station),
        ),
    ];
    for (kind, honest) in messages {
        let mut fields = Fields::default();
        parse_with::<Ieee1609Dot2Data<'_>, _>(&honest, &mut fields).unwrap();
        // The whole message ends there, or only its last byte is missing.
        fields.0.insert(honest.len() - 1, "the last byte");
        for (at, field) in fields.0 {
            let mut verifier = pki.knowing();
            verifier
                .verify(
                    &MessageContents {
                        payload: b"known",
                        ..message
                    }
                    .sign(station),
                    &at_now(),
                )
                .unwrap();
            let name = format!("{kind}: before {field} at {at}");
            family.pair(
                &name,
                ParsingInvalidInput,
                &mut verifier,
                &honest[..at],
                &honest,
            );
        }
    }
    family
}

fn full(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    let header = HeaderInfo {
        expiry_time: Some(Time64(now().0 + 1_000_000)),
        generation_location: above_ground(HERE),
        ..header
    };
    inline_request(public_key(missing_crl(learning_request(header))))
}
