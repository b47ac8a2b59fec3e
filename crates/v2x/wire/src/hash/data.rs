//! The hash of a message's data, which a caller may make before it needs the signer.

use super::{HashFunction, hash, hash_canonical, hash_with_omitted, is_canonical_data};
use crate::EmitError;
use crate::coer::Raw;
use crate::hash::Digest;
use crate::ieee1609dot2::{SignedData, ToBeSignedData};

/// Hashes of the signed part of a message: in canonical form, and as it came.
///
/// Hashing takes time in proportion to the message, and needs no key and no certificate. So a
/// receiver whose threads share what is known hashes before it locks that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataHash<'m> {
    /// The bytes that were hashed; none of a value that was not read.
    bytes: Option<&'m [u8]>,
    function: HashFunction,
    canonical: Digest,
    as_it_came: Digest,
    is_canonical: bool,
}

impl<'m> DataHash<'m> {
    /// Hashes the data of a message, in time linear in its length; `None` where another hash
    /// function is named, and where data was left out of the message.
    #[must_use]
    pub fn of(data: &SignedData<'m>) -> Option<Self> {
        let function = HashFunction::of(data.hash_id)?;
        let is_whole = data.tbs_data.payload.omitted.is_none();
        is_whole.then(|| Self::new(function, &data.tbs_data).ok())?
    }

    /// Returns `given` if it is the hash of this very memory by this function, and else hashes.
    ///
    /// # Errors
    /// As in [`hash_canonical`].
    pub fn given_or_new(
        given: Option<Self>,
        function: HashFunction,
        tbs: &Raw<'m, ToBeSignedData<'m>>,
    ) -> Result<Self, EmitError> {
        let given = given.filter(|one| one.function == function && one.is_over(tbs.bytes()));
        given.map_or_else(|| Self::new(function, tbs), Ok)
    }

    /// Hashes data together with external data that was left out of it.
    ///
    /// # Errors
    /// As in [`hash_canonical`].
    pub fn with_omitted(
        function: HashFunction,
        tbs: &Raw<'m, ToBeSignedData<'m>>,
        omitted: &[u8],
    ) -> Result<Self, EmitError> {
        let canonical = hash_with_omitted(function, &**tbs, omitted)?;
        Ok(Self {
            bytes: None,
            function,
            canonical,
            as_it_came: canonical,
            is_canonical: is_canonical_data(tbs),
        })
    }

    fn new(function: HashFunction, tbs: &Raw<'m, ToBeSignedData<'m>>) -> Result<Self, EmitError> {
        let bytes = tbs.bytes();
        let is_canonical = is_canonical_data(tbs);
        let as_it_came = hash(function, bytes.unwrap_or(&[]));
        let canonical = match is_canonical && bytes.is_some() {
            true => as_it_came,
            false => hash_canonical(function, &**tbs)?,
        };
        Ok(Self {
            bytes,
            function,
            canonical,
            as_it_came,
            is_canonical,
        })
    }

    /// Returns true if these bytes are, at their place in memory, those that were hashed. They are
    /// borrowed, so that they are unchanged.
    fn is_over(&self, bytes: Option<&[u8]>) -> bool {
        let (Some(own), Some(bytes)) = (self.bytes, bytes) else {
            return false;
        };
        core::ptr::eq(own, bytes)
    }

    /// Returns the hash of the canonical form.
    #[must_use]
    pub fn canonical(&self) -> &Digest {
        &self.canonical
    }

    /// Returns the hash of the bytes as they came.
    #[must_use]
    pub fn as_it_came(&self) -> &Digest {
        &self.as_it_came
    }

    /// Returns true if the data came in canonical form.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.is_canonical
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coer::parse;
    use crate::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};

    /// Signed data with the payload `6f6b`, named by digest.
    const MESSAGE: [u8; 87] = [
        3, 0x81, 0, 0x40, 3, 0x80, 2, 0x6F, 0x6B, 0, 0x01, 0x20, 0x80, 1, 2, 3, 4, 5, 6, 7, 8,
        0x80, 0x80, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        9, 9, 9, 9, 9, 9, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7,
    ];

    fn signed(message: &[u8]) -> SignedData<'_> {
        let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
        match data.content {
            Ieee1609Dot2Content::Signed(signed) => signed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hash_is_that_of_the_bytes_and_taken_for_this_memory_alone() {
        let message = MESSAGE;
        let data = signed(&message);
        let own = DataHash::of(&data).unwrap();
        let bytes = data.tbs_data.bytes().unwrap();
        assert_eq!(*own.canonical(), hash(HashFunction::Sha256, bytes));
        assert!(own.is_canonical());
        // A mark: a hash that no data has shows where it is taken, and nothing is hashed then.
        let marked = DataHash {
            canonical: hash(HashFunction::Sha256, b"mark"),
            ..own
        };
        let again = signed(&message);
        let taken = |function, data: &SignedData<'_>| {
            let taken = DataHash::given_or_new(Some(marked), function, &data.tbs_data);
            taken.unwrap().canonical == marked.canonical
        };
        assert!(taken(HashFunction::Sha256, &again));
        assert!(!taken(HashFunction::Sha384, &again));
        let elsewhere = message;
        assert!(!taken(HashFunction::Sha256, &signed(&elsewhere)));
    }
}
