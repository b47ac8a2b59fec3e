//! Secrets are encrypted, bound to their place, and open under one passphrase.

use std::fs;

use rusqlite::Connection;
use waywarden_testkit::Random;
use waywarden_v2x_pki_service::database::{DatabaseError, SecretKind};

use crate::support::Folder;

const SEED: SecretKind = SecretKind::LinkageSeed;

/// All bytes of the files of a database.
fn all_bytes(folder: &Folder) -> Vec<u8> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    entries
        .flat_map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_secret_is_kept_encrypted_and_forgotten_for_good() {
    let folder = Folder::new();
    let mut database = folder.open();
    let key = database.data_key(Some(b"open sesame")).unwrap();
    let secret = b"a linkage seed of 1";
    database
        .keep_secret(&key, SEED, b"la-1/0", b"an earlier one")
        .unwrap();
    database.keep_secret(&key, SEED, b"la-1/0", secret).unwrap();
    database
        .keep_secret(&key, SEED, b"la-1/1", b"another one")
        .unwrap();
    drop((database, key));
    let mut database = folder.open();
    let key = database.data_key(Some(b"open sesame")).unwrap();
    let found = database.secret(&key, SEED, b"la-1/0").unwrap().unwrap();
    assert_eq!(found.as_slice(), secret);
    let other = database
        .secret(&key, SecretKind::PrivateKey, b"la-1/0")
        .unwrap();
    assert!(other.is_none());
    for part in [
        &secret[..],
        b"an earlier one",
        b"another one",
        b"open sesame",
    ] {
        assert!(!has(&all_bytes(&folder), part));
    }
    assert!(database.forget_secret(SEED, b"la-1/0").unwrap());
    assert!(!database.forget_secret(SEED, b"la-1/0").unwrap());
    assert!(database.secret(&key, SEED, b"la-1/0").unwrap().is_none());
}

#[test]
fn the_data_key_opens_under_its_passphrase_alone() {
    let folder = Folder::new();
    let mut database = folder.open();
    database.data_key(Some(b"right")).unwrap();
    let refusal = |passphrase| folder.open().data_key(passphrase).err().unwrap();
    assert!(matches!(
        refusal(Some(b"wrong")),
        DatabaseError::Passphrase(_)
    ));
    assert!(matches!(refusal(None), DatabaseError::Encrypted(_)));
    let folder = Folder::new();
    folder.open().data_key(None).unwrap();
    folder.open().data_key(None).unwrap();
}

#[test]
fn a_changed_data_key_is_refused() {
    let folder = Folder::new();
    folder.open().data_key(None).unwrap();
    let raw = Connection::open(folder.database()).unwrap();
    let wrapped: Vec<u8> = raw
        .query_row("SELECT wrapped FROM data_key", [], |row| row.get(0))
        .unwrap();
    let mut random = Random::of_test("a_changed_data_key_is_refused");
    for _ in 0..200 {
        let mut changed = wrapped.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.index(8);
        raw.execute("UPDATE data_key SET wrapped = ?1", [&changed])
            .unwrap();
        assert!(folder.open().data_key(None).is_err(), "byte {at}");
    }
}

#[test]
fn a_secret_that_is_changed_or_moved_is_refused() {
    let folder = Folder::new();
    let mut database = folder.open();
    let key = database.data_key(None).unwrap();
    let names: [&[u8]; 3] = [b"a", b"b", b"ab"];
    for name in names {
        database.keep_secret(&key, SEED, name, name).unwrap();
    }
    let raw = Connection::open(folder.database()).unwrap();
    let mut random = Random::of_test("a_secret_that_is_changed_or_moved_is_refused");
    let refused = |name: &[u8]| {
        let found = database.secret(&key, SEED, name);
        assert!(matches!(found, Err(DatabaseError::Secret(_))));
    };
    let value = |name: &[u8]| -> Vec<u8> {
        let query = "SELECT value FROM secret WHERE name = ?1";
        raw.query_row(query, [name], |row| row.get(0)).unwrap()
    };
    let set = |name: &[u8], value: &[u8]| {
        let update = "UPDATE secret SET value = ?2 WHERE name = ?1";
        raw.execute(update, (name, value)).unwrap();
    };
    let (a, b) = (value(b"a"), value(b"b"));
    set(b"a", &b);
    refused(b"a");
    for length in 0..a.len() {
        set(b"a", &a[..length]);
        refused(b"a");
    }
    for _ in 0..200 {
        let mut changed = a.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.index(8);
        set(b"a", &changed);
        refused(b"a");
    }
    set(b"a", &a);
    assert!(database.secret(&key, SEED, b"a").unwrap().is_some());
    // The row is renamed, or becomes another kind of secret.
    raw.execute("UPDATE secret SET name = x'63' WHERE name = x'61'", [])
        .unwrap();
    refused(b"c");
    raw.execute(
        "UPDATE secret SET kind = 'private-key' WHERE name = x'62'",
        [],
    )
    .unwrap();
    let moved = database.secret(&key, SecretKind::PrivateKey, b"b");
    assert!(matches!(moved, Err(DatabaseError::Secret(_))));
}
