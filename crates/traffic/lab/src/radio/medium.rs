//! All stations on one channel.

mod arrivals;

use waywarden_random::Random;

use super::neighbours::Neighbours;
use super::pair_cache::PairCache;
use super::place::VehiclePosition;
use super::propagation::Propagation;
use super::queue::{Agenda, Happening};
use super::receiver::Decoding;
use super::settings::{RadioSettings, milliwatts};
use super::station::Station;

/// A message that a station received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioReception {
    /// Time of the frame's end, in ns.
    pub time_ns: u64,
    /// Station that sent it.
    pub sender: usize,
    /// Station that received it.
    pub receiver: usize,
    /// Time at which the message was generated, in ns.
    pub made_ns: u64,
    /// Power with which it arrived, in mW.
    pub power_mw: f64,
}

/// Takes what happens.
pub trait RadioSink {
    /// A station sends a message.
    fn sent(&mut self, time_ns: u64, sender: usize);

    /// A station has received a message.
    fn received(&mut self, reception: &RadioReception);
}

/// A frame on the air.
#[derive(Clone, Debug, Default)]
struct Frame {
    sender: usize,
    begin: u64,
    end: u64,
    made: u64,
    /// Stations at which it arrives, with its power in mW.
    arrivals: Vec<(usize, f64)>,
    /// Stations that have begun to read it.
    readers: Vec<usize>,
}

/// All stations on one channel. Each broadcasts a message ten times a second, or as often as it is
/// told, at a phase of its own.
#[derive(Clone, Debug)]
pub struct Medium {
    settings: RadioSettings,
    propagation: Propagation,
    decoding: Decoding,
    /// A channel with more power is busy. It is below any power while radios are away from the
    /// control channel, and while a frame would not end before they leave: no frame begins then.
    busy_mw: f64,
    /// The power at a metre's distance.
    metre_mw: f64,
    sensitivity_mw: f64,
    period: u64,
    airtime: u64,
    random: Random,
    agenda: Agenda,
    stations: Vec<Station>,
    /// Those that are on the road, from the next frame on.
    pub(super) neighbours: Neighbours,
    /// Powers between them, kept if there are buildings: without any it is faster to compute them.
    pub(super) pairs: Option<PairCache>,
    has_moved: bool,
    frames: Vec<Frame>,
    /// Places in `frames` that are free.
    free: Vec<usize>,
    now: u64,
}

impl Medium {
    /// A channel without stations, at time 0. Messages have so many bytes with their MAC header and
    /// check sequence, and come each `period_ns`.
    #[must_use]
    pub fn new(
        settings: RadioSettings,
        propagation: Propagation,
        (bytes, period_ns): (u32, u64),
        seed: u64,
    ) -> Self {
        let metre_mw = settings.power_mw * propagation.share_at_a_metre();
        let sensitivity_mw = milliwatts(settings.sensitivity_dbm);
        let mut own = Self {
            decoding: Decoding::new(&settings),
            metre_mw,
            busy_mw: milliwatts(settings.busy_dbm),
            sensitivity_mw,
            airtime: settings.airtime_ns(bytes),
            period: period_ns.max(1),
            random: Random::new(seed).stream("radio", 0),
            agenda: Agenda::default(),
            stations: Vec::new(),
            neighbours: Neighbours::new(propagation.range_m(metre_mw, sensitivity_mw)),
            pairs: propagation.has_buildings().then(PairCache::default),
            has_moved: false,
            frames: Vec::new(),
            free: Vec::new(),
            now: 0,
            settings,
            propagation,
        };
        if own.settings.channel_switching.is_some() {
            own.close();
        }
        own
    }

    /// Puts a station somewhere, or takes it off the road. Stations are numbered from 0; a new one
    /// draws the phase of its messages. Frames that are on the air stay as they are.
    pub fn place(&mut self, station: usize, position: Option<VehiclePosition>) {
        self.grow(station);
        if let Some(one) = self.stations.get_mut(station) {
            if position.is_none() {
                one.messages.clear();
            }
            self.has_moved |= one.position != position;
            one.position = position;
        }
    }

    /// Lets a station have a message each so many ns.
    pub fn send_each(&mut self, station: usize, period_ns: u64) {
        self.grow(station);
        if let Some(one) = self.stations.get_mut(station) {
            one.period = period_ns.max(1);
        }
    }

    /// Makes stations up to this one.
    fn grow(&mut self, station: usize) {
        while self.stations.len() <= station {
            let number = self.stations.len();
            self.stations.push(Station::new(self.period));
            let phase = match self.settings.phases_within_ns {
                None => self.random.below(self.period),
                Some(within) => {
                    let begin = self.now.next_multiple_of(self.period) - self.now;
                    begin + self.random.below(within.min(self.period - 1) + 1)
                }
            };
            self.agenda
                .put(self.now + phase, Happening::Message(number));
            self.sense(number);
        }
    }

    /// Returns up to when everything has happened, in ns.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.now
    }

    /// Goes on to a time, in ns.
    pub fn run_until(&mut self, end_ns: u64, sink: &mut dyn RadioSink) {
        while let Some((now, happening)) = self.agenda.next_before(end_ns) {
            self.now = now;
            match happening {
                Happening::Message(station) => self.message(station),
                Happening::Turn(station, turn) => self.turn(station, turn, sink),
                Happening::Noticed(frame) => self.noticed(frame),
                Happening::Header(frame) => self.header(frame),
                Happening::End(frame) => self.end(frame, sink),
                Happening::Open => self.open(),
                Happening::Close => self.close(),
            }
        }
        self.now = self.now.max(end_ns);
    }

    /// A station has a new message.
    fn message(&mut self, station: usize) {
        let now = self.now;
        let access = self.settings.access;
        let one = &mut self.stations[station];
        self.agenda
            .put(now + one.period, Happening::Message(station));
        if one.position.is_none() {
            return;
        }
        if one.messages.len() >= access.queue {
            one.messages.pop_front();
        }
        let is_first = one.messages.is_empty();
        one.messages.push_back(now);
        if is_first && !one.is_idle() && one.is_ready(now, &access) {
            self.back_off(station);
        }
        self.schedule(station);
    }

    /// A station draws slots to wait.
    fn back_off(&mut self, station: usize) {
        let window = u64::from(self.settings.access.window) + 1;
        let drawn = self.random.below(window);
        self.stations[station].back_off(drawn as u32);
    }

    /// Puts a station's next turn on the agenda, if it has one.
    fn schedule(&mut self, station: usize) {
        let turn = self.stations[station].next_turn(self.now, &self.settings.access);
        if let Some((time, turn)) = turn {
            self.agenda.put(time, Happening::Turn(station, turn));
        }
    }

    /// A station sends, if its turn still stands.
    fn turn(&mut self, station: usize, turn: u64, sink: &mut dyn RadioSink) {
        let one = &mut self.stations[station];
        if !one.takes(turn) {
            return;
        }
        let Some((made, position)) = one.messages.pop_front().zip(one.position) else {
            return;
        };
        one.is_sending = true;
        one.candidate = None;
        sink.sent(self.now, station);
        let (begin, end) = (self.now, self.now + self.airtime);
        let number = self.free.pop().unwrap_or_else(|| {
            self.frames.push(Frame::default());
            self.frames.len() - 1
        });
        let mut arrivals = std::mem::take(&mut self.frames[number].arrivals);
        let mut readers = std::mem::take(&mut self.frames[number].readers);
        readers.clear();
        self.arrive(number, (station, position), &mut arrivals);
        self.frames[number] = Frame {
            sender: station,
            begin,
            end,
            made,
            arrivals,
            readers,
        };
        self.sense(station);
        self.agenda.put(
            begin + self.settings.detection_ns,
            Happening::Noticed(number),
        );
        if let Some(header) = self.decoding.header_end() {
            self.agenda.put(begin + header, Happening::Header(number));
        }
        self.agenda.put(end, Happening::End(number));
    }

    /// Gathers who is on the road, after a station has moved.
    fn find_present(&mut self) {
        if !std::mem::take(&mut self.has_moved) {
            return;
        }
        let all = self.stations.iter().enumerate();
        let present = all.filter_map(|(at, one)| Some((at, one.position?)));
        if let Some(pairs) = &mut self.pairs {
            pairs.place(present.clone().map(|(at, _)| at));
        }
        self.neighbours.place(present);
    }

    /// Radios are on the control channel: each message that waits draws slots, since the channel
    /// was busy until now \[1609.4 §6.2\].
    fn open(&mut self) {
        self.busy_mw = milliwatts(self.settings.busy_dbm);
        for station in 0..self.stations.len() {
            if !self.stations[station].messages.is_empty() {
                self.back_off(station);
            }
            self.sense(station);
        }
        let switching = self.settings.channel_switching;
        if let Some((first, last)) = switching.and_then(|one| one.frames_begin(self.airtime)) {
            self.agenda
                .put(self.now + (last - first) + 1, Happening::Close);
        }
    }

    /// No frame begins until the guard of the next control channel interval is over.
    fn close(&mut self) {
        self.busy_mw = f64::NEG_INFINITY;
        for station in 0..self.stations.len() {
            self.sense(station);
        }
        let Some(switching) = self.settings.channel_switching else {
            return;
        };
        if let Some((first, _)) = switching.frames_begin(self.airtime) {
            let begin = self.now.next_multiple_of(switching.sync_interval_ns.max(1));
            self.agenda.put(begin + first, Happening::Open);
        }
    }

    /// A station finds out whether the channel is busy, and whether its turn comes.
    fn sense(&mut self, station: usize) {
        let access = self.settings.access;
        self.stations[station].sense(self.now, self.busy_mw, &access);
        self.schedule(station);
    }
}
