//! Interferers at work on a small bus: parties that retry, recover and wait as controllers do.

mod bus_off;
mod dominant;
mod end_of_frame;
mod janus;
mod noise;
mod overwrite;

use waywarden_can::Id;
use waywarden_can::bits::frame_length;
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitRate, SamplePoint, duration};

use super::*;
use crate::bitwise::{self, BitMark, BusParty, Episode, MarkKind};
use crate::confinement::{ErrorCounters, Recovery};

/// A bus with one interferer. Each step is one episode; what a party wants to send it keeps.
struct Bench<I> {
    timing: BitTiming,
    parties: Vec<BusParty>,
    recovery: Vec<Recovery>,
    interferer: I,
    now: Time,
    marks: Vec<(Time, BitMark)>,
    /// Episodes that were not followed bit by bit.
    passed: u32,
}

impl<I: Interferer> Bench<I> {
    fn new(count: usize, interferer: I) -> Self {
        Self::with_timing(
            BitTiming::classic(BitRate::constant(500_000)),
            count,
            interferer,
        )
    }

    fn with_timing(timing: BitTiming, count: usize, mut interferer: I) -> Self {
        let names: Vec<String> = (0..count).map(|at| format!("ecu{at}")).collect();
        let surroundings = Surroundings {
            timing: &timing,
            variant: FdVariant::Iso,
            names: &names,
            random: Random::new(5).stream("interferer", 0),
        };
        interferer.begin(surroundings).unwrap();
        Bench {
            timing,
            parties: vec![BusParty::receiver(); count],
            recovery: vec![Recovery::new(); count],
            interferer,
            now: Time::ZERO,
            marks: Vec::new(),
            passed: 0,
        }
    }

    fn bit(&self) -> Picoseconds {
        self.timing.nominal.bit()
    }

    /// Lets the bus be idle.
    fn idle(&mut self, bits: u64) {
        self.now = self.now + Picoseconds::new(self.bit().get() * bits);
        for (party, recovery) in self.parties.iter_mut().zip(&mut self.recovery) {
            party.idle(bits);
            if party.counters.state() == BusState::Off && recovery.add_idle_bits(bits) {
                party.counters.recovered();
                *recovery = Recovery::new();
            }
        }
    }

    /// Runs the next episode, as soon as a party may start. Returns it if it was disturbed.
    fn step(&mut self) -> Option<Episode> {
        let off = |party: &BusParty| party.counters.state() == BusState::Off;
        let waiting = self
            .parties
            .iter()
            .filter(|party| party.transmit.is_some() && !off(party));
        let hold = waiting.map(BusParty::hold_bits).min().unwrap_or(0);
        self.idle(u64::from(hold));
        let starting = |party: &&BusParty| party.hold_bits() == 0 && !off(party);
        let frame = self
            .parties
            .iter()
            .filter(starting)
            .filter_map(|party| party.transmit)
            .min_by_key(Frame::arbitration_key);
        let length = frame
            .map(|frame| frame_length(&frame, FdVariant::Iso))
            .unwrap_or_default();
        let onset = Onset {
            at: self.now,
            frame: frame.as_ref(),
            bits: u32::from(length.total_bits()) + 3,
            duration: duration(&length, &self.timing) + self.timing.intermission(),
        };
        let wanted = self.interferer.wants(&onset);
        if !wanted {
            self.interferer.passed(&onset);
            self.passed += 1;
        }
        let interferer = &mut self.interferer;
        let episode = bitwise::run(
            &self.timing,
            FdVariant::Iso,
            &mut self.parties,
            &mut |moment, strikes| {
                if wanted {
                    interferer.strike(moment, strikes);
                }
            },
        );
        self.marks
            .extend(episode.marks.iter().map(|&mark| (self.now + mark.at, mark)));
        self.now = self.now + episode.end;
        for (party, recovery) in self.parties.iter().zip(&mut self.recovery) {
            if off(party) {
                recovery.add_episode(episode.recessive_sequences, episode.recessive_tail_bits);
            }
        }
        wanted.then_some(episode)
    }

    fn count(&self, party: usize, wanted: impl Fn(&MarkKind) -> bool) -> usize {
        self.marks
            .iter()
            .filter(|(_, mark)| mark.party == party && wanted(&mark.kind))
            .count()
    }

    fn received(&self, party: usize) -> Vec<Frame> {
        let frames = self.marks.iter().filter(|(_, mark)| mark.party == party);
        frames
            .filter_map(|(_, mark)| match mark.kind {
                MarkKind::Received(frame) => Some(frame),
                _ => None,
            })
            .collect()
    }
}

fn id(raw: u16) -> Id {
    Id::standard(raw).unwrap()
}

fn frame(raw: u16, data: &[u8]) -> Frame {
    Frame::classic(id(raw), data).unwrap()
}

#[test]
fn all_interferers_are_asked_and_strikes_carry_their_number() {
    let mut several: Vec<Box<dyn Interferer>> = vec![
        Box::new(BusOffAttack::until_off(id(0x001))),
        Box::new(DoubleReceive::new(id(0x100), 1)),
    ];
    let sent = frame(0x100, &[]);
    let onset = Onset {
        at: Time::ZERO,
        frame: Some(&sent),
        bits: 50,
        duration: Picoseconds::new(1),
    };
    assert!(any_wants(&mut several, &onset));
    all_passed(&mut several, &onset);
    let timing = BitTiming::classic(BitRate::constant(500_000));
    let mut parties = [BusParty::sender(sent), BusParty::receiver()];
    let episode = bitwise::run(
        &timing,
        FdVariant::Iso,
        &mut parties,
        &mut |moment, strikes| {
            all_strike(&mut several, Time::ZERO, moment, strikes);
        },
    );
    let by = episode.marks.iter().find_map(|mark| match mark.kind {
        MarkKind::Disturbed { by, .. } => Some(by),
        _ => None,
    });
    assert_eq!(by, Some(1));
    let names: Vec<&str> = several.iter().map(|one| one.name()).collect();
    assert_eq!(names, ["bus-off attack", "double receive"]);
}
