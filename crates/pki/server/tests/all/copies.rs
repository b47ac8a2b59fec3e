//! Back-ups are whole, and a restored database is the one that was backed up.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use waywarden_v2x_pki_service::database::{Database, DatabaseError, SecretKind, restore};

use crate::support::{Folder, NOW, issued, station};

#[test]
fn a_backup_returns_what_was_there_and_keeps_what_it_replaces() {
    let folder = Folder::new();
    let mut database = folder.open();
    let key = database.data_key(Some(b"pass")).unwrap();
    database
        .keep_secret(&key, SecretKind::LinkageSeed, b"n", b"seed")
        .unwrap();
    database.register(&station("car")).unwrap();
    database.record(&[issued(1, Some("car"))]).unwrap();
    database.back_up(&folder.path("backup")).unwrap();
    database.record(&[issued(2, None)]).unwrap();
    // A later one takes the place of the first.
    let again = folder.path("again");
    fs::write(&again, "old").unwrap();
    database.back_up(&again).unwrap();
    drop(database);
    restore(&folder.database(), &folder.path("backup"), None, NOW).unwrap();
    let mut database = folder.open();
    assert_eq!(
        database.issued_to(b"car").unwrap(),
        [issued(1, Some("car"))]
    );
    assert_eq!(database.issued_ids().unwrap().len(), 1);
    let key = database.data_key(Some(b"pass")).unwrap();
    let secret = database
        .secret(&key, SecretKind::LinkageSeed, b"n")
        .unwrap();
    assert_eq!(secret.unwrap().as_slice(), b"seed");
    let replaced = Database::open(&folder.path("pki.sqlite.replaced")).unwrap();
    assert_eq!(replaced.issued_ids().unwrap().len(), 2);
    drop((database, replaced));
    let kept = restore(&folder.database(), &again, None, NOW).unwrap();
    assert_eq!(folder.open().issued_ids().unwrap().len(), 2);
    assert_eq!(kept, Some(folder.path("pki.sqlite.replaced.2")));
    let count = |path: &Path| Database::open(path).unwrap().issued_ids().unwrap().len();
    assert_eq!(count(&folder.path("pki.sqlite.replaced")), 2);
    assert_eq!(count(&folder.path("pki.sqlite.replaced.2")), 1);
}

#[test]
fn a_restore_keeps_a_bounded_number_of_replaced_databases() {
    let folder = Folder::new();
    folder.open().back_up(&folder.path("backup")).unwrap();
    fs::write(folder.path("pki.sqlite.replaced"), "of the user").unwrap();
    for number in 2..=100 {
        fs::write(folder.path(&format!("pki.sqlite.replaced.{number}")), "").unwrap();
    }
    let before = fs::read(folder.database()).unwrap();
    let refused = restore(&folder.database(), &folder.path("backup"), None, NOW);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("move them elsewhere"), "{refused}");
    assert_eq!(fs::read(folder.database()).unwrap(), before);
    let first = fs::read(folder.path("pki.sqlite.replaced")).unwrap();
    assert_eq!(first, b"of the user");
}

#[test]
fn a_database_in_use_is_not_replaced() {
    let folder = Folder::new();
    let database = folder.open();
    database.back_up(&folder.path("backup")).unwrap();
    let refused = restore(&folder.database(), &folder.path("backup"), None, NOW);
    assert!(matches!(refused, Err(DatabaseError::InUse(_))));
    drop(database);
    restore(&folder.database(), &folder.path("backup"), None, NOW).unwrap();
    // Into a folder without one.
    restore(
        &folder.path("new.sqlite"),
        &folder.path("backup"),
        None,
        NOW,
    )
    .unwrap();
    Database::open(&folder.path("new.sqlite")).unwrap();
}

#[test]
fn a_damaged_or_foreign_backup_replaces_nothing() {
    let folder = Folder::new();
    let mut database = folder.open();
    for number in 0..200 {
        database.record(&[issued(number, None)]).unwrap();
    }
    let backup = folder.path("backup");
    database.back_up(&backup).unwrap();
    drop(database);
    let before = fs::read(folder.database()).unwrap();
    let whole = fs::read(&backup).unwrap();
    let mut page = whole.clone();
    let last = page.len() - 4_096;
    page[last] = 0xFF;
    let foreign = {
        let path = folder.path("foreign");
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
            .unwrap();
        drop(other);
        fs::read(path).unwrap()
    };
    let cut = whole[..whole.len() / 2].to_vec();
    for (what, bytes) in [
        ("empty", Vec::new()),
        (
            "text",
            b"no database, but long enough for the header of one".to_vec(),
        ),
        ("cut", cut),
        ("page", page),
        ("foreign", foreign),
    ] {
        fs::write(&backup, bytes).unwrap();
        let refused = restore(&folder.database(), &backup, None, NOW).map(|_| what);
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(fs::read(folder.database()).unwrap(), before, "{what}");
        assert!(!folder.path("pki.sqlite.partial").exists(), "{what}");
    }
    assert!(restore(&folder.database(), &folder.path("missing"), None, NOW).is_err());
    assert!(!folder.path("missing").exists());
}

#[test]
fn a_backup_takes_the_place_of_no_file_of_the_database() {
    let folder = Folder::new();
    let mut database = folder.open();
    database.record(&[issued(1, None)]).unwrap();
    for ending in ["", "-wal", "-shm", "-journal", ".lock"] {
        let target = folder
            .path("../")
            .join(folder.path(""))
            .join(format!("pki.sqlite{ending}"));
        let refused = database.back_up(&target);
        assert!(
            matches!(refused, Err(DatabaseError::OwnFile(_))),
            "{ending}"
        );
    }
    assert!(database.back_up(&folder.path("")).is_err());
    database.check().unwrap();
    assert_eq!(folder.open().issued_ids().unwrap().len(), 1);
}

#[test]
fn a_backup_is_made_while_others_write() {
    let folder = Folder::new();
    let database = folder.open();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut database = folder.open();
            for number in 0..200 {
                database.record(&[issued(number, None)]).unwrap();
            }
        });
        let mut last = 0;
        while !writer.is_finished() {
            database.back_up(&folder.path("backup")).unwrap();
            let backup = Database::open(&folder.path("backup")).unwrap();
            let there = backup.issued_ids().unwrap();
            let expected: Vec<u64> = (0..there.len() as u64).collect();
            let numbers = there.iter().map(|id| u64::from_be_bytes(id.0));
            assert_eq!(numbers.collect::<Vec<_>>(), expected);
            assert!(there.len() >= last);
            last = there.len();
        }
    });
}
