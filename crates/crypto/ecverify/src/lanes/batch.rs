//! Batches of any requests on one curve: taken apart by path, put into lanes.

use core::marker::PhantomData;

use super::generators::LaneTabulated;
use super::verify::{Item, Path, verify};
use super::{Lanes, Work};
use crate::request::{Answer, BATCH, Known, Request};

/// Requests for which vectors are begun: a run takes as long for one lane as for eight, which is
/// about as long as the portable kernel takes for one.
pub(crate) const WORTHWHILE: usize = 2;

/// Requests to be verified, and where their answers go. Unless `CHECKED`, special cases are left
/// undecided; so are, on each path, less than [`WORTHWHILE`].
pub(crate) struct Batch<'a, C, const CHECKED: bool> {
    pub(crate) requests: &'a [Request<4>],
    pub(crate) known: &'a [Known<'a>],
    pub(crate) answers: &'a mut [Answer],
    pub(crate) curve: PhantomData<C>,
}

/// Special cases are few: one vector at a time.
impl<C: LaneTabulated> Work for Batch<'_, C, true> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(mut self) {
        self.by_path(
            #[inline(always)]
            |batch, path, mut chosen| {
                while chosen.len() >= WORTHWHILE {
                    chosen = batch.begin::<V, 1>(path, chosen);
                }
            },
        );
    }
}

/// Four vectors side by side, or one; three side by side take as long as two one after the other.
impl<C: LaneTabulated> Work for Batch<'_, C, false> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(mut self) {
        self.by_path(
            #[inline(always)]
            |batch, path, mut chosen| {
                while chosen.len() > 16 {
                    chosen = batch.begin::<V, 4>(path, chosen);
                }
                while chosen.len() >= WORTHWHILE {
                    chosen = batch.begin::<V, 1>(path, chosen);
                }
            },
        );
    }
}

/// Lanes that are computed for so many requests on one path.
const fn lanes_for(count: usize) -> usize {
    match count {
        0..WORTHWHILE => 0,
        WORTHWHILE..=16 => count.next_multiple_of(8),
        _ => BATCH,
    }
}

impl<C: LaneTabulated, const CHECKED: bool> Batch<'_, C, CHECKED> {
    /// The paths of the requests from `start` on. Those with a table go along with those without
    /// where lanes are free for all of them: vectors for a few take as long as for eight.
    fn paths(&self, start: usize, end: usize) -> [Path; BATCH] {
        let mut paths = [Path::Implicit; BATCH];
        for (path, at) in paths.iter_mut().zip(start..end) {
            *path = Path::of(&self.requests[at], &self.known[at]);
        }
        for own in [Path::KnownKey, Path::KnownIssuer] {
            let mut others = paths;
            for (path, at) in others.iter_mut().zip(start..end) {
                if *path == own {
                    *path = own.without_table(&self.requests[at], &self.known[at]);
                }
            }
            let lanes = |paths: &[Path; BATCH], path: Path| {
                let taken = paths[..end - start].iter().filter(|one| **one == path);
                lanes_for(taken.count())
            };
            let fits = |path: &Path| lanes(&others, *path) <= lanes(&paths, *path);
            if Path::ALL.iter().all(fits) {
                paths = others;
            }
        }
        paths
    }

    /// Has those of each [`BATCH`] requests verified that take the same path.
    #[inline(always)]
    fn by_path(&mut self, mut verify: impl FnMut(&mut Self, Path, &[usize])) {
        for start in (0..self.requests.len()).step_by(BATCH) {
            let end = self.requests.len().min(start + BATCH);
            let paths = self.paths(start, end);
            for path in Path::ALL {
                let (mut chosen, mut count) = ([0; BATCH], 0);
                for (own, at) in paths.iter().zip(start..end) {
                    if *own == path {
                        chosen[count] = at;
                        count += 1;
                    }
                }
                verify(self, path, &chosen[..count]);
            }
        }
    }

    /// Verifies the first 8 K of some requests, or all of them; those that are left.
    #[inline(always)]
    fn begin<'c, V: Lanes, const K: usize>(
        &mut self,
        path: Path,
        chosen: &'c [usize],
    ) -> &'c [usize] {
        let (now, later) = chosen.split_at(chosen.len().min(8 * K));
        V::outline(
            #[inline(always)]
            || {
                // The first fills the lanes that are left.
                let item = |lane: usize| -> Item<'_> {
                    let at = now.get(lane).copied().unwrap_or(now[0]);
                    (&self.requests[at], &self.known[at])
                };
                let mut items = [[item(0); 8]; K];
                for (lane, own) in items.as_flattened_mut().iter_mut().enumerate() {
                    *own = item(lane);
                }
                let answers = verify::<V, C, K, CHECKED>(path, &items);
                for (&at, answer) in now.iter().zip(answers.as_flattened()) {
                    self.answers[at] = *answer;
                }
            },
        );
        later
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::P256;
    use crate::multiply::{FixedBase, Form, Shape};

    /// Returns how many of `explicit` requests without a table and `known` ones with it take its
    /// path.
    fn by_table(explicit: usize, known: usize) -> usize {
        let words = std::vec![0; Shape::SENDER.words::<4>()];
        let table = FixedBase::new::<4>(&words, Shape::SENDER, Form::Lanes);
        let mut tables = [Known::NOTHING; BATCH];
        tables[explicit..].fill(Known {
            key: Some(table),
            issuer: None,
        });
        let count = explicit + known;
        let batch = Batch::<P256, false> {
            requests: &[Request::PADDING; BATCH][..count],
            known: &tables[..count],
            answers: &mut [],
            curve: PhantomData,
        };
        let paths = batch.paths(0, count);
        let with_table = paths[..count]
            .iter()
            .filter(|path| **path == Path::KnownKey);
        with_table.count()
    }

    #[test]
    fn tables_are_used_unless_lanes_are_free_without_them() {
        for (explicit, known) in [(0, 0), (0, 32), (1, 1), (1, 9), (8, 8), (12, 20), (16, 1)] {
            assert_eq!(by_table(explicit, known), known, "{explicit} and {known}");
        }
        for (explicit, known) in [(2, 6), (7, 1), (9, 7), (17, 15), (31, 1)] {
            assert_eq!(by_table(explicit, known), 0, "{explicit} and {known}");
        }
    }
}
