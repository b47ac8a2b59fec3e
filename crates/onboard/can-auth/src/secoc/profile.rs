//! Security profiles of AUTOSAR, checked for contradictions: the counters of freshness, and the
//! transmitted bits of freshness and code.

use super::{ATTEMPTS_MAX, MAC_BITS_FOUND_MIN, MAC_BITS_MIN, RESERVE};

/// The widths of the counters of a freshness value, in bits, in their order in it.
///
/// All of them go into the code as one number, most significant bit first, filled up with zero bits
/// to whole bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshnessWidths {
    /// The trip counter, which a freshness master announces.
    pub trip: u8,
    /// The reset counter, which it announces as well.
    pub reset: u8,
    /// The counter of messages: since the last reset, or one that both ends retain over resets.
    pub message: u8,
    /// The low bits of the reset counter once more, as a flag that can travel with each message.
    pub flag: u8,
}

/// The parameters of a [`SecocProfile`], unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileParameters {
    /// The counters of the freshness value.
    pub freshness: FreshnessWidths,
    /// Number of low bits of freshness in a frame.
    pub truncated_bits: u8,
    /// Number of code bits in a frame.
    pub mac_bits: u8,
    /// Maximum number of values that a receiver tries, one after the other, as AUTOSAR's
    /// `SecOCAuthenticationVerifyAttempts` allows: each makes forging that much easier.
    pub attempts: u8,
}

/// The protection of a stream: freshness, its transmitted bits, the length of the code, and the
/// number of values that a receiver tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecocProfile {
    pub(super) freshness: FreshnessWidths,
    pub(super) truncated: u8,
    pub(super) mac: u8,
    pub(super) attempts: u8,
}

/// A contradiction between settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileError {
    /// The freshness value has more than 64 bits: this many.
    FreshnessTooLong(u32),
    /// A trip counter of more than 24 bits, or a reset counter of more than 24.
    EpochTooLong,
    /// There is a trip counter without a reset counter or the other way round: they come in one
    /// synchronisation message.
    HalfAnEpoch,
    /// There are trips but no counter of messages: a second message between two synchronisations
    /// would have no value of its own.
    NoMessageCounter,
    /// The reset flag has more than two bits, or more than the reset counter it is cut from.
    FlagTooLong(u8),
    /// This many bits are to travel, and there are fewer than that in the message counter and the
    /// flag.
    TruncatedTooLong(u8),
    /// This many bits are to travel, and the flag alone has more.
    TruncatedWithinFlag(u8),
    /// The code is shorter than [`MAC_BITS_MIN`] bits.
    MacTooShort(u8),
    /// The code is longer than the 128 bits there are.
    MacTooLong(u8),
    /// No attempt, or more than [`ATTEMPTS_MAX`].
    Attempts(u8),
    /// A counter without synchronisation, and so few bits of it travel that a reset could put a
    /// receiver behind for good: all attempts together must reach over twice [`RESERVE`].
    WindowTooSmall(u64),
}

impl FreshnessWidths {
    /// No freshness: any node can replay a recorded message.
    pub const NONE: Self = FreshnessWidths {
        trip: 0,
        reset: 0,
        message: 0,
        flag: 0,
    };

    /// One counter of messages that both ends retain over resets.
    #[must_use]
    pub const fn counter(bits: u8) -> Self {
        FreshnessWidths {
            message: bits,
            ..Self::NONE
        }
    }

    /// Bits of the full value, before it is filled up to whole bytes.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.trip as u32 + self.reset as u32 + self.message as u32 + self.flag as u32
    }

    /// Returns true if each end has a counter of its own, which it retains.
    #[must_use]
    pub const fn is_counter(&self) -> bool {
        self.message > 0 && !self.is_synchronised()
    }

    /// Returns true if a freshness master is needed.
    #[must_use]
    pub const fn is_synchronised(&self) -> bool {
        self.trip > 0
    }
}

impl SecocProfile {
    /// AUTOSAR's profile 1, 24Bit-CMAC-8Bit-FV \[AUTOSAR-SECOC\]: a counter, here of 64 bits, of
    /// which 8 travel; 24 bits of code. Two attempts: 512 messages in a row may be lost.
    pub const AUTOSAR_1: Self = Self::preset(FreshnessWidths::counter(64), 8, 24, 2);

    /// AUTOSAR's profile 2, 24Bit-CMAC-No-FV \[AUTOSAR-SECOC\], as it stands: 24 bits of code and
    /// **no freshness**. Any recorded message is authentic for as long as the key lives; to be
    /// used for talking to such an ECU only. [`SecocProfile::AUTOSAR_2_SYNCHRONISED`] has the same
    /// frames.
    pub const AUTOSAR_2_AS_PUBLISHED: Self = Self::preset(FreshnessWidths::NONE, 0, 24, 1);

    /// The frames of AUTOSAR's profile 2 with freshness that does not travel: the counters of
    /// [`SecocProfile::JASPAR`]. Seven messages in a row may be lost, three on each side of an
    /// announcement; the next synchronisation mends more.
    pub const AUTOSAR_2_SYNCHRONISED: Self = Self::preset(
        FreshnessWidths {
            trip: 16,
            reset: 20,
            message: 28,
            flag: 0,
        },
        0,
        24,
        8,
    );

    /// AUTOSAR's profile 3, JASPAR \[AUTOSAR-SECOC\]: 64 bits of freshness, of which 4 travel; 28
    /// bits of code. The profile leaves open how the 64 are shared: here trip 16, reset 20, message
    /// 26, flag 2, so that the synchronisation message of [`SecocProfile::PRODUCTION`] serves both.
    pub const JASPAR: Self = Self::preset(
        FreshnessWidths {
            trip: 16,
            reset: 20,
            message: 26,
            flag: 2,
        },
        4,
        28,
        4,
    );

    /// The profile of cars of one large maker \[OPENDBC\]: trip 16, reset 20, message 8, flag 2,
    /// filled up to 48 bits; 2 bits of the message counter and the flag are sent; 28 bits of code.
    pub const PRODUCTION: Self = Self::preset(
        FreshnessWidths {
            trip: 16,
            reset: 20,
            message: 8,
            flag: 2,
        },
        4,
        28,
        4,
    );

    /// Creates a profile.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub const fn new(parameters: ProfileParameters) -> Result<Self, ProfileError> {
        if (parameters.mac_bits as usize) < MAC_BITS_MIN {
            return Err(ProfileError::MacTooShort(parameters.mac_bits));
        }
        Self::as_found(parameters)
    }

    /// Like [`SecocProfile::new`], with a code of [`MAC_BITS_FOUND_MIN`] bits and more: for judging
    /// a system that has one so short, or for talking to its ECUs. **Such a code can be guessed.**
    ///
    /// # Errors
    /// [`ProfileError`].
    pub const fn as_found(parameters: ProfileParameters) -> Result<Self, ProfileError> {
        let ProfileParameters {
            freshness,
            truncated_bits: truncated,
            mac_bits: mac,
            attempts,
        } = parameters;
        let FreshnessWidths {
            trip,
            reset,
            message,
            flag,
        } = freshness;
        if freshness.bits() > 64 {
            return Err(ProfileError::FreshnessTooLong(freshness.bits()));
        }
        if trip > 24 || reset > 24 {
            return Err(ProfileError::EpochTooLong);
        }
        if (trip == 0) != (reset == 0) {
            return Err(ProfileError::HalfAnEpoch);
        }
        if trip > 0 && message == 0 {
            return Err(ProfileError::NoMessageCounter);
        }
        if flag > 2 || flag > reset {
            return Err(ProfileError::FlagTooLong(flag));
        }
        if truncated as u32 > message as u32 + flag as u32 {
            return Err(ProfileError::TruncatedTooLong(truncated));
        }
        if truncated > 0 && truncated < flag {
            return Err(ProfileError::TruncatedWithinFlag(truncated));
        }
        let profile = SecocProfile {
            freshness,
            truncated,
            mac,
            attempts,
        };
        if let Err(error) = profile.check_code() {
            return Err(error);
        }
        Ok(profile)
    }

    const fn check_code(&self) -> Result<(), ProfileError> {
        if (self.mac as usize) < MAC_BITS_FOUND_MIN {
            return Err(ProfileError::MacTooShort(self.mac));
        }
        if self.mac > 128 {
            return Err(ProfileError::MacTooLong(self.mac));
        }
        if self.attempts == 0 || self.attempts as usize > ATTEMPTS_MAX {
            return Err(ProfileError::Attempts(self.attempts));
        }
        if self.freshness.is_counter() && self.window() < 2 * RESERVE {
            return Err(ProfileError::WindowTooSmall(self.window()));
        }
        Ok(())
    }

    const fn preset(freshness: FreshnessWidths, truncated: u8, mac: u8, attempts: u8) -> Self {
        let parameters = ProfileParameters {
            freshness,
            truncated_bits: truncated,
            mac_bits: mac,
            attempts,
        };
        match Self::new(parameters) {
            Ok(profile) => profile,
            Err(_) => panic!("a preset contradicts itself"),
        }
    }

    /// Returns the counters of freshness.
    #[must_use]
    pub const fn freshness(&self) -> FreshnessWidths {
        self.freshness
    }

    /// Returns the number of freshness bits in a frame.
    #[must_use]
    pub const fn truncated_bits(&self) -> u8 {
        self.truncated
    }

    /// Returns the number of code bits in a frame.
    #[must_use]
    pub const fn mac_bits(&self) -> u8 {
        self.mac
    }

    /// Returns the maximum number of values that a receiver tries.
    #[must_use]
    pub const fn attempts(&self) -> u8 {
        self.attempts
    }

    /// Returns the maximum number of values that a receiver tries for a genuine message. That holds
    /// if fewer messages were lost before it than the transmitted counter bits can tell apart.
    ///
    /// One if the epoch follows from the transmitted bits, or there is no epoch. Without a flag a
    /// message may be from the last announced epoch or from the one before.
    #[must_use]
    pub const fn attempts_in_order(&self) -> u8 {
        let is_epoch_known = self.freshness.flag > 0 && self.truncated > 0;
        if is_epoch_known || !self.freshness.is_synchronised() || self.attempts < 2 {
            1
        } else {
            2
        }
    }

    /// Returns the number of bits of the message counter in a frame.
    #[must_use]
    pub const fn message_bits(&self) -> u8 {
        self.truncated.saturating_sub(self.freshness.flag)
    }

    /// Returns the maximum distance of a message from the last one taken, within one epoch.
    #[must_use]
    pub const fn window(&self) -> u64 {
        let window = (self.attempts as u128) << self.message_bits();
        if window > u64::MAX as u128 {
            u64::MAX
        } else {
            window as u64
        }
    }

    /// Bytes that a frame has besides the payload.
    #[must_use]
    pub const fn trailer_length(&self) -> usize {
        (self.truncated as usize + self.mac as usize).div_ceil(8)
    }
}

impl core::fmt::Display for ProfileError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ProfileError::FreshnessTooLong(bits) => {
                write!(f, "a freshness value of {bits} bits: 64 at most")
            }
            ProfileError::EpochTooLong => f.write_str("a trip or reset counter above 24 bits"),
            ProfileError::HalfAnEpoch => f.write_str(
                "a trip counter needs a reset counter, and a reset counter a trip counter",
            ),
            ProfileError::NoMessageCounter => f.write_str("trips without a counter of messages"),
            ProfileError::FlagTooLong(bits) => write!(
                f,
                "a reset flag of {bits} bits: 2 at most, and no more than the reset counter"
            ),
            ProfileError::TruncatedTooLong(bits) => write!(
                f,
                "{bits} bits are to travel: more than message counter and reset flag have"
            ),
            ProfileError::TruncatedWithinFlag(bits) => {
                write!(
                    f,
                    "{bits} bits are to travel: the reset flag alone has more"
                )
            }
            ProfileError::MacTooShort(bits) => {
                write!(
                    f,
                    "{bits} bits of code: {MAC_BITS_MIN} at least, or {MAC_BITS_FOUND_MIN} of a \
                     system that is judged as it is"
                )
            }
            ProfileError::MacTooLong(bits) => write!(f, "{bits} bits of code: there are 128"),
            ProfileError::Attempts(attempts) => {
                write!(f, "{attempts} attempts: 1 to {ATTEMPTS_MAX}")
            }
            ProfileError::WindowTooSmall(window) => write!(
                f,
                "an unsynchronised counter reaches {window} messages ahead: {} at least",
                2 * RESERVE
            ),
        }
    }
}

impl core::error::Error for ProfileError {}
