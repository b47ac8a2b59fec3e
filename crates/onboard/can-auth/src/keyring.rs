//! Keys by name and direction in the ECU's own memory, with roll-over.
//!
//! Nothing of a keyring survives a reset: what makes its keys (a key exchange, a protected module,
//! a provisioned secret) fills it again at each boot.

mod any;

use waywarden_work::Meter;

pub use self::any::AnyKeyring;

use crate::key_store::{Claim, KeyId, KeyStoreError, MacKeyStore, Usage};
use crate::mac::{Mac, MacKey, Tag};

/// Up to `N` keys of one code. Each is wiped as its code wipes it.
pub struct Keyring<M, const N: usize> {
    entries: [Option<Entry<M>>; N],
}

struct Entry<M> {
    id: KeyId,
    usage: Usage,
    current: M,
    /// The one before, while messages under it may still come; only to check with.
    previous: Option<M>,
}

impl<M: Mac, const N: usize> Keyring<M, N> {
    /// Makes an empty keyring.
    #[must_use]
    pub const fn new() -> Self {
        Keyring {
            entries: [const { None }; N],
        }
    }

    /// Adds a key, or puts it at once in the place of the one of this name.
    ///
    /// # Errors
    /// [`KeyStoreError::Full`] with `N` keys of other names.
    pub fn insert(&mut self, id: KeyId, usage: Usage, key: &MacKey) -> Result<(), KeyStoreError> {
        self.put(id, usage, M::new(key))
    }

    /// Rolls a key over: tags are computed with the new one from now on; what comes in may be under
    /// the one before, until a message under the new one was checked or
    /// [`Keyring::forget_previous`] says that it is over.
    ///
    /// # Errors
    /// [`KeyStoreError::UnknownKey`] if there is nothing to roll over.
    pub fn roll_over(&mut self, id: KeyId, key: &MacKey) -> Result<(), KeyStoreError> {
        let entry = self.entry(id)?;
        entry.previous = Some(core::mem::replace(&mut entry.current, M::new(key)));
        Ok(())
    }

    /// Ends a roll-over: the key before serves no more.
    pub fn forget_previous(&mut self, id: KeyId) {
        if let Ok(entry) = self.entry(id) {
            entry.previous = None;
        }
    }

    /// Takes a key out for good; returns whether it was there.
    pub fn remove(&mut self, id: KeyId) -> bool {
        let found = self.entries.iter_mut().find(|entry| is(entry, id));
        found.is_some_and(|entry| entry.take().is_some())
    }

    fn entry(&mut self, id: KeyId) -> Result<&mut Entry<M>, KeyStoreError> {
        let found = self
            .entries
            .iter_mut()
            .flatten()
            .find(|entry| entry.id == id);
        found.ok_or(KeyStoreError::UnknownKey(id))
    }

    fn put(&mut self, id: KeyId, usage: Usage, current: M) -> Result<(), KeyStoreError> {
        let place = self.entries.iter().position(|entry| is(entry, id));
        let place = place.or_else(|| self.entries.iter().position(Option::is_none));
        let place = place.ok_or(KeyStoreError::Full)?;
        self.entries[place] = Some(Entry {
            id,
            usage,
            current,
            previous: None,
        });
        Ok(())
    }
}

fn is<M>(entry: &Option<Entry<M>>, id: KeyId) -> bool {
    entry.as_ref().is_some_and(|entry| entry.id == id)
}

impl<M: Mac, const N: usize> Default for Keyring<M, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Mac, const N: usize> MacKeyStore for Keyring<M, N> {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        mut meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        let entry = self.entry(key)?;
        if !entry.usage.protects() {
            return Err(KeyStoreError::Usage(key));
        }
        Ok(entry.current.tag(message, &mut meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        mut meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        let entry = self.entry(key)?;
        if !entry.usage.checks() {
            return Err(KeyStoreError::Usage(key));
        }
        if entry
            .current
            .tag(message, &mut meter)
            .matches(received, bits)
        {
            entry.previous = None;
            return Ok(true);
        }
        let previous = entry.previous.as_ref();
        Ok(previous.is_some_and(|mac| mac.tag(message, &mut meter).matches(received, bits)))
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        mut meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        let entry = self.entry(from)?;
        let usage = entry.usage;
        let tag = entry.current.tag(context, &mut meter);
        let key = MacKey::from_bytes(*tag.whole());
        self.put(into, usage, M::new(&key))
    }

    fn tag_batch<T: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        messages: impl Iterator<Item = T>,
        each: impl FnMut(usize, &T, &Tag),
    ) -> Result<(), KeyStoreError> {
        let entry = self.entry(key)?;
        if !entry.usage.protects() {
            return Err(KeyStoreError::Usage(key));
        }
        entry.current.compute_batch(messages, each);
        Ok(())
    }

    /// While keys are rolled over nothing is foreseen: whichever message is the first under the new
    /// key ends that.
    fn foresee<T: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        claims: impl Iterator<Item = Claim<T>>,
        bits: usize,
        mut right: impl FnMut(usize),
    ) -> Result<(), KeyStoreError> {
        let entry = self.entry(key)?;
        if !entry.usage.checks() {
            return Err(KeyStoreError::Usage(key));
        }
        if entry.previous.is_none() {
            entry.current.compute_batch(claims, |index, claim, tag| {
                if tag.matches(&claim.received, bits) {
                    right(index);
                }
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::AesCmac;
    use waywarden_work::{NoMeter, RecordedOperations};

    const ID: KeyId = KeyId(7);

    fn key(byte: u8) -> MacKey {
        MacKey::from_bytes([byte; 16])
    }

    fn ring(usage: Usage, byte: u8) -> Keyring<AesCmac, 2> {
        let mut ring = Keyring::new();
        ring.insert(ID, usage, &key(byte)).unwrap();
        ring
    }

    fn tag(byte: u8) -> [u8; 16] {
        AesCmac::new(&key(byte)).compute(&[b"message"]).leading()
    }

    fn checks(ring: &mut Keyring<AesCmac, 2>, tag: &[u8; 16]) -> bool {
        ring.check(ID, &[b"message"], tag, 128, &mut NoMeter)
            .unwrap()
    }

    #[test]
    fn the_key_before_checks_until_the_new_one_was_seen() {
        let mut ring = ring(Usage::Both, 1);
        ring.roll_over(ID, &key(2)).unwrap();
        let own = ring.tag(ID, &[b"message"], &mut NoMeter).unwrap();
        assert_eq!(
            own.leading(),
            tag(2),
            "own tags are under the new key at once"
        );
        assert!(checks(&mut ring, &tag(1)) && checks(&mut ring, &tag(1)));
        assert!(!checks(&mut ring, &tag(3)), "a forgery ends nothing");
        assert!(checks(&mut ring, &tag(1)));
        assert!(checks(&mut ring, &tag(2)));
        assert!(!checks(&mut ring, &tag(1)), "the roll-over is over");
        ring.roll_over(ID, &key(3)).unwrap();
        ring.forget_previous(ID);
        assert!(!checks(&mut ring, &tag(2)) && checks(&mut ring, &tag(3)));
    }

    #[test]
    fn keys_serve_in_their_direction_alone() {
        let mut meter = RecordedOperations::new();
        let mut one_way = ring(Usage::Protect, 1);
        let refused = Err(KeyStoreError::Usage(ID));
        assert_eq!(one_way.check(ID, &[], &[0; 16], 128, &mut meter), refused);
        let mut other_way = ring(Usage::Check, 1);
        let refused = other_way.tag(ID, &[], &mut meter).err();
        assert_eq!(refused, Some(KeyStoreError::Usage(ID)));
        other_way
            .derive(ID, KeyId(8), &[b"context"], &mut meter)
            .unwrap();
        let refused = other_way.tag(KeyId(8), &[], &mut meter).err();
        assert_eq!(
            refused,
            Some(KeyStoreError::Usage(KeyId(8))),
            "derived keys inherit it"
        );
    }

    #[test]
    fn names_are_few_and_gone_when_removed() {
        let mut ring = ring(Usage::Both, 1);
        ring.insert(KeyId(8), Usage::Both, &key(2)).unwrap();
        let full = ring.insert(KeyId(9), Usage::Both, &key(3));
        assert_eq!(full, Err(KeyStoreError::Full));
        assert!(
            ring.insert(KeyId(8), Usage::Both, &key(4)).is_ok(),
            "its own place"
        );
        assert!(ring.remove(ID) && !ring.remove(ID));
        assert_eq!(
            ring.roll_over(ID, &key(1)),
            Err(KeyStoreError::UnknownKey(ID))
        );
        assert!(ring.insert(KeyId(9), Usage::Both, &key(3)).is_ok());
    }
}
