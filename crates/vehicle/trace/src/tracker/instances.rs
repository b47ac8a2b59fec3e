//! The instances of one stream, from their release to their outcome at each receiver.

mod delivery;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use waywarden_can_auth::paired::TAG_WITHIN;
use waywarden_can_sim::clock::Time;
use waywarden_work::Duration;

pub(super) use self::delivery::Delivery;
use super::ecus::Conditions;
use super::path::{LegState, Stage, span};
use super::taken::{Checking, Taken};
use super::way::Way;
use crate::outcome::{CheckRefusal, DeliveryOutcome, Loss, LossPlace, Progress};

/// Maximum time that data wait for a tag in a separate frame, plus a quarter for the receiver's
/// clock.
const PATIENCE: Duration = Duration::from_nanos(TAG_WITHIN.as_nanos() / 4 * 5);

/// The instances of one stream.
#[derive(Debug, Default)]
pub(super) struct Instances {
    pub(super) way: Way,
    /// Release times, by instance.
    pub(super) released: Vec<Time>,
    /// Legs of the unfinished instances, one instance after the other.
    legs: VecDeque<LegState>,
    /// Causes of the unfinished instances at the sender, where its software names one.
    causes: VecDeque<Option<u64>>,
    /// Number of the first unfinished instance.
    first: u32,
    /// By leg: one more than the number of the last instance that was requested there.
    requested: Vec<u32>,
    pub(super) takers: Vec<Taken>,
}

impl Instances {
    pub(super) fn new(way: Way) -> Self {
        Instances {
            requested: vec![0; way.legs.len()],
            takers: vec![Taken::default(); way.takers.len()],
            way,
            ..Instances::default()
        }
    }

    /// Adds the next instance.
    pub(super) fn release(&mut self, at: Time) {
        self.released.push(at);
        let legs = self.way.legs.len();
        self.legs.extend(std::iter::repeat_n(LegState::NEW, legs));
        self.causes.push_back(None);
        for taker in &mut self.takers {
            taker.release();
        }
        for taker in 0..self.takers.len() {
            self.expire(taker, at);
        }
        self.forget();
    }

    /// Records the cause of an instance at its sender.
    pub(super) fn caused(&mut self, number: u32, cause: Option<u64>) {
        let place = number.checked_sub(self.first);
        if let Some(own) = place.and_then(|at| self.causes.get_mut(at as usize)) {
            *own = cause;
        }
    }

    /// Drops the legs and causes of the first instances if they are finished everywhere.
    fn forget(&mut self) {
        while let Some(legs) = self.range(self.first) {
            let is_over = self.legs.range(legs.clone()).all(LegState::is_over);
            let mut takers = self.takers.iter();
            let has_ended = |taker: &Taken| taker.has_ended(self.first);
            if !is_over || !takers.all(has_ended) {
                return;
            }
            self.legs.drain(legs);
            self.causes.pop_front();
            self.first += 1;
        }
    }

    fn range(&self, number: u32) -> Option<std::ops::Range<usize>> {
        let (place, count) = (number.checked_sub(self.first)?, self.way.legs.len());
        let start = place as usize * count;
        (start + count <= self.legs.len()).then_some(start..start + count)
    }

    /// Returns the state of an instance on a leg; `None` once the instance is finished everywhere.
    pub(super) fn leg_mut(&mut self, number: u32, leg: usize) -> Option<&mut LegState> {
        let start = self.range(number)?.start;
        self.legs.get_mut(start + leg)
    }

    pub(super) fn leg(&self, number: u32, leg: usize) -> Option<&LegState> {
        self.legs.get(self.range(number)?.start + leg)
    }

    /// Records that a frame of an instance was requested on a leg. Nodes keep the order of a
    /// stream, so an older instance that the node held but never requested is lost there.
    pub(super) fn request(&mut self, (number, leg): (u32, usize), serial: u64, at: Time) {
        let Some(own) = self.leg_mut(number, leg) else {
            return;
        };
        own.request(serial, at);
        for older in self.requested[leg].max(self.first)..number {
            let stage = self.leg(older, leg).map(|own| own.stage);
            let place = match (stage, leg) {
                (Some(Stage::Before), 0) => LossPlace::Unprotected,
                (Some(Stage::Held), _) if self.way.is_verified(leg) => LossPlace::GatewayRefused,
                (Some(Stage::Held), _) => LossPlace::GatewayDropped,
                _ => continue,
            };
            self.kill((older, leg), place.loss(false));
        }
        self.requested[leg] = self.requested[leg].max(number + 1);
    }

    /// Ends an instance on a leg, and wherever no other leg can still deliver it.
    pub(super) fn kill(&mut self, (number, leg): (u32, usize), loss: Loss) {
        let Some(own) = self.leg_mut(number, leg).filter(|own| !own.is_over()) else {
            return;
        };
        own.stage = Stage::Dead(loss);
        let bus = self.way.legs[leg].bus;
        let open = |at: usize| self.leg(number, at).is_some_and(|own| !own.is_over());
        let mut on_bus = (0..self.way.legs.len()).filter(|at| self.way.legs[*at].bus == bus);
        if !on_bus.any(open) {
            for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
                if place.bus == bus {
                    taker.lose_waiting(number, loss);
                }
            }
        }
        for next in leg + 1..self.way.legs.len() {
            let has_not_come = self.leg(number, next).is_some_and(LegState::has_not_come);
            if self.way.legs[next].from == Some(leg) && has_not_come {
                self.kill((number, next), loss);
            }
        }
    }

    /// Records that the first frame of an instance was sent on a leg: an ECU that has not received
    /// it by now never will.
    pub(super) fn sent(&mut self, (number, leg): (u32, usize), at: Time, ecus: &Conditions) {
        let Some(own) = self.leg_mut(number, leg) else {
            return;
        };
        if matches!(own.stage, Stage::Dead(_)) {
            return;
        }
        (own.stage, own.sent) = (Stage::Sent, at);
        let (started, bus) = (own.first_started, self.way.legs[leg].bus);
        let altered = LossPlace::Overwritten.loss(false);
        for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
            if place.bus != bus {
                continue;
            }
            match taker.progress(number) {
                Progress::Waiting => {
                    taker.lose_waiting(number, ecus.not_received(place.ecu, bus, started));
                }
                Progress::Altered => taker.lose_waiting(number, altered),
                _ => {}
            }
        }
        for next in leg + 1..self.way.legs.len() {
            let place = self.way.legs[next];
            let loss = match self.leg(number, next).map(|own| own.stage) {
                _ if place.from != Some(leg) => continue,
                Some(Stage::Before) => ecus.not_received(place.ecu, bus, started),
                Some(Stage::Altered) => altered,
                _ => continue,
            };
            self.kill((number, next), loss);
        }
    }

    /// Records that the receive queue of an ECU holds an unchanged frame of an instance.
    pub(super) fn received(&mut self, number: u32, ecu: usize, bus: usize) {
        self.came(
            (number, ecu, bus),
            (Progress::Received, Stage::Arriving),
            true,
        );
    }

    /// Records that the receive queue of an ECU holds a frame of an instance that an interferer
    /// changed.
    pub(super) fn altered(&mut self, number: u32, ecu: usize, bus: usize) {
        self.came(
            (number, ecu, bus),
            (Progress::Altered, Stage::Altered),
            false,
        );
    }

    fn came(
        &mut self,
        (number, ecu, bus): (u32, usize, usize),
        (progress, stage): (Progress, Stage),
        is_intact: bool,
    ) {
        for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
            if (place.ecu, place.bus) == (ecu, bus) && taker.awaits(number, is_intact) {
                taker.set(number, progress);
            }
        }
        for leg in 1..self.way.legs.len() {
            if self.way.goes_on(leg, ecu, bus)
                && let Some(own) = self.leg_mut(number, leg)
                && own.awaits(is_intact)
            {
                own.stage = stage;
            }
        }
    }

    /// Records that the receive queue of an ECU had no room for a frame of an instance.
    pub(super) fn overrun(&mut self, number: u32, ecu: usize, bus: usize) {
        let loss = LossPlace::Overrun.loss(false);
        for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
            if (place.ecu, place.bus) == (ecu, bus) {
                taker.lose_waiting(number, loss);
            }
        }
        for leg in 1..self.way.legs.len() {
            let has_not_come = self.leg(number, leg).is_some_and(LegState::has_not_come);
            if self.way.goes_on(leg, ecu, bus) && has_not_come {
                self.kill((number, leg), loss);
            }
        }
    }

    /// Records that the mailbox of an ECU image had no room for a frame of an instance, which its
    /// controller had received.
    pub(super) fn overrun_at_image(&mut self, number: u32, ecu: usize, bus: usize) {
        let loss = DeliveryOutcome::Lost(LossPlace::Overrun.loss(false));
        for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
            let is_there = taker.progress(number) == Progress::Received;
            if (place.ecu, place.bus) == (ecu, bus) && is_there {
                taker.end(number, loss);
            }
        }
    }

    /// Records that the node of a gateway holds a frame of an instance.
    pub(super) fn held(&mut self, number: u32, ecu: usize, bus: usize) {
        for leg in 1..self.way.legs.len() {
            if self.way.goes_on(leg, ecu, bus)
                && let Some(own) = self.leg_mut(number, leg)
                && own.stage == Stage::Arriving
            {
                own.stage = Stage::Held;
            }
        }
    }

    /// Records that an ECU was reset, and so lost all instances that it held.
    pub(super) fn reset(&mut self, ecu: usize) {
        let loss = LossPlace::Reset.loss(true);
        for number in self.first..self.released.len() as u32 {
            for leg in 0..self.way.legs.len() {
                let is_own = self.way.legs[leg].ecu == ecu;
                let stage = self.leg(number, leg).map(|own| own.stage);
                let has_it = match stage {
                    Some(Stage::Arriving | Stage::Held | Stage::Requested) => true,
                    Some(Stage::Before) => leg == 0,
                    _ => false,
                };
                if is_own && has_it {
                    self.kill((number, leg), loss);
                }
            }
            for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
                let progress = taker.progress(number);
                let has_it = matches!(progress, Progress::Received | Progress::Checking);
                if place.ecu == ecu && has_it {
                    taker.end(number, DeliveryOutcome::Lost(loss));
                }
            }
        }
        for (taker, place) in self.takers.iter_mut().zip(&self.way.takers) {
            if place.ecu == ecu {
                taker.checking.clear();
            }
        }
        self.forget();
    }

    /// Records that a taker has started to check a frame of an instance.
    pub(super) fn checking(&mut self, number: u32, taker: usize, at: Time) {
        self.expire(taker, at);
        let own = &mut self.takers[taker];
        match own.progress(number) {
            Progress::Received | Progress::Waiting => {
                own.set(number, Progress::Checking);
                own.checking.push_back(Checking {
                    number,
                    at,
                    has_both: false,
                });
            }
            Progress::Checking => {
                let mut checking = own.checking.iter_mut();
                if let Some(own) = checking.find(|one| one.number == number) {
                    (own.at, own.has_both) = (at, true);
                }
            }
            _ => {}
        }
    }

    /// Ends data that have waited longer than `PATIENCE` for their tag: a tag from another sender
    /// may have consumed them.
    fn expire(&mut self, taker: usize, now: Time) {
        if !self.way.takers[taker].is_paired {
            return;
        }
        let mut at = 0;
        while let Some(&one) = self.takers[taker].checking.get(at) {
            if one.has_both {
                at += 1;
                continue;
            }
            if span(one.at, now) <= PATIENCE {
                return;
            }
            self.takers[taker].checking.remove(at);
            if self.takers[taker].progress(one.number) == Progress::Checking {
                self.end_refused(one.number, taker, CheckRefusal::Missing);
            }
        }
    }

    /// Records that a taker refused an instance.
    pub(super) fn refuse(&mut self, number: u32, taker: usize, why: CheckRefusal) {
        self.settle(number, taker, why == CheckRefusal::Missing);
        let is_open = match self.takers[taker].progress(number) {
            // The verdict on a late tag is more specific than `Missing`.
            Progress::Ended(DeliveryOutcome::Refused(CheckRefusal::Missing)) => {
                why != CheckRefusal::Missing
            }
            Progress::Ended(_) => false,
            _ => true,
        };
        if is_open {
            self.end_refused(number, taker, why);
        }
        self.forget();
    }

    fn end_refused(&mut self, number: u32, taker: usize, why: CheckRefusal) {
        self.takers[taker].end(number, DeliveryOutcome::Refused(why));
        if let Some(leg) = self.way.takers[taker].passes_to {
            self.kill((number, leg), LossPlace::GatewayRefused.loss(false));
        }
    }

    /// Ends the check of an instance. Data wait for tags in separate frames in order of arrival:
    /// when one instance is found authentic or its time is over, older ones stop waiting. They are
    /// refused as `Missing`; where a tag is still being computed, its result replaces that.
    fn settle(&mut self, number: u32, taker: usize, ends_older: bool) {
        let settles_older = ends_older && self.way.takers[taker].is_paired;
        let mut checking = self.takers[taker].checking.iter();
        let Some(ahead) = checking.position(|one| one.number == number) else {
            return;
        };
        let mut at = 0;
        for _ in 0..ahead {
            let older = self.takers[taker].checking[at].number;
            if !settles_older || older > number {
                at += 1;
                continue;
            }
            self.takers[taker].checking.remove(at);
            if self.takers[taker].progress(older) == Progress::Checking {
                self.end_refused(older, taker, CheckRefusal::Missing);
            }
        }
        self.takers[taker].checking.remove(at);
    }
}
