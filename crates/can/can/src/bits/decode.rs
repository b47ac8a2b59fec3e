//! A receiver's view of the bus, one sampled bit after the other: destuffing, the field each bit
//! is in, the checks, and the frame at the end.
//!
//! What a node does about an error (flags, counters), arbitration and the transmitter's own checks
//! (bit error, missing acknowledgement) belong to a bus model on top of this. Bits come in one by
//! one and in step: the two-bit acknowledgement and CRC delimiter that FD nodes tolerate to bridge
//! propagation delay cannot arise and are form errors here.

mod check;
mod content;

use core::fmt;

use self::check::Check;
use self::content::Content;
use super::{END_OF_FRAME_BITS, FIXED_STUFF_GROUP, FdVariant, Field, Level, STUFF_RUN, Stuff};
use crate::frame::Frame;

/// Decodes one frame after the other from the levels sampled on the bus.
///
/// A frame begins at the first dominant bit pushed, so intermission, error frames and overload
/// frames are the caller's to leave out. After an error the decoder stays in it until
/// [`Decoder::restart`].
#[derive(Clone, Debug)]
pub struct Decoder {
    variant: FdVariant,
    state: State,
    /// Of the next content bit, and how many the field still has (0 while idle).
    field: Field,
    left: usize,
    /// Of the last bit; dynamic stuff bits belong here.
    last_field: Field,
    last_level: Level,
    /// Equal bits up to the last one, 0 where no dynamic stuffing applies.
    run: u8,
    /// Content bits until the next fixed stuff bit.
    until_fixed: usize,
    data_phase: bool,
    content: Content,
    check: Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    InFrame,
    Failed(BitError),
}

/// The effect of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitStep {
    /// A recessive bit while no frame has begun.
    Idle,
    /// The frame goes on.
    Bit,
    /// This was the last but one bit of the end of frame: the frame is valid for a receiver, and
    /// one bit is left. (For its transmitter it is valid only after [`BitStep::End`].)
    Frame(Frame),
    /// The last bit of the end of frame. The next dominant bit is a start of frame.
    End,
    /// The last bit of the end of frame was dominant: for a receiver an overload condition, for
    /// the transmitter a form error.
    Overload,
}

/// The error a receiver detects with a bit; its error flag starts with the next bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitError {
    /// A sixth equal bit where dynamic stuffing applies.
    Stuff,
    /// A bit that has a fixed level was wrong: a delimiter, the end of frame, a fixed stuff bit, or
    /// the reserved bit of an FD frame (so a receiver with its protocol exceptions disabled).
    Form,
    /// The CRC sequence does not match. Reported, as the standard asks, with the ACK delimiter.
    Crc,
    /// The stuff count does not match or its parity is wrong. The standard counts this as a CRC
    /// error, and it is reported at the same bit.
    StuffCount,
}

/// The properties of a bit that are known before it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextBit {
    /// The field it is in. Before IDE is known the twelfth bit after SOF is called RTR, whichever
    /// of RTR, SRR and RRS it turns out to be, and so is the one after a 29-bit identifier.
    pub field: Field,
    /// The stuffing rule of the bit, if it is a stuff bit.
    pub stuff: Stuff,
    /// True if it counts as a bit of the data bit rate, as in [`super::WireBit`].
    pub data_phase: bool,
    /// The only level that is not an error, where there is one.
    pub required: Option<Level>,
}

impl Decoder {
    /// Makes a decoder that waits for a start of frame.
    #[must_use]
    pub const fn new(variant: FdVariant) -> Self {
        Decoder {
            variant,
            state: State::Idle,
            field: Field::StartOfFrame,
            left: 1,
            last_field: Field::EndOfFrame,
            last_level: Level::Recessive,
            run: 1,
            until_fixed: 0,
            data_phase: false,
            content: Content::EMPTY,
            check: Check::new(variant),
        }
    }

    /// Forgets the frame under way or the error and waits for a start of frame.
    pub const fn restart(&mut self) {
        *self = Decoder::new(self.variant);
    }

    /// Takes the next sampled bit.
    ///
    /// # Errors
    /// [`BitError`], once detected, for this and every further bit until [`Decoder::restart`].
    pub fn push(&mut self, level: Level) -> Result<BitStep, BitError> {
        match self.state {
            State::Failed(error) => return Err(error),
            State::Idle if level == Level::Recessive => return Ok(BitStep::Idle),
            State::Idle => self.state = State::InFrame,
            State::InFrame => {}
        }
        let step = self.take(level);
        match step {
            Err(error) => self.state = State::Failed(error),
            Ok(BitStep::End | BitStep::Overload) => self.restart(),
            Ok(_) => {}
        }
        step
    }

    /// Tells what the next bit will be.
    #[must_use]
    pub fn next_bit(&self) -> NextBit {
        let stuff = self.next_stuff();
        let required = match (stuff, self.field) {
            (Stuff::Dynamic | Stuff::Fixed, _) => Some(self.last_level.complement()),
            (_, Field::StartOfFrame) => None,
            (_, Field::CrcDelimiter | Field::AckDelimiter) => Some(Level::Recessive),
            // Dominant in the last bit is an overload condition, not an error.
            (_, Field::EndOfFrame) if self.left > 1 => Some(Level::Recessive),
            (_, Field::Reserved) if self.content.fd => Some(Level::Dominant),
            _ => None,
        };
        NextBit {
            field: match stuff {
                Stuff::Dynamic => self.last_field,
                Stuff::None | Stuff::Fixed => self.field,
            },
            stuff,
            data_phase: self.data_phase,
            required,
        }
    }

    /// Returns true if a frame has begun and neither ended nor failed.
    #[must_use]
    pub fn is_in_frame(&self) -> bool {
        self.state == State::InFrame
    }

    /// Returns true if the next bit is the ACK slot and a receiver drives it dominant: CRC and
    /// stuff count match.
    #[must_use]
    pub fn acknowledges(&self) -> bool {
        self.is_in_frame()
            && self.field == Field::AckSlot
            && self.check.verdict(&self.content, self.variant).is_ok()
    }

    fn next_stuff(&self) -> Stuff {
        if self.run == STUFF_RUN {
            Stuff::Dynamic
        } else if matches!(self.field, Field::StuffCount | Field::Crc)
            && self.content.fd
            && self.until_fixed == 0
        {
            Stuff::Fixed
        } else {
            Stuff::None
        }
    }

    fn take(&mut self, level: Level) -> Result<BitStep, BitError> {
        let next = self.next_bit();
        if let Some(required) = next.required
            && required != level
        {
            return Err(match next.stuff {
                Stuff::Dynamic => BitError::Stuff,
                Stuff::None | Stuff::Fixed => BitError::Form,
            });
        }
        match next.stuff {
            Stuff::Dynamic => {
                self.check.take_stuff(level.bit());
                // After the last bit of a classic CRC sequence: no run starts.
                self.run = (self.field != Field::CrcDelimiter) as u8;
                self.last_level = level;
                Ok(BitStep::Bit)
            }
            Stuff::Fixed => {
                self.until_fixed = FIXED_STUFF_GROUP;
                self.last_level = level;
                Ok(BitStep::Bit)
            }
            Stuff::None => self.take_content(level),
        }
    }

    fn take_content(&mut self, level: Level) -> Result<BitStep, BitError> {
        if self.run > 0 {
            self.run = if level == self.last_level {
                self.run + 1
            } else {
                1
            };
        }
        self.last_level = level;
        self.last_field = self.field;
        self.until_fixed = self.until_fixed.saturating_sub(1);
        self.left -= 1;
        self.check.take(self.field, level.bit());
        self.content.take(self.field, level.bit());
        if self.left == 0 {
            self.begin_next_field(level);
        }
        match self.last_field {
            Field::AckDelimiter => self
                .check
                .verdict(&self.content, self.variant)
                .map(|()| BitStep::Bit),
            Field::EndOfFrame => Ok(match (self.left, level) {
                (1, _) => BitStep::Frame(self.content.frame()),
                (0, Level::Recessive) => BitStep::End,
                (0, Level::Dominant) => BitStep::Overload,
                _ => BitStep::Bit,
            }),
            _ => Ok(BitStep::Bit),
        }
    }

    /// Goes on to the field after the one that `level` ended.
    fn begin_next_field(&mut self, level: Level) {
        let recessive = level.bit();
        let extended = self.content.extension.is_some();
        let (field, left) = match self.field {
            Field::StartOfFrame => (Field::Identifier, 11),
            Field::Identifier => (Field::RemoteTransmissionRequest, 1),
            Field::RemoteTransmissionRequest if extended => (Field::FdFormat, 1),
            Field::RemoteTransmissionRequest => (Field::IdentifierExtension, 1),
            Field::IdentifierExtension if recessive => (Field::ExtendedIdentifier, 18),
            Field::IdentifierExtension => (Field::FdFormat, 1),
            Field::ExtendedIdentifier => (Field::RemoteTransmissionRequest, 1),
            Field::FdFormat if recessive || extended => (Field::Reserved, 1),
            Field::FdFormat => (Field::DataLengthCode, 4),
            Field::Reserved if self.content.fd => (Field::BitRateSwitch, 1),
            Field::Reserved => (Field::DataLengthCode, 4),
            Field::BitRateSwitch => {
                self.data_phase = recessive;
                (Field::ErrorStateIndicator, 1)
            }
            Field::ErrorStateIndicator => (Field::DataLengthCode, 4),
            Field::DataLengthCode if self.content.data_len() > 0 => {
                (Field::Data, 8 * self.content.data_len())
            }
            Field::DataLengthCode | Field::Data => self.begin_crc_field(),
            Field::StuffCount => (Field::Crc, self.check.crc(&self.content).width() as usize),
            Field::Crc => {
                if self.run < STUFF_RUN {
                    self.run = 0;
                }
                (Field::CrcDelimiter, 1)
            }
            Field::CrcDelimiter => {
                self.data_phase = false;
                (Field::AckSlot, 1)
            }
            Field::AckSlot => (Field::AckDelimiter, 1),
            Field::AckDelimiter => (Field::EndOfFrame, END_OF_FRAME_BITS),
            // The decoder restarts after the end of frame. The names of the twelfth bit that only
            // the sender knows are never reached.
            Field::EndOfFrame
            | Field::SubstituteRemoteRequest
            | Field::RemoteRequestSubstitution => (Field::EndOfFrame, 0),
        };
        (self.field, self.left) = (field, left);
    }

    fn begin_crc_field(&mut self) -> (Field, usize) {
        if self.content.fd {
            // Fixed stuffing takes over, also where a dynamic stuff bit would have been due.
            (self.run, self.until_fixed) = (0, 0);
            if self.variant == FdVariant::Iso {
                return (Field::StuffCount, 4);
            }
        }
        (Field::Crc, self.check.crc(&self.content).width() as usize)
    }
}

impl fmt::Display for BitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BitError::Stuff => "six equal bits where a stuff bit was due",
            BitError::Form => "wrong level of a bit that has a fixed one",
            BitError::Crc => "CRC sequence does not match",
            BitError::StuffCount => "stuff count does not match",
        })
    }
}

impl core::error::Error for BitError {}
