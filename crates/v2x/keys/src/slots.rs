//! A bounded table of keys, which a store finds by their handles.

use waywarden_ecverify::Point;

use crate::error::KeyError;
use crate::key_store::{KeyHandle, Uses};

/// Number of values of the low half of a handle.
const NUMBERS: u64 = 1 << 32;

/// A key of a store: `private` is what the store keeps of it, and wipes itself when it is dropped.
pub(crate) struct Key<P> {
    handle: KeyHandle,
    uses: Uses,
    pub(crate) private: P,
    pub(crate) public: Point,
}

/// Up to `KEYS` keys.
pub(crate) struct Slots<P, const KEYS: usize> {
    keys: [Option<Key<P>>; KEYS],
    /// Counter of keys, modulo 2^32 / `KEYS`. A handle comes back after this many keys at the
    /// earliest, and only for a public key whose x begins with the same 32 bits.
    made: u64,
}

impl<P, const KEYS: usize> Slots<P, KEYS> {
    pub(crate) fn new() -> Self {
        Self {
            keys: core::array::from_fn(|_| None),
            made: 0,
        }
    }

    /// Finds a free place, before a key is computed that there is no room for.
    pub(crate) fn free(&self) -> Result<usize, KeyError> {
        let free = self.keys.iter().position(Option::is_none);
        free.ok_or(KeyError::Full)
    }

    pub(crate) fn add(
        &mut self,
        uses: Uses,
        private: P,
        public: Point,
    ) -> Result<KeyHandle, KeyError> {
        let free = self.free()?;
        let handle = self.handle(free, &public);
        self.made = (self.made + 1) % (NUMBERS / KEYS as u64);
        self.keys[free] = Some(Key {
            handle,
            uses,
            private,
            public,
        });
        Ok(handle)
    }

    /// The low 32 bits are a number that gives the place, so that a key is found without a search.
    /// The high ones are of the public key: a handle of another store is no key of this one.
    fn handle(&self, place: usize, public: &Point) -> KeyHandle {
        let number = self.made * KEYS as u64 + place as u64;
        let mark = public.x().first_chunk().copied().unwrap_or_default();
        KeyHandle(u64::from(u32::from_be_bytes(mark)) * NUMBERS + number)
    }

    fn place(&self, handle: KeyHandle) -> Result<usize, KeyError> {
        let place = (handle.0 % NUMBERS).checked_rem(KEYS as u64);
        let place = place.ok_or(KeyError::NoSuchKey)? as usize;
        match &self.keys[place] {
            Some(key) if key.handle == handle => Ok(place),
            _ => Err(KeyError::NoSuchKey),
        }
    }

    pub(crate) fn find(&self, handle: KeyHandle) -> Result<&Key<P>, KeyError> {
        let place = self.place(handle)?;
        self.keys[place].as_ref().ok_or(KeyError::NoSuchKey)
    }

    /// Finds a key that was made for `uses`.
    pub(crate) fn find_for(
        &self,
        handle: KeyHandle,
        uses: Uses,
        operation: &'static str,
    ) -> Result<&Key<P>, KeyError> {
        let key = self.find(handle)?;
        match key.uses.contains(uses) {
            true => Ok(key),
            false => Err(KeyError::NotForThisUse { operation }),
        }
    }

    pub(crate) fn retire(&mut self, handle: KeyHandle) -> Result<(), KeyError> {
        let place = self.place(handle)?;
        // Dropped where it is, which wipes it: `take` would leave the bytes behind.
        self.keys[place] = None;
        Ok(())
    }
}
