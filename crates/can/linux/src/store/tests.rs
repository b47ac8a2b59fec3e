//! The stores: what is kept comes back, whatever stands in the directory.

use super::*;

const A: Retained = [0xA5; 32];
const B: Retained = [0x5B; 32];

fn behaves(mut store: impl RetainedStore) {
    assert_eq!(store.load().unwrap(), []);
    store.keep(Slot(9), &A).unwrap();
    store.keep(Slot(0), &B).unwrap();
    store.keep(Slot(255), &B).unwrap();
    store.keep(Slot(9), &B).unwrap();
    store.keep(Slot(0), &A).unwrap();
    assert_eq!(
        store.load().unwrap(),
        [(Slot(0), A), (Slot(9), B), (Slot(255), B)]
    );
}

#[test]
fn both_stores_keep_the_last_value_in_order_of_slot() {
    let directory = tempfile::tempdir().unwrap();
    behaves(Volatile::default());
    behaves(DirectoryStore::open(directory.path().join("made/on/the/way")).unwrap());
}

#[test]
fn a_directory_outlives_its_store() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = DirectoryStore::open(directory.path()).unwrap();
    store.keep(Slot(3), &A).unwrap();
    drop(store);
    let mut store = DirectoryStore::open(directory.path()).unwrap();
    assert_eq!(store.load().unwrap(), [(Slot(3), A)]);
}

#[test]
fn two_stores_cannot_share_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let first = DirectoryStore::open(directory.path()).unwrap();
    match DirectoryStore::open(directory.path()) {
        Err(StoreError::Busy { path }) => assert!(path.ends_with("lock")),
        other => panic!("{other:?}"),
    }
    drop(first);
    DirectoryStore::open(directory.path()).unwrap();
}

/// A crash between writing and renaming leaves a new file behind, whole or in part.
#[test]
fn a_crash_before_the_rename_leaves_the_old_value() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = DirectoryStore::open(directory.path()).unwrap();
    store.keep(Slot(1), &A).unwrap();
    for length in [0, 7, 32, 100] {
        fs::write(directory.path().join("fresh"), vec![0xFF; length]).unwrap();
        assert_eq!(store.load().unwrap(), [(Slot(1), A)]);
        store.keep(Slot(1), &A).unwrap();
    }
    store.keep(Slot(1), &B).unwrap();
    assert_eq!(store.load().unwrap(), [(Slot(1), B)]);
}

#[test]
fn a_file_of_another_length_is_no_slot() {
    for length in [0, 31, 33] {
        let directory = tempfile::tempdir().unwrap();
        let mut store = DirectoryStore::open(directory.path()).unwrap();
        let path = directory.path().join("slot-200");
        fs::write(&path, vec![1; length as usize]).unwrap();
        match store.load() {
            Err(error @ StoreError::Damaged { .. }) => {
                let text = error.to_string();
                assert!(text.contains("slot-200"), "{text}");
                assert!(text.contains(&length.to_string()), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_store_that_cannot_write_says_where() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = DirectoryStore::open(directory.path()).unwrap();
    // A directory in the place of the file that is written first.
    fs::create_dir(directory.path().join("fresh")).unwrap();
    match store.keep(Slot(0), &A) {
        Err(StoreError::Io { path, .. }) => assert!(path.ends_with("fresh")),
        other => panic!("{other:?}"),
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kept");
    let mut store = DirectoryStore::open(&path).unwrap();
    store.keep(Slot(0), &A).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.clone()), 0o700);
    assert_eq!(mode(path.join("slot-000")), 0o600);
}
