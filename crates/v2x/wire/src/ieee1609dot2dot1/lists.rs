//! The lists inside of messages of certificate management: a trust list has its contents and its
//! certificates as octets, and an SPDU around it \[1609.2.1 §7.3\].

use super::{
    CertManagementPdu, FullIeeeTbsCtl, MultiSignedCtl, MultiSignedCtlType, ScmsContent, ScmsPdu,
};
use crate::coer::{SequenceOf, parse};
use crate::error::{ParseFault, WireError};
use crate::ieee1609dot2::{Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data};

/// The kind of a [`FullIeeeTbsCtl`]: `fullIeeeCtl` \[1609.2.1\].
pub const FULL_IEEE_CTL: MultiSignedCtlType = MultiSignedCtlType(1);

impl<'a> CertManagementPdu<'a> {
    /// Reads an SPDU whose payload is a message of certificate management, unsecured or signed, or
    /// an [`ScmsPdu`] alone. It verifies nothing.
    ///
    /// # Errors
    /// [`WireError`]; its place counts from the beginning of the payload where the SPDU could be
    /// read.
    pub fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        // Both begin with their version: 2 of the message, 3 of an SPDU.
        match bytes {
            [2, ..] => Self::of_pdu(bytes),
            _ => Self::carried_by(&parse(bytes)?),
        }
    }

    /// Reads the payload of an SPDU, unsecured or signed. It verifies nothing.
    ///
    /// # Errors
    /// [`WireError`], with its place counted from the beginning of the payload.
    pub fn carried_by(data: &Ieee1609Dot2Data<'a>) -> Result<Self, WireError> {
        let inner;
        let content = match &data.content {
            Ieee1609Dot2Content::Signed(signed) => {
                let payload = signed.tbs_data.payload.data.as_ref();
                let payload = payload.ok_or(inconsistent("data", "an SPDU without a payload"))?;
                inner = payload.view()?;
                &inner.content
            }
            other => other,
        };
        match content {
            Ieee1609Dot2Content::Unsecured(payload) => Self::of_pdu(payload),
            _ => Err(inconsistent(
                "unsecuredData",
                "the payload is secured itself",
            )),
        }
    }

    fn of_pdu(bytes: &'a [u8]) -> Result<Self, WireError> {
        match parse::<ScmsPdu<'_>>(bytes)?.content {
            ScmsContent::Cert(pdu) => Ok(pdu),
            _ => Err(inconsistent(
                "content",
                "no message of certificate management",
            )),
        }
    }
}

impl<'a> MultiSignedCtl<'a> {
    /// Reads the trust list that the electors signed, by its hash.
    ///
    /// # Errors
    /// [`WireError`], with its place counted from the beginning of `tbsCtl`; a list of another kind
    /// than [`FULL_IEEE_CTL`].
    pub fn list(&self) -> Result<FullIeeeTbsCtl<'a>, WireError> {
        match self.kind {
            FULL_IEEE_CTL => parse(self.tbs_ctl),
            _ => Err(inconsistent(
                "type",
                "1 (fullIeeeCtl) is the kind that is known",
            )),
        }
    }

    /// Reads the certificates that come with the list, unsigned.
    ///
    /// # Errors
    /// [`WireError`], with its place counted from the beginning of `unsigned`.
    pub fn certificates(&self) -> Result<SequenceOf<'a, Certificate<'a>>, WireError> {
        parse(self.unsigned)
    }
}

/// Parts that are well-formed, of a value that is not the one expected.
const fn inconsistent(field: &'static str, why: &'static str) -> WireError {
    WireError {
        fault: ParseFault::Inconsistent(why),
        offset: 0,
        field,
    }
}

/// Returns true for a hash in the form of a program's memory: at least half of its words of eight
/// bytes have zeros in their two highest ones, as addresses and small numbers have. Encoders that
/// take the place of a hash for the hash write such bytes.
///
/// A hash of 32 bytes has that form once in 700 million, one of 48 bytes once in 10^13.
#[must_use]
pub fn has_form_of_memory(hash: &[u8]) -> bool {
    let words = hash.as_chunks::<8>().0;
    let low = words.iter().filter(|word| word[6..] == [0, 0]).count();
    2 * low >= words.len()
}
