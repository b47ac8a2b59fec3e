//! Random lists against a naive set of all values.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_testkit::{Random, each_seed};
use waywarden_testkit_v2x::linked_lists::{List, Revoked};
use waywarden_testkit_v2x::world::{Holder, ISSUER_IS_CRACA, NOW, Spec};
use waywarden_v2x_security::revocation::{ExpansionPart, LinkageStatus, RevocationExpansion};
use waywarden_v2x_security::{Revocations, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlSeries, HashedId3, HashedId8, IValue, LaId, LinkageData, LinkageSeed,
};

use super::{Craca, at};

/// Few authorities, so that lists share them, and periods near each other.
fn random_holder(random: &mut Random) -> Revoked {
    let mut authority = || LaId([0x8E, random.below(3) as u8]);
    Revoked {
        authorities: (authority(), authority()),
        first: LinkageSeed(random.array()),
        second: (!random.once_in(4)).then(|| LinkageSeed(random.array())),
        j_max: (!random.once_in(8)).then(|| [0, 1, 7, 8, 9, 20, 255][random.index(7)]),
        i_max: 100 + random.below(12) as u16,
    }
}

fn random_list(random: &mut Random, craca: HashedId8) -> List {
    let count = random.index(6);
    List {
        issued: NOW - random.below(5) as u32,
        index: random.below(3) as u8,
        is_full: random.once_in(2),
        names_functions: random.once_in(2),
        revoked: (0..count).map(|_| random_holder(random)).collect(),
        ..List::full(craca, 98 + random.below(8) as u16, Vec::new())
    }
}

/// The values of all lists in a period: those of certificates, and those of groups with their
/// indices.
fn values(lists: &[List], period: u16, groups: &[u32]) -> BTreeSet<(Option<u32>, [u8; 9])> {
    let mut values = BTreeSet::new();
    for list in lists.iter().filter(|list| list.i_rev <= period) {
        for one in list.revoked.iter().filter(|one| period <= one.i_max) {
            let steps = period - list.i_rev;
            match one.j_max {
                Some(j_max) => {
                    values.extend((0..=u32::from(j_max)).map(|j| (None, one.value(steps, j).0)));
                }
                None => values.extend(groups.iter().map(|&j| (Some(j), one.value(steps, j).0))),
            }
        }
    }
    values
}

/// The first period of the latest full list: what was revoked in earlier ones may be forgotten.
fn first_period(lists: &[List]) -> u16 {
    let full = lists.iter().filter(|list| list.is_full);
    full.map(|list| list.i_rev).max().unwrap_or(0)
}

/// Runs the parts in any order.
fn run(random: &mut Random, revocations: &mut Revocations, expansion: &RevocationExpansion) {
    let mut parts: Vec<_> = expansion.parts().iter().map(ExpansionPart::run).collect();
    for at in (1..parts.len()).rev() {
        parts.swap(at, random.index(at + 1));
    }
    revocations.install(expansion, parts).unwrap();
}

fn expand(random: &mut Random, verifier: &mut Verifier, period: u16) {
    let revocations = verifier.revocations_mut();
    let series: Vec<_> = revocations.unexpanded(IValue(period)).collect();
    for name in series {
        let expansion = revocations.expansion(name, IValue(period)).unwrap();
        run(random, revocations, &expansion);
    }
}

/// Certificates to ask for: of every holder that any list ever revoked, in periods around, and some
/// with one bit of another value.
fn asked(random: &mut Random, lists: &[List], period: u16) -> Vec<LinkageData> {
    let mut asked = Vec::new();
    for list in lists.iter().filter(|list| list.i_rev <= period) {
        for one in &list.revoked {
            let last = one.j_max.map_or(1_000, u32::from);
            for j in [0, 1, last, last + 1] {
                let linkage = one.linkage(list.i_rev, period, j);
                let mut near = linkage;
                match &mut near.group {
                    Some(group) => group.value.0[random.index(9)] ^= 1 << random.index(8),
                    None => near.value.0[random.index(9)] ^= 1 << random.index(8),
                }
                asked.extend([linkage, near]);
            }
        }
    }
    asked
}

#[test]
fn receiver_revokes_what_a_naive_set_has_and_nothing_else() {
    let craca = Craca::new(1);
    let [.., a, b, c] = craca.id().0;
    let answers = each_seed(40, |seed| {
        let mut random = Random::new(seed);
        let mut verifier = craca.verifier();
        let mut lists = Vec::new();
        let mut count = (0, 0);
        for _ in 0..8 {
            if random.once_in(2) || lists.is_empty() {
                let list = random_list(&mut random, craca.id());
                let applied = verifier.apply_crl(&list.sign(&craca.signer), &at());
                assert!(applied.is_ok(), "{applied:?} {list:?}");
                lists.push(list);
            }
            let period = 97 + random.below(16) as u16;
            expand(&mut random, &mut verifier, period);
            let asked = asked(&mut random, &lists, period);
            let groups = asked
                .iter()
                .filter_map(|one| Some(u32::from_be_bytes(one.group?.j.0)));
            let values = values(&lists, period, &groups.collect::<Vec<_>>());
            let may_forget = period < first_period(&lists);
            for one in asked {
                let group = one
                    .group
                    .map(|own| (Some(u32::from_be_bytes(own.j.0)), own.value.0));
                let expected = values.contains(&(None, one.value.0))
                    || group.is_some_and(|own| values.contains(&own));
                let status =
                    verifier
                        .revocations()
                        .linked(HashedId3([a, b, c]), CrlSeries(0), &one);
                assert_ne!(status, LinkageStatus::NotExpanded);
                let is_revoked = status == LinkageStatus::Revoked;
                let is_as_expected = is_revoked == expected || (expected && may_forget);
                assert!(is_as_expected, "{period}: {one:?}");
                if expected {
                    count.0 += 1;
                } else {
                    count.1 += 1;
                }
                let of_other =
                    verifier
                        .revocations()
                        .linked(HashedId3([a, b, !c]), CrlSeries(0), &one);
                assert_eq!(of_other, LinkageStatus::NotRevoked);
                let of_other =
                    verifier
                        .revocations()
                        .linked(HashedId3([a, b, c]), CrlSeries(1), &one);
                assert_eq!(of_other, LinkageStatus::NotRevoked);
            }
        }
        count
    });
    let (revoked, clear) = answers
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!(
        "{} seeds: {revoked} revoked, {clear} not revoked",
        answers.len()
    );
    assert!(answers.len() < 40 || (revoked > 500 && clear > 5_000));
}

/// Two CRACAs whose certificates end with the same three bytes: certificates cannot tell them
/// apart. Both revoke, and neither replaces, blocks or renews the list of the other one.
#[test]
fn lists_of_two_cracas_with_the_same_three_bytes_stand_side_by_side() {
    let mut random = Random::of_test("three_bytes");
    let mut seen: BTreeMap<[u8; 3], Holder> = BTreeMap::new();
    let roots = (0..).find_map(|number| {
        let spec = Spec {
            start: NOW - 36_000 - number,
            ..Spec::authority(1)
        };
        let root = Holder::issue(&spec, None);
        let [.., a, b, c] = root.id().0;
        let other = seen.insert([a, b, c], root.clone())?;
        Some([other, root])
    });
    let cracas = roots.unwrap().map(|root| {
        let spec = Spec {
            app: &[(256, Some(ISSUER_IS_CRACA))],
            ..Spec::station(9)
        };
        let signer = Holder::issue(&spec, Some(&root));
        Craca { root, signer }
    });
    assert_eq!(cracas[0].short(), cracas[1].short());
    assert_ne!(cracas[0].id(), cracas[1].id());
    let mut verifier = Verifier::default();
    let revoked = [0, 1].map(|_| super::holder(&mut random));
    for (at_list, craca) in cracas.iter().enumerate() {
        verifier.add_trust_anchor(&craca.root.certificate).unwrap();
        // The second one's list is older.
        let list = List {
            issued: NOW - at_list as u32,
            ..List::full(craca.id(), 7, vec![revoked[at_list]])
        };
        verifier
            .apply_crl(&list.sign(&craca.signer), &at())
            .unwrap();
    }
    let craca = HashedId3(cracas[0].short());
    let status = |verifier: &Verifier, at: usize| {
        let linkage = revoked[at].linkage(7, 9, 5);
        verifier.revocations().linked(craca, CrlSeries(0), &linkage)
    };
    // Expanded one after the other: while one is not, nothing passes that only it could revoke.
    let names: Vec<_> = verifier.revocations().unexpanded(IValue(9)).collect();
    assert_eq!(names.len(), 2);
    for name in names {
        assert_ne!(status(&verifier, 0), LinkageStatus::NotRevoked);
        assert_ne!(status(&verifier, 1), LinkageStatus::NotRevoked);
        let expansion = verifier.revocations().expansion(name, IValue(9)).unwrap();
        run(&mut random, verifier.revocations_mut(), &expansion);
    }
    assert_eq!(
        [0, 1].map(|at| status(&verifier, at)),
        [LinkageStatus::Revoked; 2]
    );
}
