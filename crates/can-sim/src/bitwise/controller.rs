//! One controller: what it drives in each bit and what it makes of what it samples.
//!
//! Everything a controller knows of the bus is one sampled level a bit. The rules of error
//! signalling are in [`super::signalling`](self::signalling); the bus between controllers is
//! [`super::bus`].

mod signalling;

use waywarden_can::bits::{
    BitError, Decoder, FdVariant, Field, Level, Step, Stuff, Wire, WireBit, expand,
};
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitTiming, Picoseconds};
use waywarden_can::{Format, Frame};

use super::pace::Pace;
use super::{
    DELIMITER_BITS, ErrorKind, FLAG_BITS, INTERMISSION_BITS, Lag, Mark, MarkKind, Party, Place,
    Stage,
};
use crate::confinement::{Counters, Role};

/// A controller in the course of an episode.
pub(super) struct Controller {
    party: usize,
    pace: Pace,
    variant: FdVariant,
    counters: Counters,
    pending: Option<Frame>,
    overload: u8,
    suspended: bool,
    role: Role,
    state: State,
    decoder: Decoder,
    /// What it sends, while it sends.
    wire: Option<Box<Wire>>,
    /// The same as a frame, ESI as it goes out.
    sending: Option<Frame>,
    drive: Level,
    place: Place,
    stage_bit: u32,
    data_phase: bool,
    clock: Clock,
    began_at: Picoseconds,
}

/// What the bit at hand belongs to; after the sample, what the next one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Off,
    Idle,
    Receiving,
    Transmitting {
        /// Index of the bit in the wire.
        at: usize,
    },
    Flag {
        kind: Flag,
        /// Bits sent of an active or overload flag, 0 to 5; equal bits seen of a passive one.
        bits: u8,
        /// The level of those equal bits.
        level: Level,
        /// A passive flag after an acknowledgement error; no dominant bit seen yet.
        unanswered: bool,
    },
    /// Sends recessive and waits for the bus to follow.
    AfterFlag {
        error: bool,
        /// Dominant bits since the flag, modulo 8 but never 0 again.
        dominant: u8,
    },
    /// Has seen this many recessive bits of the delimiter, 1 to 7.
    Delimiter {
        error: bool,
        recessive: u8,
    },
    Intermission {
        bits: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Active,
    Passive,
    Overload,
}

/// Where the controller is in its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// It has no bit: idle or off.
    Stopped,
    ToSample(Picoseconds),
    ToEnd(Picoseconds),
}

impl Controller {
    pub(super) fn new(
        party: usize,
        settings: &Party,
        timing: &BitTiming,
        variant: FdVariant,
    ) -> Self {
        let mut controller = Controller {
            party,
            pace: Pace::new(settings.timing.as_ref().unwrap_or(timing)),
            variant,
            counters: settings.counters,
            pending: settings.transmit,
            overload: settings.overload.min(2),
            suspended: settings.suspended,
            role: settings.lag.map_or(Role::Receiver, |lag| lag.role),
            state: State::Idle,
            decoder: Decoder::new(variant),
            wire: None,
            sending: None,
            drive: Level::Recessive,
            place: Place {
                stage: Stage::Idle,
                bit: 0,
            },
            stage_bit: 0,
            data_phase: false,
            clock: Clock::Stopped,
            began_at: Picoseconds::ZERO,
        };
        if !settings.listening || controller.counters.state() == BusState::Off {
            controller.state = State::Off;
        } else if let Some(lag) = settings.lag {
            controller.state = State::lagging(lag.bits);
        }
        controller
    }

    /// Begins the episode: those that may start do, those that lag go on.
    pub(super) fn start(&mut self, marks: &mut Vec<Mark>) {
        let now = Picoseconds::ZERO;
        if self.state == State::Idle && self.may_start() {
            self.begin_frame();
            self.begin_transmission(now, 0, marks);
        }
        self.begin_bit(now, marks);
        if let State::Flag { .. } = self.state {
            // It began in the episode before and was reported there.
            marks.pop();
        }
    }

    /// Writes back how the controller stands at the end.
    pub(super) fn finish(&self, party: &mut Party) {
        party.counters = self.counters;
        party.transmit = self.pending;
        party.overload = self.overload;
        party.suspended = self.is_suspended();
        party.lag = match self.recessive_bits_left() {
            None | Some(0) => None,
            Some(bits) => Some(Lag {
                bits,
                role: self.role,
            }),
        };
    }

    /// The time of the controller's next step, if it has a bit.
    pub(super) fn next_step(&self) -> Option<Picoseconds> {
        match self.clock {
            Clock::Stopped => None,
            Clock::ToSample(at) | Clock::ToEnd(at) => Some(at),
        }
    }

    pub(super) fn is_sampling(&self, now: Picoseconds) -> bool {
        self.clock == Clock::ToSample(now)
    }

    pub(super) fn is_at_end(&self, now: Picoseconds) -> bool {
        self.clock == Clock::ToEnd(now)
    }

    /// Begins the next bit: decides what to drive.
    pub(super) fn begin_bit(&mut self, now: Picoseconds, marks: &mut Vec<Mark>) {
        self.began_at = now;
        if self.state == (State::Intermission { bits: 0 }) && self.overload > 0 {
            self.overload -= 1;
            self.state = State::flag(Flag::Overload);
        }
        if self.state
            == (State::Intermission {
                bits: INTERMISSION_BITS,
            })
        {
            self.suspended = self.is_suspended();
            self.state = State::Idle;
        }
        self.drive = self.level_to_drive();
        let stage = self.stage();
        self.stage_bit = self.count_in_stage(stage);
        self.place.stage = stage;
        match self.state {
            State::Flag { kind, bits: 0, .. } if self.stage_bit == 0 => {
                let flag = match kind {
                    Flag::Active => MarkKind::ErrorFlag { active: true },
                    Flag::Passive => MarkKind::ErrorFlag { active: false },
                    Flag::Overload => MarkKind::OverloadFlag,
                };
                self.mark(now, flag, marks);
            }
            State::Idle | State::Off => {
                self.clock = Clock::Stopped;
                return;
            }
            _ => {}
        }
        self.clock = Clock::ToSample(now + self.pace.to_sample(self.data_phase));
    }

    /// A recessive-to-dominant edge: an idle controller takes it for the start of a frame, and so
    /// does one in the last bit of intermission [ISO 11898-1 §11.3.2.2, hard synchronisation].
    pub(super) fn see_edge(&mut self, now: Picoseconds, marks: &mut Vec<Mark>) {
        match self.state {
            State::Idle => {
                self.begin_frame();
                self.begin_bit(now, marks);
            }
            State::Intermission { bits } if bits + 1 == INTERMISSION_BITS => {
                if let Clock::ToSample(_) = self.clock {
                    self.begin_bit(now, marks);
                }
            }
            _ => {}
        }
    }

    /// Takes the level at the sample point and decides what the next bit is.
    pub(super) fn sample(&mut self, level: Level, now: Picoseconds, marks: &mut Vec<Mark>) {
        let before = self.counters;
        let in_data_phase = self.data_phase;
        let accepted = match self.state {
            State::Off | State::Idle => None,
            State::Receiving => self.receive(level, now, marks),
            State::Transmitting { at } => self.transmit(at, level, now, marks),
            _ => {
                self.signal(level, now, marks);
                None
            }
        };
        // The rate changes at the sample points of BRS and CRC delimiter. After an error it changes
        // with the first bit of the flag.
        self.data_phase = self.decoder.is_in_frame() && self.decoder.next_bit().data_phase;
        let in_frame = matches!(self.state, State::Receiving | State::Transmitting { .. });
        let rest = if in_frame {
            self.data_phase
        } else {
            in_data_phase
        };
        let end = now + self.pace.after_sample(rest);
        self.clock = Clock::ToEnd(end);
        self.place.bit += 1;

        if self.counters != before {
            let (tec, rec) = (self.counters.tec(), self.counters.rec());
            self.mark(now, MarkKind::Counters { tec, rec }, marks);
        }
        if self.counters.state() != before.state() {
            self.mark(now, MarkKind::State(self.counters.state()), marks);
            if self.counters.state() == BusState::Off {
                self.state = State::Off;
                self.stop_sending();
                self.begin_bit(now, marks);
            }
        }
        if let Some(kind) = accepted {
            self.mark(end, kind, marks);
        }
    }

    /// Takes a bit of a frame that another one sends.
    fn receive(
        &mut self,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<Mark>,
    ) -> Option<MarkKind> {
        if self.place.bit == 0 && level == Level::Dominant && self.may_start() {
            // Somebody was quicker: this is the start of our frame too. We go on with the
            // identifier [ISO 11898-1 §10.4.6.3].
            self.begin_transmission(now, 1, marks);
            return self.follow(level, now, marks);
        }
        self.suspended = false;
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
        marks: &mut Vec<Mark>,
    ) -> Option<MarkKind> {
        match self.decoder.push(level) {
            Ok(Step::Bit) => {}
            // No start of frame after all.
            Ok(Step::Idle) => {
                self.state = State::Intermission {
                    bits: INTERMISSION_BITS,
                }
            }
            Ok(Step::Frame(frame)) => return Some(MarkKind::Received(frame)),
            Ok(Step::End) => self.state = State::Intermission { bits: 0 },
            Ok(Step::Overload) => self.state = State::flag(Flag::Overload),
            Err(error) => self.fail(error.into(), now, marks),
        }
        None
    }

    /// Compares a bit of the controller's own frame with what came out.
    fn transmit(
        &mut self,
        at: usize,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<Mark>,
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
        marks: &mut Vec<Mark>,
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
                self.role = Role::Receiver;
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

    fn begin_frame(&mut self) {
        self.decoder.restart();
        self.role = Role::Receiver;
        self.state = State::Receiving;
        self.data_phase = false;
        self.place.bit = 0;
    }

    fn begin_transmission(&mut self, now: Picoseconds, at: usize, marks: &mut Vec<Mark>) {
        let Some(pending) = self.pending else { return };
        let frame = match self.counters.state() {
            BusState::Passive => with_error_state_indicator(pending),
            _ => pending,
        };
        self.wire = Some(Box::new(expand(&frame, self.variant)));
        self.sending = Some(frame);
        self.role = Role::Transmitter;
        self.state = State::Transmitting { at };
        self.mark(now, MarkKind::Started(frame), marks);
    }

    fn stop_sending(&mut self) {
        self.wire = None;
        self.sending = None;
    }

    fn level_to_drive(&self) -> Level {
        match self.state {
            State::Transmitting { at } => self.wire_bit(at).0.level,
            State::Receiving if self.decoder.acknowledges() => Level::Dominant,
            State::Flag {
                kind: Flag::Active | Flag::Overload,
                ..
            } => Level::Dominant,
            _ => Level::Recessive,
        }
    }

    /// The bit at this index of the own frame, and whether it is the last one.
    fn wire_bit(&self, at: usize) -> (WireBit, bool) {
        let bits = self.wire.as_ref().map_or(&[][..], |wire| wire.bits());
        // Only a transmitter asks, and never beyond its frame; a recessive end of frame is harmless.
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

    fn stage(&self) -> Stage {
        match self.state {
            State::Off => Stage::Off,
            State::Idle => Stage::Idle,
            State::Receiving => Stage::Frame(self.decoder.next_bit().field),
            State::Transmitting { at } => Stage::Frame(self.wire_bit(at).0.field),
            State::Flag {
                kind: Flag::Overload,
                ..
            } => Stage::OverloadFlag,
            State::Flag { kind, .. } => Stage::ErrorFlag {
                active: kind == Flag::Active,
            },
            State::AfterFlag { error: true, .. } | State::Delimiter { error: true, .. } => {
                Stage::ErrorDelimiter
            }
            State::AfterFlag { .. } | State::Delimiter { .. } => Stage::OverloadDelimiter,
            State::Intermission { .. } => Stage::Intermission,
        }
    }

    fn count_in_stage(&self, stage: Stage) -> u32 {
        match self.state {
            State::Receiving | State::Transmitting { .. } => self.place.bit,
            State::Delimiter { recessive, .. } => u32::from(recessive),
            State::Intermission { bits } => u32::from(bits),
            State::Flag { bits: 0, .. } => 0,
            State::Flag { .. } if self.place.stage == stage => self.stage_bit + 1,
            _ => 0,
        }
    }

    /// How many more recessive bits bring the controller to the end of its intermission, if that is
    /// all it needs. 0 if it is idle.
    pub(super) fn recessive_bits_left(&self) -> Option<u8> {
        let after_flag = DELIMITER_BITS + INTERMISSION_BITS;
        let left = match self.state {
            State::Off | State::Idle => 0,
            State::Receiving | State::Transmitting { .. } => return None,
            State::Flag {
                kind: Flag::Passive,
                bits,
                level,
                ..
            } => FLAG_BITS - if level == Level::Recessive { bits } else { 0 } + after_flag,
            State::Flag { .. } => return None,
            State::AfterFlag { .. } => after_flag,
            State::Delimiter { recessive, .. } => after_flag - recessive,
            State::Intermission { bits } => INTERMISSION_BITS - bits,
        };
        // It will break in with an overload flag at its next intermission.
        let breaks_in = self.overload > 0 && left >= INTERMISSION_BITS;
        (self.drive == Level::Recessive && !breaks_in).then_some(left)
    }

    fn may_start(&self) -> bool {
        self.pending.is_some() && !self.suspended
    }

    fn is_suspended(&self) -> bool {
        match self.role {
            Role::Transmitter => self.counters.state() == BusState::Passive,
            Role::Receiver => self.suspended,
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.state == State::Off
    }

    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// Whether an edge would mean a start of frame to it.
    pub(super) fn awaits_edge(&self) -> bool {
        match self.state {
            State::Idle => true,
            State::Intermission { bits } => bits + 1 == INTERMISSION_BITS,
            _ => false,
        }
    }

    /// When the bit at hand began.
    pub(super) fn began_at(&self) -> Picoseconds {
        self.began_at
    }

    pub(super) fn is_transmitting(&self) -> bool {
        matches!(self.state, State::Transmitting { .. })
    }

    pub(super) fn drive(&self) -> Level {
        self.drive
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn stage_bit(&self) -> u32 {
        self.stage_bit
    }

    pub(super) fn sending(&self) -> Option<&Frame> {
        self.sending.as_ref()
    }

    pub(super) fn bits_left(&self) -> usize {
        match (&self.wire, self.state) {
            (Some(wire), State::Transmitting { at }) => wire.bits().len().saturating_sub(at),
            _ => 0,
        }
    }

    /// How long the bit at hand lasts if the rate does not change in it.
    pub(super) fn bit_time(&self) -> Picoseconds {
        self.pace.bit(self.data_phase)
    }

    fn mark(&self, at: Picoseconds, kind: MarkKind, marks: &mut Vec<Mark>) {
        marks.push(Mark {
            at,
            party: self.party,
            kind,
        });
    }
}

impl State {
    const fn flag(kind: Flag) -> Self {
        State::Flag {
            kind,
            bits: 0,
            level: Level::Recessive,
            unanswered: false,
        }
    }

    /// The state of a controller that needs `bits` more recessive bits, see [`Lag`].
    fn lagging(bits: u8) -> Self {
        let after_flag = DELIMITER_BITS + INTERMISSION_BITS;
        if bits > after_flag {
            let seen = FLAG_BITS.saturating_sub(bits - after_flag);
            let (kind, level) = (Flag::Passive, Level::Recessive);
            State::Flag {
                kind,
                bits: seen,
                level,
                unanswered: false,
            }
        } else if bits == after_flag {
            State::AfterFlag {
                error: true,
                dominant: 0,
            }
        } else if bits > INTERMISSION_BITS {
            State::Delimiter {
                error: true,
                recessive: after_flag - bits,
            }
        } else {
            State::Intermission {
                bits: INTERMISSION_BITS - bits,
            }
        }
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

/// Whether a recessive bit here may be overwritten without error. A sender's RRS, and its IDE with
/// an 11-bit identifier, are dominant and never are.
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

/// An error-passive sender says so [ISO 11898-1 §10.4.2.5].
fn with_error_state_indicator(frame: Frame) -> Frame {
    match frame.format() {
        Format::Fd {
            bit_rate_switch, ..
        } => {
            // The same length was accepted before.
            Frame::fd_with(frame.id(), frame.data(), bit_rate_switch, true).unwrap_or(frame)
        }
        Format::Classic | Format::Remote => frame,
    }
}
