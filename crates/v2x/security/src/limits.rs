//! Limits on the memory of a verifier, and on the cost of one message before a signature of it has
//! verified.

use waywarden_ecverify::Curve;
use waywarden_v2x_wire::ieee1609dot2::{Psid, outline};

use crate::context::MessageSource;
use crate::profile::{CRL_PSID, Profiles};
use crate::result::{Refusal, ResultCode};
use crate::store::CHAIN_MAX;

/// Most signatures that are verified for one message, whatever the [`Limits`]: each of a chain and
/// the message's own, in two forms.
pub const SIGNATURES_MAX: usize = 2 * (CHAIN_MAX as usize + 1);

/// Memory bounds of a [`Verifier`](crate::Verifier).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Number of certificates of messages: those used last are held.
    pub certificates: usize,
    /// Number of messages that are remembered, so that a replay is recognized.
    pub messages: usize,
    /// Memory for tables of senders' and issuers' keys, in bytes, by default those of about 220
    /// senders. Tables make verification faster and never change a verdict; 0 disables them.
    pub table_bytes: usize,
}

impl Capacity {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        certificates: 4_096,
        messages: 65_536,
        table_bytes: 1 << 20,
    };

    /// One certificate and one message, without tables: for checks of a single certificate or list.
    pub const MINIMAL: Self = Self {
        certificates: 1,
        messages: 1,
        table_bytes: 0,
    };
}

/// Bounds on unverified messages. A receiver that raises one lets each unsigned message cost more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a message from a radio: by default 2,302, the most that a WAVE short message
    /// or a GeoNetworking packet can bring over IEEE 802.11 \[1609.3\], by §9.2.4.7 of its 2020
    /// edition.
    pub message_bytes: usize,
    /// Most bytes of a message from a file, by default 16 MiB.
    pub file_bytes: usize,
    /// Most bytes of a revocation or trust list, by default 16 MiB. All but its payload has the
    /// bound of other messages, and the payload is read only after the signature has verified.
    pub list_bytes: usize,
    /// Most signatures of a message from a radio, its own and those of unknown certificates: by
    /// default 3. A message from a file may have [`SIGNATURES_MAX`].
    pub signatures: usize,
    /// Most work for these signatures, in hundredths of a signature on P-256 under an explicit key:
    /// by default 400. Bytes that are not in canonical form count twice, since either form may be
    /// signed. Curves of 384 bits are counted in signatures of their own.
    pub work: u32,
    /// True if an unknown implicit certificate may be the issuer of another; false by default. It
    /// has no signature at which the work could stop.
    pub unknown_implicit_issuers: bool,
}

impl Limits {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        message_bytes: 2_302,
        file_bytes: 16 << 20,
        list_bytes: 16 << 20,
        signatures: 3,
        work: 400,
        unknown_implicit_issuers: false,
    };

    /// A message is not too large to be read. Constant time.
    pub(crate) fn check(
        &self,
        message: &[u8],
        source: MessageSource,
        profiles: &Profiles,
    ) -> Result<(), Refusal> {
        let most = match source {
            MessageSource::Radio => self.message_bytes,
            MessageSource::File => self.file_bytes,
        };
        if message.len() <= most {
            return Ok(());
        }
        let is_large_list = outline(message).is_some_and(|outline| {
            let around = message.len() - outline.payload_bytes;
            is_list(outline.psid, profiles) && around <= most
        });
        match is_large_list && message.len() <= self.list_bytes {
            true => Ok(()),
            false => Err(Refusal::message(
                ResultCode::ParsingInvalidInput,
                "Ieee1609Dot2Data",
                "longer than the receiver's limit for messages of this kind",
            )),
        }
    }

    /// Returns true if the limits allow this number of signatures and this work for a message.
    pub(crate) fn allow(&self, source: MessageSource, signatures: usize, work: u32) -> bool {
        match source {
            MessageSource::Radio => signatures <= self.signatures && work <= self.work,
            MessageSource::File => signatures <= SIGNATURES_MAX,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Returns the work for a signature, in hundredths of one on P-256 under an explicit key; rounded
/// up from measurements of `waywarden bench verify` in plain arithmetic.
pub(crate) fn work_of(curve: Curve, is_implicit: bool) -> u32 {
    match (curve, is_implicit) {
        (Curve::P256 | Curve::P384 | Curve::BrainpoolP384r1, false) => 100,
        (Curve::P256 | Curve::P384 | Curve::BrainpoolP384r1, true) => 130,
        (Curve::BrainpoolP256r1, false) => 190,
        (Curve::BrainpoolP256r1, true) => 230,
    }
}

/// Returns true if the application's messages are lists: of IEEE 1609.2 or of TS 102 941.
fn is_list(psid: Psid, profiles: &Profiles) -> bool {
    psid == CRL_PSID || profiles.of(psid).list_tolerance.is_some()
}
