//! Error and overload signalling of one controller: flags, delimiters, intermission
//! [ISO 11898-1 §10.4.4 to §10.4.6], and the counting that goes with them [§12.1.4].

use waywarden_can::bits::Level;
use waywarden_can::node::BusState;
use waywarden_can::timing::Picoseconds;

use super::{Controller, Flag, State};
use crate::bitwise::{
    BitMark, DELIMITER_BITS, ErrorKind, FLAG_BITS, INTERMISSION_BITS, MarkKind, Stage,
};
use crate::confinement::{ErrorCounters, FrameRole};

/// After so many dominant bits in a row after its flag a node counts an error, and again after as
/// many more. (The 14th after the beginning of an active flag is the 8th after its end.)
const OVERLONG: u8 = 8;

impl Controller {
    /// An error in the frame, counted by the usual rules, answered by a flag from the next bit on.
    pub(super) fn fail(&mut self, kind: ErrorKind, now: Picoseconds, marks: &mut Vec<BitMark>) {
        // The flag's kind is decided before the error counts: the error that makes a node passive
        // is still signalled by an active flag.
        let passive = self.counters.state() == BusState::Passive;
        self.begin_error(kind, now, marks);
        if kind == ErrorKind::Acknowledgement {
            self.counters.acknowledgement_error();
            if let State::Flag { unanswered, .. } = &mut self.state {
                *unanswered = passive;
            }
        } else {
            self.counters.error(self.role);
        }
    }

    /// An error flag without an error. It counts as one that the controller detected in its role:
    /// the rules of fault confinement know no other flag.
    pub(super) fn signal_unprompted(&mut self, now: Picoseconds, marks: &mut Vec<BitMark>) {
        self.signals = None;
        let (before, was_idle) = (self.counters, self.place.stage == Stage::Idle);
        self.begin_flag();
        self.counters.error(self.role);
        if was_idle {
            // In a frame, the sample that it comes with reports them.
            self.report_counters(before, now, marks);
        }
    }

    /// Reports error counters, and the state that follows from them, if they have changed.
    pub(super) fn report_counters(
        &self,
        before: ErrorCounters,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) {
        if self.counters != before {
            let (tec, rec) = (self.counters.tec(), self.counters.rec());
            self.mark(now, MarkKind::Counters { tec, rec }, marks);
        }
        if self.counters.state() != before.state() {
            self.mark(now, MarkKind::State(self.counters.state()), marks);
        }
    }

    /// An error that counts nothing, or has been counted.
    pub(super) fn begin_error(
        &mut self,
        kind: ErrorKind,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) {
        self.mark(
            now,
            MarkKind::Error {
                kind,
                place: self.place,
            },
            marks,
        );
        self.begin_flag();
    }

    fn begin_flag(&mut self) {
        self.stop_sending();
        self.decoder.restart();
        let flag = match self.counters.state() {
            BusState::Active => Flag::Active,
            BusState::Passive | BusState::Off => Flag::Passive,
        };
        self.state = State::flag(flag);
    }

    /// Returns the recessive bits that bring the controller to the end of its intermission, if that
    /// is all it needs. 0 if it is idle.
    pub(in crate::bitwise) fn recessive_bits_left(&self) -> Option<u8> {
        let after_flag = DELIMITER_BITS + INTERMISSION_BITS;
        let left = match self.state {
            State::Off | State::Idle => 0,
            State::Receiving | State::Transmitting { .. } => return None,
            State::Flag {
                kind: Flag::Passive,
                bits,
                level,
                ..
            } => {
                let seen = if level == Level::Recessive { bits } else { 0 };
                FLAG_BITS - seen + after_flag
            }
            State::Flag { .. } => return None,
            State::AfterFlag { .. } => after_flag,
            State::Delimiter { recessive, .. } => after_flag - recessive,
            State::Intermission { bits } => INTERMISSION_BITS - bits,
        };
        // It will break in with an overload flag at its next intermission.
        let breaks_in = self.overload > 0 && left >= INTERMISSION_BITS;
        (self.drive == Level::Recessive && !breaks_in).then_some(left)
    }

    /// Takes a bit outside of frames.
    pub(super) fn signal(&mut self, level: Level, now: Picoseconds, marks: &mut Vec<BitMark>) {
        match self.state {
            State::Flag {
                kind: Flag::Passive,
                bits,
                level: last,
                unanswered,
            } => {
                self.passive_flag(level, (bits, last), unanswered);
            }
            State::Flag { kind, bits, .. } => self.dominant_flag(kind, bits, level, now, marks),
            State::AfterFlag { error, dominant } => self.after_flag(level, error, dominant),
            State::Delimiter { error, recessive } => {
                self.delimiter(level, error, recessive, now, marks);
            }
            State::Intermission { bits } => self.intermission(level, bits, now, marks),
            State::Off | State::Idle | State::Receiving | State::Transmitting { .. } => {}
        }
    }

    fn dominant_flag(
        &mut self,
        kind: Flag,
        bits: u8,
        level: Level,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) {
        if level == Level::Recessive {
            self.begin_error(ErrorKind::Bit, now, marks);
            self.counters.flag_bit_error(self.role);
        } else if bits + 1 == FLAG_BITS {
            self.state = State::AfterFlag {
                error: kind == Flag::Active,
                dominant: 0,
            };
        } else {
            self.state = State::Flag {
                kind,
                bits: bits + 1,
                level: Level::Dominant,
                unanswered: false,
            };
        }
    }

    /// A passive flag is over when six equal bits were seen, of whichever level: it waits as long
    /// as others go on with the frame.
    fn passive_flag(&mut self, level: Level, (bits, last): (u8, Level), unanswered: bool) {
        if unanswered && level == Level::Dominant {
            self.counters.dominant_in_passive_flag();
        }
        let bits = if level == last { bits + 1 } else { 1 };
        self.state = if bits == FLAG_BITS {
            State::AfterFlag {
                error: true,
                dominant: 0,
            }
        } else {
            let unanswered = unanswered && level == Level::Recessive;
            State::Flag {
                kind: Flag::Passive,
                bits,
                level,
                unanswered,
            }
        };
    }

    fn after_flag(&mut self, level: Level, error: bool, dominant: u8) {
        if level == Level::Recessive {
            self.state = State::Delimiter {
                error,
                recessive: 1,
            };
            return;
        }
        if error && dominant == 0 && self.role == FrameRole::Receiver {
            self.counters.dominant_after_flag();
        }
        let dominant = dominant % OVERLONG + 1;
        if dominant == OVERLONG {
            self.counters.overlong_dominance(self.role);
        }
        self.state = State::AfterFlag { error, dominant };
    }

    fn delimiter(
        &mut self,
        level: Level,
        error: bool,
        recessive: u8,
        now: Picoseconds,
        marks: &mut Vec<BitMark>,
    ) {
        let recessive = recessive + 1;
        match level {
            Level::Recessive if recessive == DELIMITER_BITS => {
                self.state = State::Intermission { bits: 0 };
            }
            Level::Recessive => self.state = State::Delimiter { error, recessive },
            Level::Dominant if recessive == DELIMITER_BITS => {
                self.state = State::flag(Flag::Overload);
            }
            Level::Dominant => self.fail(ErrorKind::Form, now, marks),
        }
    }

    fn intermission(&mut self, level: Level, bits: u8, now: Picoseconds, marks: &mut Vec<BitMark>) {
        let last = bits + 1 == INTERMISSION_BITS;
        match level {
            Level::Recessive => self.state = State::Intermission { bits: bits + 1 },
            Level::Dominant if last => {
                // A start of frame, sent by a node whose intermission ended a little earlier.
                self.begin_frame();
                let accepted = self.receive(level, now, marks);
                debug_assert!(accepted.is_none(), "no frame is one bit long");
            }
            Level::Dominant => self.state = State::flag(Flag::Overload),
        }
    }
}
