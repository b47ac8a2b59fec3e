//! `waywarden pki revoke` and `pki crl` for vehicles with pseudonyms: `verify --crl` refuses all
//! that they send from the week of the list on, and nothing before.

use std::fs;

use waywarden_testkit::{Random, bytes_of, each_seed};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_pki_service::database::{Database, SecretKind};
use waywarden_v2x_security::linkage::{later_seed, value_of_seeds};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CrlContents, Ieee1609Dot2Content, Ieee1609Dot2Data, LaId, LinkageSeed,
    LinkageValue, SignedData, SignerIdentifier, ToBeSignedLinkageValueCrl, TypeSpecificCrlContents,
};

use crate::pki::World;
#[cfg(unix)]
use crate::pki_pseudonyms::kill;
use crate::station::now;

const REVOKED: &str = "spduCertificateChainCertificateRevoked";
const WEEK: u64 = 7 * 86_400 * 1_000_000;

/// The week of the lists that are made now.
fn this_week() -> u16 {
    Period::at(now()).unwrap().0
}

/// A time in the middle of a week, as commands read it.
fn time_in(week: u16) -> u64 {
    u64::from(week) * WEEK + WEEK / 2
}

/// An American PKI with a message to sign.
fn world() -> World {
    let world = World::new();
    let start = time_in(this_week() - 4);
    world.works(&format!("pki init p --us --no-passphrase --start {start}"));
    world.write("bsm.hex", "00112233445566778899\n");
    world
}

/// Issues pseudonyms from a week on.
fn issue(world: &World, name: &str, first: u16, weeks: u16, per_week: u8) {
    world.works(&format!(
        "pki pseudonyms p --for {name} --start {} --weeks {weeks} --per-week {per_week}",
        time_in(first)
    ));
}

/// Signs with each pseudonym of a week; returns the messages, a line each.
fn signed(world: &World, name: &str, week: u16, per_week: u8) -> String {
    let one = |index: u8| {
        world.works(&format!(
            "sign bsm.hex --lines --pki p --as {name} --psid BSM --index {index} --time {} \
             --signer certificate",
            time_in(week)
        ))
    };
    (0..per_week).map(one).collect()
}

/// Verifies messages with lists; returns how many were refused as revoked, and how many accepted.
fn verified(world: &World, messages: &str, lists: &str) -> (usize, usize) {
    world.write("messages.hex", messages);
    let lists: String = lists
        .split_whitespace()
        .map(|list| format!(" --crl {list}"))
        .collect();
    let ended = world.run(&format!(
        "verify messages.hex --trust p/trust --at generation{lists}"
    ));
    let all = messages.lines().count();
    let revoked = ended.out.matches(REVOKED).count();
    let accepted = format!("{} accepted", all - revoked);
    assert!(
        ended.out.contains(&accepted),
        "{} {}",
        ended.out,
        ended.complaint
    );
    (revoked, all - revoked)
}

fn signed_data<'a>(bytes: &'a [u8]) -> SignedData<'a> {
    let message: Ieee1609Dot2Data<'a> = parse(bytes).unwrap();
    match message.content {
        Ieee1609Dot2Content::Signed(data) => data,
        _ => panic!("not signed"),
    }
}

/// Calls a function with the list by linkage values in a file.
fn with_list<T>(
    world: &World,
    file: &str,
    read: impl Fn(&ToBeSignedLinkageValueCrl<'_>) -> T,
) -> T {
    let bytes = fs::read(world.path(file)).unwrap();
    let data = signed_data(&bytes);
    let inner = data.tbs_data.payload.data.as_ref().unwrap().view().unwrap();
    let Ieee1609Dot2Content::Unsecured(contents) = inner.content else {
        panic!("no contents");
    };
    let list: CrlContents<'_> = parse(contents).unwrap();
    match &list.contents {
        TypeSpecificCrlContents::FullLinked(list) | TypeSpecificCrlContents::DeltaLinked(list) => {
            read(list)
        }
        _ => panic!("no list by linkage values"),
    }
}

/// What a list has of one holder.
struct Holder {
    authorities: (LaId, LaId),
    seeds: (LinkageSeed, LinkageSeed),
    i_max: u16,
    j_max: u8,
}

/// The first period of a list, its number, and its holders.
fn holders(world: &World, file: &str) -> (u16, u8, Vec<Holder>) {
    with_list(world, file, |list| {
        let mut holders = Vec::new();
        for by_index in list.individual.iter().flat_map(SequenceOf::iter) {
            let by_index = by_index.unwrap();
            for by_authority in by_index.contents.iter() {
                let by_authority = by_authority.unwrap();
                for by_period in by_authority.contents.iter() {
                    let by_period = by_period.unwrap();
                    for one in by_period.contents.iter() {
                        let one = one.unwrap();
                        holders.push(Holder {
                            authorities: (by_authority.la_1, by_authority.la_2),
                            seeds: (one.seed_1, one.seed_2),
                            i_max: by_period.i_max,
                            j_max: by_index.j_max,
                        });
                    }
                }
            }
        }
        (list.i_rev.0, list.index_within_i, holders)
    })
}

/// The linkage values in the certificates of messages.
fn values(messages: &str) -> Vec<LinkageValue> {
    let value = |line: &str| {
        let bytes = bytes_of(line);
        let SignerIdentifier::Certificate(signer) = signed_data(&bytes).signer else {
            panic!("no certificate");
        };
        let certificate = signer.iter().next().unwrap().unwrap();
        match &certificate.to_be_signed.id {
            CertificateId::LinkageData(linkage) => linkage.value,
            _ => panic!("no linkage value"),
        }
    };
    messages.lines().map(value).collect()
}

#[test]
fn revoked_vehicle_is_refused_at_every_index_and_the_other_one_passes() {
    let world = world();
    let week = this_week();
    for car in ["one", "two"] {
        issue(&world, car, week - 1, 3, 4);
    }
    let of = |car, week| signed(&world, car, week, 4);
    let [before, during, after] = [week - 1, week, week + 1].map(|week| of("one", week));
    let other: String = [week - 1, week, week + 1]
        .map(|week| of("two", week))
        .concat();
    let all = [&*before, &during, &after, &other].concat();
    world.works("pki crl p -o none.oer");
    assert!(!world.path("none.linked.oer").exists());
    assert_eq!(verified(&world, &all, "none.oer"), (0, 24));
    let told = world.works("pki revoke p one");
    assert!(told.contains("one, pseudonyms: revoked"), "{told}");
    world.works("pki crl p -o list.oer");
    let lists = "list.oer list.linked.oer";
    assert_eq!(verified(&world, &during, lists), (4, 0));
    assert_eq!(verified(&world, &after, lists), (4, 0));
    assert_eq!(verified(&world, &before, lists), (0, 4));
    assert_eq!(verified(&world, &other, lists), (0, 12));
    assert_eq!(verified(&world, &all, "list.linked.oer"), (8, 16));
    let shown = world.works("pki show p");
    assert!(
        shown.contains("one: vehicle, pseudonyms revoked 2"),
        "{shown}"
    );
    assert!(shown.contains("two: vehicle, has pseudonyms"), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&world.works("pki show p --format json")).unwrap();
    assert_eq!(json["revoked_vehicles"][0]["name"], "one");
    assert_eq!(json["vehicles"][1]["name"], "two");
    // What it signs with later pseudonyms is refused as well.
    assert_eq!(verified(&world, &of("one", week), lists), (4, 0));
}

#[test]
fn seeds_of_a_list_reveal_this_week_and_later_ones_and_none_before() {
    let seeds = each_seed(6, |seed| {
        let mut random = Random::new(seed);
        let week = this_week();
        let (before, after) = (random.below(4) as u16, random.below(3) as u16);
        let per_week = 1 + random.below(4) as u8;
        let world = world();
        issue(&world, "car", week - before, before + 1 + after, per_week);
        world.works("pki revoke p car");
        world.works("pki crl p -o list");
        let (i_rev, index, holders) = holders(&world, "list.linked");
        let [holder] = &holders[..] else {
            panic!("{} holders", holders.len());
        };
        assert_eq!((i_rev, index), (week, 0));
        assert_eq!((holder.i_max, holder.j_max), (week + after, per_week - 1));
        let (one, other) = holder.authorities;
        let revealed = |i: u16| {
            let later = |la, seed| later_seed(la, seed, i - i_rev);
            let seeds = (later(one, &holder.seeds.0), later(other, &holder.seeds.1));
            let value = |j| value_of_seeds((one, other), (&seeds.0, &seeds.1), j);
            (0..=u32::from(u8::MAX)).map(value).collect::<Vec<_>>()
        };
        for i in week..=week + after {
            let own = values(&signed(&world, "car", i, per_week));
            assert_eq!(revealed(i)[..usize::from(per_week)], own, "week {i}");
        }
        let later: Vec<LinkageValue> = (week..week + 60).flat_map(revealed).collect();
        for i in week - before..week {
            for value in values(&signed(&world, "car", i, per_week)) {
                assert!(!later.contains(&value), "week {i}");
            }
        }
    });
    println!("{} seeds", seeds.len());
}

#[test]
fn delta_list_has_the_vehicles_that_the_list_before_did_not_have() {
    let world = world();
    let week = this_week();
    for (car, per_week) in [("one", 2), ("two", 3)] {
        issue(&world, car, week, 1, per_week);
    }
    world.works("pki revoke p one");
    world.works("pki crl p -o full.oer");
    world.works("pki revoke p two");
    world.works("pki crl p -o delta.oer --delta");
    let (i_rev, index, delta) = holders(&world, "delta.linked.oer");
    assert_eq!((i_rev, index, delta.len()), (week, 1, 1));
    assert_eq!(delta[0].j_max, 2);
    let messages = [
        signed(&world, "one", week, 2),
        signed(&world, "two", week, 3),
    ]
    .concat();
    assert_eq!(verified(&world, &messages, "full.linked.oer"), (2, 3));
    assert_eq!(verified(&world, &messages, "delta.linked.oer"), (3, 2));
    let both = "full.linked.oer delta.linked.oer";
    assert_eq!(verified(&world, &messages, both), (5, 0));
    world.works("pki crl p -o next.oer");
    let (_, index, all) = holders(&world, "next.linked.oer");
    assert_eq!((index, all.len()), (2, 2));
    assert_eq!(verified(&world, &messages, "next.linked.oer"), (5, 0));
}

#[test]
fn vehicle_without_certificates_for_the_week_is_not_on_the_list() {
    let world = world();
    let week = this_week();
    issue(&world, "past", week - 2, 2, 1);
    issue(&world, "future", week + 1, 2, 1);
    world.works("pki revoke p past future");
    let ended = world.run("pki crl p -o list.oer");
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    let (_, _, list) = holders(&world, "list.linked.oer");
    assert_eq!(list.len(), 0);
    let note = format!(
        "future: not on the list yet: its certificates begin in the week {:X}",
        week + 1
    );
    assert!(ended.complaint.contains(&note), "{}", ended.complaint);
    assert!(!ended.complaint.contains("past"), "{}", ended.complaint);
}

#[test]
fn delta_list_has_a_vehicle_that_the_list_of_an_earlier_week_left_out() {
    let world = world();
    let week = this_week();
    issue(&world, "early", week - 1, 2, 1);
    issue(&world, "late", week, 1, 1);
    world.works("pki revoke p early late");
    world.works("pki crl p -o full.oer");
    world.works("pki crl p -o none.oer --delta");
    assert_eq!(holders(&world, "none.linked.oer").2.len(), 0);
    // As if the list before were of the week before, in which one had no certificates yet.
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    let earlier = index.replace(
        &format!("period = {week}"),
        &format!("period = {}", week - 1),
    );
    assert_ne!(earlier, index);
    world.write("p/pki.toml", earlier);
    world.works("pki crl p -o delta.oer --delta");
    let (i_rev, index, delta) = holders(&world, "delta.linked.oer");
    assert_eq!((i_rev, index, delta.len()), (week, 0, 1));
    let messages = [
        signed(&world, "early", week, 1),
        signed(&world, "late", week, 1),
    ]
    .concat();
    assert_eq!(verified(&world, &messages, "delta.linked.oer"), (1, 1));
}

#[test]
fn name_with_a_certificate_and_pseudonyms_is_revoked_by_both() {
    let world = world();
    let week = this_week();
    issue(&world, "car", week, 1, 2);
    let pseudonyms = signed(&world, "car", week, 2);
    world.works(&format!(
        "pki issue p --name car --start {}",
        time_in(week) - WEEK / 2
    ));
    let own = world.works(&format!(
        "sign bsm.hex --lines --pki p --as car --psid BSM --time {} --signer chain",
        time_in(week)
    ));
    let messages = [pseudonyms, own].concat();
    let told = world.works("pki revoke p car");
    assert_eq!(told.lines().count(), 2, "{told}");
    world.works("pki crl p -o list.oer");
    assert_eq!(verified(&world, &messages, "list.oer"), (1, 2));
    assert_eq!(verified(&world, &messages, "list.linked.oer"), (2, 1));
    assert_eq!(
        verified(&world, &messages, "list.oer list.linked.oer"),
        (3, 0)
    );
}

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
