//! Batches of any requests on one curve: taken apart by path, put into lanes.

use core::marker::PhantomData;

use super::verify::{Item, LaneTabulated, Path, verify};
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

impl<C: LaneTabulated, const CHECKED: bool> Batch<'_, C, CHECKED> {
    /// Has those of each [`BATCH`] requests verified that take the same path.
    #[inline(always)]
    fn by_path(&mut self, mut verify: impl FnMut(&mut Self, Path, &[usize])) {
        for start in (0..self.requests.len()).step_by(BATCH) {
            let end = self.requests.len().min(start + BATCH);
            for path in Path::ALL {
                let (mut chosen, mut count) = ([0; BATCH], 0);
                for at in start..end {
                    if Path::of(&self.requests[at], &self.known[at]) == path {
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
