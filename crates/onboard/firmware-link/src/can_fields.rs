//! Fields of the bus: identifiers, frames, states, and outcomes of checks.

use waywarden_can::node::{BusState, Port, Slot};
use waywarden_can::{FdFlags, Format, Frame, Id, MessageHandle, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::Usage;
use waywarden_ecu::{CheckReport, KeptBack, Withheld};

use crate::fields::{Field, MessageError, Reader, Writer, numbered};

impl Field for StandardId {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.raw())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        StandardId::new(from.take()?).map_err(|_| MessageError::Field("an identifier of 11 bits"))
    }
}

/// Marks an identifier of 29 bits.
const EXTENDED: u32 = 1 << 31;

impl Field for Id {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let mark = if self.is_extended() { EXTENDED } else { 0 };
        to.put(&(mark | self.raw()))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let word: u32 = from.take()?;
        let made = match (word & EXTENDED, u16::try_from(word)) {
            (0, Ok(raw)) => Id::standard(raw),
            (0, Err(_)) => return Err(MessageError::Field("an identifier")),
            _ => Id::extended(word & !EXTENDED),
        };
        made.map_err(|_| MessageError::Field("an identifier"))
    }
}

impl Field for MessageHandle {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        self.words().iter().try_for_each(|word| to.put(word))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let words = [from.take()?, from.take()?, from.take()?];
        Ok(MessageHandle::new(words))
    }
}

/// The forms of frames: classic, remote, FD without and with the data bit rate; by eight more, of
/// an error-passive sender.
const PASSIVE: u8 = 8;

impl Field for Frame {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let form = match self.format() {
            Format::Classic => 0,
            Format::Remote => 1,
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => 2 + u8::from(bit_rate_switch) + PASSIVE * u8::from(error_state_indicator),
        };
        to.put(&self.id())?;
        to.put(&form)?;
        to.put(&self.message())?;
        to.put(&self.dlc())?;
        let data = self.data();
        to.put(&(data.len() as u8))?;
        to.bytes(data)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let id: Id = from.take()?;
        let form: u8 = from.take()?;
        let message = from.take()?;
        let dlc: u8 = from.take()?;
        let length: u8 = from.take()?;
        let data = from.bytes(length.into())?;
        let made = match form {
            0 => Frame::classic(id, data).and_then(|frame| match frame.dlc() == dlc {
                true => Ok(frame),
                false => frame.with_raw_dlc(dlc),
            }),
            1 => Frame::remote(id, dlc),
            2 | 3 | 10 | 11 => Frame::fd_with(
                id,
                data,
                FdFlags {
                    bit_rate_switch: form & 1 == 1,
                    error_state_indicator: form & PASSIVE != 0,
                },
            ),
            _ => return Err(MessageError::Field("the format of a frame")),
        };
        let frame = made.map_err(|_| MessageError::Field("a frame"))?;
        Ok(frame.with_message(message))
    }
}

impl Field for Slot {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.take().map(Slot)
    }
}

numbered!(BusState, "a fault confinement state", [
    0: BusState::Active => BusState::Active,
    1: BusState::Passive => BusState::Passive,
    2: BusState::Off => BusState::Off,
]);

numbered!(Usage, "the usage of a key", [
    0: Usage::Protect => Usage::Protect,
    1: Usage::Check => Usage::Check,
    2: Usage::Both => Usage::Both,
]);

numbered!(KeptBack, "a reason to keep a message back", [
    0: KeptBack::Skipped => KeptBack::Skipped,
    1: KeptBack::Withheld(Withheld::Unauthorized) => KeptBack::Withheld(Withheld::Unauthorized),
    2: KeptBack::Withheld(Withheld::Busy) => KeptBack::Withheld(Withheld::Busy),
    3: KeptBack::Withheld(Withheld::Unretained) => KeptBack::Withheld(Withheld::Unretained),
    4: KeptBack::Withheld(Withheld::Unsynchronised) => KeptBack::Withheld(Withheld::Unsynchronised),
    5: KeptBack::Withheld(Withheld::Exhausted) => KeptBack::Withheld(Withheld::Exhausted),
    6: KeptBack::Withheld(Withheld::Form) => KeptBack::Withheld(Withheld::Form),
    7: KeptBack::Withheld(Withheld::Faulty) => KeptBack::Withheld(Withheld::Faulty),
]);

impl Field for CanPayload {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.message())?;
        let bytes = self.as_bytes();
        to.put(&(bytes.len() as u8))?;
        to.bytes(bytes)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let message = from.take()?;
        let length: u8 = from.take()?;
        if usize::from(length) > waywarden_can::frame::DATA_MAX {
            return Err(MessageError::Field("the length of a payload"));
        }
        let bytes = from.bytes(length.into())?;
        Ok(CanPayload::new(bytes).with_message(message))
    }
}

impl Field for FrameOutcome {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let (number, id) = match self {
            FrameOutcome::Authentic { stream, payload } => {
                to.put(&0u8)?;
                to.put(&Id::Standard(*stream))?;
                return to.put(payload);
            }
            FrameOutcome::WrongTag(id) => (1u8, Id::Standard(*id)),
            FrameOutcome::Replay(id) => (2, Id::Standard(*id)),
            FrameOutcome::Missing(id) => (3, Id::Standard(*id)),
            FrameOutcome::TagWithoutData(id) => (4, Id::Standard(*id)),
            FrameOutcome::OutOfStep(id) => (5, Id::Standard(*id)),
            FrameOutcome::Resynced(id) => (6, Id::Standard(*id)),
            FrameOutcome::UnknownId(id) => (7, *id),
            _ => return Err(MessageError::Field("the outcome of a check")),
        };
        to.put(&number)?;
        to.put(&id)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let number: u8 = from.take()?;
        let id: Id = from.take()?;
        if number == 7 {
            return Ok(FrameOutcome::UnknownId(id));
        }
        let Id::Standard(id) = id else {
            return Err(MessageError::Field("the stream of a check"));
        };
        Ok(match number {
            0 => FrameOutcome::Authentic {
                stream: id,
                payload: from.take()?,
            },
            1 => FrameOutcome::WrongTag(id),
            2 => FrameOutcome::Replay(id),
            3 => FrameOutcome::Missing(id),
            4 => FrameOutcome::TagWithoutData(id),
            5 => FrameOutcome::OutOfStep(id),
            6 => FrameOutcome::Resynced(id),
            _ => return Err(MessageError::Field("the outcome of a check")),
        })
    }
}

impl Field for CheckReport {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.port.0)?;
        to.put(&self.event)?;
        to.put(&self.message)?;
        to.put(&self.is_stopped)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(CheckReport {
            port: Port(from.take()?),
            event: from.take()?,
            message: from.take()?,
            is_stopped: from.take()?,
        })
    }
}
