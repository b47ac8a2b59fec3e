//! The security profiles of cooperative awareness (CAM) and environmental notification (DENM)
//! messages \[TS 103 097 §7.1\].

use waywarden_testkit_v2x::world::{MessageContents, Named, now, sign_data};
use waywarden_v2x_security::ResultCode::{
    ConsistencyNoGenerationLocation, ParsingCertificateNotFound,
    ParsingGenerationLocationNotAvailable, ParsingGenerationTimeNotAvailable, ParsingInvalidInput,
};
use waywarden_v2x_wire::coer::{NestedEncoding, Null, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, LATITUDE_UNKNOWN,
    LONGITUDE_UNKNOWN, Latitude, Longitude, PayloadParts, SignerIdentifier, ThreeDLocation, Time64,
    Version3,
};

use super::build::{HERE, Pki, above_ground};
use super::elements::{
    Change, inline_request, learning_request, missing_crl, public_key, requested, symmetric_key,
};
use super::table::Family;

#[test]
fn messages_outside_of_their_profile_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("profile");
    let pki = Pki::plain();
    for kind in [CAM, DENM] {
        fields(&mut family, &pki, &kind);
        signers(&mut family, &pki, &kind);
    }
    awareness(&mut family, &pki);
    notification(&mut family, &pki);
    family
}

/// An application with a profile.
struct Kind {
    name: &'static str,
    psid: u64,
    /// Fields that its messages must not have.
    absent: &'static [(&'static str, &'static str, Change)],
    has_place: bool,
}

fn expiry(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        expiry_time: Some(Time64(now().0 + 1_000_000)),
        ..header
    }
}

fn located(header: HeaderInfo<'static>) -> HeaderInfo<'static> {
    HeaderInfo {
        generation_location: above_ground(HERE),
        ..header
    }
}

const CAM: Kind = Kind {
    name: "CAM",
    psid: 36,
    absent: &[
        ("generationLocation", "generationLocation", located),
        ("expiryTime", "expiryTime", expiry),
        ("public encryptionKey", "encryptionKey", public_key),
        ("symmetric encryptionKey", "encryptionKey", symmetric_key),
        (
            "p2pcdLearningRequest",
            "p2pcdLearningRequest",
            learning_request,
        ),
        ("missingCrlIdentifier", "missingCrlIdentifier", missing_crl),
    ],
    has_place: false,
};

const DENM: Kind = Kind {
    name: "DENM",
    psid: 37,
    absent: &[
        ("expiryTime", "expiryTime", expiry),
        ("public encryptionKey", "encryptionKey", public_key),
        ("symmetric encryptionKey", "encryptionKey", symmetric_key),
        (
            "p2pcdLearningRequest",
            "p2pcdLearningRequest",
            learning_request,
        ),
        ("missingCrlIdentifier", "missingCrlIdentifier", missing_crl),
        ("inlineP2pcdRequest", "inlineP2pcdRequest", inline_request),
    ],
    has_place: true,
};

impl Kind {
    fn message(&self, payload: &'static [u8]) -> MessageContents<'static> {
        MessageContents {
            psid: self.psid,
            place: above_ground(HERE).filter(|_| self.has_place),
            payload,
            ..MessageContents::new()
        }
    }
}

fn fields(family: &mut Family, pki: &Pki, kind: &Kind) {
    let honest = kind.message(b"as it should be").sign(pki.station());
    let message = kind.message(b"with more");
    for (name, field, change) in kind.absent {
        let name = format!("{} with {name}", kind.name);
        let forged = message.sign_with(change(message.header()), pki.station());
        let expected = (ParsingInvalidInput, *field);
        family.pair(&name, expected, &mut pki.knowing(), &forged, &honest);
    }
    let header = HeaderInfo {
        generation_time: None,
        ..message.header()
    };
    let forged = message.sign_with(header, pki.station());
    let name = format!("{} without generationTime", kind.name);
    let expected = ParsingGenerationTimeNotAvailable;
    family.pair(&name, expected, &mut pki.knowing(), &forged, &honest);
}

/// Signers named in forms that the profile does not have.
fn signers(family: &mut Family, pki: &Pki, kind: &Kind) {
    let honest = kind.message(b"as it should be").sign(pki.station());
    let message = kind.message(b"named otherwise");
    let named = |named: SignerIdentifier<'_>| {
        let inner = Ieee1609Dot2Data {
            version: Version3,
            content: Ieee1609Dot2Content::Unsecured(message.payload),
        };
        let payload = PayloadParts {
            data: Some(NestedEncoding::Value(&inner)),
            external_hash: None,
            omitted: None,
            unknown: UnknownAdditions::default(),
        };
        sign_data(payload, message.header(), named, pki.station())
    };
    let of = |at: usize| parse::<Certificate<'_>>(&pki.holders[at].certificate).unwrap();
    let (two, three) = ([of(2), of(1)], [of(2), of(1), of(0)]);
    let list = |list| SignerIdentifier::Certificate(SequenceOf::new(list).unwrap());
    let forms = [
        ("no certificate", named(list(&[]))),
        ("two certificates", named(list(&two))),
        ("three certificates", named(list(&three))),
        ("a key of its own", named(SignerIdentifier::OwnKey(Null))),
    ];
    for (form, forged) in forms {
        let name = format!("{} with {form}", kind.name);
        let expected = (ParsingInvalidInput, "signer");
        family.pair(&name, expected, &mut pki.knowing(), &forged, &honest);
    }
}

fn awareness(family: &mut Family, pki: &Pki) {
    let message = |payload| CAM.message(payload);
    let mut verifier = pki.knowing();
    let by_digest = MessageContents {
        named: Named::Digest,
        ..message(b"by digest")
    }
    .sign(pki.station());
    let honest = message(b"with a certificate").sign(pki.station());
    let expected = ParsingCertificateNotFound;
    family.pair(
        "CAM by an unknown digest",
        expected,
        &mut verifier,
        &by_digest,
        &honest,
    );
    family.honest("CAM by a known digest", &mut verifier, &by_digest);
    let asking = message(b"asking");
    let asking = asking.sign_with(inline_request(asking.header()), pki.station());
    family.honest("CAM with inlineP2pcdRequest", &mut verifier, &asking);
    let answer = message(b"answering");
    let certificate = parse::<Certificate<'_>>(&pki.holders[1].certificate).unwrap();
    let header = requested(answer.header(), &certificate);
    let answering = answer.sign_with(header, pki.station());
    family.honest("CAM with requestedCertificate", &mut verifier, &answering);
    let both = message(b"both");
    let header = inline_request(learning_request(both.header()));
    let forged = both.sign_with(header, pki.station());
    let expected = (ParsingInvalidInput, "p2pcdLearningRequest");
    let honest = both.sign_with(inline_request(both.header()), pki.station());
    family.pair(
        "CAM with two requests",
        expected,
        &mut verifier,
        &forged,
        &honest,
    );
}

fn notification(family: &mut Family, pki: &Pki) {
    let message = |payload| DENM.message(payload);
    let honest = message(b"as it should be").sign(pki.station());
    let answer = message(b"answering");
    let certificate = parse::<Certificate<'_>>(&pki.holders[1].certificate).unwrap();
    let header = requested(answer.header(), &certificate);
    let forged = answer.sign_with(header, pki.station());
    let expected = (ParsingInvalidInput, "requestedCertificate");
    let name = "DENM with requestedCertificate";
    family.pair(name, expected, &mut pki.knowing(), &forged, &honest);

    let mut verifier = pki.knowing();
    family.honest("DENM with a certificate", &mut verifier, &honest);
    let forged = MessageContents {
        named: Named::Digest,
        ..message(b"by digest")
    }
    .sign(pki.station());
    let honest = message(b"another").sign(pki.station());
    let expected = (ParsingInvalidInput, "signer");
    family.pair(
        "DENM by a known digest",
        expected,
        &mut verifier,
        &forged,
        &honest,
    );

    let placeless = MessageContents {
        place: None,
        ..message(b"from somewhere")
    };
    let honest = message(b"from here").sign(pki.station());
    family.pair(
        "DENM without generationLocation",
        (ParsingGenerationLocationNotAvailable, "generationLocation"),
        &mut pki.knowing(),
        &placeless.sign(pki.station()),
        &honest,
    );
    let here = above_ground(HERE).unwrap();
    let (latitude, longitude) = (Latitude(LATITUDE_UNKNOWN), Longitude(LONGITUDE_UNKNOWN));
    let unknown: [(&str, ThreeDLocation); 3] = [
        ("latitude", ThreeDLocation { latitude, ..here }),
        ("longitude", ThreeDLocation { longitude, ..here }),
        (
            "place",
            ThreeDLocation {
                latitude,
                longitude,
                ..here
            },
        ),
    ];
    for (name, place) in unknown {
        let forged = MessageContents {
            place: Some(place),
            ..message(b"from somewhere")
        };
        family.pair(
            &format!("DENM with an unknown {name}"),
            ConsistencyNoGenerationLocation,
            &mut pki.knowing(),
            &forged.sign(pki.station()),
            &honest,
        );
    }
}
