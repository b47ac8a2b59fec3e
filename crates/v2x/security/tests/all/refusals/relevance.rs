//! Results of the relevance checks: replay, time and location.

use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Named, Spec, now};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{ReceptionContext, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Time64, TwoDLocation};

use super::{HERE, MINUTE, Matrix, STRICT, World, at, here, whole};

pub(super) fn relevance(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let message = whole(Named::Certificates(&named));
    let profile = SecurityProfile {
        crl_tolerance: None,
        ..STRICT
    };
    let sound = message.sign(&world.station);
    let far = TwoDLocation {
        latitude: Latitude(436_551_000),
        ..HERE
    };
    let minutes = |count: u64| here(Time64(now().0 + count * MINUTE));
    let distant = MessageContents {
        place: at(far),
        ..message
    }
    .sign(&world.station);
    let lasting = MessageContents {
        expires: Some(Time64(now().0 + 600 * MINUTE)),
        ..message
    };
    let lasting = lasting.sign(&world.station);
    let rows: [(ResultCode, &[u8], ReceptionContext<'_>); 4] = [
        (RelevanceGenerationTimeTooFarInPast, &lasting, minutes(11)),
        (RelevanceExpiryTimeInPast, &sound, minutes(2)),
        (RelevanceGenerationLocationTooDistant, &distant, minutes(0)),
        (
            RelevanceGenerationTimeTooFarInFuture,
            &sound,
            here(Time64(now().0 - MINUTE)),
        ),
    ];
    for (code, flawed, then) in rows {
        let mut verifier = world.verifier(profile);
        matrix.row(code, &mut verifier, (flawed, &then), (&sound, &minutes(0)));
    }
    let mut verifier = world.verifier(profile);
    let again = MessageContents {
        payload: b"another",
        ..message
    }
    .sign(&world.station);
    assert!(verifier.verify(&sound, &minutes(0)).is_ok());
    let code = RelevanceReplayedSpdu;
    matrix.row(
        code,
        &mut verifier,
        (&sound, &minutes(0)),
        (&again, &minutes(0)),
    );
}

/// A certificate that ends in a moment, and a message that does not say when it was made.
pub(super) fn certificate_expiry(matrix: &mut Matrix) {
    let world = World::plain();
    let named = [&world.authority];
    let brief = Spec {
        start: NOW - 3_600,
        hours: 1,
        ..Spec::station(6)
    };
    let ending = Holder::issue(&Spec { hours: 2, ..brief }, Some(&world.authority));
    let ended = Holder::issue(&brief, Some(&world.authority));
    let profile = SecurityProfile {
        checks_certificate_expiry: true,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier(profile);
    let message = MessageContents {
        made: Some(Time64(now().0 - MINUTE)),
        expires: None,
        ..whole(Named::Certificates(&named))
    };
    let now = here(now());
    let (flawed, sound) = (message.sign(&ended), message.sign(&ending));
    matrix.row(
        ResultCode::CertificateExpired,
        &mut verifier,
        (&flawed, &now),
        (&sound, &now),
    );
}

/// Traveller information is signed once and repeated until it expires, as recordings of roadside
/// units show: one of some time ago counts, and counts again.
#[test]
fn traveller_information_counts_until_it_expires() {
    let world = World::plain();
    let named = [&world.authority];
    let mut verifier = world.verifier(SecurityProfile::TRAVELLER_INFORMATION);
    let expires = Some(Time64(now().0 + 100 * MINUTE));
    let message = MessageContents {
        expires,
        named: Named::Certificates(&named),
        ..MessageContents::new()
    };
    let signed = message.sign(&world.station);
    for minutes in [0, 0, 20, 99] {
        let then = ReceptionContext::at(Time64(now().0 + minutes * MINUTE));
        assert!(verifier.verify(&signed, &then).is_ok(), "{minutes} minutes");
    }
    let late = ReceptionContext::at(Time64(now().0 + 101 * MINUTE));
    let refusal = verifier.verify(&signed, &late).unwrap_err();
    assert_eq!(refusal.code, ResultCode::RelevanceExpiryTimeInPast);
    let endless = MessageContents {
        expires: None,
        ..message
    };
    let endless = endless.sign(&world.station);
    let then = ReceptionContext::at(now());
    let refusal = verifier.verify(&endless, &then).unwrap_err();
    assert_eq!(refusal.code, ResultCode::ParsingInvalidInput);
}
