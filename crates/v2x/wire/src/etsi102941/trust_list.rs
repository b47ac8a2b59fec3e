//! Trust and revocation lists of ETSI's PKI \[TS 102 941 Annex A\]: the root authorities, the
//! authorities of each root, and the revoked authorities.
//!
//! The tests read the one list of the EU that is public.

use crate::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, SequenceOf, Unknown, Visitor, choice,
    put_length, sequence, version,
};
use crate::error::{EmitError, ParseFault, WireError};
use crate::ieee1609dot2::{Certificate, HashedId8, Time32};

/// A BOOLEAN \[X.696 §9\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boolean(
    /// Value of the BOOLEAN.
    pub bool,
);

impl<'a> CoerDecode<'a> for Boolean {
    const NAME: &'static str = "BOOLEAN";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let (is_true, name) = match reader.byte()? {
            0 => (false, "FALSE"),
            0xFF => (true, "TRUE"),
            _ => return Err(WireError::at(ParseFault::NotCanonical, offset)),
        };
        reader.value(LeafValue::Name(name));
        Ok(Self(is_true))
    }
}

impl CoerEncode for Boolean {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(&[if self.0 { 0xFF } else { 0 }])
    }
}

/// URL of an access point: a text of ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'a>(&'a str);

impl<'a> Url<'a> {
    /// Creates a URL from a text; `None` if it is not ASCII.
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

impl<'a> CoerDecode<'a> for Url<'a> {
    const NAME: &'static str = "Url";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let length = reader.length()?;
        let offset = reader.offset();
        let bytes = reader.take(length)?;
        let text = core::str::from_utf8(bytes).ok().and_then(Self::new);
        let text = text.ok_or(WireError::at(ParseFault::OutOfRange, offset))?;
        reader.value(LeafValue::Text(text.0));
        Ok(text)
    }
}

impl CoerEncode for Url<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        put_length(self.0.len(), sink)?;
        sink.put(self.0.as_bytes())
    }
}

version! {
    /// Version of lists: 1, written as a number without bounds.
    pub struct ListVersion1(i64 = 1) = "Version";
}

sequence! {
    /// Entry of a root authority.
    pub struct RootCaEntry<'a> = "RootCaEntry" {
        /// Certificate of the root authority.
        required certificate: Certificate<'a> = "selfsignedRootCa";
        /// Previous certificate, which links to it.
        optional successor_to: Certificate<'a> = "successorTo";
    }
}

sequence! {
    /// Entry of an enrolment authority.
    pub struct EaEntry<'a> = "EaEntry" {
        /// Certificate of the enrolment authority.
        required certificate: Certificate<'a> = "eaCertificate";
        /// URL for authorization authorities.
        required aa_access_point: Url<'a> = "aaAccessPoint";
        /// URL for stations.
        optional its_access_point: Url<'a> = "itsAccessPoint";
    }
}

sequence! {
    /// Entry of an authorization authority.
    pub struct AaEntry<'a> = "AaEntry" {
        /// Certificate of the authorization authority.
        required certificate: Certificate<'a> = "aaCertificate";
        /// URL for stations.
        required access_point: Url<'a> = "accessPoint";
    }
}

sequence! {
    /// Entry of a distribution centre, which publishes lists.
    pub struct DcEntry<'a> = "DcEntry" {
        /// URL of the distribution centre.
        required url: Url<'a> = "url";
        /// Root authorities whose lists it publishes.
        required certificates: SequenceOf<'a, HashedId8> = "cert";
    }
}

sequence! {
    /// Entry of the trust list manager.
    pub struct TlmEntry<'a> = "TlmEntry" {
        /// Certificate of the trust list manager.
        required certificate: Certificate<'a> = "selfSignedTLMCertificate";
        /// Previous certificate, which links to it.
        optional successor_to: Certificate<'a> = "successorTo";
        /// URL of the manager's list.
        required access_point: Url<'a> = "accessPoint";
    }
}

choice! {
    /// Entry that a list adds.
    pub enum CtlEntry<'a> = "CtlEntry", open {
        /// A root authority.
        0 RootCa(RootCaEntry<'a>) = "rca";
        /// An enrolment authority.
        1 EnrolmentAuthority(EaEntry<'a>) = "ea";
        /// An authorization authority.
        2 AuthorizationAuthority(AaEntry<'a>) = "aa";
        /// A distribution centre.
        3 DistributionCentre(DcEntry<'a>) = "dc";
        /// The trust list manager.
        4 TrustListManager(TlmEntry<'a>) = "tlm";
    }
}

choice! {
    /// Entry that a list deletes.
    pub enum CtlDelete<'a> = "CtlDelete", open {
        /// The authority with this certificate.
        0 Certificate(HashedId8) = "cert";
        /// The distribution centre with this URL.
        1 DistributionCentre(Url<'a>) = "dc";
    }
}

choice! {
    /// Command of a list.
    pub enum CtlCommand<'a> = "CtlCommand", open {
        /// Adds an entry.
        0 Add(CtlEntry<'a>) = "add";
        /// Deletes an entry.
        1 Delete(CtlDelete<'a>) = "delete";
    }
}

sequence! {
    /// A trust list: of root authorities, or of the authorities of one root.
    pub struct CtlFormat<'a> = "CtlFormat" {
        /// Version of the structure.
        required version: ListVersion1 = "version";
        /// Latest time of the next list.
        required next_update: Time32 = "nextUpdate";
        /// True if the list is complete; otherwise it changes the previous list.
        required is_full: Boolean = "isFullCtl";
        /// Sequence number of the list, modulo 256.
        required sequence: u8 = "ctlSequence";
        /// Commands of the list.
        required commands: SequenceOf<'a, CtlCommand<'a>> = "ctlCommands";
    }
    additions {}
}

sequence! {
    /// List of revoked authorities.
    pub struct ToBeSignedCrl<'a> = "ToBeSignedCrl" {
        /// Version of the structure.
        required version: ListVersion1 = "version";
        /// Time of issue.
        required this_update: Time32 = "thisUpdate";
        /// Latest time of the next list.
        required next_update: Time32 = "nextUpdate";
        /// Digests of the revoked certificates.
        required entries: SequenceOf<'a, HashedId8> = "entries";
    }
    additions {}
}

sequence! {
    /// An extension of a header that ETSI contributed \[TS 103 097 Annex A\].
    pub struct HeaderExtension<'a> = "EtsiOriginatingHeaderInfoExtension" {
        /// Kind of extension: 1 a [`CrlRequest`], 2 a [`DeltaCtlRequest`].
        required id: u8 = "id";
        /// Contents of the extension.
        required content: Unknown<'a> = "content";
    }
}

sequence! {
    /// Request for a revocation list that the sender misses.
    pub struct CrlRequest = "EtsiTs102941CrlRequest" {
        /// Issuer of the list.
        required issuer_id: HashedId8 = "issuerId";
        /// Time of issue of the sender's last list.
        optional last_known_update: Time32 = "lastKnownUpdate";
    }
}

sequence! {
    /// Request for the changes of a trust list that the sender misses.
    pub struct DeltaCtlRequest = "EtsiTs102941CtlRequest" {
        /// Issuer of the list.
        required issuer_id: HashedId8 = "issuerId";
        /// Sequence number of the sender's last list.
        optional last_known_sequence: u8 = "lastKnownCtlSequence";
    }
}
