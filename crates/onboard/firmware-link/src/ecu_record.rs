//! The configuration of an ECU with SecOC: its streams, its ends and their keys.
//!
//! A production ECU has these values in flash, written at the end of the line. An emulated image
//! gets them at each boot from the vehicle that it is part of.

use waywarden_can::node::Port;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::secoc::{
    AnnouncementFrame, FreshnessWidths, Layout, ProfileParameters, SecocCarrier, SecocProfile,
    SecocStream, Synchronisation, SynchronisationError,
};
use waywarden_ecu::{PayloadContent, PeriodicStream, StreamFormat};
use waywarden_work::Duration;

use crate::List;
use crate::fields::{Field, MessageError, Reader, Writer, put_all, take_all};
use crate::kind::SECOC;
use crate::record::Record;

/// Maximum number of streams that an image sends.
pub const STREAMS_MAX: usize = 8;
/// Maximum number of sending, and of receiving ends.
pub const ENDS_MAX: usize = 8;
/// Maximum number of keys: one for each end, and that of the announcements.
pub const KEYS_MAX: usize = 2 * ENDS_MAX + 1;

/// The configuration of an ECU on one bus.
pub struct EcuRecord {
    /// The streams that it sends.
    pub streams: List<PeriodicStream, STREAMS_MAX>,
    /// Its part in freshness.
    pub freshness: FreshnessRecord,
    /// The streams that it sends with SecOC.
    pub senders: List<SecocStream, ENDS_MAX>,
    /// The streams with SecOC that it receives.
    pub receivers: List<SecocStream, ENDS_MAX>,
    /// Its keys.
    pub keys: List<KeyRecord, KEYS_MAX>,
}

/// The part of an ECU in synchronised freshness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreshnessRecord {
    /// None.
    Unsynchronised,
    /// It receives announcements.
    Follower {
        /// The announcements.
        announcements: Announcements,
        /// Number of resets that are marked as used in advance.
        resets_ahead: u32,
    },
    /// It makes them.
    Master {
        /// The announcements.
        announcements: Announcements,
        /// The time from one to the next.
        pace: Duration,
    },
}

/// The announcements of freshness on a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcements {
    /// The profile of the streams that they are for.
    pub profile: SecocProfile,
    /// Their frame.
    pub frame: AnnouncementFrame,
    /// Their key.
    pub key: KeyId,
}

/// A key, and what it is for. No `Debug`, as the key has none.
pub struct KeyRecord {
    /// Its name.
    pub id: KeyId,
    /// Permitted usage.
    pub usage: Usage,
    /// The key.
    pub key: MacKey,
}

impl Announcements {
    /// Makes the form that roles take.
    ///
    /// # Errors
    /// [`SynchronisationError`].
    pub fn synchronisation(&self) -> Result<Synchronisation, SynchronisationError> {
        Synchronisation::new(&self.profile, self.frame, self.key)
    }
}

impl EcuRecord {
    /// Returns true if the ECU sends, checks or announces with SecOC.
    #[must_use]
    pub fn has_part(&self) -> bool {
        let announces = matches!(self.freshness, FreshnessRecord::Master { .. });
        announces || !self.senders.is_empty() || !self.receivers.is_empty()
    }
}

impl Record for EcuRecord {
    const KIND: u8 = SECOC;
}

impl Field for EcuRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        put_all(&self.streams, to)?;
        to.put(&self.freshness)?;
        put_all(&self.senders, to)?;
        put_all(&self.receivers, to)?;
        put_all(&self.keys, to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(EcuRecord {
            streams: take_all(from, "the number of streams")?,
            freshness: from.take()?,
            senders: take_all(from, "the number of sending ends")?,
            receivers: take_all(from, "the number of receiving ends")?,
            keys: take_all(from, "the number of keys")?,
        })
    }
}

impl Field for PeriodicStream {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.port.0)?;
        to.put(&self.id)?;
        to.put(&match self.format {
            StreamFormat::Classic => 0u8,
            StreamFormat::Fd {
                bit_rate_switch: false,
            } => 1,
            StreamFormat::Fd {
                bit_rate_switch: true,
            } => 2,
        })?;
        to.put(&self.length)?;
        to.put(&self.period)?;
        to.put(&self.offset)?;
        to.put(&self.jitter)?;
        match &self.content {
            PayloadContent::Counter => to.put(&0u8),
            PayloadContent::Random => to.put(&1u8),
            PayloadContent::Constant(bytes) => {
                to.put(&2u8)?;
                to.put(bytes)
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let stream = PeriodicStream {
            port: Port(from.take()?),
            id: from.take()?,
            format: match from.take::<u8>()? {
                0 => StreamFormat::Classic,
                form @ (1 | 2) => StreamFormat::Fd {
                    bit_rate_switch: form == 2,
                },
                _ => return Err(MessageError::Field("the format of a stream")),
            },
            length: from.take()?,
            period: from.take()?,
            offset: from.take()?,
            jitter: from.take()?,
            content: match from.take::<u8>()? {
                0 => PayloadContent::Counter,
                1 => PayloadContent::Random,
                2 => PayloadContent::Constant(from.array()?),
                _ => return Err(MessageError::Field("the content of a stream")),
            },
        };
        if stream.period == Duration::ZERO || stream.jitter >= stream.period {
            return Err(MessageError::Field("the period of a stream"));
        }
        let checked = stream.check();
        checked.map_err(|_| MessageError::Field("the length of a stream"))?;
        Ok(stream)
    }
}

impl Field for SecocProfile {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let FreshnessWidths {
            trip,
            reset,
            message,
            flag,
        } = self.freshness();
        let (truncated, mac) = (self.truncated_bits(), self.mac_bits());
        to.bytes(&[trip, reset, message, flag, truncated, mac, self.attempts()])
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let [
            trip,
            reset,
            message,
            flag,
            truncated_bits,
            mac_bits,
            attempts,
        ] = from.array()?;
        let made = SecocProfile::as_found(ProfileParameters {
            freshness: FreshnessWidths {
                trip,
                reset,
                message,
                flag,
            },
            truncated_bits,
            mac_bits,
            attempts,
        });
        made.map_err(|_| MessageError::Field("a security profile"))
    }
}

impl Field for SecocCarrier {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&(*self == SecocCarrier::Fd))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match from.take()? {
            true => SecocCarrier::Fd,
            false => SecocCarrier::Classic,
        })
    }
}

impl Field for Layout {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let (carrier, _) = self.carried();
        to.put(&carrier)?;
        let lengths = self.lengths();
        to.bytes(&[*lengths.start(), *lengths.end(), self.padding()])?;
        let area = self.secured_area();
        to.put(&area.map(|area| [area.start, area.end]))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let carrier = from.take()?;
        let [shortest, longest, padding] = from.array()?;
        let layout = Layout::variable(carrier, shortest..=longest).padded_with(padding);
        Ok(match from.take::<Option<[u8; 2]>>()? {
            Some([start, end]) => layout.secured(start..end),
            None => layout,
        })
    }
}

impl Field for SecocStream {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.profile())?;
        to.put(&self.layout())?;
        to.put(&self.id())?;
        to.put(&self.frame_id())?;
        to.put(&self.data_id())?;
        to.put(&self.key().0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let (profile, layout, id) = (from.take()?, from.take()?, from.take()?);
        let (frame_id, data_id) = (from.take()?, from.take()?);
        let made = SecocStream::new(profile, layout, id, KeyId(from.take()?));
        let stream = made.map_err(|_| MessageError::Field("a stream with SecOC"))?;
        Ok(stream.with_frame_id(frame_id).with_data_id(data_id))
    }
}

impl Field for Announcements {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.profile)?;
        to.put(&self.frame.carrier)?;
        to.put(&self.frame.id)?;
        to.put(&self.frame.mac_bits)?;
        to.put(&self.key.0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let announcements = Announcements {
            profile: from.take()?,
            frame: AnnouncementFrame {
                carrier: from.take()?,
                id: from.take()?,
                mac_bits: from.take()?,
            },
            key: KeyId(from.take()?),
        };
        let made = announcements.synchronisation();
        made.map_err(|_| MessageError::Field("the announcements"))?;
        Ok(announcements)
    }
}

impl Field for FreshnessRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        match self {
            FreshnessRecord::Unsynchronised => to.put(&0u8),
            FreshnessRecord::Follower {
                announcements,
                resets_ahead,
            } => {
                to.put(&1u8)?;
                to.put(announcements)?;
                to.put(resets_ahead)
            }
            FreshnessRecord::Master {
                announcements,
                pace,
            } => {
                to.put(&2u8)?;
                to.put(announcements)?;
                to.put(pace)
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match from.take::<u8>()? {
            0 => FreshnessRecord::Unsynchronised,
            1 => FreshnessRecord::Follower {
                announcements: from.take()?,
                resets_ahead: from.take()?,
            },
            2 => FreshnessRecord::Master {
                announcements: from.take()?,
                pace: from.take()?,
            },
            _ => return Err(MessageError::Field("the part in freshness")),
        })
    }
}

impl Field for KeyRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.id.0)?;
        to.put(&self.usage)?;
        to.bytes(self.key.as_bytes())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(KeyRecord {
            id: KeyId(from.take()?),
            usage: from.take()?,
            key: MacKey::from_bytes(from.array()?),
        })
    }
}
