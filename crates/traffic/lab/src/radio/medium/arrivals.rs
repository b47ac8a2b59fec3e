//! Arrivals of frames at stations, and the stations that read them.

use super::{FrameOnAir, Medium, RadioFrame, RadioReception, RadioSink, VehiclePosition};
use crate::radio::receiver::Reading;

/// Gathers the stations but the sender at which the least power arrives, or more.
#[inline]
fn gather(
    arrivals: &mut Vec<(usize, f64)>,
    (around, sender): (&[(usize, VehiclePosition)], usize),
    least_mw: f64,
    mut power_mw: impl FnMut(usize, &VehiclePosition) -> f64,
) {
    for (at, to) in around {
        let power = power_mw(*at, to);
        if power >= least_mw && *at != sender {
            arrivals.push((*at, power));
        }
    }
}

impl Medium {
    /// A frame arrives at all stations where it is strong enough.
    pub(super) fn arrive(
        &mut self,
        frame: usize,
        sender: (usize, VehiclePosition, f64),
        arrivals: &mut Vec<(usize, f64)>,
    ) {
        let now = self.now;
        self.find_present();
        self.find_arrivals(sender, arrivals);
        for (at, power) in arrivals {
            let one = &mut self.stations[*at];
            if let Some(reading) = &mut one.reading {
                reading.advance(now, one.total_mw, &self.decoding);
            } else if !one.is_sending && one.candidate.is_none_or(|(_, other)| other < *power) {
                one.candidate = Some((frame, *power));
            }
            one.total_mw += *power;
            one.arriving += 1;
            one.measure(now, self.measured_mw);
        }
    }

    /// Finds the stations where a frame is strong enough, and its power there, in mW.
    fn find_arrivals(
        &mut self,
        (sender, from, share): (usize, VehiclePosition, f64),
        arrivals: &mut Vec<(usize, f64)>,
    ) {
        // Kept powers are those of the whole power, so the bound of who hears is raised instead.
        let (metre, whole) = (self.metre_mw, self.sensitivity_mw);
        let least = whole / share;
        let propagation = &self.propagation;
        let compute = |to: &VehiclePosition| propagation.power_mw(metre, whole, &from, to);
        let around = self.neighbours.around(&from.place);
        arrivals.clear();
        match &mut self.pairs {
            None => gather(arrivals, (around, sender), least, |_, to| compute(to)),
            Some(pairs) => gather(arrivals, (around, sender), least, |at, to| {
                pairs.power_mw((sender, at), || compute(to))
            }),
        }
        if share < 1.0 {
            arrivals.iter_mut().for_each(|(_, power)| *power *= share);
        }
    }

    /// The stations where a frame is the strongest that has just begun begin to read it.
    pub(super) fn noticed(&mut self, frame: usize) {
        let FrameOnAir {
            begin,
            end,
            arrivals,
            readers,
            ..
        } = &mut self.frames[frame];
        let (span, arrivals) = ((*begin, *end), std::mem::take(arrivals));
        let mut readers = std::mem::take(readers);
        for (at, power) in &arrivals {
            let one = &mut self.stations[*at];
            if let Some((candidate, _)) = one.candidate
                && candidate == frame
            {
                one.candidate = None;
                one.reading = Some(Reading::new(frame, *power, span, self.now));
                readers.push(*at);
            }
            self.sense(*at);
        }
        self.frames[frame].arrivals = arrivals;
        self.frames[frame].readers = readers;
    }

    /// A frame's header ends: who cannot read it gives the frame up.
    pub(super) fn header(&mut self, frame: usize) {
        let now = self.now;
        let readers = std::mem::take(&mut self.frames[frame].readers);
        for at in &readers {
            let one = &mut self.stations[*at];
            let Some(reading) = one.reading.as_mut().filter(|one| one.frame == frame) else {
                continue;
            };
            reading.advance(now, one.total_mw, &self.decoding);
            let (header, _) = reading.log_success();
            if !self.random.chance(header.exp()) {
                one.reading = None;
                self.sense(*at);
            }
        }
        self.frames[frame].readers = readers;
    }

    /// A frame ends: who has read it has it, or not.
    pub(super) fn end(&mut self, frame: usize, sink: &mut dyn RadioSink) {
        let now = self.now;
        let access = self.settings.access;
        let arrivals = std::mem::take(&mut self.frames[frame].arrivals);
        let FrameOnAir {
            sender,
            made,
            frame: sent,
            ..
        } = self.frames[frame];
        let message = sent.map_or(RadioFrame::BEACON, |sent| sent.message);
        for (at, power) in &arrivals {
            let one = &mut self.stations[*at];
            if let Some(reading) = &mut one.reading {
                reading.advance(now, one.total_mw, &self.decoding);
                if reading.frame == frame {
                    let (_, payload) = reading.log_success();
                    let power_mw = reading.power_mw();
                    one.reading = None;
                    let is_right = self.random.chance(payload.exp());
                    one.has_read(is_right, now, &access);
                    if is_right && one.position.is_some() {
                        sink.received(&RadioReception {
                            time_ns: now,
                            sender,
                            receiver: *at,
                            made_ns: made,
                            power_mw,
                            message,
                        });
                    }
                }
            }
            one.arriving -= 1;
            one.total_mw = match one.arriving {
                // Nothing is left of rounding.
                0 => 0.0,
                _ => (one.total_mw - power).max(0.0),
            };
            self.sense(*at);
        }
        self.frames[frame].arrivals = arrivals;
        self.free.push(frame);
        if let Some(sent) = &sent {
            sink.ended(sent);
        }
        self.stations[sender].is_sending = false;
        self.back_off(sender);
        self.sense(sender);
    }
}
