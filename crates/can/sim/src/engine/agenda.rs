//! The times of all events that are due. Every kind of event has one place of its own, so that a
//! new time replaces the old one. Events due at the same time happen in the order of [`Due`], and
//! among equals by index: arbitration comes last, for every controller that has a frame ready by
//! then takes part.

use crate::clock::Time;

/// An event that can be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// The next boot or fault of the plan.
    Plan,
    /// The next thing on the wire: the frame is accepted, then complete; or a mark of an episode.
    Wire { bus: usize },
    /// Controllers in bus-off may have seen enough recessive bits.
    Recovery { bus: usize },
    /// Controllers that have joined may have seen enough recessive bits.
    Integration { bus: usize },
    /// An interferer drives an idle bus.
    Wake { bus: usize },
    /// The first job of a processor is done.
    Cpu { ecu: usize },
    /// A node's deadline.
    Timer { ecu: usize },
    /// The bus is free and frames are waiting.
    Arbitrate { bus: usize },
}

/// Number of places in one group of the tree: eight times fill a cache line.
const ARITY: usize = 8;

/// Times of one bus, and of one ECU, that lie next to each other.
const BUS_PLACES: usize = 4;
const ECU_PLACES: usize = 2;

const NEVER: u64 = Time::NEVER.as_picos();

/// In place of a place: nothing was taken.
const NONE: usize = usize::MAX;

/// A tree of minima over all places: a group of eight times, and above it their minimum. Most
/// changes do not touch the minimum and end at once; a vehicle of 30 ECUs has three levels.
#[derive(Debug)]
pub(crate) struct Agenda {
    /// All levels, the places first, the one minimum of all last.
    times: Vec<u64>,
    /// The index at which each level begins.
    levels: Vec<usize>,
    /// The place that was taken last and has no new time: it is cleared before the next one is
    /// taken, since it usually gets a new time.
    taken: usize,
    ecus_from: usize,
    arbitration_from: usize,
}

impl Agenda {
    pub(crate) fn new(buses: usize, ecus: usize) -> Self {
        let ecus_from = 1 + BUS_PLACES * buses;
        let arbitration_from = ecus_from + ECU_PLACES * ecus;
        let (mut levels, mut length) = (Vec::new(), 0);
        let mut width = arbitration_from + buses;
        while width > 1 || levels.is_empty() {
            levels.push(length);
            length += width.next_multiple_of(ARITY);
            width = width.div_ceil(ARITY);
        }
        levels.push(length);
        Agenda {
            times: vec![NEVER; length + 1],
            levels,
            taken: NONE,
            ecus_from,
            arbitration_from,
        }
    }

    /// Makes room for one more ECU, which comes after the others.
    pub(crate) fn add_ecu(&mut self) {
        let buses = self.buses();
        let ecus = (self.arbitration_from - self.ecus_from) / ECU_PLACES;
        let mut larger = Agenda::new(buses, ecus + 1);
        for place in 0..self.arbitration_from + buses {
            let due = self.due(place);
            larger.set(due, self.at(due));
        }
        *self = larger;
    }

    const fn buses(&self) -> usize {
        (self.ecus_from - 1) / BUS_PLACES
    }

    /// Returns the time of the next event, [`Time::NEVER`] without one.
    pub(crate) fn earliest(&self) -> Time {
        match self.times.last() {
            Some(&first) if self.taken == NONE => Time::from_picos(first),
            // The place that was taken still has its old time in the tree.
            _ => {
                let places = 0..self.arbitration_from + self.buses();
                let times = places.map(|place| self.at(self.due(place)));
                times.min().unwrap_or(Time::NEVER)
            }
        }
    }

    /// Puts down when something is due; [`Time::NEVER`] takes it off.
    pub(crate) fn set(&mut self, due: Due, at: Time) {
        let place = self.place(due);
        if place == self.taken {
            self.taken = NONE;
        }
        self.put(place, at.as_picos());
    }

    fn put(&mut self, mut place: usize, mut earliest: u64) {
        for window in self.levels.windows(2) {
            let [level, above] = [window[0], window[1]];
            let old = std::mem::replace(&mut self.times[level + place], earliest);
            let minimum = self.times[above + place / ARITY];
            if earliest >= minimum {
                if old > minimum {
                    return;
                }
                earliest = earliest_of(&self.times[level + place / ARITY * ARITY..]);
                if earliest == minimum {
                    return;
                }
            }
            place /= ARITY;
        }
        if let Some(first) = self.times.last_mut() {
            *first = earliest;
        }
    }

    /// Returns when something is due, [`Time::NEVER`] if it is not.
    pub(crate) fn at(&self, due: Due) -> Time {
        let place = self.place(due);
        if place == self.taken {
            return Time::NEVER;
        }
        Time::from_picos(self.times[place])
    }

    /// Takes the next thing due at `end` or before.
    pub(crate) fn next(&mut self, end: Time) -> Option<(Time, Due)> {
        if self.taken != NONE {
            self.put(self.taken, NEVER);
            self.taken = NONE;
        }
        let (&first, _) = self.times.split_last()?;
        if first > end.as_picos() || first == NEVER {
            return None;
        }
        let mut place = 0;
        for &level in self.levels.iter().rev().skip(1) {
            let group = &self.times[level + place * ARITY..][..ARITY];
            place = place * ARITY + group.iter().position(|&time| time == first)?;
        }
        self.taken = place;
        Some((Time::from_picos(first), self.due(place)))
    }

    fn place(&self, due: Due) -> usize {
        match due {
            Due::Plan => 0,
            Due::Wire { bus } => 1 + BUS_PLACES * bus,
            Due::Recovery { bus } => 2 + BUS_PLACES * bus,
            Due::Integration { bus } => 3 + BUS_PLACES * bus,
            Due::Wake { bus } => 4 + BUS_PLACES * bus,
            Due::Cpu { ecu } => self.ecus_from + ECU_PLACES * ecu,
            Due::Timer { ecu } => self.ecus_from + ECU_PLACES * ecu + 1,
            Due::Arbitrate { bus } => self.arbitration_from + bus,
        }
    }

    fn due(&self, place: usize) -> Due {
        if place == 0 {
            Due::Plan
        } else if place < self.ecus_from {
            let bus = (place - 1) / BUS_PLACES;
            match (place - 1) % BUS_PLACES {
                0 => Due::Wire { bus },
                1 => Due::Recovery { bus },
                2 => Due::Integration { bus },
                _ => Due::Wake { bus },
            }
        } else if place < self.arbitration_from {
            let ecu = (place - self.ecus_from) / ECU_PLACES;
            match (place - self.ecus_from) % ECU_PLACES {
                0 => Due::Cpu { ecu },
                _ => Due::Timer { ecu },
            }
        } else {
            Due::Arbitrate {
                bus: place - self.arbitration_from,
            }
        }
    }
}

/// Returns the minimum of the group that begins here, without a branch.
fn earliest_of(times: &[u64]) -> u64 {
    let [a, b, c, d, e, f, g, h] = times.first_chunk().copied().unwrap_or([NEVER; ARITY]);
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    fn all(agenda: &mut Agenda) -> Vec<(Time, Due)> {
        std::iter::from_fn(|| agenda.next(Time::NEVER)).collect()
    }

    #[test]
    fn arbitration_waits_for_everything_else_at_its_time() {
        let mut agenda = Agenda::new(1, 2);
        agenda.set(Due::Wire { bus: 0 }, at(2));
        for due in [
            Due::Arbitrate { bus: 0 },
            Due::Timer { ecu: 0 },
            Due::Cpu { ecu: 1 },
            Due::Plan,
        ] {
            agenda.set(due, at(1));
        }
        let order: Vec<Due> = all(&mut agenda).into_iter().map(|(_, due)| due).collect();
        assert_eq!(
            order,
            [
                Due::Plan,
                Due::Timer { ecu: 0 },
                Due::Cpu { ecu: 1 },
                Due::Arbitrate { bus: 0 },
                Due::Wire { bus: 0 },
            ]
        );
    }

    #[test]
    fn nothing_beyond_the_end_is_taken() {
        let mut agenda = Agenda::new(0, 2);
        agenda.set(Due::Timer { ecu: 0 }, at(5));
        agenda.set(Due::Timer { ecu: 1 }, Time::NEVER);
        assert_eq!(agenda.next(at(4)), None);
        assert!(agenda.next(at(5)).is_some());
        assert_eq!(agenda.next(Time::NEVER), None);
    }

    /// Against a plain list, over sizes with one to three levels.
    #[test]
    fn the_earliest_comes_first_whatever_was_put_down_and_replaced() {
        let seed = 0x0A6E_17DA;
        println!("seed {seed:#x}");
        let mut random = Random::new(seed).stream("agenda", 0);
        for (buses, ecus) in [(0, 0), (1, 0), (1, 3), (2, 28), (7, 300)] {
            let mut agenda = Agenda::new(buses, ecus);
            let places = agenda.arbitration_from + buses;
            let mut list = vec![Time::NEVER; places];
            for _ in 0..2_000 {
                let place = random.below(places as u64) as usize;
                let time = match random.below(4) {
                    0 => Time::NEVER,
                    _ => at(random.below(50)),
                };
                assert_eq!(agenda.place(agenda.due(place)), place);
                agenda.set(agenda.due(place), time);
                list[place] = time;
                assert_eq!(agenda.at(agenda.due(place)), time);
                if random.below(3) > 0 {
                    continue;
                }
                let first = (0..places).min_by_key(|&place| (list[place], place));
                let first = first.filter(|&place| list[place] != Time::NEVER);
                let expected = first.map(|place| (list[place], agenda.due(place)));
                assert_eq!(agenda.next(Time::NEVER), expected);
                first
                    .into_iter()
                    .for_each(|place| list[place] = Time::NEVER);
            }
        }
    }
}
