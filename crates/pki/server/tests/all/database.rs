//! Records are kept, once, and for their owner alone.

use waywarden_v2x_pki_service::database::{
    AnsweredRequest, Batch, BatchState, CertificatePurpose, Database, DatabaseError, Status,
};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time32, Time64};

use crate::support::{Folder, issued, station};

fn answer(number: u8) -> AnsweredRequest {
    AnsweredRequest {
        hash: [number; 32],
        generated: Time64(u64::from(number) * 1_000_000),
        received: Time32(u32::from(number)),
        response: vec![number; 300],
    }
}

#[test]
fn what_is_recorded_is_there_after_the_database_is_opened_again() {
    let folder = Folder::new();
    let mut database = folder.open();
    database.register(&station("car-1")).unwrap();
    let root = waywarden_v2x_pki_service::database::IssuedCertificate {
        issuer: None,
        kind: CertificatePurpose::Authority,
        ..issued(1, None)
    };
    let ticket = issued(2, Some("car-1"));
    database.record(std::slice::from_ref(&root)).unwrap();
    database
        .record_answer(&answer(3), std::slice::from_ref(&ticket), &[])
        .unwrap();
    drop(database);
    let database = folder.open();
    assert_eq!(database.station(b"car-1").unwrap(), Some(station("car-1")));
    assert_eq!(database.station(b"car-2").unwrap(), None);
    assert_eq!(database.stations().unwrap(), [station("car-1")]);
    assert_eq!(database.issued(HashedId8([0; 8])).unwrap(), None);
    assert_eq!(database.issued(root.hashed_id_8).unwrap(), Some(root));
    assert_eq!(database.issued_to(b"car-1").unwrap(), [ticket]);
    assert_eq!(database.answer(&[3; 32]).unwrap(), Some(answer(3)));
    assert_eq!(database.answer(&[4; 32]).unwrap(), None);
    database.check().unwrap();
}

#[test]
fn a_certificate_is_recorded_once() {
    let mut database = Folder::new().open();
    database.record(&[issued(1, None)]).unwrap();
    let again = database.record(&[issued(2, None), issued(1, None)]);
    assert!(matches!(again, Err(DatabaseError::AlreadyIssued(id)) if id.0[7] == 1));
    // The other one of the same change is not recorded either.
    assert_eq!(database.issued_ids().unwrap().len(), 1);
    let all = [issued(1, None), issued(2, None), issued(3, None)];
    assert_eq!(database.record_missing(&all).unwrap(), 2);
    assert_eq!(database.record_missing(&all).unwrap(), 0);
}

#[test]
fn an_answer_and_its_certificates_are_one_change() {
    let mut database = Folder::new().open();
    database
        .record_answer(&answer(1), &[issued(1, None)], &[])
        .unwrap();
    let again = database.record_answer(&answer(1), &[issued(2, None)], &[]);
    assert!(matches!(again, Err(DatabaseError::AlreadyAnswered)));
    let twice = database.record_answer(&answer(2), &[issued(3, None), issued(1, None)], &[]);
    assert!(matches!(twice, Err(DatabaseError::AlreadyIssued(_))));
    let stranger = database.record_answer(&answer(2), &[issued(4, Some("stranger"))], &[]);
    assert!(matches!(stranger, Err(DatabaseError::UnknownStation(_))));
    assert_eq!(database.issued_ids().unwrap().len(), 1);
    assert_eq!(database.answer(&[2; 32]).unwrap(), None);
}

#[test]
fn forgotten_requests_leave_what_was_issued() {
    let mut database = Folder::new().open();
    for number in 1..=5 {
        let certificate = issued(u64::from(number), None);
        database
            .record_answer(&answer(number), &[certificate], &[])
            .unwrap();
    }
    assert_eq!(database.forget_requests(Time32(4)).unwrap(), 3);
    assert_eq!(database.answer(&[3; 32]).unwrap(), None);
    assert!(database.answer(&[4; 32]).unwrap().is_some());
    assert_eq!(database.issued_ids().unwrap().len(), 5);
}

#[test]
fn a_station_is_registered_once_and_can_be_blocked() {
    let mut database = Folder::new().open();
    database.register(&station("car")).unwrap();
    let again = database.register(&station("car"));
    assert!(matches!(again, Err(DatabaseError::AlreadyRegistered(_))));
    database.set_status(b"car", Status::Blocked).unwrap();
    let found = database.station(b"car").unwrap().unwrap();
    assert_eq!(found.status, Status::Blocked);
    let unknown = database.set_status(b"van", Status::Blocked);
    assert!(unknown.unwrap_err().to_string().contains("\"van\""));
}

#[test]
fn a_cocoon_key_has_one_response() {
    let mut database = Folder::new().open();
    let batch = |j, state, response: Option<&[u8]>| Batch {
        vehicle: b"v".to_vec(),
        i: 7,
        j,
        state,
        response: response.map(<[u8]>::to_vec),
    };
    let requested = [0, 1].map(|j| batch(j, BatchState::Requested, None));
    database.record_batches(&requested).unwrap();
    let again = database.record_batches(&requested);
    assert!(matches!(again, Err(DatabaseError::AlreadyInBatch)));
    let answered = batch(0, BatchState::Issued, Some(b"first"));
    database
        .update_batches(std::slice::from_ref(&answered))
        .unwrap();
    let other = batch(0, BatchState::Issued, Some(b"second"));
    assert!(database.update_batches(&[other]).is_err());
    let unknown = batch(2, BatchState::Issued, Some(b"first"));
    assert!(database.update_batches(&[unknown]).is_err());
    let delivered = batch(0, BatchState::Delivered, Some(b"first"));
    database
        .update_batches(std::slice::from_ref(&delivered))
        .unwrap();
    let found = database.batches(b"v", 7).unwrap();
    assert_eq!(found, [delivered, requested[1].clone()]);
    assert_eq!(database.batches(b"v", 8).unwrap(), []);
}

#[test]
fn last_batch_counts_the_periods_from_one_on_alone() {
    let mut database = Folder::new().open();
    let batch = |vehicle: &[u8], i, j| Batch {
        vehicle: vehicle.to_vec(),
        i,
        j,
        state: BatchState::Requested,
        response: None,
    };
    let all = [
        batch(b"v", 7, 9),
        batch(b"v", 8, 3),
        batch(b"v", 9, 1),
        batch(b"w", 90, 90),
    ];
    database.record_batches(&all).unwrap();
    for (from, expected) in [
        (0, Some((9, 9))),
        (7, Some((9, 9))),
        (8, Some((9, 3))),
        (9, Some((9, 1))),
        (10, None),
    ] {
        assert_eq!(database.last_batch(b"v", from).unwrap(), expected, "{from}");
    }
    assert_eq!(database.last_batch(b"u", 0).unwrap(), None);
}

#[cfg(unix)]
#[test]
fn every_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let mut database = folder.open();
    database.record(&[issued(1, None)]).unwrap();
    database.back_up(&folder.path("backup")).unwrap();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.path("")).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.path());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    let expected = ["", "-shm", "-wal", ".lock"].map(|end| format!("pki.sqlite{end}"));
    assert_eq!(names, [&["backup".to_owned()][..], &expected].concat());
}

#[test]
fn several_connections_change_one_database() {
    let folder = Folder::new();
    drop(folder.open());
    let write = |thread: u64| {
        let mut database = folder.open();
        for number in 0..20 {
            database
                .record(&[issued(thread * 100 + number, None)])
                .unwrap();
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || write(thread));
        }
    });
    assert_eq!(folder.open().issued_ids().unwrap().len(), 80);
}

#[test]
fn databases_made_at_once_are_one() {
    for _ in 0..50 {
        let folder = Folder::new();
        std::thread::scope(|scope| {
            for number in 0..4 {
                let folder = &folder;
                scope.spawn(move || {
                    let mut database = Database::open(&folder.database()).unwrap();
                    database.record(&[issued(number, None)]).unwrap();
                });
            }
        });
        assert_eq!(folder.open().issued_ids().unwrap().len(), 4);
    }
}
