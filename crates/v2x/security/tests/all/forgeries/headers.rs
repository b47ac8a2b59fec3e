//! Headers that fit neither the receiver nor the certificate: applications, times, places.

use waywarden_testkit_v2x::world::{MessageContents, NOW, now};
use waywarden_v2x_security::ResultCode::{
    ConsistencyExpiredCertificateAtGenerationTime, ConsistencyExpiryDateTooLate,
    ConsistencyFutureCertificateAtGenerationTime, ConsistencyNoGenerationLocation,
    ConsistencyUnauthorizedPsid, InconsistentInputParameters,
    InternalConsistencyExpiryTimeBeforeGenerationTime, LocalConsistencyPsidsDontMatch,
    ParsingGenerationLocationNotAvailable, ParsingGenerationTimeNotAvailable,
    RelevanceExpiryTimeInPast, RelevanceGenerationLocationTooDistant,
    RelevanceGenerationTimeTooFarInFuture, RelevanceGenerationTimeTooFarInPast,
};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{
    HeaderInfo, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude, Psid, ThreeDLocation,
    Time64,
};

use super::build::{HERE, Pki, Place, above_ground, at_now, made_at, place};
use super::table::Family;

#[test]
fn headers_that_do_not_fit_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("header");
    let pki = Pki::plain();
    applications(&mut family, &pki);
    generation_times(&mut family, &pki);
    expiry_times(&mut family, &pki);
    distances(&mut family, &pki);
    unknown_places(&mut family, &pki);
    family
}

const SECOND: u64 = 1_000_000;

fn after(microseconds: i64) -> Time64 {
    Time64(now().0.saturating_add_signed(microseconds))
}

fn applications(family: &mut Family, pki: &Pki) {
    let honest = pki.sign(&MessageContents::new());
    let wanting = |psid| ReceptionContext {
        psid: Some(Psid(psid)),
        ..at_now()
    };
    for psid in [0, 32, 36, 134, 136, 0x8700, u64::MAX] {
        family.row(
            &format!("for a receiver of application {psid}"),
            (LocalConsistencyPsidsDontMatch, "psid"),
            &mut pki.verifier(),
            (&honest, &wanting(psid)),
            Some((&honest, &wanting(135))),
        );
    }
    for psid in [0, 1, 127, 128, 0x8700, 16_512, u64::MAX] {
        let forged = pki.sign(&MessageContents {
            psid,
            ..MessageContents::new()
        });
        family.pair(
            &format!("of application {psid}, without a permission"),
            (ConsistencyUnauthorizedPsid, "appPermissions"),
            &mut pki.verifier(),
            &forged,
            &honest,
        );
    }
    let functional = |value| {
        let header = HeaderInfo {
            pdu_functional_type: Some(value),
            ..MessageContents::new().header()
        };
        let message = MessageContents {
            named: waywarden_testkit_v2x::world::Named::Certificates(&[]),
            ..MessageContents::new()
        };
        message.sign_with(header, pki.station())
    };
    for value in [0, 1, 2, 255] {
        family.pair(
            &format!("pduFunctionalType {value}"),
            (InconsistentInputParameters, "pduFunctionalType"),
            &mut pki.knowing(),
            &functional(value),
            &honest,
        );
    }
}

/// A name, an application, the expected result, and when forged and honest messages are made.
type Made = (&'static str, u64, ResultCode, i64, i64);

/// Times that are too far from the receiver's.
fn distant_times() -> [Made; 6] {
    let second = SECOND as i64;
    let (past, future) = (
        RelevanceGenerationTimeTooFarInPast,
        RelevanceGenerationTimeTooFarInFuture,
    );
    [
        (
            "BSM too old by a microsecond",
            32,
            past,
            -30 * second - 1,
            -30 * second,
        ),
        (
            "CAM too old by a microsecond",
            36,
            past,
            -2 * second - 1,
            -2 * second,
        ),
        (
            "other too old by a microsecond",
            135,
            past,
            -600 * second - 1,
            -600 * second,
        ),
        (
            "BSM too early by a microsecond",
            32,
            future,
            2 * second + 1,
            2 * second,
        ),
        (
            "CAM too early by a microsecond",
            36,
            future,
            2 * second + 1,
            2 * second,
        ),
        (
            "other too early by a microsecond",
            135,
            future,
            2 * second + 1,
            2 * second,
        ),
    ]
}

/// Times outside the validity of the certificate.
fn invalid_times() -> [Made; 4] {
    let second = SECOND as i64;
    let start = i64::from(NOW - 3_600) * second;
    let end = start + 24 * 3_600 * second;
    let zero = i64::from(NOW) * second;
    [
        (
            "made a microsecond before its certificate",
            135,
            ConsistencyFutureCertificateAtGenerationTime,
            start - zero - 1,
            0,
        ),
        (
            "made at the beginning of time",
            135,
            ConsistencyFutureCertificateAtGenerationTime,
            -zero,
            0,
        ),
        (
            "made when its certificate ends",
            135,
            ConsistencyExpiredCertificateAtGenerationTime,
            end - zero,
            0,
        ),
        (
            "made at the end of time",
            135,
            ConsistencyExpiredCertificateAtGenerationTime,
            i64::MAX,
            0,
        ),
    ]
}

fn generation_times(family: &mut Family, pki: &Pki) {
    let cases = distant_times().into_iter().chain(invalid_times());
    for (name, psid, expected, forged, honest) in cases {
        let message = |made| MessageContents {
            psid,
            made: Some(after(made)),
            ..MessageContents::new()
        };
        let [forged, honest] = [forged, honest].map(|made| message(made).sign(pki.station()));
        family.pair(name, expected, &mut pki.knowing(), &forged, &honest);
    }
    for (name, psid) in [("BSM", 32), ("other", 135)] {
        let message = MessageContents {
            psid,
            ..MessageContents::new()
        };
        let timeless = MessageContents {
            made: None,
            ..message
        };
        family.pair(
            &format!("{name} without generationTime"),
            (ParsingGenerationTimeNotAvailable, "generationTime"),
            &mut pki.knowing(),
            &timeless.sign(pki.station()),
            &message.sign(pki.station()),
        );
    }
}

fn expiry_times(family: &mut Family, pki: &Pki) {
    let end = i64::from(NOW - 3_600 + 24 * 3_600) * SECOND as i64 - now().0 as i64;
    let before = InternalConsistencyExpiryTimeBeforeGenerationTime;
    let ten = 10 * SECOND as i64;
    let cases: [(&str, ResultCode, i64, i64, i64); 8] = [
        ("expires when it is made", before, 0, 0, 1),
        ("expires a microsecond before it is made", before, 0, -1, 1),
        ("expires at the beginning of time", before, 0, i64::MIN, ten),
        (
            "expires before its certificate",
            before,
            0,
            -7_200 * SECOND as i64,
            ten,
        ),
        (
            "expired a microsecond ago",
            RelevanceExpiryTimeInPast,
            -ten,
            -1,
            0,
        ),
        (
            "expired when it was old",
            RelevanceExpiryTimeInPast,
            -ten,
            -ten + 1,
            ten,
        ),
        (
            "expires a microsecond after its certificate",
            ConsistencyExpiryDateTooLate,
            0,
            end + 1,
            end,
        ),
        (
            "expires at the end of time",
            ConsistencyExpiryDateTooLate,
            0,
            i64::MAX,
            ten,
        ),
    ];
    for (name, expected, made, forged, honest) in cases {
        let message = |expires| MessageContents {
            made: Some(after(made)),
            expires: Some(after(expires)),
            ..MessageContents::new()
        };
        let [forged, honest] = [forged, honest].map(|expires| pki.sign(&message(expires)));
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
}

/// A receiver whose profile looks at distance.
fn within_five_kilometres(pki: &Pki) -> Verifier {
    let profile = SecurityProfile {
        distance: Some(5_000),
        ..SecurityProfile::DEFAULT
    };
    pki.verifier().with_profiles(Profiles::all(profile))
}

fn standing_at(degrees: Place) -> ReceptionContext<'static> {
    ReceptionContext {
        place: Some(place(degrees)),
        ..at_now()
    }
}

fn distances(family: &mut Family, pki: &Pki) {
    let distant = RelevanceGenerationLocationTooDistant;
    let line = (0.0, 179.99);
    let cases: [(&str, Place, Place, Place); 6] = [
        (
            "a hundred kilometres away",
            HERE,
            (44.5, 10.3),
            (43.56, 10.3),
        ),
        (
            "six kilometres away",
            HERE,
            (43.5551, 10.378),
            (43.5551, 10.36),
        ),
        (
            "on the other side of the Earth",
            HERE,
            (-43.5551, -169.6964),
            HERE,
        ),
        (
            "away across the date line",
            line,
            (0.0, -179.96),
            (0.0, -179.99),
        ),
        (
            "away across the pole",
            (89.99, 0.0),
            (89.96, 180.0),
            (89.97, 180.0),
        ),
        ("at no place in particular", HERE, (0.0, 0.0), HERE),
    ];
    for (name, here, far, near) in cases {
        family.row(
            name,
            (distant, "generationLocation"),
            &mut within_five_kilometres(pki),
            (&pki.sign(&made_at(far)), &standing_at(here)),
            Some((&pki.sign(&made_at(near)), &standing_at(here))),
        );
    }
}

/// Forges messages of unknown places, which a profile with a distance limit refuses.
fn unknown_places(family: &mut Family, pki: &Pki) {
    let honest = pki.sign(&made_at(HERE));
    let known = above_ground(HERE).unwrap();
    let (latitude, longitude) = (Latitude(LATITUDE_UNKNOWN), Longitude(LONGITUDE_UNKNOWN));
    let unknown = [
        ("unknown latitude", ThreeDLocation { latitude, ..known }),
        ("unknown longitude", ThreeDLocation { longitude, ..known }),
        (
            "unknown place",
            ThreeDLocation {
                latitude,
                longitude,
                ..known
            },
        ),
    ];
    for (name, place) in unknown {
        let forged = pki.sign(&MessageContents {
            place: Some(place),
            ..MessageContents::new()
        });
        family.row(
            &format!("{name} where distance counts"),
            ConsistencyNoGenerationLocation,
            &mut within_five_kilometres(pki),
            (&forged, &standing_at(HERE)),
            Some((&honest, &standing_at(HERE))),
        );
    }
    family.row(
        "no place where distance counts",
        ParsingGenerationLocationNotAvailable,
        &mut within_five_kilometres(pki),
        (&pki.sign(&MessageContents::new()), &standing_at(HERE)),
        Some((&honest, &standing_at(HERE))),
    );
}
