//! Basic safety messages \[J2735 §5\], their core, and the frame that messages of J2735 travel in.
//!
//! What may follow the core (part II, regional extensions) is not read: its bits are kept, and
//! written as they are.

use crate::coer::Visitor;
use crate::error::{EmitError, Fault, WireError};
use crate::uper::{
    Bits, Bounded, Decode, Encode, Flags, Reader, Sink, enumerated, put_open, sequence,
};

/// The number of basic safety messages among those of J2735.
pub const BASIC_SAFETY_MESSAGE: i64 = 20;

/// An acceleration in cm/s²; 2001: not known.
pub type Acceleration = Bounded<-2000, 2001>;

sequence! {
    /// Where a position is within, at one standard deviation.
    pub struct PositionalAccuracy = "PositionalAccuracy" {
        /// The longer half axis in 5 cm; 254: more, 255: not known.
        required semi_major_5_cm: Bounded<0, 255> = "semiMajor";
        /// The shorter one in 5 cm; 254: more, 255: not known.
        required semi_minor_5_cm: Bounded<0, 255> = "semiMinor";
        /// Where the longer one points, in units of 360/65,535 degrees from north; 65,535: not
        /// known.
        required orientation: Bounded<0, 65_535> = "orientation";
    }
}

enumerated! {
    /// What a transmission does.
    pub enum TransmissionState = "TransmissionState" {
        /// Nothing.
        Neutral = "neutral";
        /// It holds.
        Park = "park";
        /// Forwards.
        ForwardGears = "forwardGears";
        /// Backwards.
        ReverseGears = "reverseGears";
        /// Reserved.
        Reserved1 = "reserved1";
        /// Reserved.
        Reserved2 = "reserved2";
        /// Reserved.
        Reserved3 = "reserved3";
        /// Not known.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// How a vehicle accelerates and turns.
    pub struct AccelerationSet4Way = "AccelerationSet4Way" {
        /// Forwards.
        required longitudinal_cm_s2: Acceleration = "long";
        /// To the right.
        required lateral_cm_s2: Acceleration = "lat";
        /// Upwards, in 0.02 g; -127: not known.
        required vertical_2_centi_g: Bounded<-127, 127> = "vert";
        /// To the right, in 0.01 degrees a second.
        required yaw_rate_centidegrees_s: Bounded<-32_767, 32_767> = "yaw";
    }
}

enumerated! {
    /// What a system such as traction control does.
    pub enum ControlStatus = "ControlStatus" {
        /// Not known, or not there.
        Unavailable = "unavailable";
        /// Switched off.
        Off = "off";
        /// Switched on.
        On = "on";
        /// At work.
        Engaged = "engaged";
    }
}

enumerated! {
    /// Whether brakes are boosted.
    pub enum BrakeBoostApplied = "BrakeBoostApplied" {
        /// Not known, or not there.
        Unavailable = "unavailable";
        /// They are not.
        Off = "off";
        /// They are.
        On = "on";
    }
}

enumerated! {
    /// Whether the parking brake is on.
    pub enum AuxiliaryBrakeStatus = "AuxiliaryBrakeStatus" {
        /// Not known, or not there.
        Unavailable = "unavailable";
        /// It is not.
        Off = "off";
        /// It is.
        On = "on";
        /// Reserved.
        Reserved = "reserved";
    }
}

sequence! {
    /// What brakes do.
    pub struct BrakeSystemStatus = "BrakeSystemStatus" {
        /// Which wheels: none is known, left front, left rear, right front, right rear.
        required wheel_brakes: Flags<5> = "wheelBrakes";
        /// Traction control.
        required traction: ControlStatus = "traction";
        /// Anti-lock brakes.
        required abs: ControlStatus = "abs";
        /// Stability control.
        required stability: ControlStatus = "scs";
        /// Boost.
        required boost: BrakeBoostApplied = "brakeBoost";
        /// The parking brake.
        required auxiliary: AuxiliaryBrakeStatus = "auxBrakes";
    }
}

sequence! {
    /// How large a vehicle is; 0: not known.
    pub struct VehicleSize = "VehicleSize" {
        /// How wide.
        required width_cm: Bounded<0, 1023> = "width";
        /// How long.
        required length_cm: Bounded<0, 4095> = "length";
    }
}

sequence! {
    /// What every basic safety message says.
    pub struct BsmCoreData = "BSMcoreData" {
        /// Counts the messages, modulo 128.
        required message_count: Bounded<0, 127> = "msgCnt";
        /// Who sent it, for as long as its pseudonym lasts: four octets.
        required temporary_id: Bounded<0, 0xFFFF_FFFF> = "id";
        /// When in the minute; 65,535: not known.
        required second_mark_ms: Bounded<0, 65_535> = "secMark";
        /// Tenths of a microdegree north; 900,000,001: not known.
        required latitude: Bounded<-900_000_000, 900_000_001> = "lat";
        /// Tenths of a microdegree east; 1,800,000,001: not known.
        required longitude: Bounded<-1_799_999_999, 1_800_000_001> = "long";
        /// Above the ellipsoid; -4096: not known.
        required elevation_dm: Bounded<-4096, 61_439> = "elev";
        /// How sure the position is.
        required accuracy: PositionalAccuracy = "accuracy";
        /// What the transmission does.
        required transmission: TransmissionState = "transmission";
        /// How fast, in 2 cm/s; 8191: not known.
        required speed_2_cm_s: Bounded<0, 8191> = "speed";
        /// Where to, in 0.0125 degrees from north to the east; 28,800: not known.
        required heading_eightieth_degrees: Bounded<0, 28_800> = "heading";
        /// How the steering wheel is turned to the right, in 1.5 degrees; 127: not known.
        required steering_1_5_degrees: Bounded<-126, 127> = "angle";
        /// How it accelerates and turns.
        required acceleration: AccelerationSet4Way = "accelSet";
        /// What the brakes do.
        required brakes: BrakeSystemStatus = "brakes";
        /// How large it is.
        required size: VehicleSize = "size";
    }
}

/// A basic safety message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasicSafetyMessage<'a> {
    /// What every one says.
    pub core: BsmCoreData,
    /// What more there is.
    pub more: BsmOptionalParts<'a>,
}

/// What stands behind the core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BsmOptionalParts<'a> {
    /// Whether there are extension additions.
    pub is_extended: bool,
    /// Whether there is part II.
    pub has_part_ii: bool,
    /// Whether there are regional extensions.
    pub has_regional: bool,
    /// Their bits, and all behind them.
    pub bits: Bits<'a>,
}

impl<'a> Decode<'a> for BasicSafetyMessage<'a> {
    const NAME: &'static str = "BasicSafetyMessage";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let [is_extended, has_part_ii, has_regional] =
            [reader.bit()?, reader.bit()?, reader.bit()?];
        let core = reader.field("coreData")?;
        let offset = reader.offset();
        let bits = match is_extended || has_part_ii || has_regional {
            true => reader.rest(),
            false => Bits::default(),
        };
        let more = BsmOptionalParts {
            is_extended,
            has_part_ii,
            has_regional,
            bits,
        };
        match more.is_whole() {
            true => Ok(Self { core, more }),
            false => Err(WireError::at(Fault::Truncated(1), offset)),
        }
    }
}

impl BsmOptionalParts<'_> {
    /// Bits are there where something says so, and nowhere else.
    fn is_whole(&self) -> bool {
        let any = self.is_extended || self.has_part_ii || self.has_regional;
        any != self.bits.is_empty()
    }
}

impl Encode for BasicSafetyMessage<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
        if !self.more.is_whole() {
            return Err(EmitError::OutOfRange("partII"));
        }
        sink.put(u64::from(self.more.is_extended), 1)?;
        sink.put(u64::from(self.more.has_part_ii), 1)?;
        sink.put(u64::from(self.more.has_regional), 1)?;
        self.core.encode(sink)?;
        self.more.bits.encode(sink)
    }
}

/// The frame of a message of J2735.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is no heap to put the large one on"
)]
pub enum MessageFrame<'a> {
    /// A basic safety message.
    BasicSafety(BasicSafetyMessage<'a>),
    /// Another one: its number, and its bytes.
    Other(Bounded<0, 32_767>, Bits<'a>),
}

impl<'a> Decode<'a> for MessageFrame<'a> {
    const NAME: &'static str = "MessageFrame";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        // No addition is known, and none has been made.
        if reader.bit()? {
            return Err(WireError::at(Fault::UnknownCritical(0), offset));
        }
        let id: Bounded<0, 32_767> = reader.field("messageId")?;
        reader.open(|reader| match id.value() {
            BASIC_SAFETY_MESSAGE => reader.field("value").map(Self::BasicSafety),
            _ => Ok(Self::Other(id, reader.rest())),
        })
    }
}

impl Encode for MessageFrame<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match self {
            Self::BasicSafety(message) => {
                sink.put(BASIC_SAFETY_MESSAGE as u64, 16)?;
                put_open(message, sink)
            }
            Self::Other(id, _) if id.value() == BASIC_SAFETY_MESSAGE => {
                Err(EmitError::OutOfRange("messageId"))
            }
            Self::Other(id, bits) => {
                sink.put(id.value() as u64, 16)?;
                put_open(bits, sink)
            }
        }
    }
}
