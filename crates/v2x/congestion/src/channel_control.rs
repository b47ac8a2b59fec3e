//! Congestion control of one station, by one of ETSI's algorithms.

use crate::adaptive::{AdaptiveControl, AdaptiveParameters};
use crate::busy_ratio::BusyRatio;
use crate::gate::{GATE_LEAST_US, Gate};
use crate::reactive::ReactiveControl;

/// Algorithm of congestion control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// None: a station sends as its messages are due.
    #[default]
    Off,
    /// Least times by states of the channel.
    Reactive,
    /// A duty cycle by LIMERIC.
    Adaptive,
    /// The same with a faster fall.
    DualAlpha,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Off, Self::Reactive, Self::Adaptive, Self::DualAlpha];

    /// Returns the name, as options and files have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Reactive => "reactive",
            Self::Adaptive => "adaptive",
            Self::DualAlpha => "dual-alpha",
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    Off,
    Reactive {
        control: ReactiveControl,
        /// Begin and duration of the last frame.
        last: Option<(u64, u64)>,
    },
    Adaptive {
        control: AdaptiveControl,
        gate: Gate,
        /// True after the first of the two measurements of an adaptation.
        has_half: bool,
    },
}

/// Congestion control of one station.
///
/// [`measured`](Self::measured) is called each [`MEASUREMENT_US`](crate::MEASUREMENT_US) with the
/// ratio of [`NeighbourRatios::global`](crate::NeighbourRatios::global), [`sent`](Self::sent) at
/// the begin of each frame. A frame may begin from [`opens_at_us`](Self::opens_at_us) on.
#[derive(Clone, Copy, Debug)]
pub struct ChannelControl {
    state: State,
}

impl ChannelControl {
    /// A station that has sent and measured nothing yet.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        let adaptive = |parameters| State::Adaptive {
            control: AdaptiveControl::new(parameters),
            gate: Gate::new(),
            has_half: false,
        };
        let state = match algorithm {
            Algorithm::Off => State::Off,
            Algorithm::Reactive => State::Reactive {
                control: ReactiveControl::new(),
                last: None,
            },
            Algorithm::Adaptive => adaptive(AdaptiveParameters::STANDARD),
            Algorithm::DualAlpha => adaptive(AdaptiveParameters::DUAL_ALPHA),
        };
        Self { state }
    }

    /// Takes a measurement; each second one adapts a duty cycle and what is left of its gate.
    pub fn measured(&mut self, ratio: BusyRatio, now_us: u64) {
        match &mut self.state {
            State::Off => {}
            State::Reactive { control, .. } => control.measured(ratio),
            State::Adaptive {
                control,
                gate,
                has_half,
            } => {
                control.measured(ratio);
                if core::mem::replace(has_half, !*has_half) {
                    gate.adapt(now_us, control.adapt());
                }
            }
        }
    }

    /// Closes the gate: a frame of a time on the air begins now.
    pub fn sent(&mut self, now_us: u64, airtime_us: u64) {
        match &mut self.state {
            State::Off => {}
            State::Reactive { last, .. } => *last = Some((now_us, airtime_us)),
            State::Adaptive { control, gate, .. } => {
                gate.sent(now_us, airtime_us, control.duty_cycle());
            }
        }
    }

    /// Returns from when on a frame may begin, in microseconds; 0 before the first one.
    #[must_use]
    pub fn opens_at_us(&self) -> u64 {
        match &self.state {
            State::Off | State::Reactive { last: None, .. } => 0,
            State::Reactive {
                control,
                last: Some((begin, airtime)),
            } => {
                let interval = control.interval_us(*airtime).max(GATE_LEAST_US);
                begin.saturating_add(interval)
            }
            State::Adaptive { gate, .. } => gate.opens_at_us(),
        }
    }

    /// Returns the time between frames of a time on the air that the channel has room for, in
    /// microseconds: what generation rules go by (`T_GenCam_DCC`); 0 if there is no control.
    #[must_use]
    pub fn interval_us(&self, airtime_us: u64) -> u64 {
        match &self.state {
            State::Off => 0,
            State::Reactive { control, .. } => control.interval_us(airtime_us).max(GATE_LEAST_US),
            State::Adaptive { control, .. } => Gate::interval_us(airtime_us, control.duty_cycle()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::GATE_MOST_US;

    #[test]
    fn without_control_the_gate_is_open() {
        let mut control = ChannelControl::new(Algorithm::Off);
        control.sent(5, 664);
        control.measured(BusyRatio::FULL, 100_000);
        assert_eq!((control.opens_at_us(), control.interval_us(664)), (0, 0));
    }

    #[test]
    fn a_reactive_gate_follows_the_state_of_now() {
        let mut control = ChannelControl::new(Algorithm::Reactive);
        assert_eq!(control.opens_at_us(), 0);
        control.sent(1_000, 664);
        assert_eq!(control.opens_at_us(), 101_000);
        control.measured(BusyRatio::FULL, 50_000);
        assert_eq!(control.opens_at_us(), 201_000);
        control.measured(BusyRatio::IDLE, 150_000);
        assert_eq!(control.opens_at_us(), 101_000);
    }

    #[test]
    fn a_duty_cycle_adapts_with_each_second_measurement() {
        let mut control = ChannelControl::new(Algorithm::Adaptive);
        // 664 us over the first duty cycle, 0.0153.
        assert_eq!(control.interval_us(664), 43_399);
        control.sent(0, 664);
        control.measured(BusyRatio::FULL, 10_000);
        assert_eq!(control.opens_at_us(), 43_399);
        control.measured(BusyRatio::FULL, 20_000);
        assert!(control.opens_at_us() > 43_399);
        for step in 3..4_000 {
            control.measured(BusyRatio::FULL, step * 10_000);
        }
        assert_eq!(control.interval_us(664), GATE_MOST_US);
    }

    /// Seeded: no order of calls and no clock lets a frame begin before the least interval.
    #[test]
    fn no_order_of_calls_opens_a_gate_early() {
        waywarden_testkit::each_seed(200, |seed| {
            let mut random = waywarden_testkit::Random::new(seed);
            let algorithm = Algorithm::ALL[1 + random.below(3) as usize];
            let mut control = ChannelControl::new(algorithm);
            let mut sent = None;
            for _ in 0..100 {
                let now = random.below(2_000_000);
                match random.below(3) {
                    0 => control.measured(BusyRatio::of(random.below(101), 100), now),
                    _ => {
                        control.sent(now, random.below(10_000));
                        sent = Some(now);
                    }
                }
                let opens = control.opens_at_us();
                assert!(
                    sent.is_none_or(|sent| opens >= sent + GATE_LEAST_US),
                    "{algorithm:?}"
                );
            }
        });
    }
}
