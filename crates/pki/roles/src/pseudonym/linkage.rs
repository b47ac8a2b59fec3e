//! A linkage authority: half of each linkage value.

use core::ops::Range;

use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_security::linkage::{PreLinkageValues, later_seed};
use waywarden_v2x_signing::{Seed, encrypt_to_symmetric_key, written};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, LaId, LinkageSeed};
use waywarden_v2x_wire::ieee1609dot2dot1::{EncryptedIndividualPlv, Version2};
use zeroize::Zeroizing;

use super::error::PseudonymError;
use super::period::Period;
use crate::seeds::Seeds;

/// Number that names a holder in a registration authority's requests to a linkage authority: it
/// says nothing of the holder, and differs for the two authorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkageChain(
    /// The number of the chain.
    pub [u8; 8],
);

impl LinkageChain {
    /// Returns the number by which a linkage authority knows a request, of the hash by which the
    /// request goes. From the number of one authority that of the other one does not follow.
    #[must_use]
    pub fn of(request: HashedId8, authority: LaId) -> Self {
        let parts = [&b"linkage chain"[..], &authority.0, &request.0].concat();
        Self(hash(HashFunction::Sha256, &parts).id_8().0)
    }
}

/// A registration authority asks for prelinkage values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkageRequest {
    /// The chain that the values belong to.
    pub chain: LinkageChain,
    /// The period in which the chain begins.
    pub first: Period,
    /// The period of the values; not before `first`.
    pub i: Period,
    /// The indices of the values.
    pub j: Range<u8>,
}

/// Makes the seeds of chains, and gives prelinkage values to a pseudonym authority.
///
/// Seeds are derived from one secret and the chain's number, so that there is nothing to remember
/// and nothing to lose but the secret.
pub struct LinkageAuthority {
    id: LaId,
    secret: Seed,
    shared: Zeroizing<[u8; 16]>,
}

impl LinkageAuthority {
    /// Takes the authority's identifier, a secret of 32 random bytes, and a key of AES-128 that it
    /// shares with the pseudonym authority alone.
    #[must_use]
    pub fn new(id: LaId, secret: [u8; 32], shared: [u8; 16]) -> Self {
        Self {
            id,
            secret: Seed::new(secret),
            shared: Zeroizing::new(shared),
        }
    }

    /// Returns its identifier.
    #[must_use]
    pub fn id(&self) -> LaId {
        self.id
    }

    /// Returns the seed of a chain in a period: with it all values of that period and later ones
    /// can be computed, and none before. It is secret until the holder is revoked.
    ///
    /// # Errors
    /// [`PseudonymError::Message`] for a period before the chain's first.
    pub fn seed(
        &self,
        chain: LinkageChain,
        first: Period,
        i: Period,
    ) -> Result<LinkageSeed, PseudonymError> {
        let later = i.0.checked_sub(first.0).ok_or(PseudonymError::Message {
            field: "i",
            why: "no period before the first one of the chain",
        })?;
        // Bound to the first period, so that no other first period gives the same seeds.
        let own = self.secret.bound_to(&[&chain.0, &first.0.to_be_bytes()]);
        let seed = LinkageSeed(*own.derive("linkage seed", 0));
        Ok(later_seed(self.id, &seed, later))
    }

    /// Answers a request: for each index an encoded [`EncryptedIndividualPlv`], which the
    /// registration authority passes on and cannot open.
    ///
    /// # Errors
    /// As [`seed`](Self::seed).
    pub fn answer(
        &self,
        request: &LinkageRequest,
        seeds: &mut Seeds,
    ) -> Result<Vec<Vec<u8>>, PseudonymError> {
        let seed = self.seed(request.chain, request.first, request.i)?;
        let values = PreLinkageValues::new(self.id, &seed);
        let answers = request.j.clone().map(|j| {
            let value = values.at(u32::from(j)).0;
            let own = Seed::new(*seeds.next());
            let encrypted = encrypt_to_symmetric_key(&self.shared, &value, &own)?;
            let answer = EncryptedIndividualPlv {
                version: Version2,
                la_id: self.id,
                enc_plv: parse(&encrypted)?,
            };
            Ok(written(&answer)?)
        });
        answers.collect()
    }
}
