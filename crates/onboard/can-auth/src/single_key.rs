//! One key in as little memory as it takes: its bytes.
//!
//! A [`Keyring`](crate::keyring::Keyring) keeps what a code makes of a key, round keys and subkeys,
//! some 400 bytes for each of the two keys that it has while keys are rolled over. Here a code is
//! made of the key for each message, and wiped behind it: for AES-CMAC the key schedule and one
//! block more. It suits an end of a stream whose memory counts more than its time.

use core::marker::PhantomData;

use waywarden_work::Meter;

use crate::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use crate::mac::{Mac, MacKey, Tag};

/// One key of the code `M`, with the one before while keys are rolled over. Wiped on drop.
///
/// Time for a message: a key schedule of `M`, and the message; twice that where the key before is
/// tried.
pub struct SingleKey<M> {
    id: KeyId,
    usage: Usage,
    current: MacKey,
    /// The one before, while messages under it may still come; only to check with.
    previous: Option<MacKey>,
    code: PhantomData<M>,
}

impl<M: Mac> SingleKey<M> {
    /// Takes a key under a name.
    #[must_use]
    pub const fn new(id: KeyId, usage: Usage, key: MacKey) -> Self {
        SingleKey {
            id,
            usage,
            current: key,
            previous: None,
            code: PhantomData,
        }
    }

    /// Rolls the key over, see [`Keyring::roll_over`](crate::keyring::Keyring::roll_over).
    pub fn roll_over(&mut self, key: MacKey) {
        self.previous = Some(core::mem::replace(&mut self.current, key));
    }

    /// Ends a roll-over: the key before serves no more.
    pub fn forget_previous(&mut self) {
        self.previous = None;
    }

    fn usable(&self, id: KeyId, is_allowed: bool) -> Result<(), KeyStoreError> {
        match (id == self.id, is_allowed) {
            (false, _) => Err(KeyStoreError::UnknownKey(id)),
            (true, false) => Err(KeyStoreError::Usage(id)),
            (true, true) => Ok(()),
        }
    }
}

impl<M: Mac> MacKeyStore for SingleKey<M> {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        mut meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        self.usable(key, self.usage.protects())?;
        Ok(M::new(&self.current).tag(message, &mut meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        mut meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        self.usable(key, self.usage.checks())?;
        let mut matches = |key: &MacKey| {
            let tag = M::new(key).tag(message, &mut meter);
            tag.matches(received, bits)
        };
        if matches(&self.current) {
            self.previous = None;
            return Ok(true);
        }
        Ok(self.previous.as_ref().is_some_and(matches))
    }

    /// There is no room for another key.
    fn derive(
        &mut self,
        from: KeyId,
        _into: KeyId,
        _context: &[&[u8]],
        _meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        self.usable(from, true)?;
        Err(KeyStoreError::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::Keyring;
    use crate::mac::AesCmac;
    use waywarden_testkit::{Random, each_seed};
    use waywarden_work::NoMeter;

    const ID: KeyId = KeyId(7);

    /// Any calls in any order: the answers are those of a keyring with this one key.
    #[test]
    fn answers_are_those_of_a_keyring() {
        each_seed(200, |seed| {
            let mut random = Random::new(seed);
            let first = MacKey::from_bytes(random.array());
            let mut ring = Keyring::<AesCmac, 1>::new();
            ring.insert(ID, Usage::Both, &first).unwrap();
            let mut single = SingleKey::<AesCmac>::new(ID, Usage::Both, first);
            let mut tags = [[0; 16]; 4];
            for step in 0..40 {
                match random.below(8) {
                    0 => {
                        let key = MacKey::from_bytes(random.array());
                        ring.roll_over(ID, &key).unwrap();
                        single.roll_over(key);
                    }
                    1 => {
                        ring.forget_previous(ID);
                        single.forget_previous();
                    }
                    2 | 3 => {
                        let one = ring.tag(ID, &[b"m"], &mut NoMeter).unwrap().leading();
                        let other = single.tag(ID, &[b"m"], &mut NoMeter).unwrap().leading();
                        assert_eq!(one, other, "step {step}");
                        tags[random.index(4)] = one;
                    }
                    _ => {
                        let tag = tags[random.index(4)];
                        let one = ring.check(ID, &[b"m"], &tag, 128, &mut NoMeter);
                        let other = single.check(ID, &[b"m"], &tag, 128, &mut NoMeter);
                        assert_eq!(one, other, "step {step}");
                    }
                }
            }
        });
    }

    #[test]
    fn it_has_one_key_and_serves_in_its_direction_alone() {
        let key = || MacKey::from_bytes([1; 16]);
        let mut own = SingleKey::<AesCmac>::new(ID, Usage::Check, key());
        let refused = own.tag(ID, &[], &mut NoMeter).err();
        assert_eq!(refused, Some(KeyStoreError::Usage(ID)));
        let other = KeyId(8);
        let refused = own.check(other, &[], &[0; 16], 128, &mut NoMeter);
        assert_eq!(refused, Err(KeyStoreError::UnknownKey(other)));
        let refused = own.derive(ID, other, &[], &mut NoMeter);
        assert_eq!(refused, Err(KeyStoreError::Full));
        assert!(size_of::<SingleKey<AesCmac>>() <= 40);
    }
}
