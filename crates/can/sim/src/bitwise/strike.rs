//! Levels forced on the bus from outside, for a span of time, and what the interferer that forces
//! them sees.

use waywarden_can::Frame;
use waywarden_can::bits::Level;
use waywarden_can::timing::Picoseconds;

use super::controller::Controller;
use super::{BitMark, BitPlace, MarkKind, Stage};
use crate::confinement::ErrorCounters;

/// So many strikes can be pending at a time; further ones are ignored. Enough for each dominant
/// run of the longest frame.
pub const STRIKES_MAX: usize = 1_024;

/// The effect of a strike on the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Force {
    /// Dominant, as any transceiver can.
    Dominant,
    /// Recessive, as only a fault in the wiring or a stronger driver can.
    Recessive,
    /// The other level, as noise does.
    Flip,
}

/// A level forced for a span of time. Spans may be shorter than a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    /// The effect on the level.
    pub force: Force,
    /// Start of the strike, counted from the start of frame.
    pub from: Picoseconds,
    /// The end of the strike.
    pub until: Picoseconds,
    /// The one party that sees it, if not all do.
    pub only: Option<usize>,
}

/// The strikes of an episode that are not over yet.
#[derive(Debug)]
pub struct Strikes {
    pending: Vec<Pending>,
    source: usize,
    /// Strikes added now end here at the latest.
    end: Picoseconds,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    strike: Strike,
    source: usize,
    reported: bool,
}

/// The beginning of a bit, as an interferer sees it: it knows everything, and leaves unused what a
/// real one could not know.
#[derive(Clone, Copy)]
pub struct BitMoment<'a> {
    /// Now, since the start of frame.
    pub at: Picoseconds,
    /// The end of this bit (BRS and CRC delimiter, which change the rate inside: as if not).
    pub ends: Picoseconds,
    /// The party whose bit begins: the one that sends, or else one that is not idle.
    pub pilot: usize,
    /// The place of the bit.
    pub place: BitPlace,
    /// Index of the bit in its stage, from 0; of a frame, the bits since the start of frame.
    pub stage_bit: u32,
    /// The level that all controllers together drive now.
    pub level: Level,
    pub(super) controllers: &'a [Controller],
}

impl<'a> BitMoment<'a> {
    /// Returns the frame the pilot is sending, if it is still sending one.
    #[must_use]
    pub fn frame(&self) -> Option<&'a Frame> {
        self.controllers[self.pilot].sending()
    }

    /// Returns how many bits the pilot has still to send, with this one; 0 if it is not sending.
    #[must_use]
    pub fn bits_left(&self) -> usize {
        self.controllers[self.pilot].bits_left()
    }

    /// Returns true if the pilot sends, arbitration is over and this bit is recessive: a dominant
    /// level here is an error at once. The ACK slot is not such a bit.
    #[must_use]
    pub fn is_vulnerable(&self) -> bool {
        use waywarden_can::bits::Field::{
            AckSlot, ExtendedIdentifier, Identifier, IdentifierExtension,
            RemoteTransmissionRequest, SubstituteRemoteRequest,
        };
        self.frame().is_some()
            && self.level == Level::Recessive
            && match self.place.stage {
                Stage::Frame(field) => !matches!(
                    field,
                    Identifier
                        | RemoteTransmissionRequest
                        | SubstituteRemoteRequest
                        | IdentifierExtension
                        | ExtendedIdentifier
                        | AckSlot
                ),
                _ => false,
            }
    }

    /// Returns the number of parties.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.controllers.len()
    }

    /// Returns a party's error counters, `None` beyond the last party.
    #[must_use]
    pub fn counters(&self, party: usize) -> Option<&'a ErrorCounters> {
        self.controllers.get(party).map(Controller::counters)
    }

    /// Returns where a party is, `None` beyond the last party.
    #[must_use]
    pub fn place_of(&self, party: usize) -> Option<BitPlace> {
        self.controllers.get(party).map(Controller::place)
    }

    /// Returns a strike on this bit that all parties see.
    #[must_use]
    pub const fn strike(&self, force: Force) -> Strike {
        Strike {
            force,
            from: self.at,
            until: self.ends,
            only: None,
        }
    }

    /// Returns a strike on this bit that one party sees.
    #[must_use]
    pub const fn strike_at(&self, force: Force, party: usize) -> Strike {
        Strike {
            force,
            from: self.at,
            until: self.ends,
            only: Some(party),
        }
    }
}

impl Default for Strikes {
    fn default() -> Self {
        Strikes {
            pending: Vec::new(),
            source: 0,
            end: Picoseconds::new(u64::MAX),
        }
    }
}

impl Strikes {
    /// Names the interferer that the following strikes come from, for [`MarkKind::Disturbed`], and
    /// says when they end at the latest, from the start of frame.
    pub const fn attribute_to(&mut self, source: usize, end: Picoseconds) {
        self.source = source;
        self.end = end;
    }

    /// Adds a strike. Those that begin in the past work from now on; beyond [`STRIKES_MAX`] pending
    /// ones it is ignored.
    pub fn add(&mut self, moment: &BitMoment<'_>, strike: Strike) {
        let strike = Strike {
            from: strike.from.max(moment.at),
            until: strike.until.min(self.end),
            ..strike
        };
        if self.pending.len() < STRIKES_MAX && strike.from < strike.until {
            self.pending.push(Pending {
                strike,
                source: self.source,
                reported: false,
            });
        }
    }

    /// Forgets strikes that are over.
    pub(super) fn expire(&mut self, now: Picoseconds) {
        self.pending.retain(|pending| pending.strike.until > now);
    }

    pub(super) fn clear(&mut self) {
        self.pending.clear();
    }

    /// The next time at which a strike begins or ends.
    pub(super) fn next_change(&self, now: Picoseconds) -> Option<Picoseconds> {
        self.pending
            .iter()
            .flat_map(|pending| [pending.strike.from, pending.strike.until])
            .filter(|&at| at > now)
            .min()
    }

    /// The level that a party (or with `None` a neutral observer) has on its pins from now on.
    pub(super) fn level(&self, driven: Level, party: Option<usize>, now: Picoseconds) -> Level {
        self.pending
            .iter()
            .filter(|pending| pending.strike.from <= now && now < pending.strike.until)
            .filter(|pending| pending.strike.reaches(party))
            .fold(driven, |level, pending| pending.strike.force.on(level))
    }

    /// The level that a party samples now, that is, has had up to now. Reports strikes that make
    /// a difference, each once, with where the `pilot` is that times them.
    pub(super) fn sample(
        &mut self,
        driven: Level,
        party: usize,
        (now, pilot): (Picoseconds, Option<(usize, BitPlace)>),
        marks: &mut Vec<BitMark>,
    ) -> Level {
        let mut level = driven;
        for pending in &mut self.pending {
            let Strike {
                force,
                from,
                until,
                only,
            } = pending.strike;
            if from >= now || now > until || !pending.strike.reaches(Some(party)) {
                continue;
            }
            let forced = force.on(level);
            if let Some((pilot, place)) = pilot
                && forced != level
                && !pending.reported
            {
                pending.reported = true;
                let kind = MarkKind::Disturbed {
                    by: pending.source,
                    place,
                    only,
                };
                marks.push(BitMark {
                    at: now,
                    party: pilot,
                    kind,
                });
            }
            level = forced;
        }
        level
    }
}

impl Strike {
    fn reaches(&self, party: Option<usize>) -> bool {
        self.only.is_none() || self.only == party
    }
}

impl Force {
    const fn on(self, level: Level) -> Level {
        match self {
            Force::Dominant => Level::Dominant,
            Force::Recessive => Level::Recessive,
            Force::Flip => level.complement(),
        }
    }
}
