//! Reports signed under PSID 38, encrypted to the authority, and back.

use waywarden_testkit::Random;
use waywarden_v2x_misbehaviour_report::layout::{SaeJ3287Data, SaeJ3287Mbr};
use waywarden_v2x_misbehaviour_report::{
    Draft, ObservationKind, REPORT_BYTES_MAX, ReportRefusal, SealError, encrypt_report,
    open_report, sign_report, signed_report, verify_report,
};
use waywarden_v2x_signing::{DecryptionKeys, SignError, SignerForm, written};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, HeaderInfo, Latitude, Longitude, Psid, ThreeDLocation, Time64,
};

use crate::support::{World, header, now};

const PLACE: ThreeDLocation = ThreeDLocation {
    latitude: Latitude(420_000_000),
    longitude: Longitude(-830_000_000),
    elevation: Elevation(4_096),
};

fn draft(message: &[u8], generation_time: Time64) -> Vec<u8> {
    Draft {
        generation_time,
        observation_location: PLACE,
        observations: &[ObservationKind::LongitudinalAccelerationTooLarge.identifiers()],
        messages: &[message],
        subject: 0,
        certificate: None,
    }
    .encode()
    .unwrap()
}

#[test]
fn report_comes_back_from_the_authority() {
    let mut world = World::new("report_comes_back_from_the_authority");
    let (reporter, accused) = (world.holder(&[32, 38]), world.holder(&[32]));
    let message = world.message(&accused, header(), b"", SignerForm::Certificate);
    let report = draft(&message, now());
    let seed = world.seed();
    let signed = sign_report(&mut world.store, &reporter.credential, &report, &seed).unwrap();
    let sealed = encrypt_report(&mut world.store, &world.authority, &signed, &seed).unwrap();
    assert!(matches!(
        parse::<SaeJ3287Data<'_>>(&sealed).unwrap(),
        SaeJ3287Data::SignedThenEncrypted(_)
    ));
    let opened = open_report(&mut world.store, &world.keys, &sealed).unwrap();
    assert_eq!(opened, signed);
    let read = verify_report(world.root.verifier(), &opened).unwrap();
    assert_eq!(read.bytes, report);
    assert_eq!(read.reporter.id(), reporter.credential.id());
    assert_eq!(read.report, parse::<SaeJ3287Mbr<'_>>(&report).unwrap());
    // The encrypted report does not show who reports whom.
    let shows = |part: &[u8]| sealed.windows(part.len()).any(|bytes| bytes == part);
    assert!(!shows(&reporter.credential.id().0) && !shows(&accused.certificate[8..40]));
    // Signed only, it is read as well.
    let open = signed_report(&signed).unwrap();
    assert_eq!(
        open_report(&mut world.store, &world.keys, &open).unwrap(),
        signed
    );
}

#[test]
fn reports_that_prove_no_reporter_are_refused() {
    let mut world = World::new("reports_that_prove_no_reporter_are_refused");
    let (reporter, silent) = (world.holder(&[32, 38]), world.holder(&[32]));
    let report = draft(b"any bytes", now());
    let seed = world.seed();
    let not_permitted = sign_report(&mut world.store, &silent.credential, &report, &seed);
    assert_eq!(
        not_permitted,
        Err(SealError::Sign(SignError::NotPermitted(Psid(38))))
    );
    let long = vec![0; REPORT_BYTES_MAX + 1];
    let too_long = sign_report(&mut world.store, &reporter.credential, &long, &seed);
    assert_eq!(too_long, Err(SealError::TooLong));
    let mut other = World::new("a stranger's PKI");
    let stranger = other.holder(&[38]);
    let own = HeaderInfo::new(Psid(38));
    let certificate = SignerForm::Certificate;
    let strange = other.message(&stranger, own, &report, certificate);
    let strange = verify_report(world.root.verifier(), &strange);
    assert!(matches!(strange, Err(ReportRefusal::Signature(_))));
    let mut signed = |signer, header, payload: &[u8], form| {
        let message = world.message(signer, header, payload, form);
        verify_report(world.root.verifier(), &message).map(drop)
    };
    assert_eq!(signed(&reporter, own, &report, certificate), Ok(()));
    let refused = signed(&silent, own, &report, certificate);
    assert_eq!(refused, Err(ReportRefusal::NotPermitted));
    let refused = signed(&reporter, header(), &report, certificate);
    assert_eq!(refused, Err(ReportRefusal::OtherApplication));
    let refused = signed(&reporter, own, &report, SignerForm::Digest);
    let id = reporter.credential.id();
    assert_eq!(refused, Err(ReportRefusal::UnknownReporter(id)));
    let late = draft(b"any bytes", Time64(now().0 + 24 * 3_600_000_000));
    let refused = signed(&reporter, own, &late, certificate);
    assert_eq!(refused, Err(ReportRefusal::OutsideValidity));
    assert!(matches!(
        signed(&reporter, own, b"no report", certificate),
        Err(ReportRefusal::Wire(_))
    ));
    // Neither signed nor encrypted, and encrypted to someone else.
    let plain = written(&SaeJ3287Data::Plaintext(parse(&report).unwrap())).unwrap();
    let opened = open_report(&mut world.store, &world.keys, &plain);
    assert_eq!(opened, Err(ReportRefusal::NotSigned));
    let signed = sign_report(&mut world.store, &reporter.credential, &report, &seed).unwrap();
    let sealed = encrypt_report(&mut world.store, &other.authority, &signed, &seed).unwrap();
    assert!(matches!(
        open_report(&mut world.store, &world.keys, &sealed),
        Err(ReportRefusal::Decrypt(_))
    ));
    let nothing = DecryptionKeys::new();
    assert!(open_report(&mut world.store, &nothing, &long).is_err());
}

#[test]
fn changed_reports_are_refused_and_never_panic() {
    let mut random = Random::of_test("changed_reports_are_refused_and_never_panic");
    let mut world = World::new("changed_reports_are_refused_and_never_panic");
    let reporter = world.holder(&[38]);
    let report = draft(b"any bytes", now());
    let seed = world.seed();
    let signed = sign_report(&mut world.store, &reporter.credential, &report, &seed).unwrap();
    let sealed = encrypt_report(&mut world.store, &world.authority, &signed, &seed).unwrap();
    let step = 1 + random.index(7);
    for at in (0..sealed.len()).step_by(step) {
        let mut changed = sealed.clone();
        changed[at] ^= 1 << random.below(8);
        let opened = open_report(&mut world.store, &world.keys, &changed);
        assert!(opened.is_err(), "byte {at}");
        assert!(open_report(&mut world.store, &world.keys, &sealed[..at]).is_err());
    }
    for at in (0..signed.len()).step_by(step) {
        let mut changed = signed.clone();
        changed[at] ^= 1 << random.below(8);
        let verified = verify_report(world.root.verifier(), &changed);
        assert!(verified.is_err(), "byte {at}");
    }
}
