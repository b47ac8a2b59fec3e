//! The configuration of an ECU with vatiCAN or LeiA, hardened: its streams, its ends and their
//! keys.

use waywarden_can::StandardId;
use waywarden_can_auth::key_store::KeyId;
use waywarden_can_auth::paired::{PairedConnection, WireForm};
use waywarden_ecu::PeriodicStream;

use crate::List;
use crate::ecu_record::{ENDS_MAX, KEYS_MAX, KeyRecord, STREAMS_MAX};
use crate::fields::{Field, MessageError, Reader, Writer, put_all, take_all};
use crate::kind::PAIRED;
use crate::record::Record;

/// The configuration of an ECU on one bus whose tags have frames of their own.
pub struct PairedRecord {
    /// The streams that it sends.
    pub streams: List<PeriodicStream, STREAMS_MAX>,
    /// The identifier of its questions; none only of an ECU that checks nothing.
    pub asks_under: Option<StandardId>,
    /// The streams that it sends with tags.
    pub senders: List<PairedConnection, ENDS_MAX>,
    /// The streams with tags that it receives.
    pub receivers: List<PairedConnection, ENDS_MAX>,
    /// Its keys.
    pub keys: List<KeyRecord, KEYS_MAX>,
}

impl Record for PairedRecord {
    const KIND: u8 = PAIRED;
}

impl Field for PairedRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        put_all(&self.streams, to)?;
        to.put(&self.asks_under)?;
        put_all(&self.senders, to)?;
        put_all(&self.receivers, to)?;
        put_all(&self.keys, to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let record = PairedRecord {
            streams: take_all(from, "the number of streams")?,
            asks_under: from.take()?,
            senders: take_all(from, "the number of sending ends")?,
            receivers: take_all(from, "the number of receiving ends")?,
            keys: take_all(from, "the number of keys")?,
        };
        match record.asks_under {
            None if !record.receivers.is_empty() => {
                Err(MessageError::Field("the identifier of questions"))
            }
            _ => Ok(record),
        }
    }
}

impl Field for WireForm {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&(*self == WireForm::Leia))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match from.take()? {
            true => WireForm::Leia,
            false => WireForm::Vatican,
        })
    }
}

impl Field for PairedConnection {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.wire())?;
        to.put(&self.id())?;
        to.put(&self.key().0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let (wire, id) = (from.take()?, from.take()?);
        let made = PairedConnection::new(wire, id, KeyId(from.take()?));
        made.map_err(|_| MessageError::Field("the identifier of a stream with tags"))
    }
}
