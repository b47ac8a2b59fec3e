//! Sequence numbers and times of lists: no list brings back an older state.

use waywarden_testkit::{Random, cases};
use waywarden_testkit_v2x::trust_lists::{List, at, import, import_at, manager, root, store_of};
use waywarden_testkit_v2x::world::Holder;
use waywarden_v2x_security::trust::{ImportRefusal, TrustChange, TrustState};

use super::{restored, state_of};

/// A list of the manager's with this sequence number and time comes after number 10 of time 100.
fn after_ten(list: &List<'_>, tlm: &Holder, now: i64) -> Result<TrustChange, ImportRefusal> {
    let (a, b) = (root(2), root(3));
    let mut store = store_of(tlm);
    let first = List::full(10, 100).with_roots(&[&a, &b]).ectl(tlm);
    import_at(&mut store, &first, at(100), &[]).unwrap();
    let before = format!("{store:?}");
    let imported = import_at(&mut store, &list.ectl(tlm), at(now), &[]);
    if imported.is_err() {
        assert_eq!(
            format!("{store:?}"),
            before,
            "a refused list changes nothing"
        );
    }
    imported.map(|imported| imported.change)
}

#[test]
fn sequence_numbers_and_times_never_go_back() {
    let tlm = manager(1);
    let (a, b) = (root(2), root(3));
    let old = |found| {
        Err(ImportRefusal::Old {
            known: Some(10),
            found: Some(found),
        })
    };
    let gap = |found| {
        Err(ImportRefusal::Gap {
            known: Some(10),
            found,
        })
    };
    let changed = |sequence, added, removed, next: i64| {
        Ok(TrustChange::List {
            sequence: Some(sequence),
            added,
            removed,
            next_update: at(next),
        })
    };
    let both = [&a, &b];
    let full = |sequence, made| List::full(sequence, made).with_roots(&both);
    let delta = |sequence, made| List::delta(sequence, made);
    let cases = [
        (full(11, 100), changed(11, 0, 0, 1_100)),
        (full(11, 200).with_roots(&[&a]), changed(11, 0, 1, 1_200)),
        (full(137, 200), changed(137, 0, 0, 1_200)),
        // More than half of the numbers ahead is behind.
        (full(138, 200), old(138)),
        (full(9, 200), old(9)),
        (full(10, 99), old(10)),
        (full(11, 99), old(11)),
        // The same again, and with a later end.
        (full(10, 100), Ok(TrustChange::None)),
        (full(10, 150), changed(10, 0, 0, 1_150)),
        (
            full(10, 150).with_roots(&[&a]),
            Err(ImportRefusal::Conflict(Some(10))),
        ),
        (delta(11, 200).without(&b), changed(11, 0, 1, 1_200)),
        (delta(10, 200), Ok(TrustChange::None)),
        // As new, and says something else.
        (
            delta(10, 200).without(&b),
            Err(ImportRefusal::Conflict(Some(10))),
        ),
        (delta(12, 200), gap(12)),
        (delta(9, 200), old(9)),
        (delta(11, 99), old(11)),
    ];
    for (list, expected) in cases {
        let found = after_ten(&list, &tlm, 300);
        let (sequence, made, is_full) = (list.sequence, list.made, list.is_full);
        assert_eq!(found, expected, "{sequence} {made} {is_full}");
    }
    // After the known list is overdue, the numbers may have gone all the way round.
    let late = full(9, 2_000);
    assert_eq!(after_ten(&late, &tlm, 2_001), changed(9, 0, 0, 3_000));
    // Without a list, there is nothing to be changed.
    let mut store = store_of(&tlm);
    let refusal = import(&mut store, &delta(1, 0).ectl(&tlm)).unwrap_err();
    let unknown = ImportRefusal::Gap {
        known: None,
        found: 1,
    };
    assert_eq!(refusal, unknown);
}

/// Whatever lists come in whatever order: the store has what the newest list says, and a list that
/// is taken is never older than the one before.
#[test]
fn random_lists_never_bring_back_an_older_state() {
    let mut random = Random::of_test("random_lists_never_bring_back_an_older_state");
    let tlm = manager(1);
    let roots: Vec<Holder> = (2..6).map(root).collect();
    for _ in 0..cases(8) {
        let mut store = store_of(&tlm);
        let mut model: Option<(u8, i64, Vec<usize>)> = None;
        for _ in 0..12 {
            let (sequence, made) = (random.below(6) as u8, random.below(4) as i64);
            let chosen: Vec<usize> = (0..4).filter(|_| random.once_in(2)).collect();
            let named: Vec<&Holder> = chosen.iter().map(|at| &roots[*at]).collect();
            let is_full = random.once_in(2);
            let mut list = match is_full {
                true => List::full(sequence, made).with_roots(&named),
                false => List::delta(sequence, made).with_roots(&named),
            };
            list.next = 900;
            let gone = random.index(4);
            if !is_full && !chosen.contains(&gone) {
                list = list.without(&roots[gone]);
            }
            let taken = import_at(&mut store, &list.ectl(&tlm), at(500), &[]);
            if let Ok(imported) = taken
                && imported.change != TrustChange::None
            {
                if let Some((known, before, _)) = &model {
                    assert!(sequence >= *known && made >= *before);
                }
                let mut members = match (&model, is_full) {
                    (Some((_, _, members)), false) => members.clone(),
                    _ => Vec::new(),
                };
                members.extend(chosen.iter().copied());
                members.retain(|at| !list.deleted.contains(&roots[*at].id()));
                members.sort_unstable();
                members.dedup();
                model = Some((sequence, made, members));
            }
            let expected = model.as_ref().map_or(&[][..], |(_, _, members)| members);
            for (at_root, one) in roots.iter().enumerate() {
                let is_trusted = state_of(&store, one.id(), at(500)) == Some(TrustState::Trusted);
                assert_eq!(is_trusted, expected.contains(&at_root));
            }
            store = restored(&store);
        }
    }
}
