//! Clocks that jump between commands: no revocation is lost without an error.

use std::fs;

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_security::trust::{ImportContext, TrustStore};
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::super::clock;
use super::{DAY, HISTORIES_MAX, HOUR, Revocable, SECOND, WEEK, World, apply, in_week, with_stack};

const OLDER: &str = "receivers take no list that is older";

/// Cars with a certificate each, and vehicles with pseudonyms for these weeks.
const CARS: [&str; 4] = ["car1", "car2", "car3", "car4"];
const VEHICLES: [&str; 3] = ["van1", "van2", "van3"];
const WEEKS: u16 = 8;

#[test]
fn list_of_a_clock_that_was_ahead_makes_the_next_ones_an_error() {
    with_stack(|| {
        let world = World::american();
        let start = in_week(WEEK, 0).0;
        world.works(&format!(
            "issue @p --name car1 --validity 30d --start {start}"
        ));
        clock::tests::set(in_week(WEEK, 3 * DAY));
        world.works("crl @p -o @ahead.oer");
        clock::tests::set(in_week(WEEK, DAY));
        world.works("revoke @p car1");
        for words in ["crl @p -o @delta.oer --delta", "crl @p -o @full.oer"] {
            let why = world.run(words).unwrap_err();
            for part in [
                "revocation list by hash",
                OLDER,
                "set it",
                "--discard-later",
            ] {
                assert!(why.contains(part), "{part}: {why}");
            }
        }
        assert!(!world.path("delta.oer").exists() && !world.path("full.oer").exists());
        // If no receiver has the list of the clock that was ahead.
        world.works("crl @p -o @now.oer --discard-later");
        let mut receiver = world.receiver();
        let now = clock::now();
        apply(&mut receiver, &world.list("now.oer"), now).unwrap();
        assert!(world.certificate("car1").is_revoked_at(&mut receiver));
        clock::tests::set(in_week(WEEK, 2 * DAY));
        world.works("crl @p -o @next.oer --delta");
    });
}

#[test]
fn revocation_of_a_clock_that_was_behind_is_on_the_next_delta_list() {
    with_stack(|| {
        let world = World::american();
        let start = in_week(WEEK, 0).0;
        world.works(&format!(
            "issue @p --name car1 --validity 30d --start {start}"
        ));
        clock::tests::set(in_week(WEEK, 3 * DAY));
        world.works("crl @p -o @full.oer");
        clock::tests::set(in_week(WEEK, DAY));
        world.works("revoke @p car1");
        clock::tests::set(in_week(WEEK, 4 * DAY));
        world.works("crl @p -o @delta.oer --delta");
        let mut receiver = world.receiver();
        for list in ["full.oer", "delta.oer"] {
            apply(&mut receiver, &world.list(list), clock::now()).unwrap();
        }
        assert!(world.certificate("car1").is_revoked_at(&mut receiver));
    });
}

#[test]
fn list_of_seeds_of_a_clock_that_was_ahead_makes_the_next_linked_list_an_error() {
    with_stack(|| {
        let world = World::american();
        let start = in_week(WEEK, 0).0;
        world.works(&format!(
            "pseudonyms @p --for van1 --weeks 2 --per-week 1 --start {start}"
        ));
        world.works("revoke @p van1");
        fs::write(world.path("seeds.toml"), SEEDS).unwrap();
        clock::tests::set(in_week(WEEK, 3 * DAY));
        world.works("crl @p -o @seeds.oer --seeds @seeds.toml");
        clock::tests::set(in_week(WEEK, DAY));
        let why = world.run("crl @p -o @list.oer").unwrap_err();
        assert!(why.contains("revocation list by linkage values"), "{why}");
        assert!(why.contains(OLDER), "{why}");
    });
}

#[test]
fn delta_list_has_a_vehicle_that_the_list_of_an_earlier_week_left_out() {
    with_stack(|| {
        let world = World::american();
        let [this, next] = [WEEK, WEEK + 1].map(|week| in_week(week, 0).0);
        world.works(&format!(
            "pseudonyms @p --for early --weeks 2 --per-week 1 --start {this}"
        ));
        world.works(&format!(
            "pseudonyms @p --for late --weeks 1 --per-week 1 --start {next}"
        ));
        world.works("revoke @p early late");
        world.works("crl @p -o @full.oer");
        clock::tests::set(in_week(WEEK + 1, DAY));
        world.works("crl @p -o @delta.oer --delta");
        let mut receiver = world.receiver();
        apply(&mut receiver, &world.list("delta.linked.oer"), clock::now()).unwrap();
        let is_revoked = |receiver: &mut Verifier, name| {
            world.pseudonym(name, WEEK + 1, 0).is_revoked_at(receiver)
        };
        assert!(is_revoked(&mut receiver, "late"));
        assert!(!is_revoked(&mut receiver, "early"), "the full list has it");
        apply(&mut receiver, &world.list("full.linked.oer"), clock::now()).unwrap();
        assert!(is_revoked(&mut receiver, "early") && is_revoked(&mut receiver, "late"));
    });
}

#[test]
fn delta_lists_beyond_what_receivers_remember_are_an_error() {
    with_stack(|| {
        let world = World::american();
        let start = in_week(WEEK, 0).0;
        world.works(&format!(
            "pseudonyms @p --for van1 --weeks 2 --per-week 1 --start {start}"
        ));
        world.works("revoke @p van1");
        let mut receiver = world.receiver();
        world.works("crl @p -o @full.oer");
        apply(&mut receiver, &world.list("full.linked.oer"), clock::now()).unwrap();
        for number in 0..64 {
            world.works(&format!("crl @p -o @delta{number}.oer --delta"));
            let list = world.list(&format!("delta{number}.linked.oer"));
            apply(&mut receiver, &list, clock::now()).unwrap();
        }
        let why = world.run("crl @p -o @more.oer --delta").unwrap_err();
        assert!(why.contains("make a full list"), "{why}");
        world.works("crl @p -o @again.oer");
        apply(&mut receiver, &world.list("again.linked.oer"), clock::now()).unwrap();
        world.works("crl @p -o @last.oer --delta");
    });
}

const SEEDS: &str = "i_rev = 1100\n[[holder]]\nj_max = 20\ni_max = 1260\nseeds = [\
    { la = \"8e09\", seed = \"4840ed221502d9ab6786bf68fba9f210\" },\
    { la = \"59ce\", seed = \"6b71a7eb5755f16e89981d2189a6daea\" }]\n";

/// A list that no receiver has yet.
struct Pending {
    list: Vec<u8>,
    issued: u64,
    /// Everything that was revoked when it was made; none for a list of seeds.
    revoked: Option<Vec<Revocable>>,
}

/// A history: the true time, the PKI and a receiver whose clock is right.
struct History<'h> {
    world: &'h World,
    random: Random,
    time: u64,
    receiver: Verifier,
    revoked: Vec<Revocable>,
    pending: Vec<Pending>,
    lists: u32,
    refused: u32,
}

impl History<'_> {
    /// Revokes a car or a vehicle, whatever the clock says.
    fn revoke(&mut self, known: &[(&str, Vec<Revocable>)]) {
        let (name, certificates) = &known[self.random.index(known.len())];
        self.world.works(&format!("revoke @p {name}"));
        self.revoked.extend(certificates.iter().cloned());
    }

    /// Makes a list, or has it refused because the list before is of a later time.
    fn make(&mut self, options: &str) {
        self.lists += 1;
        let name = format!("list{}", self.lists);
        match self.world.run(&format!("crl @p -o @{name} {options}")) {
            Ok(()) => {
                // Commands wait for the next second, and no list is of a later one.
                let issued = clock::now().0 / SECOND * SECOND;
                for ending in ["", ".linked"] {
                    let path = self.world.path(&format!("{name}{ending}"));
                    let Ok(list) = fs::read(path) else { continue };
                    self.pending.push(Pending {
                        list,
                        issued,
                        revoked: (!options.contains("--seeds")).then(|| self.revoked.clone()),
                    });
                }
            }
            Err(why) => {
                assert!(why.contains(OLDER), "{options}: {why}");
                assert!(!self.world.path(&name).exists());
                self.refused += 1;
            }
        }
    }

    /// Has the receiver take all lists of its time, in the order in which they were made, and
    /// checks that it refuses what was revoked then.
    fn receive(&mut self) {
        let (due, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|one| one.issued <= self.time);
        self.pending = later;
        for one in &due {
            apply(&mut self.receiver, &one.list, Time64(self.time)).unwrap();
        }
        let mut complete = due.iter().rev();
        let complete = complete.find_map(|one| Some((one.issued, one.revoked.as_ref()?)));
        let Some((issued, revoked)) = complete else {
            return;
        };
        let week = super::Period::at(Time64(issued)).unwrap().0;
        for one in revoked {
            // Lists revoke pseudonyms from their week on.
            let is_meant = one.linkage.as_ref().is_none_or(|own| own.period.0 >= week);
            let is_revoked = !is_meant || one.is_revoked_at(&mut self.receiver);
            assert!(is_revoked, "{one:?} is accepted after {} lists", self.lists);
        }
    }
}

/// Makes the PKI of all histories, and returns what can be revoked.
fn population() -> (World, Vec<(&'static str, Vec<Revocable>)>) {
    let world = World::american();
    let start = in_week(WEEK, 0).0;
    let mut known = Vec::new();
    for car in CARS {
        world.works(&format!(
            "issue @p --name {car} --validity 90d --start {start}"
        ));
        known.push((car, vec![world.certificate(car)]));
    }
    for van in VEHICLES {
        let weeks = format!("--weeks {WEEKS} --per-week 1 --start {start}");
        world.works(&format!("pseudonyms @p --for {van} {weeks}"));
        let weeks = WEEK..WEEK + WEEKS;
        known.push((
            van,
            weeks.map(|week| world.pseudonym(van, week, 0)).collect(),
        ));
    }
    (world, known)
}

#[test]
fn no_history_of_a_clock_that_jumps_loses_a_revocation() {
    with_stack(|| {
        let (world, known) = population();
        fs::write(world.path("seeds.toml"), SEEDS).unwrap();
        let (original, known) = (world.path("p"), &known);
        let outcomes = each_seed(8, |seed| {
            if seed >= HISTORIES_MAX {
                return (0, 0);
            }
            let own = World::new();
            super::copy(&original, &own.path("p"));
            fs::copy(
                original.with_file_name("seeds.toml"),
                own.path("seeds.toml"),
            )
            .unwrap();
            let mut history = History {
                world: &own,
                random: Random::new(seed),
                time: in_week(WEEK, 4 * DAY).0,
                receiver: own.receiver(),
                revoked: Vec::new(),
                pending: Vec::new(),
                lists: 0,
                refused: 0,
            };
            let mut off = 0;
            for _ in 0..24 {
                history.time += history.random.below(10) * HOUR / 2;
                match history.random.below(5) {
                    0 => off = history.random.below(6 * DAY) as i64 - 3 * DAY as i64,
                    1 | 2 => off = 0,
                    _ => {}
                }
                clock::tests::set(Time64(history.time.saturating_add_signed(off)));
                match history.random.below(8) {
                    0..=2 => history.revoke(known),
                    3 => history.make(""),
                    4 => {
                        // Those that the receiver does not have yet are withdrawn.
                        history.receive();
                        if off == 0 {
                            history.pending.clear();
                            history.make("--discard-later");
                        }
                    }
                    5 => history.make("--seeds @seeds.toml --delta"),
                    _ => history.make("--delta"),
                }
                history.receive();
            }
            // Once the clock is right and later than all lists, everything is revoked.
            history.time += 4 * DAY;
            clock::tests::set(Time64(history.time));
            history.receive();
            let refused = history.refused;
            history.make("--delta");
            assert_eq!(history.refused, refused, "a list is made");
            history.receive();
            assert!(history.pending.is_empty());
            (history.lists, refused)
        });
        let lists: u32 = outcomes.iter().map(|(lists, _)| lists).sum();
        let refused: u32 = outcomes.iter().map(|(_, refused)| refused).sum();
        println!(
            "{} histories, {lists} lists, {refused} refused",
            outcomes.len()
        );
        assert!(refused > 0 || outcomes.len() < 4);
    });
}

/// Lists of a European root, in a random order of kinds: each that is made is taken.
#[test]
fn every_list_of_a_european_root_that_is_made_is_taken_by_receivers() {
    with_stack(|| {
        let world = World::new();
        clock::tests::set(in_week(WEEK, 0));
        let start = in_week(WEEK - 2, 0).0;
        world.works(&format!("init @p --no-passphrase --start {start}"));
        let original = world.path("p");
        let outcomes = each_seed(4, |seed| {
            if seed >= HISTORIES_MAX {
                return (0, 0);
            }
            let own = World::new();
            super::copy(&original, &own.path("p"));
            let mut random = Random::new(seed);
            let directory = own.directory();
            let root = directory.index.of_role(super::HolderRole::Root).unwrap();
            let root = fs::read(directory.file(&root.certificate)).unwrap();
            let mut store = TrustStore::new();
            let mut time = in_week(WEEK, DAY).0;
            let import = |store: &mut TrustStore, bytes: &[u8], now: u64| {
                let context = ImportContext {
                    now: Time64(now),
                    approves: &|_| true,
                    verifier: &|| Verifier::new(Capacity::MINIMAL),
                };
                store.import(bytes, &context).unwrap()
            };
            import(&mut store, &root, time);
            let (mut made, mut refused) = (0, 0);
            let mut pending: Vec<(Vec<u8>, u64)> = Vec::new();
            for step in 0..16_u64 {
                time += random.below(4) * HOUR + random.below(3) * SECOND / 3;
                let off = match random.below(3) {
                    0 => random.below(2 * DAY) as i64 - DAY as i64,
                    1 => -(random.below(SECOND) as i64),
                    _ => 0,
                };
                clock::tests::set(Time64(time.saturating_add_signed(off)));
                let words = match random.once_in(2) {
                    true => format!("ctl @p --url http://a.example -o @list{step}"),
                    false => format!("crl @p -o @list{step}"),
                };
                match own.run(&words) {
                    Ok(()) => {
                        pending.push((own.list(&format!("list{step}")), clock::now().0));
                        made += 1;
                    }
                    Err(why) => {
                        assert!(why.contains(OLDER), "{why}");
                        refused += 1;
                    }
                }
                for (list, _) in pending.extract_if(.., |(_, issued)| *issued <= time) {
                    import(&mut store, &list, time);
                }
            }
            (made, refused)
        });
        let made: u32 = outcomes.iter().map(|(made, _)| made).sum();
        let refused: u32 = outcomes.iter().map(|(_, refused)| refused).sum();
        println!(
            "{} histories, {made} lists, {refused} refused",
            outcomes.len()
        );
        assert!(made > 0);
    });
}
