//! Frames of one controller: receiving, sending, arbitration, and the checks of both
//! [ISO 11898-1 §10.4, §10.6 to §10.8, §10.11].

use waywarden_can::bits::{BitError, BitStep, Field, Level, Stuff, WireBit, expand};
use waywarden_can::node::BusState;
use waywarden_can::timing::Picoseconds;

use super::{Controller, Flag, State};
use crate::bitwise::{BitMark, ErrorKind, INTERMISSION_BITS, MarkKind};
use crate::confinement::FrameRole;

impl Controller {
    /// Takes a bit of a frame that another one sends.
    pub(super) fn receive(
        &mut self,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) -> Option<MarkKind> {
        if self.place.bit == 0 && level == Level::Dominant && self.may_start() {
            // Another controller was quicker: this is the start of our frame too. We go on with the
            // identifier [ISO 11898-1 §10.4.6.3].
            self.begin_transmission(now, 1, marks);
            return self.follow(level, now, marks);
        }
        if level == Level::Dominant {
            // A frame has begun: the wait is over.
            self.suspended = false;
        }
        if self.drive == Level::Dominant && level == Level::Recessive {
            self.fail(ErrorKind::Bit, now, marks);
            return None;
        }
        if self.drive == Level::Dominant {
            self.counters.received();
        }
        self.follow(level, now, marks)
    }

    /// Follows a frame as receivers do.
    fn follow(
        &mut self,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) -> Option<MarkKind> {
        match self.decoder.push(level) {
            Ok(BitStep::Bit) => {}
            // No start of frame after all.
            Ok(BitStep::Idle) => {
                self.state = State::Intermission {
                    bits: INTERMISSION_BITS,
                }
            }
            Ok(BitStep::Frame(frame)) => return Some(MarkKind::Received(frame)),
            Ok(BitStep::End) => self.state = State::Intermission { bits: 0 },
            Ok(BitStep::Overload) => self.state = State::flag(Flag::Overload),
            Err(error) => self.fail(error.into(), now, marks),
        }
        None
    }

    /// Compares a bit of the controller's own frame with what came out.
    pub(super) fn transmit(
        &mut self,
        at: usize,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) -> Option<MarkKind> {
        let (bit, last) = self.wire_bit(at);
        if bit.level != level {
            return self.differ(bit, level, now, marks);
        }
        if bit.field == Field::AckSlot {
            self.fail(ErrorKind::Acknowledgement, now, marks);
            return None;
        }
        self.keep_pace(level);
        if last {
            self.counters.transmitted();
            self.pending = None;
            self.stop_sending();
            self.state = State::Intermission { bits: 0 };
            return Some(MarkKind::Sent);
        }
        self.state = State::Transmitting { at: at + 1 };
        None
    }

    /// A bit of the own frame came out other than it was sent.
    fn differ(
        &mut self,
        bit: WireBit,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) -> Option<MarkKind> {
        match (bit.field, bit.stuff) {
            (Field::AckSlot, _) => {
                self.keep_pace(level);
                self.advance();
                None
            }
            (_, Stuff::None) if bit.level == Level::Recessive && is_arbitration(bit.field) => {
                self.mark(now, MarkKind::LostArbitration(self.place), marks);
                self.stop_sending();
                self.role = FrameRole::Receiver;
                self.state = State::Receiving;
                self.follow(level, now, marks)
            }
            (field, Stuff::Dynamic)
                if bit.level == Level::Recessive
                    && is_arbitration(field)
                    && field != Field::RemoteTransmissionRequest =>
            {
                self.counters.stuff_error_in_arbitration();
                self.begin_error(ErrorKind::Stuff, now, marks);
                None
            }
            (Field::CrcDelimiter | Field::AckDelimiter | Field::EndOfFrame, _) => {
                self.fail(ErrorKind::Form, now, marks);
                None
            }
            _ => {
                self.fail(ErrorKind::Bit, now, marks);
                None
            }
        }
    }

    /// Lets the decoder follow the own frame, for the field names, the data phase, and for the case
    /// that arbitration is lost later.
    fn keep_pace(&mut self, level: Level) {
        // Own bits that came out as sent are never an error; a sender does not check its own CRC.
        let _ = self.decoder.push(level);
    }

    fn advance(&mut self) {
        if let State::Transmitting { at } = self.state {
            self.state = State::Transmitting { at: at + 1 };
        }
    }

    pub(super) fn begin_frame(&mut self) {
        self.decoder.restart();
        self.suspended = self.is_suspended();
        self.role = FrameRole::Receiver;
        self.state = State::Receiving;
        self.data_phase = false;
        self.place.bit = 0;
    }

    pub(super) fn begin_transmission(
        &mut self,
        now: Picoseconds,
        at: usize,
        marks: &mut Vec<BitMark>,
    ) {
        let Some(pending) = self.pending else { return };
        let frame = match self.counters.state() {
            BusState::Passive => pending.with_error_state_indicator(),
            _ => pending,
        };
        self.wire = Some(Box::new(expand(&frame, self.variant)));
        self.sending = Some(frame);
        self.role = FrameRole::Transmitter;
        self.state = State::Transmitting { at };
        self.mark(now, MarkKind::Started(frame), marks);
    }

    pub(super) fn stop_sending(&mut self) {
        self.wire = None;
        self.sending = None;
    }

    /// The bit at this index of the own frame, and whether it is the last one.
    pub(super) fn wire_bit(&self, at: usize) -> (WireBit, bool) {
        let bits = self.wire.as_ref().map_or(&[][..], |wire| wire.bits());
        // Only a transmitter asks, and never beyond its frame; a recessive bit is harmless.
        let beyond = WireBit {
            level: Level::Recessive,
            field: Field::EndOfFrame,
            stuff: Stuff::None,
            data_phase: false,
        };
        (
            bits.get(at).copied().unwrap_or(beyond),
            at + 1 >= bits.len(),
        )
    }
}

impl From<BitError> for ErrorKind {
    fn from(error: BitError) -> Self {
        match error {
            BitError::Stuff => ErrorKind::Stuff,
            BitError::Form => ErrorKind::Form,
            BitError::Crc | BitError::StuffCount => ErrorKind::Crc,
        }
    }
}

/// Returns true if a recessive bit here may be overwritten without error. A sender's RRS, and its
/// IDE with an 11-bit identifier, are dominant and never are.
const fn is_arbitration(field: Field) -> bool {
    matches!(
        field,
        Field::Identifier
            | Field::RemoteTransmissionRequest
            | Field::SubstituteRemoteRequest
            | Field::IdentifierExtension
            | Field::ExtendedIdentifier
    )
}
