//! Permissions of a certificate's holder: to send, and to grant to others \[1609.2 §6.4\].

use super::Psid;
use crate::coer::{
    CoerDecode, CoerEncode, CoerOctets, CoerReader, CoerSink, LeafValue, Null, SequenceOf, Visitor,
    choice, sequence,
};
use crate::error::{EmitError, ParseFault, WireError};

choice! {
    /// Permissions of the holder within an application \[1609.2 §6.4\]. The application's
    /// specification defines the meaning of the bits.
    pub enum ServiceSpecificPermissions<'a> = "ServiceSpecificPermissions", open {
        /// Octets in a format of the application.
        0 Opaque(&'a [u8]) = "opaque";
    }
    additions {
        /// A bit for each permission.
        1 Bitmap(CoerOctets<'a, 0, 31>) = "bitmapSsp";
    }
}

sequence! {
    /// An application, and the holder's permissions in it \[1609.2 §6.4\].
    pub struct PsidSsp<'a> = "PsidSsp" {
        /// Application of the permissions.
        required psid: Psid = "psid";
        /// Permissions; without them, the default of the application.
        optional ssp: ServiceSpecificPermissions<'a> = "ssp";
    }
}

sequence! {
    /// Range of permissions of which some bits are fixed \[1609.2 §6.4\].
    pub struct BitmapSspRange<'a> = "BitmapSspRange" {
        /// Values of the fixed bits.
        required value: CoerOctets<'a, 1, 32> = "sspValue";
        /// Mask of the fixed bits: those that are 1.
        required mask: CoerOctets<'a, 1, 32> = "sspBitmask";
    }
}

choice! {
    /// Permissions that a holder may grant within an application \[1609.2 §6.4\].
    pub enum SspRange<'a> = "SspRange", open {
        /// One of these values.
        0 Opaque(SequenceOf<'a, &'a [u8]>) = "opaque";
        /// Any permissions.
        1 All(Null) = "all";
    }
    additions {
        /// Permissions with these fixed bits.
        2 Bitmap(BitmapSspRange<'a>) = "bitmapSspRange";
    }
}

sequence! {
    /// An application, and the permissions that a holder may grant in it \[1609.2 §6.4\].
    pub struct PsidSspRange<'a> = "PsidSspRange" {
        /// Application of the permissions.
        required psid: Psid = "psid";
        /// Range of permissions; without it, any.
        optional range: SspRange<'a> = "sspRange";
    }
}

choice! {
    /// Applications that permissions cover \[1609.2 §6.4\].
    pub enum SubjectPermissions<'a> = "SubjectPermissions", critical {
        /// These applications.
        0 Explicit(SequenceOf<'a, PsidSspRange<'a>>) = "explicit";
        /// All applications that no other entry names.
        1 All(Null) = "all";
    }
}

/// Kinds of holders that permissions are for \[1609.2 §6.4\]; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndEntityType(u8);

impl EndEntityType {
    /// Holders of authorization certificates, which send messages.
    pub const APP: Self = Self(0x80);
    /// Holders of enrolment certificates.
    pub const ENROL: Self = Self(0x40);

    /// Returns a type from its bits, the first one on top; `None` if none is set.
    #[must_use]
    pub fn new(bits: u8) -> Option<Self> {
        (bits != 0).then_some(Self(bits))
    }

    /// Returns the bits.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Returns true if all kinds of `other` are included.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl<'a> CoerDecode<'a> for EndEntityType {
    const NAME: &'static str = "EndEntityType";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let bits = reader.byte()?;
        reader.value(LeafValue::Octets(&[bits]));
        Self::new(bits).ok_or(WireError::at(ParseFault::OutOfRange, offset))
    }
}

impl CoerEncode for EndEntityType {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(&[self.0])
    }
}

sequence! {
    /// Permissions of a holder to issue or request certificates \[1609.2 §6.4\].
    pub struct PsidGroupPermissions<'a> = "PsidGroupPermissions" {
        /// Permissions that the certificates may have.
        required subject: SubjectPermissions<'a> = "subjectPermissions";
        /// Minimum number of certificates that follow in the chain; 0 is not valid for issuing.
        default min_chain_length: i64 = "minChainLength", 1;
        /// Number of certificates that may follow beyond the minimum; -1: any number.
        default chain_length_range: i64 = "chainLengthRange", 0;
        /// Kinds of holders of the certificates.
        default ee_type: EndEntityType = "eeType", EndEntityType::APP;
    }
}
