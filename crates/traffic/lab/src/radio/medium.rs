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
use super::sink::{MEASUREMENT_NS, RadioFrame, RadioReception, RadioSink};
use super::station::Station;

/// A frame on the air.
#[derive(Clone, Debug, Default)]
struct FrameOnAir {
    sender: usize,
    begin: u64,
    end: u64,
    made: u64,
    frame: Option<RadioFrame>,
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
    /// A channel with more power counts as busy in measurements.
    measured_mw: f64,
    /// The power at a metre's distance.
    metre_mw: f64,
    sensitivity_mw: f64,
    period: u64,
    /// The frame of a station at each of its periods, unless the sink says otherwise.
    beacon: RadioFrame,
    random: Random,
    agenda: Agenda,
    stations: Vec<Station>,
    /// Those that are on the road, from the next frame on.
    pub(super) neighbours: Neighbours,
    /// Powers between them, kept if there are buildings: without any it is faster to compute them.
    pub(super) pairs: Option<PairCache>,
    has_moved: bool,
    /// Frames of stations that left the road, which the sink does not know of yet.
    dropped: Vec<RadioFrame>,
    frames: Vec<FrameOnAir>,
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
            measured_mw: milliwatts(settings.measured_dbm),
            sensitivity_mw,
            beacon: RadioFrame {
                airtime_ns: settings.airtime_ns(bytes),
                power_share: 1.0,
                message: RadioFrame::BEACON,
            },
            period: period_ns.max(1),
            random: Random::new(seed).stream("radio", 0),
            agenda: Agenda::default(),
            stations: Vec::new(),
            neighbours: Neighbours::new(propagation.range_m(metre_mw, sensitivity_mw)),
            pairs: propagation.has_buildings().then(PairCache::default),
            has_moved: false,
            dropped: Vec::new(),
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

    /// Has each station on the road measure how busy the channel is, from the next multiple of
    /// [`MEASUREMENT_NS`] on.
    #[must_use]
    pub fn measuring(mut self) -> Self {
        let first = (self.now + 1).next_multiple_of(MEASUREMENT_NS);
        self.agenda.put(first, Happening::Measurement);
        self
    }

    /// Puts a station somewhere, or takes it off the road with what it had to send. Stations
    /// are numbered from 0; a new one draws the phase of its messages. Frames that are on the air
    /// stay as they are.
    pub fn place(&mut self, station: usize, position: Option<VehiclePosition>) {
        self.grow(station);
        if let Some(one) = self.stations.get_mut(station) {
            if position.is_none() {
                let dropped = one.messages.drain(..).map(|(_, frame)| frame);
                self.dropped.extend(dropped);
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
        self.dropped.drain(..).for_each(|frame| sink.ended(&frame));
        while let Some((now, happening)) = self.agenda.next_before(end_ns) {
            self.now = now;
            match happening {
                Happening::Message(station) => self.message(station, sink),
                Happening::Measurement => self.measure(sink),
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

    /// A station's period begins: it may have a new message.
    fn message(&mut self, station: usize, sink: &mut dyn RadioSink) {
        let now = self.now;
        let access = self.settings.access;
        let one = &mut self.stations[station];
        self.agenda
            .put(now + one.period, Happening::Message(station));
        if one.position.is_none() {
            return;
        }
        let Some(frame) = sink.due(now, station, self.beacon) else {
            return;
        };
        if one.messages.len() >= access.queue
            && let Some((_, dropped)) = one.messages.pop_front()
        {
            sink.ended(&dropped);
        }
        let is_first = one.messages.is_empty();
        one.messages.push_back((now, frame));
        if is_first && !one.is_idle() && one.is_ready(now, &access) {
            self.back_off(station);
        }
        self.schedule(station);
    }

    /// Each station on the road measures, and begins its next measurement.
    fn measure(&mut self, sink: &mut dyn RadioSink) {
        let now = self.now;
        self.agenda
            .put(now + MEASUREMENT_NS, Happening::Measurement);
        for (number, one) in self.stations.iter_mut().enumerate() {
            let ratio = one.busy.take(now);
            if one.position.is_some() {
                sink.measured(now, number, ratio);
            }
        }
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
        let Some(((made, frame), position)) = one.messages.pop_front().zip(one.position) else {
            return;
        };
        one.is_sending = true;
        one.candidate = None;
        sink.sent(self.now, station, &frame);
        let (begin, end) = (self.now, self.now + frame.airtime_ns);
        let number = self.free.pop().unwrap_or_else(|| {
            self.frames.push(FrameOnAir::default());
            self.frames.len() - 1
        });
        let mut arrivals = std::mem::take(&mut self.frames[number].arrivals);
        let mut readers = std::mem::take(&mut self.frames[number].readers);
        readers.clear();
        let sender = (station, position, frame.power_share);
        self.arrive(number, sender, &mut arrivals);
        self.frames[number] = FrameOnAir {
            sender: station,
            begin,
            end,
            made,
            frame: Some(frame),
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
        if let Some((first, last)) =
            switching.and_then(|one| one.frames_begin(self.beacon.airtime_ns))
        {
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
        if let Some((first, _)) = switching.frames_begin(self.beacon.airtime_ns) {
            let begin = self.now.next_multiple_of(switching.sync_interval_ns.max(1));
            self.agenda.put(begin + first, Happening::Open);
        }
    }

    /// A station finds out whether the channel is busy, and whether its turn comes.
    fn sense(&mut self, station: usize) {
        let access = self.settings.access;
        self.stations[station].sense(self.now, (self.busy_mw, self.measured_mw), &access);
        self.schedule(station);
    }
}
