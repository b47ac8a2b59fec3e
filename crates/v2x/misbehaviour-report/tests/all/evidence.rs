//! Recorded faulty messages are named, and evidence that the accused did not sign is refused.

use waywarden_v2x_misbehaviour_report::layout::{
    IEEE_1609_DOT_2, SaeJ3287Data, TargetId, V2xPdu, V2xPduStream,
};
use waywarden_v2x_misbehaviour_report::{
    Draft, Evidence, EvidenceFault, ObservationKind, Shown, shows,
};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Elevation, Ieee1609Dot2Content, Ieee1609Dot2Data, Latitude, Longitude, SignedData,
    SignerIdentifier, ThreeDLocation, Time64, TwoDLocation, UnCountryId,
};

use crate::support::{World, header, now, recorded};

/// The United States as a rectangle, which is enough for the recorded places.
struct UnitedStates;

impl Borders for UnitedStates {
    fn contains(
        &self,
        country: UnCountryId,
        _: Option<u8>,
        _: Option<u16>,
        place: &TwoDLocation,
    ) -> Option<bool> {
        let in_latitude = (240_000_000..500_000_000).contains(&place.latitude.0);
        let in_longitude = (-1_250_000_000..-660_000_000).contains(&place.longitude.0);
        (country == UnCountryId(840)).then_some(in_latitude && in_longitude)
    }
}

fn signed(bytes: &[u8]) -> SignedData<'_> {
    match parse::<Ieee1609Dot2Data<'_>>(bytes).unwrap().content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        other => panic!("{other:?}"),
    }
}

/// Every kind that a message shows.
fn shown(message: &SignedData<'_>, certificate: &Certificate<'_>) -> Vec<ObservationKind> {
    let all = ObservationKind::ALL.into_iter();
    all.filter(|kind| shows(*kind, message, certificate, &UnitedStates) == Shown::Yes)
        .collect()
}

#[test]
fn recorded_faulty_messages_show_their_faults() {
    use ObservationKind::*;
    let all = recorded();
    let certificate = all.iter().find_map(|one| {
        let SignerIdentifier::Certificate(list) = signed(&one.message).signer else {
            return None;
        };
        list.iter().next().unwrap().ok()
    });
    let certificate = certificate.unwrap();
    let shown: Vec<_> = all
        .iter()
        .map(|one| {
            let message = signed(&one.message);
            let own = match &message.signer {
                SignerIdentifier::Certificate(list) => list.iter().next().unwrap().unwrap(),
                // The message names a certificate that was not recorded; one of the same kind.
                _ => certificate,
            };
            (one.name, shown(&message, &own))
        })
        .collect();
    let places = [
        HeaderIncWithSecurityProfile,
        HeaderLocationOutsideCertificateValidity,
    ];
    let expected = [
        (
            "MessageIdIncWithHeaderInfo",
            &[MessageIdIncWithHeaderInfo][..],
        ),
        // The generator adds a place near the equator, and a place breaks the profile.
        ("HeaderIncWithSecurityProfile", &places),
        (
            "HeaderPsidIncWithCertificate",
            &[HeaderPsidIncWithCertificate],
        ),
        // Its time is ten hours after the start of the certificate, which is valid for 169: the
        // generator takes hours for minutes.
        ("HeaderTimeOutsideCertificateValidity", &[]),
        (
            "MessageLocationOutsideCertificateValidity",
            &[MessageLocationOutsideCertificateValidity],
        ),
        ("HeaderLocationOutsideCertificateValidity", &places),
        // Its own certificate is another, of 2020.
        (
            "ValueTooLarge",
            &[
                HeaderTimeOutsideCertificateValidity,
                LongitudinalAccelerationTooLarge,
            ],
        ),
        // Part II is not parsed.
        ("MessageIncWithSsp", &[]),
    ];
    let expected = expected.map(|(name, kinds)| (name, kinds.to_vec()));
    assert_eq!(shown, expected);
}

#[test]
fn honest_message_shows_nothing() {
    let mut world = World::new("honest_message_shows_nothing");
    let accused = world.holder(&[32]);
    let bsm = recorded_payload("HeaderTimeOutsideCertificateValidity");
    let message = world.message(&accused, header(), &bsm, SignerForm::Certificate);
    let stream = stream(&message, None);
    let evidence = Evidence::verify(world.root.verifier(), &stream.of()).unwrap();
    for kind in ObservationKind::ALL {
        let expected = match kind {
            ObservationKind::MessageIncWithSsp
            | ObservationKind::MessageLocationOutsideCertificateValidity
            | ObservationKind::HeaderLocationOutsideCertificateValidity => Shown::Unknown,
            _ => Shown::No,
        };
        assert_eq!(evidence.shows(kind, &UnitedStates), expected, "{kind}");
    }
    assert_eq!(evidence.made, Some(now()));
    // The same payload with an acceleration out of range, and under another header.
    let bad = recorded_payload("ValueTooLarge");
    let placed = waywarden_v2x_wire::ieee1609dot2::HeaderInfo {
        generation_location: Some(ThreeDLocation {
            latitude: Latitude(0),
            longitude: Longitude(0),
            elevation: Elevation(0),
        }),
        generation_time: Some(Time64(now().0 - 3_600_000_001)),
        ..header()
    };
    let message = world.message(&accused, placed, &bad, SignerForm::Certificate);
    let kinds = shown(&signed(&message), &parse(&accused.certificate).unwrap());
    assert_eq!(
        kinds,
        [
            ObservationKind::HeaderIncWithSecurityProfile,
            ObservationKind::HeaderTimeOutsideCertificateValidity,
            ObservationKind::LongitudinalAccelerationTooLarge,
        ]
    );
}

fn recorded_payload(name: &str) -> Vec<u8> {
    let all = recorded();
    let one = all.iter().find(|one| one.name == name).unwrap();
    let data = signed(&one.message).tbs_data.payload.data.unwrap();
    match data.view().unwrap().content {
        Ieee1609Dot2Content::Unsecured(payload) => payload.to_vec(),
        other => panic!("{other:?}"),
    }
}

/// Keeps what a stream refers to.
struct Kept<'m> {
    pdus: Vec<V2xPdu<'m>>,
    certificate: Option<&'m [u8]>,
}

fn stream<'m>(message: &'m [u8], certificate: Option<&'m [u8]>) -> Kept<'m> {
    Kept {
        pdus: vec![V2xPdu(message)],
        certificate,
    }
}

impl Kept<'_> {
    fn of(&self) -> V2xPduStream<'_> {
        V2xPduStream {
            protocol: IEEE_1609_DOT_2,
            pdus: SequenceOf::new(&self.pdus).unwrap(),
            certificate: self.certificate.map(NestedEncoding::Encoded),
            subject: 0,
            unknown: UnknownAdditions::default(),
        }
    }
}

#[test]
fn evidence_needs_the_signature_of_the_accused() {
    let mut world = World::new("evidence_needs_the_signature_of_the_accused");
    let (accused, other) = (world.holder(&[32]), world.holder(&[32]));
    let whole = world.message(&accused, header(), b"x", SignerForm::Certificate);
    let by_hash = world.message(&accused, header(), b"x", SignerForm::Digest);
    let verifier = world.root.verifier();
    let check = |kept: &Kept<'_>| {
        let evidence = Evidence::verify(verifier, &kept.of());
        evidence.map(|evidence| evidence.accused.id())
    };
    let id = accused.credential.id();
    assert_eq!(check(&stream(&whole, None)), Ok(id));
    assert_eq!(check(&stream(&by_hash, Some(&accused.certificate))), Ok(id));
    // In another message of the stream.
    let mut kept = stream(&by_hash, None);
    kept.pdus.push(V2xPdu(&whole));
    assert_eq!(check(&kept), Ok(id));
    let missing = Err(EvidenceFault::NoCertificate);
    assert_eq!(check(&stream(&by_hash, None)), missing);
    assert_eq!(check(&stream(&by_hash, Some(&other.certificate))), missing);
    let mut forged = whole.clone();
    *forged.last_mut().unwrap() ^= 1;
    assert!(matches!(
        check(&stream(&forged, None)),
        Err(EvidenceFault::Signature(_))
    ));
    assert!(matches!(
        check(&stream(b"no message", None)),
        Err(EvidenceFault::Wire(_))
    ));
    let mut strange = World::new("a strange PKI");
    let stranger = strange.holder(&[32]);
    let message = strange.message(&stranger, header(), b"x", SignerForm::Certificate);
    assert!(matches!(
        check(&stream(&message, None)),
        Err(EvidenceFault::Signature(_))
    ));
}

#[test]
fn drafts_are_bounded() {
    let draft = |observations: &[(TargetId, u8)], messages: &[&[u8]], subject| {
        Draft {
            generation_time: now(),
            observation_location: ThreeDLocation {
                latitude: Latitude(0),
                longitude: Longitude(0),
                elevation: Elevation(0),
            },
            observations,
            messages,
            subject,
            certificate: None,
        }
        .encode()
    };
    let one = [(TargetId(5), 4)];
    assert!(draft(&one, &[b"x"], 0).is_ok());
    for (observations, messages, subject, field) in [
        (&[][..], &[&b"x"[..]][..], 0, "observations"),
        (&[(TargetId(5), 4); 65], &[b"x"], 0, "observations"),
        (&one, &[], 0, "v2xPdus"),
        (&one, &[b"x"], 1, "subjectPduIndex"),
    ] {
        let refused = draft(observations, messages, subject);
        assert_eq!(refused, Err(EmitError::OutOfRange(field)));
    }
    // Observations of one target stand together.
    let mixed = [
        (TargetId(5), 4),
        (TargetId(2), 7),
        (TargetId(2), 1),
        (TargetId(5), 4),
    ];
    let bytes = [&[1, 0x80][..], &draft(&mixed, &[b"x"], 0).unwrap()].concat();
    let text = format!("{:?}", parse::<SaeJ3287Data<'_>>(&bytes).unwrap());
    assert_eq!(text.matches("ObservationsByTarget").count(), 2);
    assert_eq!(text.matches("Observation {").count(), 3);
}
