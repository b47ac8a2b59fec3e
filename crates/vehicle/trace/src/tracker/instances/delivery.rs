//! First deliveries of instances, and the step on their way that took longest.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_work::Duration;

use super::Instances;
use crate::outcome::DeliveryOutcome;
use crate::tracker::path::{DeliveryStep, LegState, longest_step, span};

/// The first delivery of an instance to a taker.
#[derive(Clone, Copy, Debug)]
pub(in crate::tracker) struct Delivery {
    pub(in crate::tracker) released: Time,
    pub(in crate::tracker) cause: Option<u64>,
    pub(in crate::tracker) longest: (DeliveryStep, Duration),
}

impl Instances {
    /// Takes note that a taker has an instance; returns its first delivery. One that an attacker
    /// carried is a delivery only if neither it nor a newer one had been delivered.
    ///
    /// # Errors
    /// The interferer that had the instance come again, if one did.
    pub(in crate::tracker) fn deliver(
        &mut self,
        (number, taker): (u32, usize),
        is_carried: bool,
        at: Time,
    ) -> Result<Delivery, Option<usize>> {
        let released = *self.released.get(number as usize).ok_or(None)?;
        let checking = self.takers[taker].checking.iter();
        let mut latest = checking.rev();
        let handed_in = latest.find(|one| one.number == number).map(|one| one.at);
        let own = &mut self.takers[taker];
        let is_again = own.is_delivered(number);
        let is_stale = own.newest.is_some_and(|newest| newest > number);
        if is_again || is_carried && is_stale {
            own.repeated += u64::from(!is_carried);
            return Err(self.struck_by(number, taker));
        }
        own.end(number, DeliveryOutcome::Delivered);
        own.newest = own.newest.max(Some(number));
        self.settle(number, taker, true);
        let delivery = Delivery {
            released,
            cause: self.cause(number),
            longest: self.longest(number, taker, released, (handed_in, at)),
        };
        self.forget();
        Ok(delivery)
    }

    /// Returns the interferer that struck an instance on the bus of a taker.
    fn struck_by(&self, number: u32, taker: usize) -> Option<usize> {
        let bus = self.way.takers[taker].bus;
        let leg = self.way.legs.iter().position(|leg| leg.bus == bus)?;
        self.leg(number, leg)?.struck_by
    }

    fn cause(&self, number: u32) -> Option<u64> {
        let place = number.checked_sub(self.first)?;
        self.causes.get(place as usize).copied().flatten()
    }

    fn longest(
        &self,
        number: u32,
        taker: usize,
        released: Time,
        (handed_in, at): (Option<Time>, Time),
    ) -> (DeliveryStep, Duration) {
        let place = self.way.takers[taker];
        let ecu = EcuIndex(place.ecu);
        let checked = span(handed_in.unwrap_or(at), at);
        let checking = (DeliveryStep::Checking(ecu), checked);
        let leg = self.way.legs.iter().position(|leg| leg.bus == place.bus);
        let (Some(_), Some(leg)) = (self.range(number), leg) else {
            return checking;
        };
        let state = |leg| self.leg(number, leg).copied().unwrap_or(LegState::NEW);
        let taken = (leg, ecu, handed_in.unwrap_or(at));
        let way = longest_step(&self.way, state, released, taken);
        match way.1 >= checked {
            true => way,
            false => checking,
        }
    }
}
