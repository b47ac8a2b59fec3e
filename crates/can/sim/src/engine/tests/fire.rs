//! The engine under every interferer: nothing is lost or doubled without a cause in the trace, and
//! when the interference is over, the streams are back on schedule within a stated bound.
//!
//! The bound, [`BACK`], is 128 sequences of 11 recessive bits on a bus that is never idle: 128
//! frames of at most 135 bits at 500 kbit/s, 35 ms, and the backlog of two frames a stream.

mod causes;
mod recovery;
mod window;

use waywarden_can::node::Port;
use waywarden_can::timing::Picoseconds;
use waywarden_can::{Frame, Id};
use waywarden_ecu::{Ecu, PayloadContent, PeriodicStream, StreamFormat, StreamState};
use waywarden_work::Duration;

use super::recording::Recording;
use super::{bus, classic_500k, ecu, seeds};
use crate::Simulation;
use crate::bitwise::{BitMoment, Strikes};
use crate::clock::Time;
use crate::config::Config;
use crate::controller::PortConfig;
use crate::interferer::{
    Babbling, BitErrors, BusOffAttack, DoubleReceive, ErrorPassiveOverwrite, FreezeDoomLoop,
    Interferer, InterfererError, Onset, ReceiverLocal, Surroundings,
};
use crate::random::Random;

const FROM: Time = Time::from_nanos(40_000_000);

const UNTIL: Time = Time::from_nanos(80_000_000);

const BACK: Time = Time::from_nanos(140_000_000);

const END: Time = Time::from_nanos(240_000_000);

/// Maximum shift of a frame from its time without interference, once the bound has passed: an
/// error-passive sender still suspends, and so may lose an arbitration it would have won.
const ON_SCHEDULE: Picoseconds = Picoseconds::new(1_000_000_000);

/// Strikes only between [`FROM`] and [`UNTIL`].
struct ForAWhile(Box<dyn Interferer>, bool);

impl Interferer for ForAWhile {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        self.0.begin(surroundings)
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        self.1 = onset.at >= FROM && onset.at < UNTIL && self.0.wants(onset);
        self.1
    }

    fn passed(&mut self, onset: &Onset<'_>) {
        self.0.passed(onset);
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if self.1 {
            self.0.strike(moment, strikes);
        }
    }

    fn wakes(&self, after: Time) -> Option<Time> {
        self.0.wakes(after.max(FROM)).filter(|&at| at < UNTIL)
    }
}

fn target() -> Id {
    Id::standard(0x100).unwrap()
}

/// Makes an interferer, for a fresh one in each run.
type Make = fn() -> Box<dyn Interferer>;

fn every_interferer() -> Vec<(&'static str, Make)> {
    vec![
        ("bit errors", || Box::new(BitErrors::new(2e-3))),
        ("receiver-local errors", || {
            Box::new(ReceiverLocal::new("ecu1", 5e-3))
        }),
        ("bus-off", || Box::new(BusOffAttack::for_ever(target()))),
        ("overwrite", || {
            let forged = Frame::classic(target(), &[0; 8]).unwrap();
            Box::new(ErrorPassiveOverwrite::new(forged, 5))
        }),
        ("babbling", || {
            let (period, width) = (Picoseconds::new(700_000_000), Picoseconds::new(5_000_000));
            Box::new(Babbling::new(FROM, UNTIL, period, width).unwrap())
        }),
        ("double receive", || {
            Box::new(DoubleReceive::new(target(), u64::MAX))
        }),
        ("freeze doom loop", || {
            Box::new(FreezeDoomLoop::new(target(), 20))
        }),
    ]
}

/// A bus at about 40 % load: five ECUs with three streams each, the first of them the target.
fn car(seed: u64, interferer: Option<Box<dyn Interferer>>) -> Config {
    let mut random = Random::new(seed);
    let ecus = (0..5)
        .map(|at: u16| {
            let streams: Vec<StreamState> = (0..3)
                .map(|number: u16| {
                    StreamState::new(PeriodicStream {
                        port: Port(0),
                        id: Id::standard(0x100 + number * 0x40 + at).unwrap(),
                        format: StreamFormat::Classic,
                        length: 1 + random.below(8) as u8,
                        period: Duration::from_micros(5_000 + random.below(5_000)),
                        offset: Duration::from_micros(random.below(5_000)),
                        jitter: Duration::ZERO,
                        content: PayloadContent::Counter,
                    })
                })
                .collect();
            ecu(
                &format!("ecu{at}"),
                "ideal",
                vec![PortConfig::on(0)],
                move |boot| Box::new(Ecu::new(boot, streams.clone(), [], [None; 0])),
            )
        })
        .collect();
    let mut can = bus("can", classic_500k());
    can.interferers.extend(
        interferer.map(|inner| -> Box<dyn Interferer> { Box::new(ForAWhile(inner, false)) }),
    );
    Config {
        seed,
        buses: vec![can],
        ecus,
    }
}

fn run(seed: u64, interferer: Option<Box<dyn Interferer>>) -> Recording {
    let mut recording = Recording::default();
    let mut simulation = Simulation::new(car(seed, interferer)).unwrap();
    simulation
        .run_until(END, &mut recording)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    recording
}

fn under_fire(check: impl Fn(&str, u64, &Recording)) {
    for (name, interferer) in every_interferer() {
        let mut strikes = 0;
        for seed in 0..seeds().div_ceil(10) {
            let recording = run(seed, Some(interferer()));
            strikes += recording.strikes;
            check(name, seed, &recording);
        }
        assert!(strikes > seeds() / 10, "{name} hardly struck: {strikes}");
    }
}
