//! Classic and FD frames as a sender hands them to its controller [ISO 11898-1 §10.4].

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::handle::MessageHandle;
use crate::id::Id;

/// The longest data field, that of a CAN FD frame, in bytes.
pub const DATA_MAX: usize = 64;

/// Data lengths of the sixteen data length codes of CAN FD [ISO 11898-1 Table 5].
pub const FD_LENGTHS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64];

/// The format of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A classic data frame, 0 to 8 bytes.
    Classic,
    /// A classic remote frame: a length code and no data.
    Remote,
    /// A CAN FD data frame, up to 64 bytes.
    Fd {
        /// BRS: the data phase runs at the data bit rate.
        bit_rate_switch: bool,
        /// ESI: the sender is error-passive.
        error_state_indicator: bool,
    },
}

/// The two bits that a CAN FD frame has besides a classic one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FdFlags {
    /// BRS: the data phase runs at the data bit rate.
    pub bit_rate_switch: bool,
    /// ESI: the sender is error-passive.
    pub error_state_indicator: bool,
}

/// A frame: identifier, format, data length code and data, with the handle of the message that it
/// carries. `Copy`; 76 bytes, and 12 more with the feature `identity`.
///
/// Unused data bytes are zero, so that equal frames compare equal. The handle is not compared.
#[derive(Clone, Copy)]
pub struct Frame {
    id: Id,
    format: Format,
    dlc: u8,
    data: [u8; DATA_MAX],
    message: MessageHandle,
}

/// Reason that a frame cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// More than 8 bytes in a classic frame.
    ClassicLength(usize),
    /// A byte count that no CAN FD length code stands for.
    FdLength(usize),
    /// A data length code above 15 (above 8 is allowed on the wire and means 8 in a classic frame).
    LengthCode(u8),
}

impl Frame {
    /// Makes a classic data frame.
    ///
    /// # Errors
    /// [`FrameError::ClassicLength`] for more than 8 bytes.
    #[inline]
    pub fn classic(id: impl Into<Id>, data: &[u8]) -> Result<Self, FrameError> {
        if data.len() > 8 {
            return Err(FrameError::ClassicLength(data.len()));
        }
        Ok(Self::filled(
            id.into(),
            Format::Classic,
            data.len() as u8,
            data,
        ))
    }

    /// Makes a classic data frame of the four bits of a length code, 9 to 15 of which also mean
    /// 8 bytes. Those of the eight bytes that it leaves out are not kept.
    #[inline]
    #[must_use]
    pub fn classic_of_eight(id: Id, dlc: u8, eight: [u8; 8]) -> Self {
        let dlc = dlc & 0xF;
        let left_out = u64::MAX.checked_shl(8 * u32::from(dlc)).unwrap_or(0);
        let kept = u64::from_le_bytes(eight) & !left_out;
        Self::filled(id, Format::Classic, dlc, &kept.to_le_bytes())
    }

    /// Makes a classic remote frame that asks for `dlc` bytes.
    ///
    /// # Errors
    /// [`FrameError::LengthCode`] for a code above 15.
    #[inline]
    pub fn remote(id: impl Into<Id>, dlc: u8) -> Result<Self, FrameError> {
        if dlc > 15 {
            return Err(FrameError::LengthCode(dlc));
        }
        Ok(Self::filled(id.into(), Format::Remote, dlc, &[]))
    }

    /// Makes a CAN FD frame with the bit rate switched in the data phase.
    ///
    /// # Errors
    /// [`FrameError::FdLength`] unless the length is 0-8, 12, 16, 20, 24, 32, 48 or 64.
    pub fn fd(id: impl Into<Id>, data: &[u8]) -> Result<Self, FrameError> {
        Self::fd_with(
            id,
            data,
            FdFlags {
                bit_rate_switch: true,
                error_state_indicator: false,
            },
        )
    }

    /// Makes a CAN FD frame with the given BRS and ESI bits.
    ///
    /// # Errors
    /// [`FrameError::FdLength`] unless the length is 0-8, 12, 16, 20, 24, 32, 48 or 64.
    #[inline]
    pub fn fd_with(id: impl Into<Id>, data: &[u8], flags: FdFlags) -> Result<Self, FrameError> {
        let dlc = FD_LENGTHS
            .iter()
            .position(|&length| length as usize == data.len())
            .ok_or(FrameError::FdLength(data.len()))?;
        let format = Format::Fd {
            bit_rate_switch: flags.bit_rate_switch,
            error_state_indicator: flags.error_state_indicator,
        };
        Ok(Self::filled(id.into(), format, dlc as u8, data))
    }

    /// Returns this classic data frame with a raw length code, 9 to 15 of which also mean 8 bytes.
    ///
    /// # Errors
    /// [`FrameError::LengthCode`] unless this is a classic data frame of 8 bytes and `dlc` is 8
    /// to 15.
    pub fn with_raw_dlc(mut self, dlc: u8) -> Result<Self, FrameError> {
        if self.format != Format::Classic || self.dlc < 8 || !(8..=15).contains(&dlc) {
            return Err(FrameError::LengthCode(dlc));
        }
        self.dlc = dlc;
        Ok(self)
    }

    /// Returns this frame with ESI recessive, as an error-passive sender sends it; a classic frame
    /// has no such bit and stays as it is.
    #[must_use]
    pub const fn with_error_state_indicator(mut self) -> Self {
        if let Format::Fd {
            bit_rate_switch, ..
        } = self.format
        {
            self.format = Format::Fd {
                bit_rate_switch,
                error_state_indicator: true,
            };
        }
        self
    }

    /// Puts together parts that fit each other: `dlc` up to 15 stands for the length of `bytes`.
    #[inline]
    pub(crate) fn filled(id: Id, format: Format, dlc: u8, bytes: &[u8]) -> Self {
        let mut data = [0; DATA_MAX];
        data[..bytes.len()].copy_from_slice(bytes);
        Frame {
            id,
            format,
            dlc,
            data,
            message: MessageHandle::NONE,
        }
    }

    /// Returns this frame as one that carries the message of this handle.
    #[must_use]
    pub const fn with_message(mut self, message: MessageHandle) -> Self {
        self.message = message;
        self
    }

    /// Returns the handle of the message that it carries.
    #[must_use]
    pub const fn message(&self) -> MessageHandle {
        self.message
    }

    /// Returns the identifier.
    #[must_use]
    pub const fn id(&self) -> Id {
        self.id
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns true if this is a CAN FD frame.
    #[must_use]
    pub const fn is_fd(&self) -> bool {
        matches!(self.format, Format::Fd { .. })
    }

    /// Returns the data length code, 0 to 15.
    #[must_use]
    pub const fn dlc(&self) -> u8 {
        self.dlc
    }

    /// Returns the data; empty for a remote frame.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.data[..self.data_len()]
    }

    /// Returns the first eight bytes, zero where the frame is shorter.
    pub(crate) fn first_eight(&self) -> &[u8; 8] {
        // The array is longer than eight bytes, so there is always a first chunk.
        self.data.first_chunk().unwrap_or(&[0; 8])
    }

    /// Returns the number of data bytes, 0 to 64.
    #[must_use]
    pub const fn data_len(&self) -> usize {
        match self.format {
            Format::Remote => 0,
            Format::Classic if self.dlc > 8 => 8,
            Format::Classic => self.dlc as usize,
            Format::Fd { .. } => FD_LENGTHS[self.dlc as usize & 15] as usize,
        }
    }

    /// Returns the arbitration field as a number: of the frames that start together, the one with
    /// the lowest number wins [ISO 11898-1 §10.4.2].
    ///
    /// From the top: 11 identifier bits; RTR or SRR; IDE; 18 identifier bits; RTR. An 11-bit frame
    /// leaves the last 19 bits zero, for its arbitration ends with IDE.
    #[must_use]
    pub const fn arbitration_key(&self) -> u32 {
        let remote = matches!(self.format, Format::Remote) as u32;
        match self.id {
            Id::Standard(id) => ((id.raw() as u32) << 21) | (remote << 20),
            Id::Extended(id) => {
                ((id.base() as u32) << 21) | (0b11 << 19) | ((id.raw() & 0x3_FFFF) << 1) | remote
            }
        }
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.format, self.dlc) == (other.id, other.format, other.dlc)
            && self.data == other.data
    }
}

impl Eq for Frame {}

impl Hash for Frame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.format, self.dlc, self.data).hash(state);
    }
}

/// Prints as candump's log form: `123#1122`, `123#R4`, `12345678##3AABB`; a classic length code
/// above 8 stands behind `_`, as in `123#1122334455667788_E` and `123#R8_E`.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Classic => write!(f, "{}#", self.id)?,
            Format::Remote if self.dlc == 0 => return write!(f, "{}#R", self.id),
            // can-utils reads one decimal digit behind R.
            Format::Remote if self.dlc > 8 => return write!(f, "{}#R8_{:X}", self.id, self.dlc),
            Format::Remote => return write!(f, "{}#R{}", self.id, self.dlc),
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => {
                let flags = u8::from(bit_rate_switch) | (u8::from(error_state_indicator) << 1);
                write!(f, "{}##{flags:X}", self.id)?;
            }
        }
        f.write_str(hexadecimal(self.data(), &mut [0; 2 * DATA_MAX]))?;
        match self.format {
            Format::Classic if self.dlc > 8 => write!(f, "_{:X}", self.dlc),
            _ => Ok(()),
        }
    }
}

/// Writes bytes as hexadecimal digits into `digits`, at once: traces have millions of frames.
fn hexadecimal<'a>(bytes: &[u8], digits: &'a mut [u8; 2 * DATA_MAX]) -> &'a str {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |nibble: u8| DIGITS[usize::from(nibble & 0xF)];
    for (pair, &byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte)];
    }
    let written = digits.get(..2 * bytes.len()).unwrap_or_default();
    core::str::from_utf8(written).unwrap_or_default()
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({self})")
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::ClassicLength(n) => {
                write!(f, "{n} bytes do not fit a classic CAN frame (0 to 8)")
            }
            FrameError::FdLength(n) => write!(
                f,
                "no CAN FD length code stands for {n} bytes (0-8, 12, 16, 20, 24, 32, 48, 64)"
            ),
            FrameError::LengthCode(dlc) => {
                write!(
                    f,
                    "data length code {dlc} does not fit this frame (0 to 15; above 8 only in \
                     a data frame of 8 bytes)"
                )
            }
        }
    }
}

impl core::error::Error for FrameError {}
