//! An end of a stream with its key and what it has kept: the same for both kinds of SecOC.

use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::stream::Persistent;

use crate::keys::{EndKey, Key};
use crate::memory::{Holder, lease, read};
use crate::retention::{Keeper, Retention};
use crate::status::{Status, answer};

/// An end with its key and its retention.
pub(crate) struct Kept<E> {
    pub(crate) end: E,
    pub(crate) key: EndKey,
    pub(crate) keeper: Keeper,
}

impl<E: Persistent> Kept<E> {
    /// Puts an end together with what the caller gave for it.
    ///
    /// # Safety
    /// See [the rules on pointers](crate#pointers).
    pub(crate) unsafe fn new(
        end: E,
        (key, usage): (*const Key, Usage),
        retention: *const Retention,
    ) -> Result<Self, Status> {
        // SAFETY: by the caller.
        let (key, retention) = unsafe { (EndKey::new(key, usage)?, read(retention)?) };
        Ok(Kept {
            end,
            key,
            keeper: Keeper::new(&retention)?,
        })
    }
}

/// Takes note that `value` is stored, or with 0 that it is not.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn retained<H, E>(place: *mut H, value: u64) -> Status
where
    H: Holder<Value = Kept<E>>,
    E: Persistent,
{
    answer(|| {
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(place) }?;
        let Kept { end, keeper, .. } = lease.value();
        if let Some(value) = keeper.confirmed(value)? {
            end.retained(value);
        }
        Ok(())
    })
}
