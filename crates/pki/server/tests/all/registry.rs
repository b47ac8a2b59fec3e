//! The memory of authorities: what they record they find again, within bounds.

use waywarden_v2x_pki::PermissionRange;
use waywarden_v2x_pki::enrolment::{
    AnswerRecord, AnswerStore as _, Granted, RecordError, StationProfile, StationRegistry as _,
    StationStatus,
};
use waywarden_v2x_pki_service::database::{StationRecord, Status};
use waywarden_v2x_pki_service::{Registry, RegistryLimits};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::ieee1609dot2::{
    EccP256CurvePoint, Psid, PublicVerificationKey, Time32, Time64,
};

use crate::support::{Folder, station};

/// The x-coordinate of the generator of P-256, whose y is odd.
const GENERATOR: [u8; 32] = [
    0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
    0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
];

pub(crate) fn profile(text: &str) -> Result<StationProfile, String> {
    match text {
        "CAM" => Ok(StationProfile::new(vec![(Psid(36), PermissionRange::All)])),
        other => Err(format!("{other:?}: no profile")),
    }
}

pub(crate) fn registry(folder: &Folder, answers: u64) -> Registry {
    let limits = RegistryLimits {
        answers,
        seconds: 100,
    };
    Registry::new(folder.open(), profile, limits).unwrap()
}

pub(crate) fn registered() -> Folder {
    let folder = Folder::new();
    let key = PublicVerificationKey::EcdsaNistP256(EccP256CurvePoint::CompressedY1(&GENERATOR));
    let mut database = folder.open();
    let good = StationRecord {
        public_key: written(&key).unwrap(),
        ..station("car")
    };
    database.register(&good).unwrap();
    let wrong = |name: &str| StationRecord {
        public_key: good.public_key.clone(),
        ..station(name)
    };
    database
        .register(&StationRecord {
            profile: "unknown".to_owned(),
            ..wrong("profile")
        })
        .unwrap();
    database
        .register(&StationRecord {
            public_key: vec![1, 2, 3],
            ..wrong("key")
        })
        .unwrap();
    folder
}

/// A time in whole seconds after some time.
pub(crate) fn at(seconds: u64) -> Time64 {
    Time64((700_000_000 + seconds) * 1_000_000)
}

pub(crate) fn consent(hash: &[u8; 32], received: Time64) -> AnswerRecord<'_> {
    AnswerRecord {
        hash,
        generated: Some(received),
        received,
        response: b"response",
        granted: Granted::Validation {
            station: b"car",
            start: at(0),
            end: at(3_600),
        },
    }
}

#[test]
fn a_station_is_found_as_it_was_registered() {
    let folder = registered();
    let registry = registry(&folder, 10);
    let found = registry.station(b"car").unwrap().unwrap();
    assert_eq!(found.key.x(), GENERATOR);
    assert_eq!(found.status, StationStatus::Active);
    assert_eq!(registry.station(b"stranger").unwrap(), None);
    let failure = |id: &[u8]| registry.station(id).unwrap_err().to_string();
    assert!(failure(b"profile").contains("no profile"));
    assert!(failure(b"key").contains("public key"));
    folder.open().set_status(b"car", Status::Blocked).unwrap();
    let found = registry.station(b"car").unwrap().unwrap();
    assert_eq!(found.status, StationStatus::Blocked);
}

#[test]
fn consents_are_counted_where_their_periods_meet() {
    let folder = registered();
    let mut registry = registry(&folder, 10);
    registry.record(&consent(&[1; 32], at(0))).unwrap();
    registry.record(&consent(&[2; 32], at(1))).unwrap();
    let again = registry.record(&consent(&[2; 32], at(1)));
    assert_eq!(again, Err(RecordError::AlreadyAnswered));
    let count = |from, to| registry.tickets(b"car", at(from), at(to)).unwrap();
    assert_eq!(count(0, 3_600), 2);
    assert_eq!(count(3_599, 9_999), 2);
    assert_eq!(count(3_600, 9_999), 0);
    assert_eq!(registry.tickets(b"stranger", at(0), at(1)).unwrap(), 0);
    assert_eq!(registry.answer(&[1; 32]).unwrap().unwrap(), b"response");
    assert_eq!(registry.answer(&[3; 32]).unwrap(), None);
}

#[test]
fn old_answers_make_room_and_young_ones_do_not() {
    let folder = registered();
    let mut registry = registry(&folder, 3);
    for number in 0..3 {
        registry
            .record(&consent(&[number; 32], at(u64::from(number))))
            .unwrap();
    }
    assert_eq!(
        registry.record(&consent(&[9; 32], at(99))),
        Err(RecordError::Full)
    );
    // The first one is older than 100 seconds now.
    registry.record(&consent(&[9; 32], at(101))).unwrap();
    assert_eq!(registry.answer(&[0; 32]).unwrap(), None);
    assert!(registry.answer(&[1; 32]).unwrap().is_some());
    // What was granted stays.
    assert_eq!(registry.tickets(b"car", at(0), at(1)).unwrap(), 4);
    drop(registry);
    let registry = self::registry(&folder, 3);
    assert_eq!(registry.database().answers().unwrap(), 3);
}

#[test]
fn what_is_no_certificate_is_not_recorded() {
    let folder = registered();
    let mut registry = registry(&folder, 3);
    let record = AnswerRecord {
        granted: Granted::Credential {
            station: b"car",
            certificate: b"no certificate",
        },
        ..consent(&[1; 32], at(0))
    };
    assert!(matches!(
        registry.record(&record),
        Err(RecordError::Storage(_))
    ));
    let stranger = AnswerRecord {
        granted: Granted::Validation {
            station: b"stranger",
            start: at(0),
            end: at(1),
        },
        ..consent(&[1; 32], at(0))
    };
    assert!(matches!(
        registry.record(&stranger),
        Err(RecordError::Storage(_))
    ));
    assert_eq!(registry.answer(&[1; 32]).unwrap(), None);
    assert_eq!(
        registry.database().stations().unwrap()[0].registered,
        Time32(700_000_000)
    );
}
