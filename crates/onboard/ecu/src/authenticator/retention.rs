//! The values that an authenticator keeps over a reset, and those with which it begins.

use waywarden_can::node::Slot;
use waywarden_can_auth::key_store::MacKeyStore;
use waywarden_can_auth::stream::{Check, Persistent, Protect};

use super::memory::{Kept, Memory};
use super::{Authenticator, End};

impl<V, P, C, S, R> Authenticator<V, P, C, S, R>
where
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    /// Everything that is to be retained now, beside what is.
    pub(super) fn wanted(&self, memory: &Memory) -> Kept {
        let mut wanted = *memory.kept();
        wanted.boot = memory.boot();
        wanted.epoch = self.timekeeper.to_retain().or(wanted.epoch);
        let senders = self.senders.as_ref().iter();
        let senders = senders.filter(|end| end.end.counter().is_some());
        let receivers = self.receivers.as_ref().iter();
        let receivers = receivers.filter(|end| end.end.counter().is_some());
        let counters = senders
            .map(|end| end.end.to_retain())
            .chain(receivers.map(|end| end.end.to_retain()));
        for (place, counter) in wanted.counters.iter_mut().zip(counters) {
            *place = counter.unwrap_or(*place);
        }
        wanted
    }

    /// Reports the retained values to the ends and the timekeeper.
    pub(super) fn retained(&mut self, slot: Slot) {
        let Ok(memory) = &mut self.memory else { return };
        if !memory.written(slot) {
            return;
        }
        let Kept {
            epoch, counters, ..
        } = *memory.kept();
        self.timekeeper.retained(epoch);
        let mut counters = counters.into_iter();
        confirm(self.senders.as_mut(), &mut counters);
        confirm(self.receivers.as_mut(), &mut counters);
    }
}

/// Begins the boot at some ends; those that count take what was retained, in order.
pub(super) fn begin<T: Persistent>(
    ends: &mut [End<T>],
    boot: u32,
    counters: &mut impl Iterator<Item = u64>,
) {
    for End { end, .. } in ends {
        let counter = end.counter().and_then(|_| counters.next());
        end.begin(boot, counter.unwrap_or(0));
    }
}

/// Tells those ends that count what is retained, in order.
fn confirm<T: Persistent>(ends: &mut [End<T>], counters: &mut impl Iterator<Item = u64>) {
    let counting = ends.iter_mut().filter(|end| end.end.counter().is_some());
    for (End { end, .. }, counter) in counting.zip(counters) {
        end.retained(counter);
    }
}
