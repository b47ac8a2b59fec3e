//! The configuration of an ECU under a security module, or of the module: its party, what it knows
//! of the others, and the streams whose keys are granted.

use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_key_suites::Secret;
use waywarden_lasan::{Address, StreamId};
use waywarden_work::{Duration, Instant};

use crate::List;
use crate::ecu_record::{EcuRecord, KEYS_MAX};
use crate::fields::{Field, MessageError, Reader, Writer, put_all, take_all};
use crate::kind::LASAN;
use crate::lasan_parties::LasanParties;
use crate::record::Record;

/// The configuration of an ECU on one bus with a security module.
pub struct LasanRecord {
    /// Its streams, with SecOC; keys in place are none.
    pub ecu: EcuRecord,
    /// The byte that stands for the suite.
    pub suite: u8,
    /// Its address.
    pub address: Address,
    /// The secret behind its key.
    pub secret: Secret,
    /// Its knowledge of the others.
    pub parties: LasanParties,
    /// Its part.
    pub part: LasanPart,
}

/// The part of an ECU under a security module.
// There is one, and no allocator to put the larger variant elsewhere.
#[allow(clippy::large_enum_variant)]
pub enum LasanPart {
    /// It asks for keys.
    Ecu {
        /// The streams and announcements that it sends, whose keys it asks for.
        requests: List<StreamId, KEYS_MAX>,
        /// The keys that follow those that it is granted.
        keys: List<GrantedKeyRecord, KEYS_MAX>,
        /// The time in which it takes messages under the key before, too.
        overlap: Duration,
    },
    /// It is the security module.
    Module {
        /// The beginning of the first epoch, on its own clock.
        start: Instant,
        /// The time from one epoch to the next, if it begins others.
        renewal: Option<Duration>,
    },
}

/// A key of a stream, or of announcements, that follows a granted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantedKeyRecord {
    /// The granted key.
    pub from: StreamId,
    /// Its own name.
    pub id: KeyId,
    /// Permitted usage.
    pub usage: Usage,
    /// True if the ECU sends under it.
    pub sends: bool,
    /// The authentication, and the stream or announcement whose key it is.
    pub of: [u64; 2],
}

impl Record for LasanRecord {
    const KIND: u8 = LASAN;
}

impl Field for LasanRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.ecu)?;
        to.put(&self.suite)?;
        to.put(&self.address.0)?;
        to.bytes(self.secret.as_bytes())?;
        to.put(&self.parties)?;
        match &self.part {
            LasanPart::Ecu {
                requests,
                keys,
                overlap,
            } => {
                to.put(&0u8)?;
                put_all(requests, to)?;
                put_all(keys, to)?;
                to.put(overlap)
            }
            LasanPart::Module { start, renewal } => {
                to.put(&1u8)?;
                to.put(start)?;
                to.put(renewal)
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let ecu: EcuRecord = from.take()?;
        if !ecu.keys.is_empty() {
            return Err(MessageError::Field(
                "a key in place, where keys are granted",
            ));
        }
        Ok(LasanRecord {
            ecu,
            suite: from.take()?,
            address: Address(from.take()?),
            secret: Secret::from_bytes(from.array()?),
            parties: from.take()?,
            part: match from.take::<u8>()? {
                0 => LasanPart::Ecu {
                    requests: take_all(from, "the number of requests")?,
                    keys: take_all(from, "the number of keys")?,
                    overlap: from.take()?,
                },
                1 => LasanPart::Module {
                    start: from.take()?,
                    renewal: renewal(from.take()?)?,
                },
                _ => return Err(MessageError::Field("the part under a security module")),
            },
        })
    }
}

/// Refuses epochs without a time between them.
const fn renewal(renewal: Option<Duration>) -> Result<Option<Duration>, MessageError> {
    match renewal {
        Some(Duration::ZERO) => Err(MessageError::Field("the time between epochs")),
        renewal => Ok(renewal),
    }
}

impl Field for StreamId {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.take().map(StreamId)
    }
}

impl Field for GrantedKeyRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.from)?;
        to.put(&self.id.0)?;
        to.put(&self.usage)?;
        to.put(&self.sends)?;
        self.of.iter().try_for_each(|of| to.put(of))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(GrantedKeyRecord {
            from: from.take()?,
            id: KeyId(from.take()?),
            usage: from.take()?,
            sends: from.take()?,
            of: [from.take()?, from.take()?],
        })
    }
}
