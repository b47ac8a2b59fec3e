//! An interferer strikes within its window only, and long strikes are reported once.

use waywarden_can::Id;
use waywarden_can::node::Port;
use waywarden_can::timing::Picoseconds;
use waywarden_ecu::{Ecu, PayloadContent, PeriodicStream, StreamFormat, StreamState};
use waywarden_work::Duration;

use super::target;
use crate::Simulation;
use crate::bitwise::{BitMoment, Strikes};
use crate::clock::Time;
use crate::config::Config;
use crate::controller::PortConfig;
use crate::engine::tests::recording::Recording;
use crate::engine::tests::{bus, classic_500k, ecu};
use crate::interferer::{
    Babbling, BitErrors, BusOffAttack, DoubleReceive, Interferer, InterfererError, Onset,
    Surroundings,
};

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

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        self.0.strike(moment, strikes);
    }

    fn window(&self) -> (Time, Time) {
        (Time::ZERO, self.1)
    }
}

/// One that sends two frames every 100 ms, under an interferer; and one that sends one frame.
fn pair(interferer: Box<dyn Interferer>, other: Time) -> Recording {
    let stream = |id, offset| {
        StreamState::new(PeriodicStream {
            port: Port(0),
            id: Id::standard(id).unwrap(),
            format: StreamFormat::Classic,
            length: 1,
            period: Duration::from_millis(100),
            offset,
            jitter: Duration::ZERO,
            content: PayloadContent::Counter,
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
    let free = alone.delivery(1).sent[0].1 + classic_500k().intermission();
    let bits = |count: u64| Picoseconds::new(count * 2_000_000);
    assert_eq!(alone.delivery(2).started[0], free + bits(8));
    // The other one has a frame two bits after the bus is free, and starts at once.
    let met = pair(attack(), free + bits(2));
    let other = met
        .deliveries
        .values()
        .find(|delivery| delivery.ecu == 1)
        .unwrap();
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
    let end = calm.delivery(1).sent[0].1.as_picos() / 1_000;
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
        (recording.strikes, recording.delivery(1).sent[0].1)
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
