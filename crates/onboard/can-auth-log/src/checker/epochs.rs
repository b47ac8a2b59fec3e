//! Epochs that a frame of a recording may be from: those announced before it, and, with hindsight,
//! the next one.

use waywarden_can_auth::secoc::{Epoch, FreshnessState};

/// The most epochs that are searched on each side of a gap in the announcements.
const EPOCHS_MAX: u32 = 8;

/// Epochs known at one place of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownEpochs {
    /// Epochs up to this one are over.
    pub(super) after: Option<Epoch>,
    /// The last one announced before.
    pub(super) latest: Option<Epoch>,
    /// The next one announced, if a first pass found it.
    pub(super) next: Option<Epoch>,
}

impl KnownEpochs {
    /// One epoch alone.
    pub(super) const fn only(epoch: Option<Epoch>) -> Self {
        KnownEpochs {
            after: None,
            latest: epoch,
            next: None,
        }
    }

    /// Returns true if a frame may be judged at all.
    pub(super) fn is_any_known(&self) -> bool {
        self.newest().is_some()
    }

    /// Returns the freshness state of a receiver that knows these epochs.
    pub(super) fn freshness_state(&self) -> FreshnessState {
        FreshnessState::recorded(self.after, self.newest())
    }

    /// Returns the last epoch announced; before the first announcement the one before that.
    fn newest(&self) -> Option<Epoch> {
        self.latest.or_else(|| before(self.next?))
    }

    /// Returns the epochs that are searched: on from the last one announced, back from the next.
    /// Without synchronised freshness there is one, which has no number.
    pub(super) fn possible(&self, is_synchronised: bool) -> Vec<Option<Epoch>> {
        if !is_synchronised {
            return vec![None];
        }
        let mut found = Vec::new();
        let mut on = self.latest;
        while let Some(epoch) = on
            && found.len() < EPOCHS_MAX as usize
            && self.next.is_none_or(|next| epoch < next)
        {
            found.push(Some(epoch));
            on = epoch
                .reset
                .checked_add(1)
                .map(|reset| Epoch { reset, ..epoch });
        }
        let most = found.len() + EPOCHS_MAX as usize;
        let mut back = self.next.and_then(before);
        while let Some(epoch) = back
            && found.len() < most
            && Some(epoch) > self.latest.max(self.after)
        {
            if !found.contains(&Some(epoch)) {
                found.push(Some(epoch));
            }
            back = before(epoch);
        }
        found
    }
}

/// Returns the epoch before in the same trip; the first of a trip has reset 1.
fn before(epoch: Epoch) -> Option<Epoch> {
    let reset = epoch.reset.checked_sub(1).filter(|reset| *reset > 0)?;
    Some(Epoch { reset, ..epoch })
}
