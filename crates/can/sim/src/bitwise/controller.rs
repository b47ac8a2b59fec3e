//! One controller: what it drives in each bit and what it makes of what it samples.
//!
//! Everything a controller knows of the bus is one sampled level a bit. Here is its bit cycle;
//! what it does in frames is in `frame`, what it does outside of them in `signalling`.

mod frame;
mod signalling;
mod state;

use waywarden_can::Frame;
use waywarden_can::bits::{Decoder, FdVariant, Level, WireBits};
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitTiming, Picoseconds};

use self::state::{Flag, State};
use super::bit_phases::BitPhases;
use super::{BitMark, BitPlace, BusParty, INTERMISSION_BITS, Lag, MarkKind, Stage};
use crate::confinement::{ErrorCounters, FrameRole};

/// A controller in the course of an episode.
pub(super) struct Controller {
    party: usize,
    bit_phases: BitPhases,
    variant: FdVariant,
    counters: ErrorCounters,
    pending: Option<Frame>,
    overload: u8,
    suspended: bool,
    role: FrameRole,
    state: State,
    decoder: Decoder,
    /// The bits that it sends, while it sends.
    wire: Option<Box<WireBits>>,
    /// The same as a frame, ESI as it goes out.
    sending: Option<Frame>,
    drive: Level,
    place: BitPlace,
    stage_bit: u32,
    data_phase: bool,
    clock: Clock,
    began_at: Picoseconds,
    leaves: Option<Picoseconds>,
    signals: Option<Picoseconds>,
}

/// The position of the controller in its bit.
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
        settings: &BusParty,
        timing: &BitTiming,
        variant: FdVariant,
    ) -> Self {
        let mut controller = Controller {
            party,
            bit_phases: BitPhases::new(settings.timing.as_ref().unwrap_or(timing)),
            variant,
            counters: settings.counters,
            pending: settings.transmit,
            overload: settings.overload.min(2),
            suspended: settings.suspended,
            role: settings.lag.map_or(FrameRole::Receiver, |lag| lag.role),
            state: State::Idle,
            decoder: Decoder::new(variant),
            wire: None,
            sending: None,
            drive: Level::Recessive,
            place: BitPlace {
                stage: Stage::Idle,
                bit: 0,
            },
            stage_bit: 0,
            data_phase: false,
            clock: Clock::Stopped,
            began_at: Picoseconds::ZERO,
            leaves: settings.leaves,
            signals: settings.signals,
        };
        if !settings.listening || controller.counters.state() == BusState::Off {
            controller.state = State::Off;
        } else if let Some(lag) = settings.lag {
            controller.state = State::lagging(lag.bits);
        }
        controller
    }

    /// Begins the episode: those that may start do, those that lag go on.
    pub(super) fn start(&mut self, marks: &mut Vec<BitMark>) {
        let now = Picoseconds::ZERO;
        let goes_on = matches!(self.state, State::Flag { .. });
        if self.state == State::Idle && self.signals == Some(now) {
            self.begin_frame();
            self.signal_unprompted(now, marks);
        } else if self.state == State::Idle && self.may_start() {
            self.begin_frame();
            self.begin_transmission(now, 0, marks);
        }
        self.begin_bit(now, marks);
        if goes_on {
            // The flag began in the episode before and was reported there.
            marks.pop();
        }
    }

    /// Writes back how the controller stands at the end.
    pub(super) fn finish(&self, party: &mut BusParty) {
        party.counters = self.counters;
        party.transmit = self.pending;
        party.overload = self.overload;
        party.suspended = self.is_suspended();
        party.leaves = None;
        party.signals = self.signals.filter(|_| !self.is_off());
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
        let step = match self.clock {
            Clock::Stopped => None,
            Clock::ToSample(at) | Clock::ToEnd(at) => Some(at),
        };
        match (step, self.leaves) {
            (Some(step), Some(leaves)) => Some(step.min(leaves)),
            _ => step,
        }
    }

    /// Loses its connection if now is the time for it: whatever it was about ends in this instant.
    pub(super) fn leave_if_due(&mut self, now: Picoseconds) {
        if self.leaves.is_some_and(|at| at <= now) {
            self.leaves = None;
            self.state = State::Off;
            self.stop_sending();
            self.drive = Level::Recessive;
            self.place.stage = Stage::Off;
            self.clock = Clock::Stopped;
        }
    }

    pub(super) fn is_sampling(&self, now: Picoseconds) -> bool {
        self.clock == Clock::ToSample(now)
    }

    pub(super) fn is_at_end(&self, now: Picoseconds) -> bool {
        self.clock == Clock::ToEnd(now)
    }

    /// Begins the next bit: decides what to drive.
    pub(super) fn begin_bit(&mut self, now: Picoseconds, marks: &mut Vec<BitMark>) {
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
        self.clock = Clock::ToSample(now + self.bit_phases.to_sample(self.data_phase));
    }

    /// A recessive-to-dominant edge: an idle controller takes it for the start of a frame, and so
    /// does one in the last bit of intermission [ISO 11898-1 §11.3.2.2, hard synchronisation].
    pub(super) fn see_edge(&mut self, now: Picoseconds, marks: &mut Vec<BitMark>) {
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
    pub(super) fn sample(&mut self, level: Level, now: Picoseconds, marks: &mut Vec<BitMark>) {
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
        if self.signals.is_some_and(|at| at < now) && self.state.is_in_frame() {
            self.signal_unprompted(now, marks);
        }
        // The rate changes at the sample points of BRS and CRC delimiter. After an error it changes
        // with the first bit of the flag.
        self.data_phase = self.decoder.is_in_frame() && self.decoder.next_bit().data_phase;
        let rest = if self.state.is_in_frame() {
            self.data_phase
        } else {
            in_data_phase
        };
        let end = now + self.bit_phases.after_sample(rest);
        self.clock = Clock::ToEnd(end);
        self.place.bit += 1;

        self.report_counters(before, now, marks);
        if self.counters.state() == BusState::Off && self.state != State::Off {
            self.state = State::Off;
            self.stop_sending();
            self.begin_bit(now, marks);
        }
        if let Some(kind) = accepted {
            self.mark(end, kind, marks);
        }
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

    fn may_start(&self) -> bool {
        self.pending.is_some() && !self.suspended
    }

    fn is_suspended(&self) -> bool {
        match self.role {
            FrameRole::Transmitter => self.counters.state() == BusState::Passive,
            FrameRole::Receiver => self.suspended,
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.state == State::Off
    }

    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// Returns true if an edge would mean a start of frame to it.
    pub(super) fn awaits_edge(&self) -> bool {
        match self.state {
            State::Idle => true,
            State::Intermission { bits } => bits + 1 == INTERMISSION_BITS,
            _ => false,
        }
    }

    /// Returns the time at which the bit at hand began.
    pub(super) fn began_at(&self) -> Picoseconds {
        self.began_at
    }

    pub(super) fn is_transmitting(&self) -> bool {
        matches!(self.state, State::Transmitting { .. })
    }

    pub(super) fn drive(&self) -> Level {
        self.drive
    }

    pub(super) fn counters(&self) -> &ErrorCounters {
        &self.counters
    }

    pub(super) fn place(&self) -> BitPlace {
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

    /// Returns the length of the bit at hand if the rate does not change in it.
    pub(super) fn bit_time(&self) -> Picoseconds {
        self.bit_phases.bit(self.data_phase)
    }

    fn mark(&self, at: Picoseconds, kind: MarkKind, marks: &mut Vec<BitMark>) {
        marks.push(BitMark {
            at,
            party: self.party,
            kind,
        });
    }
}
