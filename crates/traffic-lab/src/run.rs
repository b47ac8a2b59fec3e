//! The vehicles of a trace on the channel.

use waywarden_vehicle_tracks::fcd::TimeStep;

use crate::radio::{Medium, Place, Propagation, RadioSettings};
use crate::report::Report;

/// How vehicles send and are heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSettings {
    /// The radio.
    pub radio: RadioSettings,
    /// What is lost on the way.
    pub propagation: Propagation,
    /// How long a frame is with its MAC header and check sequence, in bytes.
    pub bytes: u32,
    /// How often a vehicle sends a message, in ns.
    pub period_ns: u64,
    /// The length of a window, in ns.
    pub window_ns: u64,
    /// From which chance follows.
    pub seed: u64,
}

impl RunSettings {
    /// 460 bytes ten times a second, counted in windows of 100 ms \[ECQV-CITS §V\].
    pub const DEFAULT: Self = Self {
        radio: RadioSettings::DEFAULT,
        propagation: Propagation::FREE_SPACE,
        bytes: 460,
        period_ns: 100_000_000,
        window_ns: 100_000_000,
        seed: 1,
    };
}

/// A trace on the channel, time step by time step. It takes the memory of the vehicles alone.
#[derive(Clone, Debug)]
pub struct Run {
    medium: Medium,
    report: Report,
    window_ns: u64,
    places: Vec<Option<Place>>,
    /// The time of the first step: the begin of the run.
    begin_s: Option<f64>,
    /// The end of the window, and who was there at its begin.
    window_end: u64,
    was_there: Vec<bool>,
}

impl Run {
    /// Begins without vehicles.
    #[must_use]
    pub fn new(settings: &RunSettings) -> Self {
        let messages = (settings.bytes, settings.period_ns);
        let RunSettings {
            radio, propagation, ..
        } = *settings;
        Self {
            medium: Medium::new(radio, propagation, messages, settings.seed),
            report: Report::default(),
            window_ns: settings.window_ns.max(1),
            places: Vec::new(),
            begin_s: None,
            window_end: 0,
            was_there: Vec::new(),
        }
    }

    /// Goes on to a time step, and moves vehicles to where they are then. `place` gives a vehicle's
    /// place from its coordinates. Vehicles that are not in the step are not on the road.
    pub fn step(&mut self, step: &TimeStep, place: impl Fn(f64, f64) -> Place) {
        let begin = *self.begin_s.get_or_insert(step.time_s);
        // Time rises from step to step, by the reader. The conversion saturates.
        self.advance(((step.time_s - begin) * 1e9).round() as u64);
        self.places.fill(None);
        for vehicle in &step.vehicles {
            if self.places.len() <= vehicle.number {
                self.places.resize(vehicle.number + 1, None);
            }
            self.places[vehicle.number] = Some(place(vehicle.x, vehicle.y));
        }
        for (number, place) in self.places.iter().enumerate() {
            self.medium.place(number, *place);
        }
        self.report.place(&self.places);
    }

    /// Ends the run so long after the last step; returns what was counted.
    #[must_use]
    pub fn finish(mut self, after_ns: u64) -> Report {
        let end = self.medium.now_ns() + after_ns;
        // The window that ends with the run is whole.
        self.advance(end + 1);
        self.report
    }

    /// Goes on to a time, with the windows that end before: one that begins just then begins with
    /// the vehicles of the step.
    fn advance(&mut self, time: u64) {
        while self.window_end < time {
            self.medium.run_until(self.window_end, &mut self.report);
            self.report.end_window(&self.was_there);
            self.was_there.clear();
            self.was_there
                .extend(self.places.iter().map(Option::is_some));
            self.window_end += self.window_ns;
        }
        self.medium.run_until(time, &mut self.report);
    }
}
