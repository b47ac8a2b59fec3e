//! The message that a freshness master announces trip and reset counter in
//! \[AUTOSAR-SECOC §11\]: both in full, then the beginning of the code, bit by bit.

use waywarden_can::frame::DATA_MAX;
use waywarden_can::{Format, Frame, Id, StandardId};

use super::bits::{mask, put, take, take_aligned};
use super::carrier::SecocCarrier;
use super::freshness::Epoch;
use super::profile::{ProfileError, ProfileParameters, SecocProfile};
use super::stream::Trailer;
use crate::key_store::KeyId;
use crate::mac::Tag;

/// The form of a master's announcements, and their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synchronisation {
    pub(super) id: StandardId,
    pub(super) key: KeyId,
    carrier: SecocCarrier,
    trip: u8,
    reset: u8,
    mac: u8,
}

/// The frame of the announcements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnouncementFrame {
    /// Its format.
    pub carrier: SecocCarrier,
    /// Its identifier.
    pub id: StandardId,
    /// Number of code bits in it.
    pub mac_bits: u8,
}

/// An error of making the synchronisation message of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SynchronisationError {
    /// Its freshness is not synchronised.
    Unsynchronised,
    /// The code is too short or too long.
    Mac(ProfileError),
    /// Counters and code do not fit the frame: this many bytes.
    TooLong(usize),
}

/// The identifier of the announcements in \[OPENDBC\].
pub const PRODUCTION_ID: u16 = 0x00F;

/// An announcement as it came, nothing of it checked but its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Announced {
    pub(super) epoch: Epoch,
    pub(super) mac: [u8; 16],
}

impl Synchronisation {
    /// Announcements for streams of `profile` in such frames, with a code under `key`.
    ///
    /// # Errors
    /// [`SynchronisationError`].
    pub fn new(
        profile: &SecocProfile,
        frame: AnnouncementFrame,
        key: KeyId,
    ) -> Result<Self, SynchronisationError> {
        let AnnouncementFrame {
            carrier,
            id,
            mac_bits: mac,
        } = frame;
        let freshness = profile.freshness;
        if !freshness.is_synchronised() {
            return Err(SynchronisationError::Unsynchronised);
        }
        SecocProfile::new(ProfileParameters {
            freshness,
            truncated_bits: profile.truncated,
            mac_bits: mac,
            attempts: profile.attempts,
        })
        .map_err(SynchronisationError::Mac)?;
        let sync = Synchronisation {
            id,
            key,
            carrier,
            trip: freshness.trip,
            reset: freshness.reset,
            mac,
        };
        let room = match carrier {
            SecocCarrier::Classic => 8,
            SecocCarrier::Fd => DATA_MAX,
        };
        if sync.filled() > room {
            return Err(SynchronisationError::TooLong(sync.filled()));
        }
        Ok(sync)
    }

    /// Returns the identifier of the announcements.
    #[must_use]
    pub const fn id(&self) -> StandardId {
        self.id
    }

    pub(super) const fn trip_max(&self) -> u32 {
        mask(self.trip as usize) as u32
    }

    pub(super) const fn reset_max(&self) -> u32 {
        mask(self.reset as usize) as u32
    }

    /// Returns the number of code bits in a frame.
    pub(super) fn mac_bits(&self) -> usize {
        self.mac.into()
    }

    /// Bytes that are in use.
    fn filled(&self) -> usize {
        (usize::from(self.trip) + usize::from(self.reset) + usize::from(self.mac)).div_ceil(8)
    }

    /// Both counters in a row, and how many bits they are.
    fn counters(&self, epoch: Epoch) -> (u128, usize) {
        let value = u128::from(epoch.trip) << self.reset | u128::from(epoch.reset);
        (value, usize::from(self.trip) + usize::from(self.reset))
    }

    /// Returns the bytes that the code is computed over, with their number: the identifier, both
    /// counters, zero bits.
    pub(super) fn authenticated(&self, epoch: Epoch) -> ([u8; 8], usize) {
        let mut bytes = [0; 8];
        bytes[..2].copy_from_slice(&self.id.raw().to_be_bytes());
        let (value, bits) = self.counters(epoch);
        put(&mut bytes, 16, value, bits);
        (bytes, 2 + bits.div_ceil(8))
    }

    pub(super) fn frame(&self, epoch: Epoch, tag: &Tag) -> Option<Frame> {
        let mut bytes = [0; DATA_MAX];
        let (value, bits) = self.counters(epoch);
        put(&mut bytes, 0, value, bits);
        let code = u128::from_be_bytes(tag.leading()) >> (128 - self.mac_bits());
        put(&mut bytes, bits, code, self.mac_bits());
        self.carrier
            .frame(self.id.into(), &mut bytes, self.filled(), 0)
    }

    /// Returns trip, reset and code as an announcement carries them, **nothing of it checked but
    /// its form**; none for another frame.
    #[must_use]
    pub fn trailer(&self, frame: &Frame) -> Option<Trailer> {
        let announced = self.knows(frame).then(|| self.parse(frame)).flatten()?;
        let (counters, bits) = self.counters(announced.epoch);
        Some(Trailer {
            // Two counters of 24 bits at most.
            freshness: counters as u64,
            freshness_bits: bits as u8,
            code: announced.mac,
            code_bits: self.mac,
        })
    }

    /// Returns true if a frame has the identifier of announcements, and is no remote frame.
    pub(super) fn knows(&self, frame: &Frame) -> bool {
        frame.id() == Id::Standard(self.id) && frame.format() != Format::Remote
    }

    /// Reads an announcement; nothing if it does not have the form.
    pub(super) fn parse(&self, frame: &Frame) -> Option<Announced> {
        let data = frame.data();
        let filled = self.filled();
        if frame.is_fd() != (self.carrier == SecocCarrier::Fd)
            || data.len() != self.carrier.wire_length(filled)
        {
            return None;
        }
        let (trip, reset) = (usize::from(self.trip), usize::from(self.reset));
        let end = trip + reset + self.mac_bits();
        let is_clean =
            take(data, end, 8 * filled - end) == 0 && data[filled..].iter().all(|byte| *byte == 0);
        is_clean.then(|| Announced {
            epoch: Epoch {
                trip: take(data, 0, trip) as u32,
                reset: take(data, trip, reset) as u32,
            },
            mac: take_aligned(data, trip + reset, self.mac_bits()),
        })
    }
}

impl core::fmt::Display for SynchronisationError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SynchronisationError::Unsynchronised => {
                f.write_str("the profile has no trip and reset counters to announce")
            }
            SynchronisationError::Mac(error) => error.fmt(f),
            SynchronisationError::TooLong(bytes) => {
                write!(
                    f,
                    "counters and code have {bytes} bytes: the frame has fewer"
                )
            }
        }
    }
}

impl core::error::Error for SynchronisationError {}
