//! `waywarden pki pseudonyms`: what it issues signs, a killed command is finished, and what cannot
//! be is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use waywarden_testkit::{Random, bytes_of, cases};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_pki_service::database::{Database, DatabaseError};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Ieee1609Dot2Content, Ieee1609Dot2Data, SignerIdentifier, Time64,
};

use crate::support::World;

/// A Thursday, 00:00 UTC: 27 s into the week 1 156 of TAI.
const START: &str = "2026-02-26T00:00:00Z";
const FIRST: u16 = 1_156;

/// A world with an American PKI and a message to sign.
fn world(vehicles: &str) -> World {
    let world = World::new();
    world.works("pki init p --us --no-passphrase --start 2026-02-01T00:00:00Z");
    world.works(&format!("pki pseudonyms p --start {START} {vehicles}"));
    world.write("bsm.hex", "00112233445566778899\n");
    world
}

/// A time in a week, as the command reads it.
fn time_of(week: u16) -> String {
    let days = u32::from(week) * 7;
    let first = 57; // 26 February, as a day of the year
    let mut day = first + days;
    let (mut year, mut month) = (2026, 0);
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while day > lengths[month] {
        day -= lengths[month];
        month += 1;
        if month == 12 {
            (year, month) = (year + 1, 0);
        }
    }
    format!("{year}-{:02}-{day:02}T12:00:00Z", month + 1)
}

#[test]
fn pseudonym_of_each_week_signs_what_verify_accepts() {
    let mut random = Random::of_test("pseudonym_of_each_week_signs_what_verify_accepts");
    let world = world("--for car --weeks 52 --per-week 20");
    let mut chosen: BTreeSet<(u16, u64)> = [(0, 0), (0, 19), (51, 0), (51, 19)].into();
    let all = cases(80).min(52 * 20);
    while chosen.len() < all {
        chosen.insert((random.below(52) as u16, random.below(20)));
    }
    let mut messages = String::new();
    let mut signers = BTreeSet::new();
    for (week, index) in &chosen {
        let time = time_of(*week);
        let signed = world.works(&format!(
            "sign @bsm.hex --lines --pki @p --as car --psid BSM --index {index} --time {time} \
             --signer certificate"
        ));
        let bytes = bytes_of(signed.trim());
        let message: Ieee1609Dot2Data<'_> = parse(&bytes).unwrap();
        let Ieee1609Dot2Content::Signed(signed_data) = message.content else {
            panic!("not signed");
        };
        let SignerIdentifier::Certificate(signer) = signed_data.signer else {
            panic!("no certificate");
        };
        let certificate = signer.iter().next().unwrap().unwrap();
        signers.insert(certificate.bytes().unwrap().to_vec());
        messages.push_str(&signed);
    }
    world.write("signed.hex", &messages);
    let shown = world.works("verify @signed.hex --trust @p/trust --at generation");
    let expected = format!("{all} of {all} read, {all} with valid signatures, {all} accepted");
    assert!(shown.contains(&expected), "{shown}");
    assert_eq!(signers.len(), all, "no certificate twice");
    // An implicit certificate has no signature: by itself nothing is known of it.
    world.write("alone.oer", signers.first().unwrap());
    let alone = world.run("verify @alone.oer --trust @p/trust");
    assert!(
        alone.out.contains("unknown"),
        "{} {}",
        alone.out,
        alone.complaint
    );
}

/// All that is recorded: a response for each vehicle, period and index.
fn recorded(
    world: &World,
    vehicles: &[Vec<u8>],
    weeks: u16,
) -> BTreeMap<(usize, u32, u32), Vec<u8>> {
    let database = Database::open(&world.path("p/pki.sqlite")).unwrap();
    let mut all = BTreeMap::new();
    for (vehicle, id) in vehicles.iter().enumerate() {
        for week in 0..weeks {
            for batch in database.batches(id, u32::from(FIRST + week)).unwrap() {
                all.insert((vehicle, batch.i, batch.j), batch.response.unwrap());
            }
        }
    }
    all
}

/// The hashes by which the registration authority calls the requests.
fn vehicles(world: &World) -> Result<Vec<Vec<u8>>, DatabaseError> {
    Database::open(&world.path("p/pki.sqlite"))?.batch_vehicles()
}

#[test]
#[cfg(unix)]
fn killed_command_is_finished_with_nothing_issued_twice_and_nothing_forgotten() {
    let test = "killed_command_is_finished_with_nothing_issued_twice_and_nothing_forgotten";
    let mut random = Random::of_test(test);
    let (weeks, count) = (12, 3);
    let words =
        format!("pki pseudonyms p --for car --vehicles {count} --weeks {weeks} --start {START}");
    let world = world("--for other --weeks 1 --per-week 1");
    let begun = Instant::now();
    world.works(&words.replace("--for car", "--for timed"));
    let takes = begun.elapsed();
    let before: BTreeSet<Vec<u8>> = vehicles(&world).unwrap().into_iter().collect();
    let mut known = BTreeMap::new();
    let (mut kills, mut grown) = (0, 0);
    let all = usize::from(weeks) * 20 * count;
    while known.len() < all {
        // Longer and longer, so that it ends.
        let part = random.below(1_000) as f64 / 1_000.0 * (0.3 + f64::from(kills) / 20.0);
        kill(&world, &words, takes.mul_f64(part));
        kills += 1;
        let own = vehicles(&world).unwrap();
        let own: Vec<Vec<u8>> = own.into_iter().filter(|id| !before.contains(id)).collect();
        assert!(own.len() <= count, "a vehicle made two requests");
        let now = recorded(&world, &own, weeks);
        // What was recorded stays as it was: no position has a second certificate.
        let by_response: BTreeSet<&Vec<u8>> = now.values().collect();
        assert_eq!(by_response.len(), now.len());
        let values: BTreeSet<&Vec<u8>> = known.values().collect();
        assert!(
            values.is_subset(&by_response),
            "a certificate was lost or replaced"
        );
        // A transaction is a week of all vehicles.
        assert_eq!(now.len() % 20, 0);
        grown += usize::from(now.len() > known.len());
        known = now;
        assert!(kills < 500);
    }
    println!("{kills} kills, {grown} of them in the midst of the work");
    let again = world.works(&words);
    assert!(
        again.contains("720 certificates") && again.contains("issued 0 "),
        "{again}"
    );
    for vehicle in 1..=count {
        for index in [0, 19] {
            world.works(&format!(
                "sign @bsm.hex --lines --pki @p --as car-{vehicle} --psid BSM --index {index} \
                 --time {}",
                time_of(weeks - 1)
            ));
        }
    }
}

#[cfg(unix)]
pub(crate) fn kill(world: &World, words: &str, after: Duration) {
    let mut command = Command::new(crate::support::PROGRAM);
    command.current_dir(world.path("")).args(words.split(' '));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(after);
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn more_certificates_a_week_are_added_to_those_that_are_there() {
    let world = world("--for car --weeks 2 --per-week 3");
    let more = world.works(&format!(
        "pki pseudonyms p --for car --weeks 3 --per-week 5 --start {START}"
    ));
    assert!(
        more.contains("15 certificates") && more.contains("issued 9 "),
        "{more}"
    );
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let world = world("--for car --weeks 2 --per-week 2");
    world.works("pki init e --no-passphrase");
    let words = |more: &str| format!("pki pseudonyms p --weeks 1 --per-week 1 {more}");
    for (words, expected) in [
        ("pki pseudonyms e --for car".to_owned(), "pki init --us"),
        (words("--for pca"), "is the name of pseudonym CA"),
        (
            words("--for car --start 2026-02-19T00:00:00Z"),
            "begin in the week 484",
        ),
        (
            words("--for old --start 2025-02-19T00:00:00Z"),
            "validityPeriod",
        ),
        (
            "pki pseudonyms p --weeks 10 --for late --start 2139-12-31T00:00:00Z".to_owned(),
            "2140",
        ),
        (
            format!(
                "sign @bsm.hex --lines --pki @p --as car --psid BSM --index 2 --time {}",
                time_of(0)
            ),
            "no certificate 484_2",
        ),
        (
            format!(
                "sign @bsm.hex --lines --pki @p --as car --psid BSM --time {}",
                time_of(2)
            ),
            "no certificate 486_0",
        ),
        (
            format!(
                "sign @bsm.hex --lines --pki @p --as nobody --psid BSM --time {}",
                time_of(0)
            ),
            "no certificate of \"nobody\"",
        ),
    ] {
        let ended = world.run(&words);
        assert_eq!(ended.code, Some(2), "{words}");
        assert!(
            ended.complaint.contains(expected),
            "{words}: {}",
            ended.complaint
        );
    }
}

#[test]
fn passphrase_of_the_pki_opens_pseudonyms_and_no_other_does() {
    let world = World::new();
    world.write("right.txt", "right\n");
    world.write("wrong.txt", "wrong\n");
    world.write("bsm.hex", "0011\n");
    world.works("pki init p --us --passphrase-file right.txt --start 2026-02-01T00:00:00Z");
    let words = format!("pki pseudonyms p --for car --weeks 1 --per-week 1 --start {START}");
    assert_eq!(
        world
            .run(&format!("{words} --passphrase-file wrong.txt"))
            .code,
        Some(2)
    );
    world.works(&format!("{words} --passphrase-file right.txt"));
    let sign = format!(
        "sign @bsm.hex --lines --pki @p --as car --psid BSM --time {}",
        time_of(0)
    );
    assert_eq!(
        world
            .run(&format!("{sign} --passphrase-file @wrong.txt"))
            .code,
        Some(2)
    );
    world.works(&format!("{sign} --passphrase-file @right.txt"));
}

#[test]
fn first_week_is_the_one_that_the_test_expects() {
    // 2026-02-26 is 8,092 days after 2004-01-01, with five leap seconds until then.
    let time = Time64((8_092 * 86_400 + 5) * 1_000_000);
    assert_eq!(Period::at(time), Some(Period(FIRST)));
}
