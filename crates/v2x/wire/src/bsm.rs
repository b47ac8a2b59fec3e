//! Basic safety messages \[J2735 §5\], their core, and the frame that messages of J2735 travel in.
//!
//! Parts behind the core (part II, regional extensions) are not parsed: their bits are kept, and
//! written unchanged.

use crate::coer::Visitor;
use crate::error::{EmitError, ParseFault, WireError};
use crate::uper::{
    Bits, Bounded, Flags, UperDecode, UperEncode, UperReader, UperSink, enumerated, put_open,
    sequence,
};

/// Message identifier (DSRCmsgID) of a basic safety message in J2735.
pub const BASIC_SAFETY_MESSAGE: i64 = 20;

/// An acceleration in cm/s²; 2001: not known.
pub type Acceleration = Bounded<-2000, 2001>;

sequence! {
    /// Accuracy of a position: an error ellipse at one standard deviation.
    pub struct PositionalAccuracy = "PositionalAccuracy" {
        /// Longer half axis in 5 cm; 254: more, 255: not known.
        required semi_major_5_cm: Bounded<0, 255> = "semiMajor";
        /// Shorter half axis in 5 cm; 254: more, 255: not known.
        required semi_minor_5_cm: Bounded<0, 255> = "semiMinor";
        /// Direction of the longer half axis, in units of 360/65,535 degrees from north; 65,535:
        /// not known.
        required orientation: Bounded<0, 65_535> = "orientation";
    }
}

enumerated! {
    /// State of the transmission.
    pub enum TransmissionState = "TransmissionState" {
        /// Neutral.
        Neutral = "neutral";
        /// Parking position.
        Park = "park";
        /// Forward gears.
        ForwardGears = "forwardGears";
        /// Reverse gears.
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
    /// Accelerations along three axes, and the yaw rate.
    pub struct AccelerationSet4Way = "AccelerationSet4Way" {
        /// Longitudinal acceleration, positive forwards.
        required longitudinal_cm_s2: Acceleration = "long";
        /// Lateral acceleration, positive to the right.
        required lateral_cm_s2: Acceleration = "lat";
        /// Vertical acceleration, positive upwards, in 0.02 g; -127: not known.
        required vertical_2_centi_g: Bounded<-127, 127> = "vert";
        /// Yaw rate, positive to the right, in 0.01 degrees a second.
        required yaw_rate_centidegrees_s: Bounded<-32_767, 32_767> = "yaw";
    }
}

enumerated! {
    /// State of a control system, such as traction control.
    pub enum ControlStatus = "ControlStatus" {
        /// Not known, or not fitted.
        Unavailable = "unavailable";
        /// Switched off.
        Off = "off";
        /// Switched on.
        On = "on";
        /// Actively intervening.
        Engaged = "engaged";
    }
}

enumerated! {
    /// State of the brake boost.
    pub enum BrakeBoostApplied = "BrakeBoostApplied" {
        /// Not known, or not fitted.
        Unavailable = "unavailable";
        /// Not applied.
        Off = "off";
        /// Applied.
        On = "on";
    }
}

enumerated! {
    /// State of the parking brake.
    pub enum AuxiliaryBrakeStatus = "AuxiliaryBrakeStatus" {
        /// Not known, or not fitted.
        Unavailable = "unavailable";
        /// Released.
        Off = "off";
        /// Applied.
        On = "on";
        /// Reserved.
        Reserved = "reserved";
    }
}

sequence! {
    /// State of the brakes and of the systems that control them.
    pub struct BrakeSystemStatus = "BrakeSystemStatus" {
        /// Wheels that are braked: not known, left front, left rear, right front, right rear.
        required wheel_brakes: Flags<5> = "wheelBrakes";
        /// State of traction control.
        required traction: ControlStatus = "traction";
        /// State of the anti-lock brakes.
        required abs: ControlStatus = "abs";
        /// State of stability control.
        required stability: ControlStatus = "scs";
        /// State of the brake boost.
        required boost: BrakeBoostApplied = "brakeBoost";
        /// State of the parking brake.
        required auxiliary: AuxiliaryBrakeStatus = "auxBrakes";
    }
}

sequence! {
    /// Size of a vehicle; 0: not known.
    pub struct VehicleSize = "VehicleSize" {
        /// Width of the vehicle.
        required width_cm: Bounded<0, 1023> = "width";
        /// Length of the vehicle.
        required length_cm: Bounded<0, 4095> = "length";
    }
}

sequence! {
    /// Core data of every basic safety message.
    pub struct BsmCoreData = "BSMcoreData" {
        /// Counter of the messages, modulo 128.
        required message_count: Bounded<0, 127> = "msgCnt";
        /// Identifier of the sender, four octets; it changes with the pseudonym.
        required temporary_id: Bounded<0, 0xFFFF_FFFF> = "id";
        /// Time within the minute; 65,535: not known.
        required second_mark_ms: Bounded<0, 65_535> = "secMark";
        /// Latitude in tenths of a microdegree, positive north; 900,000,001: not known.
        required latitude: Bounded<-900_000_000, 900_000_001> = "lat";
        /// Longitude in tenths of a microdegree, positive east; 1,800,000,001: not known.
        required longitude: Bounded<-1_799_999_999, 1_800_000_001> = "long";
        /// Height above the ellipsoid; -4096: not known.
        required elevation_dm: Bounded<-4096, 61_439> = "elev";
        /// Accuracy of the position.
        required accuracy: PositionalAccuracy = "accuracy";
        /// State of the transmission.
        required transmission: TransmissionState = "transmission";
        /// Speed, in 2 cm/s; 8191: not known.
        required speed_2_cm_s: Bounded<0, 8191> = "speed";
        /// Heading, in 0.0125 degrees clockwise from north; 28,800: not known.
        required heading_eightieth_degrees: Bounded<0, 28_800> = "heading";
        /// Angle of the steering wheel, positive to the right, in 1.5 degrees; 127: not known.
        required steering_1_5_degrees: Bounded<-126, 127> = "angle";
        /// Accelerations and yaw rate.
        required acceleration: AccelerationSet4Way = "accelSet";
        /// State of the brakes.
        required brakes: BrakeSystemStatus = "brakes";
        /// Size of the vehicle.
        required size: VehicleSize = "size";
    }
}

/// A basic safety message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasicSafetyMessage<'a> {
    /// Core data, present in every message.
    pub core: BsmCoreData,
    /// Optional parts behind the core.
    pub more: BsmOptionalParts<'a>,
}

/// Optional parts behind the core, unparsed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BsmOptionalParts<'a> {
    /// True if there are extension additions.
    pub is_extended: bool,
    /// True if there is part II.
    pub has_part_ii: bool,
    /// True if there are regional extensions.
    pub has_regional: bool,
    /// Bits of these parts, up to the end of the message.
    pub bits: Bits<'a>,
}

impl<'a> UperDecode<'a> for BasicSafetyMessage<'a> {
    const NAME: &'static str = "BasicSafetyMessage";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
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
            false => Err(WireError::at(ParseFault::Truncated(1), offset)),
        }
    }
}

impl BsmOptionalParts<'_> {
    /// Returns true if there are bits exactly when a flag announces them.
    fn is_whole(&self) -> bool {
        let any = self.is_extended || self.has_part_ii || self.has_regional;
        any != self.bits.is_empty()
    }
}

impl UperEncode for BasicSafetyMessage<'_> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
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
#[non_exhaustive]
pub enum MessageFrame<'a> {
    /// A basic safety message.
    BasicSafety(BasicSafetyMessage<'a>),
    /// Another message: its identifier and its bits.
    Other(Bounded<0, 32_767>, Bits<'a>),
}

impl<'a> UperDecode<'a> for MessageFrame<'a> {
    const NAME: &'static str = "MessageFrame";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        // No addition is known, and none has been made.
        if reader.bit()? {
            return Err(WireError::at(ParseFault::UnknownCritical(0), offset));
        }
        let id: Bounded<0, 32_767> = reader.field("messageId")?;
        reader.open(|reader| match id.value() {
            BASIC_SAFETY_MESSAGE => reader.field("value").map(Self::BasicSafety),
            _ => Ok(Self::Other(id, reader.rest())),
        })
    }
}

impl UperEncode for MessageFrame<'_> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
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
