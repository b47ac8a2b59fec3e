//! The trust lists of ETSI's PKI \[TS 102 941 Annex A\]: which root authorities there are, which
//! authorities each root has, and which are revoked.
//!
//! The tests read the one list of the EU that is public.

use crate::coer::{
    Decode, Encode, Reader, SequenceOf, Sink, Unknown, Value, Visitor, choice, put_length,
    sequence, version,
};
use crate::error::{EmitError, Fault, WireError};
use crate::ieee1609dot2::{Certificate, HashedId8, Time32};

/// A BOOLEAN \[X.696 §9\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boolean(
    /// Whether it is true.
    pub bool,
);

impl<'a> Decode<'a> for Boolean {
    const NAME: &'static str = "BOOLEAN";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let (is_true, name) = match reader.byte()? {
            0 => (false, "FALSE"),
            0xFF => (true, "TRUE"),
            _ => return Err(WireError::at(Fault::NotCanonical, offset)),
        };
        reader.value(Value::Name(name));
        Ok(Self(is_true))
    }
}

impl Encode for Boolean {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(&[if self.0 { 0xFF } else { 0 }])
    }
}

/// Where something can be had: a text of ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'a>(&'a str);

impl<'a> Url<'a> {
    /// Takes a text; `None` if it is not ASCII.
    #[must_use]
    pub fn new(text: &'a str) -> Option<Self> {
        text.is_ascii().then_some(Self(text))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.0
    }
}

impl<'a> Decode<'a> for Url<'a> {
    const NAME: &'static str = "Url";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let length = reader.length()?;
        let offset = reader.offset();
        let bytes = reader.take(length)?;
        let text = core::str::from_utf8(bytes).ok().and_then(Self::new);
        let text = text.ok_or(WireError::at(Fault::OutOfRange, offset))?;
        reader.value(Value::Text(text.0));
        Ok(text)
    }
}

impl Encode for Url<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
        put_length(self.0.len(), sink)?;
        sink.put(self.0.as_bytes())
    }
}

version! {
    /// The version of lists: 1, written as a number without bounds.
    pub struct ListVersion1(i64 = 1) = "Version";
}

sequence! {
    /// A root authority.
    pub struct RootCaEntry<'a> = "RootCaEntry" {
        /// Its certificate.
        required certificate: Certificate<'a> = "selfsignedRootCa";
        /// The one before, which links to it.
        optional successor_to: Certificate<'a> = "successorTo";
    }
}

sequence! {
    /// An authority that enrols stations.
    pub struct EaEntry<'a> = "EaEntry" {
        /// Its certificate.
        required certificate: Certificate<'a> = "eaCertificate";
        /// Where authorization authorities reach it.
        required aa_access_point: Url<'a> = "aaAccessPoint";
        /// Where stations reach it.
        optional its_access_point: Url<'a> = "itsAccessPoint";
    }
}

sequence! {
    /// An authority that authorizes stations.
    pub struct AaEntry<'a> = "AaEntry" {
        /// Its certificate.
        required certificate: Certificate<'a> = "aaCertificate";
        /// Where stations reach it.
        required access_point: Url<'a> = "accessPoint";
    }
}

sequence! {
    /// A place where lists can be had.
    pub struct DcEntry<'a> = "DcEntry" {
        /// Where.
        required url: Url<'a> = "url";
        /// Of which root authorities.
        required certificates: SequenceOf<'a, HashedId8> = "cert";
    }
}

sequence! {
    /// The manager of the list of root authorities.
    pub struct TlmEntry<'a> = "TlmEntry" {
        /// Its certificate.
        required certificate: Certificate<'a> = "selfSignedTLMCertificate";
        /// The one before, which links to it.
        optional successor_to: Certificate<'a> = "successorTo";
        /// Where its list can be had.
        required access_point: Url<'a> = "accessPoint";
    }
}

choice! {
    /// What a list adds.
    pub enum CtlEntry<'a> = "CtlEntry", open {
        /// A root authority.
        0 RootCa(RootCaEntry<'a>) = "rca";
        /// An authority that enrols.
        1 EnrolmentAuthority(EaEntry<'a>) = "ea";
        /// An authority that authorizes.
        2 AuthorizationAuthority(AaEntry<'a>) = "aa";
        /// A place where lists can be had.
        3 DistributionCentre(DcEntry<'a>) = "dc";
        /// The manager of the list.
        4 TrustListManager(TlmEntry<'a>) = "tlm";
    }
}

choice! {
    /// What a list takes away.
    pub enum CtlDelete<'a> = "CtlDelete", open {
        /// The authority with this certificate.
        0 Certificate(HashedId8) = "cert";
        /// This place.
        1 DistributionCentre(Url<'a>) = "dc";
    }
}

choice! {
    /// What a list does.
    pub enum CtlCommand<'a> = "CtlCommand", open {
        /// It adds.
        0 Add(CtlEntry<'a>) = "add";
        /// It takes away.
        1 Delete(CtlDelete<'a>) = "delete";
    }
}

sequence! {
    /// A list: of root authorities, or of the authorities of one.
    pub struct CtlFormat<'a> = "CtlFormat" {
        /// The version.
        required version: ListVersion1 = "version";
        /// When the next list comes at the latest.
        required next_update: Time32 = "nextUpdate";
        /// Whether it has all; else it changes the list before.
        required is_full: Boolean = "isFullCtl";
        /// Counts the lists, modulo 256.
        required sequence: u8 = "ctlSequence";
        /// What it does.
        required commands: SequenceOf<'a, CtlCommand<'a>> = "ctlCommands";
    }
    additions {}
}

sequence! {
    /// Which authorities are revoked.
    pub struct ToBeSignedCrl<'a> = "ToBeSignedCrl" {
        /// The version.
        required version: ListVersion1 = "version";
        /// When it was made.
        required this_update: Time32 = "thisUpdate";
        /// When the next one comes at the latest.
        required next_update: Time32 = "nextUpdate";
        /// Those with these certificates.
        required entries: SequenceOf<'a, HashedId8> = "entries";
    }
    additions {}
}

sequence! {
    /// An extension of a header that ETSI contributed \[TS 103 097 Annex A\].
    pub struct HeaderExtension<'a> = "EtsiOriginatingHeaderInfoExtension" {
        /// Which: 1 a [`CrlRequest`], 2 a [`DeltaCtlRequest`].
        required id: u8 = "id";
        /// What it says.
        required content: Unknown<'a> = "content";
    }
}

sequence! {
    /// The sender misses a revocation list.
    pub struct CrlRequest = "EtsiTs102941CrlRequest" {
        /// Whose.
        required issuer_id: HashedId8 = "issuerId";
        /// When the last one that it has was made.
        optional last_known_update: Time32 = "lastKnownUpdate";
    }
}

sequence! {
    /// The sender misses what changed in a list.
    pub struct DeltaCtlRequest = "EtsiTs102941CtlRequest" {
        /// Whose.
        required issuer_id: HashedId8 = "issuerId";
        /// Which is the last one that it has.
        optional last_known_sequence: u8 = "lastKnownCtlSequence";
    }
}
