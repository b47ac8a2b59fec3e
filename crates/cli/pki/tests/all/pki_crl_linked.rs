//! `waywarden pki revoke` and `pki crl` for vehicles with pseudonyms: `verify --crl` refuses all
//! that they send from the week of the list on, and nothing before.

mod delta;
mod failures;

use std::fs;

use waywarden_testkit::{Random, bytes_of, each_seed};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_security::linkage::{later_seed, value_of_seeds};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CrlContents, Ieee1609Dot2Content, Ieee1609Dot2Data, LaId, LinkageSeed,
    LinkageValue, SignedData, SignerIdentifier, ToBeSignedLinkageValueCrl, TypeSpecificCrlContents,
};

use crate::station::now;
use crate::support::World;

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
            "sign @bsm.hex --lines --pki @p --as {name} --psid BSM --index {index} --time {} \
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
        .map(|list| format!(" --crl @{list}"))
        .collect();
    let ended = world.run(&format!(
        "verify @messages.hex --trust @p/trust --at generation{lists}"
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

/// Entry of one holder in a list.
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
    let reported = world.works("pki revoke p one");
    assert!(reported.contains("one, pseudonyms: revoked"), "{reported}");
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
