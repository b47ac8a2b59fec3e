//! Bounds on the cost of a list, and its expansion for the next period.

use waywarden_testkit::Random;
use waywarden_testkit_v2x::linked_lists::{List, Revoked};
use waywarden_testkit_v2x::world::NOW;
use waywarden_v2x_security::revocation::{
    DELTAS_MAX, ExpansionPart, ExpansionRefusal, GROUPS_MAX, HASHES_MAX, LinkageStatus,
    PERIODS_MAX, SeriesName, VALUES_MAX,
};
use waywarden_v2x_security::{CrlRefusal, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{CrlSeries, HashedId3, IValue};

use super::{Craca, at, holder};

fn name(craca: &Craca) -> SeriesName {
    SeriesName::new(craca.id(), CrlSeries(0))
}

fn hashes(verifier: &Verifier, craca: &Craca, period: u16) -> Result<u64, ExpansionRefusal> {
    let expansion = verifier
        .revocations()
        .expansion(name(craca), IValue(period));
    Ok(expansion?.hashes())
}

fn holders(random: &mut Random, count: usize, j_max: u8, i_max: u16) -> Vec<Revoked> {
    let one = |_| Revoked {
        j_max: Some(j_max),
        i_max,
        ..holder(random)
    };
    (0..count).map(one).collect()
}

#[test]
fn going_one_period_on_costs_one_hash_a_seed() {
    let mut random = Random::of_test("one_hash");
    let craca = Craca::new(1);
    let mut verifier = craca.verifier();
    let mut revoked = holders(&mut random, 10, 20, 1_000);
    revoked[0].second = None;
    revoked[1].j_max = None;
    let list = List::full(craca.id(), 100, revoked);
    verifier
        .apply_crl(&list.sign(&craca.signer), &at())
        .unwrap();
    assert_eq!(hashes(&verifier, &craca, 100), Ok(0));
    assert_eq!(hashes(&verifier, &craca, 140), Ok(19 * 40));
    verifier.revocations_mut().expand(IValue(140)).unwrap();
    assert_eq!(hashes(&verifier, &craca, 141), Ok(19));
    verifier.revocations_mut().expand(IValue(141)).unwrap();
    // Back in time it restarts from the list, and what is known of later periods stays.
    assert_eq!(hashes(&verifier, &craca, 139), Ok(19 * 39));
    verifier.revocations_mut().expand(IValue(139)).unwrap();
    assert_eq!(hashes(&verifier, &craca, 142), Ok(19));
    assert_eq!(
        hashes(&verifier, &craca, 99),
        Ok(0),
        "the list begins later"
    );
    assert_eq!(hashes(&verifier, &craca, 1_001), Ok(0), "all have ended");
}

/// A list with seeds of long ago, or of a period far ahead.
#[test]
fn too_many_hashes_are_refused_and_the_old_table_stays() {
    let mut random = Random::of_test("too_many_hashes");
    let craca = Craca::new(1);
    let mut verifier = craca.verifier();
    let revoked = holders(&mut random, 1_025, 0, u16::MAX);
    let list = List::full(craca.id(), 0, revoked[..1].to_vec());
    verifier
        .apply_crl(&list.sign(&craca.signer), &at())
        .unwrap();
    verifier.revocations_mut().expand(IValue(3)).unwrap();
    let hostile = List {
        index: 1,
        ..List::full(craca.id(), 0, revoked.clone())
    };
    verifier
        .apply_crl(&hostile.sign(&craca.signer), &at())
        .unwrap();
    let needed = 2 * 1_025 * 65_535;
    assert!(needed > HASHES_MAX && needed - 2 * 65_535 <= HASHES_MAX);
    let refused = verifier.revocations_mut().expand(IValue(65_535));
    assert_eq!(refused, Err(ExpansionRefusal::TooManyHashes { needed }));
    let craca_3 = HashedId3(craca.short());
    let linkage = revoked[0].linkage(0, 3, 0);
    let status = verifier
        .revocations()
        .linked(craca_3, CrlSeries(0), &linkage);
    assert_eq!(status, LinkageStatus::Revoked);
}

#[test]
fn list_with_too_many_values_is_refused() {
    let mut random = Random::of_test("too_many_values");
    let craca = Craca::new(1);
    let mut verifier = craca.verifier();
    let most = holders(&mut random, VALUES_MAX / 256 + 1, 255, 10);
    let list = List::full(craca.id(), 1, most);
    let applied = verifier.apply_crl(&list.sign(&craca.signer), &at());
    assert_eq!(applied, Err(CrlRefusal::TooMany));
    assert!(verifier.revocations().is_empty());
    let mut full = List {
        revoked: list.revoked[1..].to_vec(),
        ..list.clone()
    };
    assert!(verifier.apply_crl(&full.sign(&craca.signer), &at()).is_ok());
    // A delta list adds to the full one; the next full one stands in its place.
    let delta = List {
        is_full: false,
        index: 1,
        revoked: list.revoked[..1].to_vec(),
        ..list
    };
    let applied = verifier.apply_crl(&delta.sign(&craca.signer), &at());
    assert_eq!(applied, Err(CrlRefusal::TooMany));
    full.index = 2;
    assert!(verifier.apply_crl(&full.sign(&craca.signer), &at()).is_ok());
}

#[test]
fn too_many_groups_and_delta_lists_are_refused() {
    let mut random = Random::of_test("too_many_groups");
    let craca = Craca::new(1);
    let mut verifier = craca.verifier();
    let mut groups = holders(&mut random, GROUPS_MAX + 1, 0, 10);
    for (at, group) in groups.iter_mut().enumerate() {
        group.j_max = None;
        group.second = group.second.filter(|_| at % 2 == 0);
    }
    let mut list = List::full(craca.id(), 1, groups);
    let applied = verifier.apply_crl(&list.sign(&craca.signer), &at());
    assert_eq!(applied, Err(CrlRefusal::TooMany));
    list.revoked.pop();
    assert!(verifier.apply_crl(&list.sign(&craca.signer), &at()).is_ok());
    list.revoked.clear();
    list.is_full = false;
    for number in 1..=DELTAS_MAX as u8 + 1 {
        list.index = number;
        let applied = verifier
            .apply_crl(&list.sign(&craca.signer), &at())
            .map(drop);
        let expected = match usize::from(number) <= DELTAS_MAX {
            true => Ok(()),
            false => Err(CrlRefusal::TooMany),
        };
        assert_eq!(applied, expected, "delta list {number}");
    }
    // The same one as before is no further list, and a full list takes the place of all.
    list.index = 1;
    assert!(verifier.apply_crl(&list.sign(&craca.signer), &at()).is_ok());
    list.is_full = true;
    list.issued = NOW + 1;
    assert!(verifier.apply_crl(&list.sign(&craca.signer), &at()).is_ok());
    list.is_full = false;
    assert!(verifier.apply_crl(&list.sign(&craca.signer), &at()).is_ok());
}

/// Parts that are missing, there twice, or of another expansion install nothing; nor does work on
/// lists that have changed since.
#[test]
fn incomplete_and_outdated_work_installs_nothing() {
    let mut random = Random::of_test("incomplete");
    let craca = Craca::new(1);
    let mut verifier = craca.verifier();
    let mut list = List::full(craca.id(), 5, holders(&mut random, 3, 20, 100));
    verifier
        .apply_crl(&list.sign(&craca.signer), &at())
        .unwrap();
    let revocations = verifier.revocations_mut();
    let expansion = revocations.expansion(name(&craca), IValue(6)).unwrap();
    let other = revocations.expansion(name(&craca), IValue(7)).unwrap();
    let parts: Vec<_> = expansion.parts().iter().map(ExpansionPart::run).collect();
    assert_eq!(parts.len(), 3);
    let mut missing = parts.clone();
    missing.pop();
    let mut twice = missing.clone();
    twice.push(twice[0].clone());
    let mut mixed = missing.clone();
    mixed.push(other.parts()[2].run());
    let mut extra = parts.clone();
    extra.push(parts[0].clone());
    for wrong in [missing, twice, mixed, extra, Vec::new()] {
        let installed = revocations.install(&expansion, wrong);
        assert_eq!(installed, Err(ExpansionRefusal::Incomplete));
    }
    assert_eq!(revocations.unexpanded(IValue(6)).count(), 1);
    list.index = 1;
    verifier
        .apply_crl(&list.sign(&craca.signer), &at())
        .unwrap();
    let revocations = verifier.revocations_mut();
    assert_eq!(
        revocations.install(&expansion, parts),
        Err(ExpansionRefusal::Outdated)
    );
    let unknown = SeriesName::new(craca.id(), CrlSeries(9));
    let refused = revocations.expansion(unknown, IValue(6)).map(drop);
    assert_eq!(refused, Err(ExpansionRefusal::UnknownSeries));
}

#[test]
fn tables_of_three_periods_are_there_at_once() {
    let mut random = Random::of_test("periods");
    let craca = Craca::new(1);
    let mut verifier = craca.verifier();
    let revoked = holder(&mut random);
    let list = List::full(craca.id(), 1, vec![revoked]);
    verifier
        .apply_crl(&list.sign(&craca.signer), &at())
        .unwrap();
    let status = |verifier: &Verifier, period| {
        let linkage = revoked.linkage(1, period, 1);
        let craca = HashedId3(craca.short());
        verifier.revocations().linked(craca, CrlSeries(0), &linkage)
    };
    let mut memory = Vec::new();
    for period in 2..10 {
        verifier.revocations_mut().expand(IValue(period)).unwrap();
        memory.push(verifier.revocations().linkage_memory());
        for earlier in 2..=period {
            let expected = match usize::from(period - earlier) < PERIODS_MAX {
                true => LinkageStatus::Revoked,
                false => LinkageStatus::NotExpanded,
            };
            assert_eq!(
                status(&verifier, earlier),
                expected,
                "{earlier} at {period}"
            );
        }
    }
    assert_eq!(memory[2], memory[7], "{memory:?}");
    verifier.revocations_mut().forget_periods_before(IValue(9));
    assert_eq!(status(&verifier, 8), LinkageStatus::NotExpanded);
    assert_eq!(status(&verifier, 9), LinkageStatus::Revoked);
}
