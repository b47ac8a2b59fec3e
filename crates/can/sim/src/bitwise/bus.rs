//! The wire between the controllers, in steps of time: sample points, bit boundaries, strikes.

use waywarden_can::bits::{FdVariant, Level};
use waywarden_can::timing::{BitTiming, Picoseconds};

use super::controller::Controller;
use super::{BitMark, BitMoment, BitPlace, BusParty, EPISODE_BITS_MAX, Episode, Strikes};
use crate::confinement::RECOVERY_SEQUENCE_BITS;

/// After the interferers are cut off the bus comes to rest within an error frame and perhaps one
/// more frame, 1,000 bits. Nothing known takes longer; this stops what is not known.
const WIND_DOWN_BITS: u32 = 4_096;

pub(super) struct Bus {
    controllers: Vec<Controller>,
    strikes: Strikes,
    marks: Vec<BitMark>,
    now: Picoseconds,
    nominal_bit: Picoseconds,
    /// The level that the controllers drive together.
    driven: Level,
    /// The level that each controller has on its pins.
    seen: Vec<Level>,
    /// The party whose bits time the strikes.
    pilot: Option<usize>,
    /// The place of that party's bit at hand, with its index.
    pilot_place: Option<(usize, BitPlace)>,
    asked: Option<Picoseconds>,
    bits: u32,
    /// Start of the recessive level, if the bus is recessive.
    recessive_since: Option<Picoseconds>,
    recessive_sequences: u64,
    cut_off: bool,
}

type Strike<'a> = dyn FnMut(&BitMoment<'_>, &mut Strikes) + 'a;

impl Bus {
    pub(super) fn new(timing: &BitTiming, variant: FdVariant, parties: &[BusParty]) -> Self {
        let controllers = parties
            .iter()
            .enumerate()
            .map(|(at, party)| Controller::new(at, party, timing, variant))
            .collect();
        Bus {
            controllers,
            strikes: Strikes::default(),
            marks: Vec::new(),
            now: Picoseconds::ZERO,
            nominal_bit: timing.nominal.bit(),
            driven: Level::Recessive,
            seen: vec![Level::Recessive; parties.len()],
            pilot: None,
            pilot_place: None,
            asked: None,
            bits: 0,
            recessive_since: Some(Picoseconds::ZERO),
            recessive_sequences: 0,
            cut_off: false,
        }
    }

    pub(super) fn run(mut self, strike: &mut Strike<'_>, parties: &mut [BusParty]) -> Episode {
        for controller in &mut self.controllers {
            controller.start(&mut self.marks);
        }
        self.settle(strike);
        while !self.is_over() {
            let Some(next) = self.next_step() else { break };
            self.now = next;
            self.controllers
                .iter_mut()
                .for_each(|one| one.leave_if_due(next));
            self.sample();
            self.strikes.expire(next);
            self.begin_bits();
            self.settle(strike);
        }
        self.conclude(parties)
    }

    fn next_step(&self) -> Option<Picoseconds> {
        let step = self
            .controllers
            .iter()
            .filter_map(Controller::next_step)
            .min()?;
        Some(
            self.strikes
                .next_change(self.now)
                .map_or(step, |change| change.min(step)),
        )
    }

    fn sample(&mut self) {
        let moment = (self.now, self.pilot_place);
        for (party, controller) in self.controllers.iter_mut().enumerate() {
            if controller.is_sampling(self.now) {
                let level = self
                    .strikes
                    .sample(self.driven, party, moment, &mut self.marks);
                controller.sample(level, self.now, &mut self.marks);
            }
        }
    }

    fn begin_bits(&mut self) {
        for (party, controller) in self.controllers.iter_mut().enumerate() {
            if controller.is_at_end(self.now) {
                controller.begin_bit(self.now, &mut self.marks);
                if controller.is_idle() {
                    // The bus may be dominant already: then this is the edge it waits for.
                    self.seen[party] = Level::Recessive;
                }
            }
        }
    }

    /// Brings the levels up to date after bits began: has the bus struck, and shows edges to those
    /// that wait for one.
    fn settle(&mut self, strike: &mut Strike<'_>) {
        self.choose_pilot();
        self.ask_if_due(strike);
        // Once more if an edge gave a controller a bit to be struck, never a third time: strikes
        // are asked for once at each time.
        while self.show_edges() {
            self.choose_pilot();
            self.ask_if_due(strike);
        }
        self.watch_recessive();
    }

    /// The one that sends times the strikes; when it no longer sends, it goes on to do so as long
    /// as it has bits at all.
    fn choose_pilot(&mut self) {
        let controllers = &self.controllers;
        let is_fit = |at: &usize| !controllers[*at].is_off() && !controllers[*at].is_idle();
        let sender = controllers.iter().position(Controller::is_transmitting);
        let present = self.pilot.filter(is_fit);
        let stays = present.filter(|&at| controllers[at].is_transmitting() || sender.is_none());
        self.pilot = stays
            .or(sender)
            .or_else(|| (0..controllers.len()).find(is_fit))
            .or_else(|| {
                controllers
                    .iter()
                    .position(|controller| !controller.is_off())
            });
    }

    /// Asks for strikes if the pilot's bit begins now.
    fn ask_if_due(&mut self, strike: &mut Strike<'_>) {
        let begun = |at: &usize| self.controllers[*at].began_at() == self.now;
        let Some(pilot) = self.pilot.filter(begun) else {
            return;
        };
        self.pilot_place = Some((pilot, self.controllers[pilot].place()));
        if self.asked == Some(self.now) {
            return;
        }
        self.driven = self.wired_and();
        self.asked = Some(self.now);
        self.bits += 1;
        if self.bits > EPISODE_BITS_MAX {
            self.cut_off = true;
            self.strikes.clear();
            return;
        }
        let controller = &self.controllers[pilot];
        let moment = BitMoment {
            at: self.now,
            ends: self.now + controller.bit_time(),
            pilot,
            place: controller.place(),
            stage_bit: controller.stage_bit(),
            level: self.driven,
            controllers: &self.controllers,
        };
        strike(&moment, &mut self.strikes);
    }

    /// Updates what each controller sees; returns whether one of them took an edge for a start.
    fn show_edges(&mut self) -> bool {
        self.driven = self.wired_and();
        let mut started = false;
        for (party, controller) in self.controllers.iter_mut().enumerate() {
            let level = self.strikes.level(self.driven, Some(party), self.now);
            let before = std::mem::replace(&mut self.seen[party], level);
            if before == Level::Recessive && level == Level::Dominant && controller.awaits_edge() {
                controller.see_edge(self.now, &mut self.marks);
                started = true;
            }
        }
        started
    }

    fn wired_and(&self) -> Level {
        let dominant = self
            .controllers
            .iter()
            .any(|one| one.drive() == Level::Dominant);
        Level::from_bit(!dominant)
    }

    fn watch_recessive(&mut self) {
        match (
            self.strikes.level(self.driven, None, self.now),
            self.recessive_since,
        ) {
            (Level::Dominant, Some(since)) => {
                let sequence = self.nominal_bit.get() * RECOVERY_SEQUENCE_BITS;
                self.recessive_sequences += (self.now - since).get() / sequence;
                self.recessive_since = None;
            }
            (Level::Recessive, None) => self.recessive_since = Some(self.now),
            _ => {}
        }
    }

    /// Returns true if a controller may start and no other will break in.
    fn is_over(&self) -> bool {
        if self.bits > EPISODE_BITS_MAX + WIND_DOWN_BITS {
            return true;
        }
        let mut listening = self.controllers.iter().filter(|one| !one.is_off());
        let someone_ready = listening.clone().any(Controller::is_idle);
        let none_listens = listening.clone().next().is_none();
        none_listens || (someone_ready && listening.all(|one| one.recessive_bits_left().is_some()))
    }

    fn conclude(mut self, parties: &mut [BusParty]) -> Episode {
        for (controller, party) in self.controllers.iter().zip(parties) {
            controller.finish(party);
        }
        self.marks.sort_by_key(|mark| mark.at);
        let quiet_from = self.recessive_since.unwrap_or(self.now);
        let tail = (self.now - quiet_from).get();
        Episode {
            end: self.now,
            quiet_from,
            marks: self.marks,
            recessive_sequences: self.recessive_sequences,
            recessive_tail_bits: tail.div_ceil(self.nominal_bit.get()),
            cut_off: self.cut_off,
        }
    }
}
