//! Databases and folders that come back from copies: what was issued since can be revoked, and
//! lists are newer than those that receivers have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_security::trust::{ImportContext, TrustStore};
use waywarden_v2x_security::{Capacity, Verifier};

use super::super::clock;
use super::{DAY, HISTORIES_MAX, HOUR, Revocable, WEEK, World, apply, copy, in_week, with_stack};

/// Issues pseudonyms from the first week on, and returns all of the vehicle.
fn issue(world: &World, name: &str, weeks: u16, per_week: u8) -> Vec<Revocable> {
    let start = in_week(WEEK, 0).0;
    world.works(&format!(
        "pseudonyms @p --for {name} --weeks {weeks} --per-week {per_week} --start {start}"
    ));
    let positions = (WEEK..WEEK + weeks).flat_map(|week| (0..per_week).map(move |j| (week, j)));
    positions
        .map(|(week, j)| world.pseudonym(name, week, j))
        .collect()
}

/// Makes a full list and returns how many of these certificates a receiver still accepts.
fn accepted(world: &World, name: &str, certificates: &[Revocable]) -> usize {
    world.works(&format!("crl @p -o @{name}"));
    let mut receiver = world.receiver();
    for list in [name.to_owned(), format!("{name}.linked")] {
        apply(&mut receiver, &world.list(&list), clock::now()).unwrap();
    }
    let mut accepted = certificates.to_vec();
    accepted.retain(|one| !one.is_revoked_at(&mut receiver));
    accepted.len()
}

#[test]
fn certificates_that_were_issued_after_the_backup_can_be_revoked() {
    with_stack(|| {
        let world = World::american();
        issue(&world, "one", 2, 1);
        world.works("backup @p -o @backup");
        let mut after = issue(&world, "one", 4, 2);
        after.extend(issue(&world, "two", 3, 2));
        world.works("restore @p @backup");
        world.works("revoke @p one two");
        assert_eq!(accepted(&world, "list", &after), 0);
        // A name that is marked is not given again: its first vehicle would go on.
        let why = world
            .run("pseudonyms @p --for two --weeks 1 --per-week 1")
            .unwrap_err();
        assert!(why.contains("two: its pseudonyms are revoked"), "{why}");
        world.works("pseudonyms @p --for three --weeks 1 --per-week 1");
    });
}

#[test]
fn folder_that_comes_from_a_copy_revokes_all_that_could_have_been_issued() {
    with_stack(|| {
        let world = World::american();
        issue(&world, "one", 2, 1);
        copy(&world.path("p"), &world.path("copy"));
        let after = issue(&world, "one", 6, 3);
        issue(&world, "two", 1, 1);
        // The computer is lost, and with it the marks.
        fs::remove_dir_all(world.path("p")).unwrap();
        copy(&world.path("copy"), &world.path("p"));
        world.works("restore @p @copy/pki.sqlite");
        let why = world.run("revoke @p two").unwrap_err();
        for part in [
            "no certificate of \"two\"",
            "was restored from a back-up on",
            "pki.sqlite.replaced",
            "revoke the pseudonym CA",
            "pki renew",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
        world.works("revoke @p one");
        assert_eq!(accepted(&world, "list", &after), 0);
        // A vehicle of afterwards is known to its last certificate.
        let own = issue(&world, "three", 2, 2);
        world.works("revoke @p three");
        assert_eq!(accepted(&world, "next", &own), 0);
    });
}

#[test]
fn database_without_the_secrets_of_linkage_authorities_makes_no_other_ones() {
    with_stack(|| {
        let world = World::american();
        world.works("backup @p -o @backup");
        issue(&world, "one", 1, 1);
        world.works("restore @p @backup");
        let why = world
            .run("pseudonyms @p --for two --weeks 1 --per-week 1")
            .unwrap_err();
        assert!(why.contains("its secret is missing"), "{why}");
    });
}

#[test]
fn vehicles_of_renewed_linkage_authorities_can_be_revoked() {
    with_stack(|| {
        let world = World::american();
        let mut all = issue(&world, "one", 2, 1);
        world.works("renew @p la1");
        world.works("renew @p la2");
        all.extend(issue(&world, "two", 2, 1));
        world.works("revoke @p one two");
        assert_eq!(accepted(&world, "list", &all), 0);
    });
}

/// Lists by hash are the only ones that can revoke the pseudonym CA then, and with it its vehicles.
#[test]
fn lists_by_hash_are_made_although_the_secrets_of_linkage_authorities_are_gone() {
    with_stack(|| {
        let world = World::american();
        world.works("backup @p -o @backup");
        issue(&world, "one", 1, 1);
        world.works("restore @p @backup");
        world.works("revoke @p one");
        let before = world.directory();
        let id = before
            .index
            .in_force(super::HolderRole::Authorization)
            .unwrap();
        world.works("renew @p pca");
        world.works(&format!("revoke @p {}", id.id));
        let why = world.run("crl @p -o @list.oer").unwrap_err();
        for part in [
            "no list by linkage values was made",
            "its secret is missing",
            "pki restore",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
        assert!(world.path("list.oer").exists());
        let index = world.directory().index;
        assert!(index.of_id(&id.id).unwrap().listed);
        assert!(index.revoked_vehicles.iter().all(|one| !one.listed));
    });
}

#[test]
fn trust_list_after_a_restore_is_newer_than_those_that_the_copy_does_not_know() {
    with_stack(|| {
        let world = World::new();
        clock::tests::set(in_week(WEEK, 0));
        let start = in_week(WEEK - 2, 0).0;
        world.works(&format!("init @p --no-passphrase --start {start}"));
        let directory = world.directory();
        let root = directory.index.of_role(super::HolderRole::Root).unwrap();
        let mut store = TrustStore::new();
        let mut import = |bytes: &[u8]| {
            let context = ImportContext {
                now: clock::now(),
                approves: &|_| true,
                verifier: &|| Verifier::new(Capacity::MINIMAL),
            };
            store.import(bytes, &context).map(drop)
        };
        import(&fs::read(directory.file(&root.certificate)).unwrap()).unwrap();
        world.works("ctl @p --url http://a.example -o @first");
        import(&world.list("first")).unwrap();
        copy(&world.path("p"), &world.path("copy"));
        for number in 0..5 {
            clock::tests::set(in_week(WEEK, (number + 1) * HOUR));
            world.works(&format!(
                "ctl @p --url http://a{number}.example -o @list{number}"
            ));
            import(&world.list(&format!("list{number}"))).unwrap();
        }
        fs::remove_dir_all(world.path("p")).unwrap();
        copy(&world.path("copy"), &world.path("p"));
        clock::tests::set(in_week(WEEK, DAY));
        // Twice does not leave out twice as many numbers.
        world.works("restore @p @copy/pki.sqlite");
        world.works("restore @p @copy/pki.sqlite");
        world.works("ctl @p --url http://b.example -o @restored");
        import(&world.list("restored")).unwrap();
        clock::tests::set(in_week(WEEK, 2 * DAY));
        world.works("ctl @p -o @next --delta @changes");
        import(&world.list("changes")).unwrap();
    });
}

/// A random history of issuing, back-ups, restores and lost folders.
struct History {
    world: World,
    random: Random,
    /// All certificates of the vehicles that the folder knows.
    issued: BTreeMap<String, Vec<Revocable>>,
    /// Names that each copy of the folder knows.
    copies: Vec<BTreeSet<String>>,
}

impl History {
    fn back_up(&mut self) {
        let number = self.copies.len();
        self.world.works(&format!("backup @p -o @backup{number}"));
        let folder = self.world.path(&format!("copy{number}"));
        copy(&self.world.path("p"), &folder);
        self.copies.push(self.issued.keys().cloned().collect());
    }

    /// Restores the database, half the time in a folder that is a copy, too.
    fn restore(&mut self) {
        let number = self.random.index(self.copies.len());
        if self.random.once_in(2) {
            fs::remove_dir_all(self.world.path("p")).unwrap();
            let folder = self.world.path(&format!("copy{number}"));
            copy(&folder, &self.world.path("p"));
            let known = &self.copies[number];
            self.issued.retain(|name, _| known.contains(name));
        }
        self.world.works(&format!("restore @p @backup{number}"));
    }

    /// Issues to a new vehicle, or more to one that is there.
    fn issue(&mut self, step: u64) {
        let known = self.random.index(self.issued.len().max(1));
        let name = match self.issued.keys().nth(known) {
            Some(name) if self.random.once_in(2) => name.clone(),
            _ => format!("vehicle{step}"),
        };
        let (weeks, per_week) = (1 + self.random.below(3), 1 + self.random.below(3));
        let issued = self.world.run(&format!(
            "pseudonyms @p --for {name} --weeks {weeks} --per-week {per_week} --start {}",
            in_week(WEEK, 0).0
        ));
        match issued {
            Ok(()) => {
                let weeks = WEEK..WEEK + weeks as u16;
                let all = weeks.flat_map(|week| (0..per_week as u8).map(move |j| (week, j)));
                let all = all.map(|(week, j)| self.world.pseudonym(&name, week, j));
                let all: Vec<Revocable> = all.collect();
                self.issued.entry(name).or_default().extend(all);
            }
            // The marks have it, and the database does not.
            Err(why) => assert!(why.contains("that the database does not know"), "{why}"),
        }
    }
}

#[test]
fn no_history_of_restores_leaves_a_certificate_of_a_name_that_is_revoked() {
    with_stack(|| {
        let original = World::american();
        let first = in_week(WEEK, 0).0;
        original.works(&format!(
            "pseudonyms @p --for first --weeks 1 --per-week 1 --start {first}"
        ));
        let start = original.path("p");
        let outcomes = each_seed(5, |seed| {
            if seed >= HISTORIES_MAX {
                return 0;
            }
            let world = World::new();
            copy(&start, &world.path("p"));
            let mut history = History {
                issued: BTreeMap::from([("first".to_owned(), Vec::new())]),
                world,
                random: Random::new(seed),
                copies: Vec::new(),
            };
            for step in 0..12_u64 {
                clock::tests::set(in_week(WEEK, (step + 1) * HOUR));
                match history.random.below(5) {
                    0 => history.back_up(),
                    1 if !history.copies.is_empty() => history.restore(),
                    _ => history.issue(step),
                }
            }
            let History { world, issued, .. } = &history;
            for name in issued.keys() {
                world.works(&format!("revoke @p {name}"));
            }
            let all: Vec<Revocable> = issued.values().flatten().cloned().collect();
            assert_eq!(accepted(world, "list", &all), 0, "of {}", all.len());
            all.len()
        });
        let revoked: usize = outcomes.iter().sum();
        println!(
            "{} histories, {revoked} certificates refused",
            outcomes.len()
        );
        assert!(revoked > 0);
    });
}
