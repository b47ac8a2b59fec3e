//! What a certificate's holder may say, and may let others say \[1609.2 §6.4\].

use super::Psid;
use crate::coer::{
    Decode, Encode, Null, Octets, Reader, SequenceOf, Sink, Value, Visitor, choice, sequence,
};
use crate::error::{EmitError, Fault, WireError};

choice! {
    /// What the holder may say within an application \[1609.2 §6.4\]. Which bits mean what is
    /// said where the application is.
    pub enum ServiceSpecificPermissions<'a> = "ServiceSpecificPermissions", open {
        /// In a form of the application's own.
        0 Opaque(&'a [u8]) = "opaque";
    }
    additions {
        /// A bit for each permission.
        1 Bitmap(Octets<'a, 0, 31>) = "bitmapSsp";
    }
}

sequence! {
    /// An application, and what the holder may say in it \[1609.2 §6.4\].
    pub struct PsidSsp<'a> = "PsidSsp" {
        /// The application.
        required psid: Psid = "psid";
        /// What; without it, what the application says that this means.
        optional ssp: ServiceSpecificPermissions<'a> = "ssp";
    }
}

sequence! {
    /// Permissions of which some bits are fixed \[1609.2 §6.4\].
    pub struct BitmapSspRange<'a> = "BitmapSspRange" {
        /// The fixed bits.
        required value: Octets<'a, 1, 32> = "sspValue";
        /// Which bits are fixed: those that are 1.
        required mask: Octets<'a, 1, 32> = "sspBitmask";
    }
}

choice! {
    /// Which permissions a holder may give within an application \[1609.2 §6.4\].
    pub enum SspRange<'a> = "SspRange", open {
        /// One of these.
        0 Opaque(SequenceOf<'a, &'a [u8]>) = "opaque";
        /// Any.
        1 All(Null) = "all";
    }
    additions {
        /// Those with these bits.
        2 Bitmap(BitmapSspRange<'a>) = "bitmapSspRange";
    }
}

sequence! {
    /// An application, and which permissions a holder may give in it \[1609.2 §6.4\].
    pub struct PsidSspRange<'a> = "PsidSspRange" {
        /// The application.
        required psid: Psid = "psid";
        /// Which; without it, any.
        optional range: SspRange<'a> = "sspRange";
    }
}

choice! {
    /// For which applications \[1609.2 §6.4\].
    pub enum SubjectPermissions<'a> = "SubjectPermissions", critical {
        /// For these.
        0 Explicit(SequenceOf<'a, PsidSspRange<'a>>) = "explicit";
        /// For all that are not named beside.
        1 All(Null) = "all";
    }
}

/// Whom permissions are for \[1609.2 §6.4\]: at least one kind of holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndEntityType(u8);

impl EndEntityType {
    /// For those who send messages.
    pub const APP: Self = Self(0x80);
    /// For those who enrol.
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

    /// Whether all of `other` is in it.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl<'a> Decode<'a> for EndEntityType {
    const NAME: &'static str = "EndEntityType";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let bits = reader.byte()?;
        reader.value(Value::Octets(&[bits]));
        Self::new(bits).ok_or(WireError::at(Fault::OutOfRange, offset))
    }
}

impl Encode for EndEntityType {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(&[self.0])
    }
}

sequence! {
    /// Which certificates a holder may issue or request \[1609.2 §6.4\].
    pub struct PsidGroupPermissions<'a> = "PsidGroupPermissions" {
        /// With which permissions.
        required subject: SubjectPermissions<'a> = "subjectPermissions";
        /// How many certificates follow in the chain at the least; 0 is not valid where
        /// certificates are issued.
        default min_chain_length: i64 = "minChainLength", 1;
        /// How many more there may be; -1: any number.
        default chain_length_range: i64 = "chainLengthRange", 0;
        /// For whom.
        default ee_type: EndEntityType = "eeType", EndEntityType::APP;
    }
}
