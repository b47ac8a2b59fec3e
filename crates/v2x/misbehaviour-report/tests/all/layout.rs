//! Recorded reports are written byte by byte, and no bytes make the reader panic.

use waywarden_testkit::{Random, cases, hex_of};
use waywarden_v2x_misbehaviour_report::ObservationKind;
use waywarden_v2x_misbehaviour_report::layout::{
    AID_BSM, AidSpecificReport, AsrBsm, IEEE_1609_DOT_2, NonV2xPduEvidence, Observation,
    ObservationsByTarget, SaeJ3287Data, SaeJ3287Mbr, V2xPdu, V2xPduStream,
};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::coer::{
    CoerEncode as _, CoerSlice, NestedEncoding, Rebuilt, SequenceOf, UnknownAdditions, parse,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Elevation, Ieee1609Dot2Content, Ieee1609Dot2Data, Latitude, Longitude, Psid,
    SignerIdentifier, ThreeDLocation, Time64,
};
use waywarden_v2x_wire::{EmitError, ParseFault};

use crate::support::{Recorded, recorded};

const TEN: ThreeDLocation = ThreeDLocation {
    latitude: Latitude(10),
    longitude: Longitude(10),
    elevation: Elevation(10),
};

/// Writes the report about a message, with a certificate beside it if there is one.
fn report(
    of: &Recorded,
    generation_time: Time64,
    certificate: Option<NestedEncoding<'_, Certificate<'_>>>,
) -> Vec<u8> {
    let observations = [Observation {
        id: of.observation,
        parameters: &[],
    }];
    let by_target = [ObservationsByTarget {
        target: of.target,
        observations: SequenceOf::new(&observations).unwrap(),
    }];
    let pdus = [V2xPdu(&of.message)];
    let streams = [V2xPduStream {
        protocol: IEEE_1609_DOT_2,
        pdus: SequenceOf::new(&pdus).unwrap(),
        certificate,
        subject: 0,
        unknown: UnknownAdditions::default(),
    }];
    written(&SaeJ3287Data::Plaintext(SaeJ3287Mbr {
        generation_time,
        observation_location: TEN,
        report: AidSpecificReport::Bsm(AsrBsm {
            observations: SequenceOf::new(&by_target).unwrap(),
            v2x_pdu_evidence: SequenceOf::new(&streams).unwrap(),
            non_v2x_pdu_evidence: NonV2xPduEvidence,
        }),
    }))
    .unwrap()
}

/// Reads a report, and writes it again as it was.
fn comes_back(bytes: &[u8]) -> Result<SaeJ3287Data<'_>, waywarden_v2x_wire::WireError> {
    let data: SaeJ3287Data<'_> = parse(bytes)?;
    assert_eq!(hex_of(&written(&data).unwrap()), hex_of(bytes));
    let mut rebuilt = vec![0; bytes.len()];
    let mut slice = CoerSlice::new(&mut rebuilt);
    data.encode(&mut Rebuilt(&mut slice)).unwrap();
    assert_eq!(hex_of(&rebuilt), hex_of(bytes), "from its parts");
    assert!(!format!("{data:?}").is_empty());
    Ok(data)
}

fn plain(data: &SaeJ3287Data<'_>) -> AsrBsm<'static> {
    let bytes: &'static [u8] = written(data).unwrap().leak();
    match parse(bytes).unwrap() {
        SaeJ3287Data::Plaintext(report) => match report.report {
            AidSpecificReport::Bsm(report) => report,
            AidSpecificReport::Other { aid, .. } => panic!("about {aid:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn recorded_reports_are_written_byte_by_byte() {
    let mut compared = 0;
    for one in recorded() {
        let Some(expected) = &one.report else {
            continue;
        };
        let SaeJ3287Data::Plaintext(read) = comes_back(expected).unwrap() else {
            panic!("{}: not open", one.name);
        };
        let own = report(&one, read.generation_time, None);
        assert_eq!(hex_of(&own), hex_of(expected), "{}", one.name);
        compared += 1;
    }
    assert_eq!(compared, 7);
}

#[test]
fn observations_have_their_recorded_names() {
    for one in recorded() {
        let kind = ObservationKind::of(one.target, one.observation).unwrap();
        assert!(kind.label().ends_with(one.name), "{kind}: {}", one.name);
        assert_eq!(ObservationKind::of_label(kind.label()), Some(kind));
    }
    assert_eq!(ObservationKind::of(recorded()[0].target, 8), None);
}

#[test]
fn evidence_keeps_certificate_and_messages() {
    for one in recorded() {
        let message: Ieee1609Dot2Data<'_> = parse(&one.message).unwrap();
        let Ieee1609Dot2Content::Signed(signed) = message.content else {
            panic!("{}", one.name);
        };
        let SignerIdentifier::Certificate(list) = signed.signer else {
            continue;
        };
        let certificate = list.iter().next().unwrap().unwrap();
        let beside = NestedEncoding::Value(&certificate);
        let bytes = report(&one, Time64(1), Some(beside));
        let read = plain(&comes_back(&bytes).unwrap());
        let stream = read.v2x_pdu_evidence.iter().next().unwrap().unwrap();
        assert_eq!(stream.subject(), Some(V2xPdu(&one.message)));
        assert_eq!(stream.certificate.unwrap().view().unwrap(), certificate);
    }
}

#[test]
fn reports_that_the_layout_does_not_have_are_refused() {
    let one = &recorded()[0];
    let good = report(one, Time64(1), None);
    let fault = |bytes: &[u8]| comes_back(bytes).unwrap_err().fault;
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let version = ParseFault::Version {
        expected: 1,
        found: 2,
    };
    assert_eq!(fault(&changed(0, 2)), version);
    assert_eq!(fault(&changed(1, 0x83)), ParseFault::UnknownTag(3));
    // The last four bytes: the index of the subject, and the empty list of other evidence.
    let end = good.len();
    assert!(matches!(
        fault(&changed(end - 3, 1)),
        ParseFault::Inconsistent(_)
    ));
    assert_eq!(fault(&changed(end - 1, 1)), ParseFault::OutOfRange);
    // No observation, and no stream.
    assert_eq!(fault(&changed(26, 0)), ParseFault::OutOfRange);
    assert_eq!(fault(&changed(34, 0)), ParseFault::OutOfRange);
    assert_eq!(
        fault(&[good.as_slice(), &[0]].concat()),
        ParseFault::TrailingBytes(1)
    );
    // Signed data where encrypted data is announced, and the reverse.
    let signed = [&[1, 0x82], one.message.as_slice()].concat();
    assert!(matches!(fault(&signed), ParseFault::Inconsistent(_)));
    assert!(comes_back(&[&[1, 0x81], one.message.as_slice()].concat()).is_ok());
}

#[test]
fn reports_that_the_layout_does_not_have_are_not_written() {
    let bsm = AidSpecificReport::Other {
        aid: AID_BSM,
        content: &[],
    };
    assert_eq!(written(&bsm), Err(EmitError::OutOfRange("aid")));
    let other = AidSpecificReport::Other {
        aid: Psid(36),
        content: &[1, 2],
    };
    let bytes = written(&other).unwrap();
    assert_eq!(bytes, [1, 36, 2, 1, 2]);
    assert_eq!(parse::<AidSpecificReport<'_>>(&bytes).unwrap(), other);
    let many = vec![V2xPdu(&[1]); 256];
    let stream = |count: usize, subject| V2xPduStream {
        protocol: 1,
        pdus: SequenceOf::new(&many[..count]).unwrap(),
        certificate: None,
        subject,
        unknown: UnknownAdditions::default(),
    };
    assert!(written(&stream(255, 254)).is_ok());
    assert!(written(&stream(256, 0)).is_err());
    assert!(written(&stream(2, 2)).is_err());
}

#[test]
fn cut_and_changed_reports_never_panic() {
    let mut random = Random::of_test("cut_and_changed_reports_never_panic");
    let mut read = 0;
    for one in recorded() {
        let good = report(&one, Time64(random.below(1 << 40)), None);
        for length in 0..good.len() {
            assert!(comes_back(&good[..length]).is_err());
        }
        for _ in 0..cases(400) {
            let mut bytes = good.clone();
            for _ in 0..=random.below(3) {
                // The message is as long as all else; half of the changes go before it.
                let end = if random.below(2) == 0 {
                    48
                } else {
                    bytes.len()
                };
                let at = random.index(end);
                bytes[at] = random.below(256) as u8;
            }
            read += usize::from(comes_back(&bytes).is_ok());
        }
    }
    assert!(read > 100, "{read} changed reports were read");
}
