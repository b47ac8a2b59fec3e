//! Numbers, times and short hashes \[1609.2 §6.3\].

use crate::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, Visitor, choice, enumerated, number,
    octets, read_unsigned, sequence, version, write_unsigned,
};
use crate::error::{EmitError, WireError};

octets! {
    /// The last three octets of a hash \[1609.2 §6.3\].
    pub struct HashedId3([u8; 3]) = "HashedId3";
    /// The last eight octets of a hash \[1609.2 §6.3\].
    pub struct HashedId8([u8; 8]) = "HashedId8";
    /// The last ten octets of a hash \[1609.2 §6.3\].
    pub struct HashedId10([u8; 10]) = "HashedId10";
    /// Assurance level of a subject \[1609.2 §6.4\].
    pub struct SubjectAssurance([u8; 1]) = "SubjectAssurance";
    /// A linkage value \[1609.2 §6.4\].
    pub struct LinkageValue([u8; 9]) = "LinkageValue";
    /// The identifier of a linkage authority \[1609.2 §7.3\].
    pub struct LaId([u8; 2]) = "LaId";
    /// A linkage seed \[1609.2 §7.3\].
    pub struct LinkageSeed([u8; 16]) = "LinkageSeed";
    /// The counter of a group linkage value \[1609.2 §6.4\].
    pub struct JValue([u8; 4]) = "OCTET STRING";
}

impl HashedId8 {
    /// Returns the last three octets, by which stations ask each other for a certificate.
    #[must_use]
    pub fn id_3(self) -> HashedId3 {
        let [.., one, two, three] = self.0;
        HashedId3([one, two, three])
    }
}

version! {
    /// The version of the standard's structures: 3 \[1609.2 §6.3.2, §6.4.3\].
    pub struct Version3(u8 = 3) = "Uint8";
    /// The version of revocation lists, of their permissions, and of certificates given from
    /// station to station: 1 \[1609.2 §7.3, §8.4\].
    pub struct Version1(u8 = 1) = "Uint8";
}

number! {
    /// Seconds of TAI since 2004-01-01T00:00:00 UTC \[1609.2 §6.3\].
    pub struct Time32(u32) = "Time32";
    /// Microseconds of TAI since 2004-01-01T00:00:00 UTC \[1609.2 §6.3\].
    pub struct Time64(u64) = "Time64";
    /// A series of revocation lists \[1609.2 §6.4.8\].
    pub struct CrlSeries(u16) = "CrlSeries";
    /// A period of linkage \[1609.2 §6.4\].
    pub struct IValue(u16) = "IValue";
}

/// A provider service identifier \[1609.2 §6.3\]; ITS-AID in ETSI's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Psid(
    /// The number.
    pub u64,
);

impl<'a> CoerDecode<'a> for Psid {
    const NAME: &'static str = "Psid";

    #[inline]
    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let number = read_unsigned(reader)?;
        reader.value(LeafValue::Unsigned(number));
        Ok(Self(number))
    }
}

impl CoerEncode for Psid {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        write_unsigned(self.0, sink)
    }
}

enumerated! {
    /// A hash function \[1609.2 §6.3.5\].
    pub enum HashAlgorithm = "HashAlgorithm" {
        /// SHA-256.
        0 Sha256 = "sha256";
        /// SHA-384.
        1 Sha384 = "sha384";
        /// SM3.
        2 Sm3 = "sm3";
    }
}

choice! {
    /// Length of a validity period \[1609.2 §6.4\].
    pub enum Duration = "Duration", closed {
        /// Microseconds.
        0 Microseconds(u16) = "microseconds";
        /// Milliseconds.
        1 Milliseconds(u16) = "milliseconds";
        /// Seconds.
        2 Seconds(u16) = "seconds";
        /// Minutes.
        3 Minutes(u16) = "minutes";
        /// Hours.
        4 Hours(u16) = "hours";
        /// Periods of sixty hours.
        5 SixtyHours(u16) = "sixtyHours";
        /// Years of 31,556,952 seconds.
        6 Years(u16) = "years";
    }
}

impl Duration {
    /// Returns the duration in microseconds; 65,535 years fit.
    #[must_use]
    pub fn microseconds(&self) -> u64 {
        const SECOND: u64 = 1_000_000;
        let (count, unit) = match *self {
            Self::Microseconds(count) => (count, 1),
            Self::Milliseconds(count) => (count, 1_000),
            Self::Seconds(count) => (count, SECOND),
            Self::Minutes(count) => (count, 60 * SECOND),
            Self::Hours(count) => (count, 3_600 * SECOND),
            Self::SixtyHours(count) => (count, 216_000 * SECOND),
            Self::Years(count) => (count, 31_556_952 * SECOND),
        };
        u64::from(count) * unit
    }
}

sequence! {
    /// Validity period of a certificate \[1609.2 §6.4\].
    pub struct ValidityPeriod = "ValidityPeriod" {
        /// Beginning of the validity.
        required start: Time32 = "start";
        /// Duration of the validity.
        required duration: Duration = "duration";
    }
}

impl ValidityPeriod {
    /// Returns the beginning, in microseconds as in [`Time64`].
    #[must_use]
    pub fn start(&self) -> Time64 {
        Time64(u64::from(self.start.0) * 1_000_000)
    }

    /// Returns the end: the first moment at which it is no longer valid.
    #[must_use]
    pub fn end(&self) -> Time64 {
        Time64(self.start().0 + self.duration.microseconds())
    }
}
