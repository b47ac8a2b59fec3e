//! Attempts to send: from each start of frame to its end, whatever that is.
//!
//! The trace has one event for the beginning and, by outcome, different ones for the end. A drawing
//! of frames needs the stretch in between. Memory is bounded by the controllers on the buses.

use waywarden_can::Frame;
use waywarden_can::timing::Picoseconds;
use waywarden_can_sim::bitwise::ErrorKind;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, PARTIES_MAX};
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Serial};

use waywarden_vehicle_trace::VehicleEvent;

/// One stretch of a bus that a sender had, or shared with colliding ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The bus.
    pub bus: BusIndex,
    /// 0, or the lowest number that no frame under way at the same time has.
    pub lane: usize,
    /// The sender.
    pub ecu: EcuIndex,
    /// The transmission.
    pub serial: Serial,
    /// The frame.
    pub frame: Frame,
    /// Number of controllers that competed for the bus, at least 1.
    pub contenders: usize,
    /// Time of its start of frame.
    pub started: Time,
    /// Time at which it was over.
    pub ended: Time,
    /// Result of the attempt.
    pub outcome: AttemptOutcome,
}

/// Result of an attempt to transmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// Sent and acknowledged.
    Sent,
    /// The sender detected an error.
    Broken(ErrorKind),
    /// Another frame won after all.
    Lost,
    /// The sender was reset, or the trace ended.
    Segmentation,
}

/// The attempts under way.
#[derive(Debug)]
pub struct Attempts {
    by_bus: Vec<Vec<Attempt>>,
    /// Nominal bit time by bus.
    bits: Vec<Picoseconds>,
}

/// Frames that collide start within so many bits: less than start of frame and 11 identifier bits.
const COLLIDING_BITS: u64 = 12;

impl AttemptOutcome {
    /// Returns its name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AttemptOutcome::Sent => "sent",
            AttemptOutcome::Broken(ErrorKind::Bit) => "bit error",
            AttemptOutcome::Broken(ErrorKind::Stuff) => "stuff error",
            AttemptOutcome::Broken(ErrorKind::Crc) => "CRC error",
            AttemptOutcome::Broken(ErrorKind::Form) => "form error",
            AttemptOutcome::Broken(ErrorKind::Acknowledgement) => "not acknowledged",
            AttemptOutcome::Lost => "lost arbitration",
            AttemptOutcome::Segmentation => "cut off",
        }
    }
}

impl Attempts {
    /// Begins with nothing under way on these buses.
    #[must_use]
    pub fn on(buses: &[BusConfig]) -> Self {
        Attempts {
            by_bus: vec![Vec::new(); buses.len()],
            bits: buses.iter().map(|bus| bus.timing.nominal.bit()).collect(),
        }
    }

    /// Takes the next event of a trace and hands every attempt that is over now to `over`.
    pub fn follow(&mut self, at: Time, event: &VehicleEvent<'_>, over: &mut dyn FnMut(Attempt)) {
        match *event {
            VehicleEvent::Started {
                bus,
                ecu,
                serial,
                frame,
                contenders,
            } => {
                self.close_stale(bus, at, over);
                self.open(bus, ecu, serial, frame, contenders, at);
            }
            VehicleEvent::Sent { bus, serial, .. } => {
                self.close(bus, at, AttemptOutcome::Sent, over, |one| {
                    one.serial == serial
                });
            }
            VehicleEvent::Error { bus, ecu, kind, .. } => {
                self.close(bus, at, AttemptOutcome::Broken(kind), over, |one| {
                    one.ecu == ecu
                });
            }
            VehicleEvent::ArbitrationLost { bus, serial, .. } => {
                self.close(bus, at, AttemptOutcome::Lost, over, |one| {
                    one.serial == serial
                });
            }
            // The frame of a sender that is reset may still reach receivers, which moves its end.
            VehicleEvent::Withdrawn { bus, serial, .. }
            | VehicleEvent::Received { bus, serial, .. } => {
                let open = self.by_bus.get_mut(bus.0).into_iter().flatten();
                open.filter(|one| one.serial == serial)
                    .for_each(|one| one.ended = at);
            }
            _ => {}
        }
    }

    /// Returns the lane of a transmission that is on the bus now.
    pub fn lane(&self, bus: BusIndex, serial: Serial) -> Option<usize> {
        let open = self.by_bus.get(bus.0)?;
        open.iter()
            .find(|one| one.serial == serial)
            .map(|one| one.lane)
    }

    /// Ends everything that is still under way.
    pub fn finish(&mut self, at: Time, over: &mut dyn FnMut(Attempt)) {
        for open in &mut self.by_bus {
            open.drain(..)
                .for_each(|one| over(Attempt { ended: at, ..one }));
        }
    }

    fn open(
        &mut self,
        bus: BusIndex,
        ecu: EcuIndex,
        serial: Serial,
        frame: &Frame,
        contenders: usize,
        at: Time,
    ) {
        let Some(open) = self.by_bus.get_mut(bus.0) else {
            return;
        };
        let taken = |lane: &usize| open.iter().any(|one| one.lane == *lane);
        let lane = (0..PARTIES_MAX).find(|lane| !taken(lane)).unwrap_or(0);
        open.push(Attempt {
            bus,
            lane,
            ecu,
            serial,
            frame: *frame,
            contenders,
            started: at,
            ended: at,
            outcome: AttemptOutcome::Segmentation,
        });
    }

    /// Ends what a sender that vanished has left behind: those that collide start together, and
    /// no other sender starts while a frame is past its identifier.
    fn close_stale(&mut self, bus: BusIndex, at: Time, over: &mut dyn FnMut(Attempt)) {
        let Some((open, bit)) = self.by_bus.get_mut(bus.0).zip(self.bits.get(bus.0)) else {
            return;
        };
        let together = bit.get().saturating_mul(COLLIDING_BITS);
        open.retain(|one| {
            let stale = at.since(one.started).get() > together;
            if stale {
                over(*one);
            }
            !stale
        });
    }

    fn close(
        &mut self,
        bus: BusIndex,
        at: Time,
        outcome: AttemptOutcome,
        over: &mut dyn FnMut(Attempt),
        which: impl Fn(&Attempt) -> bool,
    ) {
        let Some(open) = self.by_bus.get_mut(bus.0) else {
            return;
        };
        open.retain(|one| {
            let ends = which(one);
            if ends {
                over(Attempt {
                    ended: at,
                    outcome,
                    ..*one
                });
            }
            !ends
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_can::Id;
    use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};

    fn bus() -> BusConfig {
        let (rate, point) = (BitRate::new(500_000), SamplePoint::from_permille(875));
        let nominal = PhaseTiming::new(rate.unwrap(), point.unwrap());
        let timing = BitTiming {
            nominal,
            data: None,
        };
        BusConfig::new("bus", timing)
    }

    fn micros(micros: u64) -> Time {
        Time::from_nanos(micros * 1_000)
    }

    struct Following {
        attempts: Attempts,
        over: Vec<Attempt>,
        frame: Frame,
    }

    impl Following {
        fn new() -> Self {
            let frame = Frame::classic(Id::standard(0x123).unwrap(), &[1]).unwrap();
            Following {
                attempts: Attempts::on(&[bus()]),
                over: Vec::new(),
                frame,
            }
        }

        fn see(&mut self, at: u64, event: &VehicleEvent<'_>) {
            self.attempts
                .follow(micros(at), event, &mut |one| self.over.push(one));
        }

        fn start(&mut self, at: u64, ecu: usize, serial: u64) {
            let frame = self.frame;
            let (bus, ecu, serial) = (BusIndex(0), EcuIndex(ecu), Serial(serial));
            self.see(
                at,
                &VehicleEvent::Started {
                    bus,
                    ecu,
                    serial,
                    frame: &frame,
                    contenders: 1,
                },
            );
        }

        fn seen(&self) -> Vec<(u64, usize, u64, u64, AttemptOutcome)> {
            let micros = |time: Time| time.as_picos() / 1_000_000;
            let seen = self.over.iter().map(|one| {
                (
                    one.serial.0,
                    one.lane,
                    micros(one.started),
                    micros(one.ended),
                    one.outcome,
                )
            });
            seen.collect()
        }
    }

    #[test]
    fn colliding_frames_have_lanes_of_their_own_and_free_them() {
        let mut following = Following::new();
        following.start(0, 1, 10);
        following.start(0, 2, 20);
        let (bus, ecu) = (BusIndex(0), EcuIndex(2));
        following.see(
            40,
            &VehicleEvent::ArbitrationLost {
                bus,
                ecu,
                serial: Serial(20),
            },
        );
        let (frame, started) = (following.frame, micros(0));
        let sent = VehicleEvent::Sent {
            bus,
            ecu: EcuIndex(1),
            serial: Serial(10),
            started,
            frame: &frame,
        };
        following.see(100, &sent);
        following.start(110, 2, 20);
        following
            .attempts
            .finish(micros(120), &mut |one| following.over.push(one));
        let seen = following.seen();
        assert_eq!(seen[0], (20, 1, 0, 40, AttemptOutcome::Lost));
        assert_eq!(seen[1], (10, 0, 0, 100, AttemptOutcome::Sent));
        assert_eq!(seen[2], (20, 0, 110, 120, AttemptOutcome::Segmentation));
    }

    #[test]
    fn a_frame_ends_where_its_sender_vanishes_or_its_last_receiver_has_it() {
        let mut following = Following::new();
        let (bus, serial, frame) = (BusIndex(0), Serial(10), following.frame);
        following.start(0, 1, 10);
        following.see(
            50,
            &VehicleEvent::Withdrawn {
                bus,
                ecu: EcuIndex(1),
                serial,
            },
        );
        following.see(
            90,
            &VehicleEvent::Received {
                bus,
                ecu: EcuIndex(2),
                serial,
                frame: &frame,
            },
        );
        assert_eq!(following.attempts.lane(bus, serial), Some(0));
        following.start(200, 3, 30);
        assert_eq!(
            following.seen(),
            [(10, 0, 0, 90, AttemptOutcome::Segmentation)]
        );
        assert_eq!(following.attempts.lane(bus, serial), None);
    }
}
