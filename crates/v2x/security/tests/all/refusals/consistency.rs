//! Results of comparing a message with its certificate.

use waywarden_testkit_v2x::world::{MessageContents, Named, Spec, now};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, GeographicRegion, Latitude, Time64, TwoDLocation,
};

use super::{HERE, MINUTE, Matrix, World, at, here, whole};

/// Ten kilometres around.
const AROUND: GeographicRegion<'static> = GeographicRegion::Circular(CircularRegion {
    center: HERE,
    radius: 10_000,
});

/// A profile that leaves the times to the certificate.
const LENIENT: SecurityProfile = SecurityProfile {
    past: None,
    future: None,
    checks_replay: false,
    ..SecurityProfile::DEFAULT
};

pub(super) fn consistency(matrix: &mut Matrix) {
    use ResultCode::*;
    let plain = World::plain();
    let named = [&plain.authority];
    let message = whole(Named::Certificates(&named));
    let long_ago = Time64(now().0 - 120 * MINUTE);
    let later = Time64(now().0 + 24 * 60 * MINUTE);
    let flawed = [
        (
            ConsistencyFutureCertificateAtGenerationTime,
            MessageContents {
                made: Some(long_ago),
                ..message
            },
        ),
        (
            ConsistencyExpiredCertificateAtGenerationTime,
            MessageContents {
                made: Some(later),
                expires: None,
                ..message
            },
        ),
        (
            ConsistencyExpiryDateTooEarly,
            MessageContents {
                made: None,
                expires: Some(long_ago),
                ..message
            },
        ),
        (
            ConsistencyExpiryDateTooLate,
            MessageContents {
                expires: Some(later),
                ..message
            },
        ),
        (
            ConsistencyUnauthorizedPsid,
            MessageContents {
                psid: 999,
                ..message
            },
        ),
    ];
    let sound = message.sign(&plain.station);
    for (code, flawed) in flawed {
        let mut verifier = plain.verifier(LENIENT);
        let now = here(now());
        let flawed = flawed.sign(&plain.station);
        matrix.row(code, &mut verifier, (&flawed, &now), (&sound, &now));
    }
}

pub(super) fn location(matrix: &mut Matrix) {
    use ResultCode::*;
    let region = World::new(
        &Spec::authority(2),
        &Spec {
            region: Some(AROUND),
            ..Spec::station(3)
        },
    );
    let named = [&region.authority];
    let message = whole(Named::Certificates(&named));
    let far = TwoDLocation {
        latitude: Latitude(445_551_000),
        ..HERE
    };
    let unknown = TwoDLocation {
        latitude: Latitude(900_000_001),
        ..HERE
    };
    let sound = message.sign(&region.station);
    let profile = SecurityProfile {
        needs_generation_location: true,
        ..LENIENT
    };
    for (code, place) in [
        (ConsistencyGenerationLocationOutsideValidityRegion, far),
        (ConsistencyNoGenerationLocation, unknown),
    ] {
        let mut verifier = region.verifier(profile);
        let now = here(now());
        let flawed = MessageContents {
            place: at(place),
            ..message
        }
        .sign(&region.station);
        matrix.row(code, &mut verifier, (&flawed, &now), (&sound, &now));
    }
}
