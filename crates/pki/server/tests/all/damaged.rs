//! Files that are no database of ours, or no longer: an error that says so, and never a panic.

use std::fs;

use rusqlite::Connection;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki_service::database::{Database, DatabaseError, restore};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::support::{Folder, NOW, issued, station};

fn refusal(folder: &Folder) -> DatabaseError {
    Database::open(&folder.database()).err().expect("a refusal")
}

#[test]
fn other_files_are_refused_by_what_they_are() {
    let folder = Folder::new();
    let path = folder.database();
    let private = |bytes: &[u8]| {
        drop(folder.open());
        fs::write(&path, bytes).unwrap();
    };
    private(&[b'x'; 5_000]);
    assert!(matches!(refusal(&folder), DatabaseError::NotADatabase(_)));
    fs::remove_file(&path).unwrap();
    drop(folder.open());
    let change = |text: &str| {
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(text).unwrap();
    };
    change("PRAGMA user_version = 99");
    let newer = refusal(&folder);
    assert!(matches!(newer, DatabaseError::Newer { version: 99, .. }));
    assert!(newer.to_string().contains("versions up to"), "{newer}");
    change("PRAGMA user_version = -1");
    assert!(matches!(refusal(&folder), DatabaseError::Newer { .. }));
    change("PRAGMA user_version = 2; PRAGMA application_id = 1");
    assert!(matches!(refusal(&folder), DatabaseError::Foreign(_)));
    // Tables of another program that has no mark either.
    change("PRAGMA user_version = 0; PRAGMA application_id = 0");
    assert!(matches!(refusal(&folder), DatabaseError::Foreign(_)));
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_read_and_a_link_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    drop(folder.open());
    for mode in [0o640, 0o604, 0o660, 0o666] {
        fs::set_permissions(folder.database(), fs::Permissions::from_mode(mode)).unwrap();
        let refused = refusal(&folder);
        assert!(matches!(refused, DatabaseError::Exposed { mode: found, .. } if found == mode));
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
    }
    fs::remove_file(folder.database()).unwrap();
    fs::write(folder.path("elsewhere"), "").unwrap();
    symlink(folder.path("elsewhere"), folder.database()).unwrap();
    assert!(refusal(&folder).to_string().contains("no plain file"));
    assert_eq!(fs::read(folder.path("elsewhere")).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn links_beside_a_database_lead_to_no_writes_elsewhere() {
    use std::os::unix::fs::symlink;
    for ending in ["", "-wal", "-shm", "-journal", ".lock"] {
        for exists in [false, true] {
            let folder = Folder::new();
            drop(folder.open());
            let target = folder.path("elsewhere");
            if exists {
                fs::write(&target, "of the user").unwrap();
            }
            let link = folder.path(&format!("pki.sqlite{ending}"));
            let _ = fs::remove_file(&link);
            symlink(&target, &link).unwrap();
            let opened = Database::open(&folder.database());
            assert!(opened.is_err(), "{ending}");
            let restored = restore(&folder.database(), &folder.path("backup"), None, NOW);
            assert!(restored.is_err(), "{ending}");
            let found = fs::read(&target).ok();
            assert_eq!(found, exists.then(|| b"of the user".to_vec()), "{ending}");
        }
    }
}

#[test]
fn an_index_that_misses_a_row_is_found() {
    let folder = Folder::new();
    let mut database = folder.open();
    database.record(&[issued(1, None)]).unwrap();
    drop(database);
    let raw = Connection::open(folder.database()).unwrap();
    raw.execute_batch(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = \
         'CREATE INDEX issued_station ON issued (end)' WHERE name = 'issued_station'",
    )
    .unwrap();
    drop(raw);
    let found = Database::open(&folder.database()).and_then(|database| database.check());
    let found = found.unwrap_err();
    assert!(matches!(found, DatabaseError::Damaged { .. }), "{found}");
    assert!(found.to_string().contains("restore a back-up"), "{found}");
}

#[test]
fn a_database_of_version_1_is_migrated_with_all_that_it_has() {
    let folder = Folder::new();
    drop(folder.open());
    let stored = include_bytes!("../data/version-1.sqlite");
    fs::write(folder.database(), stored).unwrap();
    let mut database = folder.open();
    database.check().unwrap();
    assert_eq!(database.stations().unwrap(), [station("car-1")]);
    assert_eq!(
        database.issued_to(b"car-1").unwrap(),
        [issued(2, Some("car-1"))]
    );
    assert_eq!(
        database.answer(&[3; 32]).unwrap().unwrap().response,
        b"answer"
    );
    database.data_key(None).unwrap();
    assert_eq!(database.batches(b"v", 1).unwrap(), []);
    drop(database);
    let raw = Connection::open(folder.database()).unwrap();
    let version: i64 = raw
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 3);
}

#[test]
fn random_damage_is_an_error_and_never_a_panic() {
    let mut random = Random::of_test("random_damage_is_an_error_and_never_a_panic");
    let folder = Folder::new();
    let mut database = folder.open();
    let all: Vec<_> = (0..100).map(|number| issued(number, None)).collect();
    database.record(&all).unwrap();
    database.back_up(&folder.path("whole")).unwrap();
    drop(database);
    let whole = fs::read(folder.path("whole")).unwrap();
    let (mut refused, mut opened) = (0, 0);
    for _ in 0..cases(300) {
        let mut damaged = whole.clone();
        for _ in 0..=random.index(8) {
            let at = match random.index(3) {
                // The headers of the file and of pages have most of what can mislead.
                0 => random.index(100),
                1 => random.index(damaged.len() / 4_096) * 4_096 + random.index(64),
                _ => random.index(damaged.len()),
            };
            damaged[at] = random.u64() as u8;
        }
        if random.index(4) == 0 {
            damaged.truncate(random.index(damaged.len()));
        }
        for ending in ["-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(folder.path(&format!("pki.sqlite{ending}")));
        }
        fs::write(folder.database(), &damaged).unwrap();
        match Database::open(&folder.database()) {
            Err(_) => refused += 1,
            Ok(mut database) => {
                opened += 1;
                let _ = database.check();
                let _ = database.issued(HashedId8(7_u64.to_be_bytes()));
                let _ = database.issued_ids();
                let _ = database.record(&[issued(1_000, None)]);
            }
        }
    }
    println!("{refused} refused, {opened} opened");
    assert!(refused > 0);
}
