//! The database of a PKI: it has all that commands issue, and goes into a back-up and back.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use waywarden_v2x_pki_service::database::{CertificatePurpose, DATABASE, Database};

use crate::support::World;

fn open(world: &World) -> Database {
    Database::open(&world.path("p").join(DATABASE)).unwrap()
}

/// The names of the holders of all recorded certificates.
fn holders(world: &World) -> Vec<String> {
    let database = open(world);
    let ids = database.issued_ids().unwrap();
    let issued = ids.iter().map(|id| database.issued(*id).unwrap().unwrap());
    issued.map(|one| one.holder).collect()
}

#[test]
fn every_command_records_what_it_issues() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    assert_eq!(holders(&world), ["root", "ea", "aa"]);
    world.works("pki issue p --name car --count 2");
    world.works("pki enrol p --name station");
    world.works("pki renew p aa");
    let all = ["root", "ea", "aa", "car", "car", "station", "aa"];
    assert_eq!(holders(&world), all);
    let database = open(&world);
    let ids = database.issued_ids().unwrap();
    let issued = |at: usize| database.issued(ids[at]).unwrap().unwrap();
    assert_eq!(issued(0).issuer, None);
    assert_eq!(issued(3).issuer, Some(ids[2]));
    let kinds = [2, 3, 5].map(|at| issued(at).kind);
    let expected = [
        CertificatePurpose::Authority,
        CertificatePurpose::AuthorizationTicket,
        CertificatePurpose::EnrolmentCredential,
    ];
    assert_eq!(kinds, expected);
    let file = world.indexed("p", "car", "certificate").pop().unwrap();
    assert_eq!(issued(4).certificate, fs::read(world.path(&file)).unwrap());
    let weeks = issued(3).end.0 - issued(3).start.0;
    assert_eq!(weeks, 2 * 168 * 3_600);
}

#[test]
fn what_an_ended_command_did_not_record_is_recorded_by_the_next_one() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    fs::copy(world.path("p/pki.sqlite"), world.path("before")).unwrap();
    world.works("pki issue p --name car");
    // As if the process had ended between the files and the database.
    fs::copy(world.path("before"), world.path("p/pki.sqlite")).unwrap();
    assert_eq!(holders(&world).len(), 3);
    world.works("pki issue p --name van");
    assert_eq!(holders(&world), ["root", "ea", "aa", "car", "van"]);
    // A PKI of an earlier version has no database.
    fs::remove_file(world.path("p/pki.sqlite")).unwrap();
    world.works("pki backup p -o b");
    assert_eq!(holders(&world).len(), 5);
}

#[test]
fn a_database_that_cannot_be_changed_is_found_before_anything_is_issued() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let database = world.path("p/pki.sqlite");
    let whole = fs::read(&database).unwrap();
    let issue = "pki issue p --name car";
    let refused = |reason: &str| {
        world.refused(issue, &["p/pki.sqlite", reason]);
        assert!(world.indexed("p", "car", "id").is_empty());
    };
    fs::write(&database, b"x".repeat(4_096)).unwrap();
    refused("pki restore");
    fs::write(&database, &whole).unwrap();
    fs::set_permissions(&database, fs::Permissions::from_mode(0o644)).unwrap();
    refused("chmod 600");
    fs::set_permissions(&database, fs::Permissions::from_mode(0o600)).unwrap();
    world.works(issue);
}

#[test]
fn a_backup_is_private_and_comes_back() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    world.works("pki issue p --name car");
    let out = world.works("pki backup p -o backup.sqlite");
    assert!(out.contains("4 certificates, 0 stations"), "{out}");
    let mode = fs::metadata(world.path("backup.sqlite"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::write(world.path("p/pki.sqlite"), "destroyed").unwrap();
    let _ = fs::remove_file(world.path("p/pki.sqlite-wal"));
    world.refused(
        "pki issue p --name van",
        &["no SQLite database", "pki restore"],
    );
    let out = world.works("pki restore p backup.sqlite");
    assert!(out.contains("4 certificates"), "{out}");
    assert!(
        out.contains("kept what it replaces as p/pki.sqlite.replaced\n"),
        "{out}"
    );
    world.works("pki issue p --name van");
    // The folder has what the back-up has not, and what was replaced before stays.
    let out = world.works("pki restore p backup.sqlite");
    assert!(out.contains("as p/pki.sqlite.replaced.2\n"), "{out}");
    let first = fs::read(world.path("p/pki.sqlite.replaced")).unwrap();
    assert_eq!(first, b"destroyed");
    assert_eq!(holders(&world), ["root", "ea", "aa", "car", "van"]);
    world.refused(
        "pki restore p p/pki.toml",
        &["p/pki.toml", "no SQLite database"],
    );
    world.refused("pki restore p missing", &["missing"]);
    // Its secrets and stations would take the place of this one's.
    world.works("pki init other --no-passphrase");
    world.refused(
        "pki restore p other/pki.sqlite",
        &["other/pki.sqlite", "of another PKI", "pki backup"],
    );
    assert_eq!(holders(&world), ["root", "ea", "aa", "car", "van"]);
    world.refused("pki backup p -o p/pki.sqlite", &["another name"]);
    world.refused("pki backup p -o -", &["a back-up is a file"]);
    world.refused("pki backup nowhere -o b", &["no PKI"]);
    let open = open(&world);
    world.refused(
        "pki restore p backup.sqlite",
        &["another process has it open"],
    );
    drop(open);
}
