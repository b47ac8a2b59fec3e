//! The two kinds of identifier, 11 and 29 bits wide, as two types [ISO 11898-1 §10.4.2].

use core::fmt;

/// An 11-bit identifier, 0 to 0x7FF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StandardId(u16);

/// A 29-bit identifier, 0 to 0x1FFF_FFFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtendedId(u32);

/// Either kind of identifier.
///
/// Not ordered: which of two frames wins arbitration depends on more than the identifier, see
/// [`crate::Frame::arbitration_key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// 11 bits.
    Standard(StandardId),
    /// 29 bits.
    Extended(ExtendedId),
}

/// Reason that a number is no identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdError {
    /// The number does not fit 11 bits.
    AboveStandard(u32),
    /// The number does not fit 29 bits.
    AboveExtended(u32),
}

impl StandardId {
    /// The highest 11-bit identifier.
    pub const MAX: u16 = 0x7FF;

    /// Makes an 11-bit identifier.
    ///
    /// # Errors
    /// [`IdError::AboveStandard`] if `raw` is above 0x7FF.
    pub const fn new(raw: u16) -> Result<Self, IdError> {
        if raw <= Self::MAX {
            Ok(StandardId(raw))
        } else {
            Err(IdError::AboveStandard(raw as u32))
        }
    }

    /// Makes an identifier of the low 11 bits, as a receiver shifts them in.
    pub(crate) const fn from_low_bits(bits: u16) -> Self {
        StandardId(bits & Self::MAX)
    }

    /// Returns the identifier as a number.
    #[must_use]
    pub const fn raw(self) -> u16 {
        self.0
    }
}

impl ExtendedId {
    /// The highest 29-bit identifier.
    pub const MAX: u32 = 0x1FFF_FFFF;

    /// Makes a 29-bit identifier.
    ///
    /// # Errors
    /// [`IdError::AboveExtended`] if `raw` is above 0x1FFF_FFFF.
    pub const fn new(raw: u32) -> Result<Self, IdError> {
        if raw <= Self::MAX {
            Ok(ExtendedId(raw))
        } else {
            Err(IdError::AboveExtended(raw))
        }
    }

    /// Makes an identifier of the low 29 bits, as a receiver shifts them in.
    pub(crate) const fn from_low_bits(bits: u32) -> Self {
        ExtendedId(bits & Self::MAX)
    }

    /// Returns the identifier as a number.
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// Returns the first 11 bits on the wire, which compete with 11-bit identifiers.
    #[must_use]
    pub const fn base(self) -> u16 {
        (self.0 >> 18) as u16
    }
}

impl Id {
    /// Makes an 11-bit identifier.
    ///
    /// # Errors
    /// [`IdError::AboveStandard`] if `raw` is above 0x7FF.
    pub const fn standard(raw: u16) -> Result<Self, IdError> {
        match StandardId::new(raw) {
            Ok(id) => Ok(Id::Standard(id)),
            Err(error) => Err(error),
        }
    }

    /// Makes a 29-bit identifier.
    ///
    /// # Errors
    /// [`IdError::AboveExtended`] if `raw` is above 0x1FFF_FFFF.
    pub const fn extended(raw: u32) -> Result<Self, IdError> {
        match ExtendedId::new(raw) {
            Ok(id) => Ok(Id::Extended(id)),
            Err(error) => Err(error),
        }
    }

    /// Returns the identifier as a number; 11- and 29-bit identifiers share numbers.
    #[must_use]
    pub const fn raw(self) -> u32 {
        match self {
            Id::Standard(id) => id.0 as u32,
            Id::Extended(id) => id.0,
        }
    }

    /// Returns true if the identifier has 29 bits.
    #[must_use]
    pub const fn is_extended(self) -> bool {
        matches!(self, Id::Extended(_))
    }
}

impl From<StandardId> for Id {
    fn from(id: StandardId) -> Self {
        Id::Standard(id)
    }
}

impl From<ExtendedId> for Id {
    fn from(id: ExtendedId) -> Self {
        Id::Extended(id)
    }
}

/// Prints as candump does: three hexadecimal digits for 11 bits, eight for 29.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Standard(id) => write!(f, "{:03X}", id.0),
            Id::Extended(id) => write!(f, "{:08X}", id.0),
        }
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdError::AboveStandard(raw) => {
                write!(
                    f,
                    "identifier 0x{raw:X} does not fit 11 bits (highest 0x7FF)"
                )
            }
            IdError::AboveExtended(raw) => {
                write!(
                    f,
                    "identifier 0x{raw:X} does not fit 29 bits (highest 0x1FFFFFFF)"
                )
            }
        }
    }
}

impl core::error::Error for IdError {}
