//! The engine under every interferer: nothing is lost or doubled without a cause in the trace, and
//! when the interference is over, the streams are back on schedule within a stated bound.
//!
//! The bound, [`BACK`], is 128 sequences of 11 recessive bits on a bus that is never idle: 128
//! frames of at most 135 bits at 500 kbit/s, 35 ms, and the backlog of two frames a stream.

use waywarden_can::node::Port;
use waywarden_can::timing::Picoseconds;
use waywarden_can::{Frame, Id};
use waywarden_ecu::{Content, Ecu, Stream, StreamFormat, StreamState};
use waywarden_work::Duration;

use super::recording::{Fate, Recording};
use super::{bus, classic_500k, ecu, seeds};
use crate::Simulation;
use crate::bitwise::{Moment, Strikes};
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

/// How far a frame may be from where it is without interference once the bound has passed: an
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

    fn strike(&mut self, moment: &Moment<'_>, strikes: &mut Strikes) {
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
                    StreamState::new(Stream {
                        port: Port(0),
                        id: Id::standard(0x100 + number * 0x40 + at).unwrap(),
                        format: StreamFormat::Classic,
                        length: 1 + random.below(8) as u8,
                        period: Duration::from_micros(5_000 + random.below(5_000)),
                        offset: Duration::from_micros(random.below(5_000)),
                        jitter: Duration::ZERO,
                        content: Content::Counter,
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

#[test]
fn no_frame_is_lost_or_doubled_without_a_cause_in_the_trace() {
    under_fire(|name, seed, recording| {
        for (serial, fate) in &recording.fates {
            let at = format!("{name}, seed {seed}, serial {serial}");
            assert!(fate.sent.len() <= 1, "{at}: sent twice");
            check_sender(&at, fate, recording);
            if let Some(&(_, sent)) = fate.sent.first() {
                (0..5)
                    .filter(|ecu| *ecu != fate.ecu)
                    .for_each(|ecu| check_receiver(&at, ecu, fate, sent, recording));
            }
        }
    });
}

/// A frame that was not sent was taken back in bus-off, or still waits at the end.
fn check_sender(at: &str, fate: &Fate, recording: &Recording) {
    match (fate.sent.first(), fate.withdrawn) {
        (Some(_), None) => {}
        (None, Some(when)) => {
            let off = |&(time, ecu, state): &(Time, usize, &str)| {
                ecu == fate.ecu && state == "bus-off" && time <= when
            };
            assert!(
                recording.states.iter().any(off),
                "{at}: taken back without bus-off"
            );
        }
        (None, None) => {
            let age = END.since(fate.queued.unwrap_or(END)).get();
            assert!(age < 10_000_000_000, "{at}: forgotten");
        }
        (Some(_), Some(_)) => panic!("{at}: both sent and taken back"),
    }
}

/// A receiver has a frame once, unless it had an error of its own or was off, or the frame was
/// repeated after an error.
fn check_receiver(at: &str, ecu: usize, fate: &Fate, sent: Time, recording: &Recording) {
    let begun = fate.started[0];
    let count = fate.received.get(&ecu).copied().unwrap_or(0);
    let error = recording
        .errors
        .iter()
        .any(|&(time, _)| time >= begun && time <= sent);
    let own_error = recording
        .errors
        .iter()
        .any(|&(time, who)| who == ecu && time >= begun && time <= sent);
    let troubled = recording
        .states
        .iter()
        .any(|&(time, who, state)| who == ecu && state != "error-active" && time <= sent);
    assert!(
        count > 0 || own_error || troubled,
        "{at}: ecu {ecu} misses it without a cause"
    );
    assert!(
        count < 2 || (error && fate.started.len() > 1),
        "{at}: ecu {ecu} has it twice"
    );
}

#[test]
fn when_it_is_over_every_stream_is_back_on_schedule_within_the_bound() {
    let calm: Vec<Recording> = (0..seeds().div_ceil(10))
        .map(|seed| run(seed, None))
        .collect();
    under_fire(|name, seed, recording| {
        let expected = late_frames(&calm[seed as usize]);
        let found = late_frames(recording);
        assert_eq!(
            found.len(),
            expected.len(),
            "{name}, seed {seed}: frames are missing"
        );
        for ((key, sent), (expected_key, expected_sent)) in found.iter().zip(&expected) {
            assert_eq!(key, expected_key, "{name}, seed {seed}");
            let early = expected_sent.since(*sent);
            let late = sent.since(*expected_sent);
            assert!(
                early.max(late) <= ON_SCHEDULE,
                "{name}, seed {seed}: {late:?} late"
            );
        }
    });
}

/// The frames queued after the bound and well before the end, by identifier and content.
fn late_frames(recording: &Recording) -> Vec<((u32, Vec<u8>), Time)> {
    let last = Time::from_nanos(END.as_picos() / 1_000 - 10_000_000);
    let mut frames: Vec<_> = recording
        .fates
        .values()
        .filter(|fate| {
            fate.queued
                .is_some_and(|queued| queued >= BACK && queued < last)
        })
        .map(|fate| {
            let key = (fate.frame.id().raw(), fate.frame.data().to_vec());
            (
                key,
                fate.sent.first().map_or(Time::NEVER, |&(_, sent)| sent),
            )
        })
        .collect();
    frames.sort();
    frames
}

#[test]
fn the_bus_off_attack_takes_its_target_off_in_thirty_two_frames_and_it_comes_back() {
    let recording = run(1, Some(Box::new(BusOffAttack::until_off(target()))));
    let off: Vec<_> = recording
        .states
        .iter()
        .filter(|&&(_, _, state)| state == "bus-off")
        .collect();
    assert_eq!(off.len(), 1);
    let &&(at, ecu, _) = &off[0];
    assert_eq!(ecu, 0, "the sender of 0x100");
    assert_eq!(recording.strikes, 32, "one strike a frame, TEC 8 to 256");
    let back = recording
        .states
        .iter()
        .find(|&&(time, who, state)| who == 0 && time > at && state == "error-active")
        .expect("it never recovered");
    // 1,408 bit times on an idle bus are 2.8 ms; the other ECUs' frames make it longer.
    let took = back.0.since(at).get();
    assert!((2_816_000_000..35_000_000_000).contains(&took), "{took} ps");
}

/// Strikes with another one up to a time, wherever in a frame that is.
struct Until(Box<dyn Interferer>, Time);

impl Interferer for Until {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        self.0.begin(surroundings)
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        self.0.wants(onset)
    }

    fn strike(&mut self, moment: &Moment<'_>, strikes: &mut Strikes) {
        self.0.strike(moment, strikes);
    }

    fn window(&self) -> (Time, Time) {
        (Time::ZERO, self.1)
    }
}

/// One that sends two frames every 100 ms, under an interferer; and one that sends one frame.
fn pair(interferer: Box<dyn Interferer>, other: Time) -> Recording {
    let stream = |id, offset| {
        StreamState::new(Stream {
            port: Port(0),
            id: Id::standard(id).unwrap(),
            format: StreamFormat::Classic,
            length: 1,
            period: Duration::from_millis(100),
            offset,
            jitter: Duration::ZERO,
            content: Content::Counter,
        })
    };
    let own = vec![stream(0x100, Duration::ZERO), stream(0x101, Duration::ZERO)];
    let others = vec![stream(
        0x7FF,
        Duration::from_nanos(other.as_picos() / 1_000),
    )];
    let ports = || vec![PortConfig::on(0)];
    let ecus = vec![
        ecu("a", "ideal", ports(), move |boot| {
            Box::new(Ecu::new(boot, own.clone(), [], [None; 0]))
        }),
        ecu("b", "ideal", ports(), move |boot| {
            Box::new(Ecu::new(boot, others.clone(), [], [None; 0]))
        }),
    ];
    let mut can = bus("can", classic_500k());
    can.interferers.push(interferer);
    let config = Config {
        seed: 1,
        buses: vec![can],
        ecus,
    };
    let mut recording = Recording::default();
    Simulation::new(config)
        .unwrap()
        .run_until(Time::from_nanos(90_000_000), &mut recording)
        .unwrap();
    recording
}

#[test]
fn who_suspends_transmission_does_not_keep_others_waiting() {
    // Some twenty attempts of 80 us are struck: the sender is error-passive, and not bus-off.
    let until = Time::from_nanos(1_600_000);
    let attack = || -> Box<dyn Interferer> {
        Box::new(Until(Box::new(BusOffAttack::for_ever(target())), until))
    };
    let alone = pair(attack(), Time::from_nanos(50_000_000));
    assert_eq!(alone.states[0].2, "error-passive");
    let free = alone.fate(1).sent[0].1 + classic_500k().intermission();
    let bits = |count: u64| Picoseconds::new(count * 2_000_000);
    assert_eq!(alone.fate(2).started[0], free + bits(8));
    // The other one has a frame two bits after the bus is free, and starts at once.
    let met = pair(attack(), free + bits(2));
    let other = met.fates.values().find(|fate| fate.ecu == 1).unwrap();
    assert_eq!(other.started[0], free + bits(2));
}

#[test]
fn no_interferer_strikes_outside_its_window() {
    let struck = |nanos: u64| {
        let inner = Box::new(DoubleReceive::new(target(), 1));
        let recording = pair(
            Box::new(Until(inner, Time::from_nanos(nanos))),
            Time::from_nanos(50_000_000),
        );
        recording.strikes
    };
    // The last bit of the frame's end, where it strikes, begins one bit before the frame is over.
    let calm = pair(Box::new(BitErrors::new(0.0)), Time::from_nanos(50_000_000));
    let end = calm.fate(1).sent[0].1.as_picos() / 1_000;
    assert_eq!(struck(end - 2_000), 0);
    assert_eq!(struck(end), 1);
}

#[test]
fn a_strike_that_is_under_way_ends_with_its_window() {
    // Dominant without end, from the start of the first frame.
    let errors = |until: u64| {
        let (period, width) = (Picoseconds::new(1_000_000), Picoseconds::new(1_000_000));
        let babbling = Babbling::new(Time::ZERO, Time::NEVER, period, width).unwrap();
        let recording = pair(
            Box::new(Until(Box::new(babbling), Time::from_nanos(until))),
            Time::from_nanos(50_000_000),
        );
        (recording.strikes, recording.fate(1).sent[0].1)
    };
    let (strikes, sent) = errors(100_000);
    assert_eq!(strikes, 1);
    // Two dozen bits after the fault is over the frame starts again; it has some 60 bits.
    assert!(sent < Time::from_nanos(100_000 + 100 * 2_000), "{sent:?}");
}

#[test]
fn a_long_strike_is_reported_where_it_first_makes_a_difference() {
    // The frame's first bits are dominant like the fault: 000 0 0001 ... of 0x100 after two bits.
    let (period, width) = (
        Picoseconds::new(90_000_000_000),
        Picoseconds::new(8_000_000),
    );
    let babbling = Babbling::new(Time::ZERO, Time::NEVER, period, width).unwrap();
    let inner: Box<dyn Interferer> = Box::new(babbling);
    let recording = pair(inner, Time::from_nanos(50_000_000));
    let (at, place) = recording.struck[0];
    // Start of frame, 0, 0, then the identifier's first recessive bit: bit 3.
    assert_eq!(place.bit, 3);
    assert_eq!(
        at,
        Time::from_nanos(6_000) + classic_500k().nominal.to_sample()
    );
}
