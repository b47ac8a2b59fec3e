//! Revocations that are refused, go wrong, or are killed.

use std::fs;

use waywarden_testkit::Random;
use waywarden_v2x_pki_service::database::{Database, SecretKind};

use super::{holders, issue, this_week, time_in, world};
use crate::support::World;

#[cfg(unix)]
use crate::pki_pseudonyms::kill;

#[test]
fn what_cannot_be_revoked_changes_nothing() {
    let world = world();
    let week = this_week();
    issue(&world, "car", week, 1, 1);
    let index = || fs::read_to_string(world.path("p/pki.toml")).unwrap();
    let untouched = index();
    for unknown in ["van", "car van", "pseudonyms/car", "CAR", "car\0", "../p"] {
        let words = format!("pki revoke p {}", unknown.replace('\0', "%00"));
        world.refused(
            &words,
            &["no certificate of", "vehicles with pseudonyms: car"],
        );
    }
    assert_eq!(index(), untouched);
    world.works("pki revoke p car");
    let revoked = index();
    let again = world.works("pki revoke p car car");
    assert_eq!(again.matches("were revoked before").count(), 2, "{again}");
    assert_eq!(index(), revoked);
    let more = format!("pki pseudonyms p --for car --start {}", time_in(week));
    world.refused(&more, &["--for car: its pseudonyms are revoked"]);
    world.refused("pki crl p -o -", &["--output: give the name of a file"]);
    world.refused("pki crl p -o missing/list.oer --delta", &["missing"]);
    assert_eq!(index(), revoked);
    fs::create_dir(world.path("there.linked.oer")).unwrap();
    world.refused("pki crl p -o there.oer --delta", &["there.linked.oer"]);
    assert!(!world.path("there.oer").exists());
    assert_eq!(index(), revoked);
    world.write("p/pki.toml", revoked.replace("\"car\"", "\"../car\""));
    world.refused("pki crl p -o list.oer", &["pki.toml", "\"../car\""]);
    world.write("p/pki.toml", revoked.replace("\"car\"", "\"van\""));
    world.refused("pki crl p -o list.oer", &["van: its secrets are missing"]);
    world.write("p/pki.toml", &revoked);
    fs::rename(world.path("p/pki.sqlite"), world.path("away")).unwrap();
    world.refused("pki crl p -o list.oer", &["pki.sqlite: is missing"]);
    assert!(!world.path("list.oer").exists() && !world.path("list.linked.oer").exists());
}

#[test]
fn wrong_passphrase_makes_no_list() {
    let world = World::new();
    world.write("right.txt", "right\n");
    world.write("wrong.txt", "wrong\n");
    let week = this_week();
    let (start, right) = (time_in(week - 1), "--passphrase-file right.txt");
    world.works(&format!("pki init p --us --start {start} {right}"));
    world.works(&format!(
        "pki pseudonyms p --for car --weeks 1 --per-week 1 {right}"
    ));
    world.works("pki revoke p car");
    let index = fs::read(world.path("p/pki.toml")).unwrap();
    let wrong = world.run("pki crl p -o list.oer --passphrase-file wrong.txt");
    assert_eq!(wrong.code, Some(2), "{}", wrong.complaint);
    assert!(!world.path("list.oer").exists() && !world.path("list.linked.oer").exists());
    assert_eq!(fs::read(world.path("p/pki.toml")).unwrap(), index);
    world.works(&format!("pki crl p -o list.oer {right}"));
    assert_eq!(holders(&world, "list.linked.oer").2.len(), 1);
}

#[test]
fn list_that_revokes_nothing_because_a_secret_is_another_one_is_reported() {
    let world = world();
    let week = this_week();
    issue(&world, "car", week, 2, 1);
    world.works("pki revoke p car");
    let ended = world.run("pki crl p -o list.oer");
    assert!(!ended.complaint.contains("warning"), "{}", ended.complaint);
    {
        let mut database = Database::open(&world.path("p/pki.sqlite")).unwrap();
        let key = database.data_key(None).unwrap();
        let kind = SecretKind::LinkageSeed;
        database.keep_secret(&key, kind, b"la2", &[7; 48]).unwrap();
    }
    let ended = world.run("pki crl p -o list.oer");
    let warning = format!("warning: car: its certificate {week:X}_0 has another linkage value");
    assert!(ended.complaint.contains(&warning), "{}", ended.complaint);
    let count = "revokes 0 holders and 0 groups";
    assert!(ended.complaint.contains(count), "{}", ended.complaint);
    let others = "and not 1 holders whose certificates are others";
    assert!(ended.complaint.contains(others), "{}", ended.complaint);
    {
        let mut database = Database::open(&world.path("p/pki.sqlite")).unwrap();
        database
            .forget_secret(SecretKind::LinkageSeed, b"la2")
            .unwrap();
    }
    world.refused("pki crl p -o list.oer", &["la2: its secret is missing"]);
}

#[test]
#[cfg(unix)]
fn killed_command_revokes_once_or_not_at_all_and_no_two_lists_have_one_number() {
    use std::time::Instant;
    let test = "killed_command_revokes_once_or_not_at_all_and_no_two_lists_have_one_number";
    let mut random = Random::of_test(test);
    let world = world();
    let week = this_week();
    let count = 8;
    world.works(&format!(
        "pki pseudonyms p --for car --vehicles {count} --start {} --weeks 1 --per-week 1",
        time_in(week)
    ));
    let (mut killed, mut known) = (0, Vec::new());
    for vehicle in 1..=count {
        let name = format!("car-{vehicle}");
        let begun = Instant::now();
        world.works("pki revoke p car-1");
        let takes = begun.elapsed();
        let part = |random: &mut Random| random.below(1_000) as f64 / 1_000.0;
        kill(
            &world,
            &format!("pki revoke p {name}"),
            takes.mul_f64(part(&mut random)),
        );
        let shown = world.works("pki show p");
        killed += usize::from(!shown.contains(&format!("{name}: vehicle, pseudonyms")));
        world.works(&format!("pki revoke p {name}"));
        let shown = world.works("pki show p");
        assert_eq!(shown.matches(&format!("{name}: vehicle")).count(), 1);
        let begun = Instant::now();
        world.works("pki crl p -o whole.oer");
        let takes = begun.elapsed();
        known.push(holders(&world, "whole.linked.oer").1);
        let output = format!("list-{vehicle}.oer");
        let words = format!("pki crl p -o {output}");
        kill(&world, &words, takes.mul_f64(0.5 + part(&mut random)));
        let linked = format!("list-{vehicle}.linked.oer");
        if world.path(&linked).exists() {
            let (_, index, list) = holders(&world, &linked);
            assert_eq!(list.len(), vehicle);
            known.push(index);
        }
    }
    println!("{killed} of {count} were killed before they revoked; numbers {known:?}");
    assert!(known.is_sorted_by(|one, other| one < other), "{known:?}");
}
