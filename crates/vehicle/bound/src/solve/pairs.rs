//! Messages whose codes are in frames of their own: a receiver keeps a message for a limited time
//! until its code comes, and takes no code that comes before its message.

use waywarden_can_auth::paired::{CANDIDATES, TAG_WITHIN};
use waywarden_response_time::NoBound;
use waywarden_vehicle_file::{BusIndex, EcuIndex, QueueOrder, StreamIndex};

use super::{ROUNDING, Solver};
use crate::hops::{Hop, Role};
use crate::timing::at_least;

impl Solver<'_> {
    /// Returns the reason if a check that messages of a stream pass until they are received on a
    /// bus may refuse one whose code is in a frame of its own.
    pub(super) fn demand_pairs(&self, stream: StreamIndex, bus: BusIndex) -> Result<(), NoBound> {
        let file = self.hops.file;
        let receivers = file.stream(stream).receivers.iter();
        let here = receivers.filter(|one| one.bus == bus);
        for one in here.filter(|one| !file.takes_unchecked(stream, one.ecu, bus)) {
            self.demand_pair(stream, (one.ecu, bus))?;
        }
        let carried = &file.stream(stream).carried;
        let mut at = bus;
        // Each step goes one gateway back, so there are at most as many as buses.
        for _ in 0..carried.len() {
            let here = carried.iter().find(|carried| carried.bus == at);
            let Some(by) = here.and_then(|carried| carried.by) else {
                return Ok(());
            };
            let route = &file.routes[by.0];
            self.demand_order(stream, at)?;
            at = route.from;
            if route.verify.is_some() && !file.is_verified(stream, at) {
                self.demand_pair(stream, (route.gateway, at))?;
            }
        }
        Ok(())
    }

    /// Demands that each code comes after its message, in time, and before so many further messages
    /// that its own is displaced.
    fn demand_pair(
        &self,
        stream: StreamIndex,
        (ecu, bus): (EcuIndex, BusIndex),
    ) -> Result<(), NoBound> {
        let Some([data, tag]) = self.pair(stream, bus) else {
            return Ok(());
        };
        self.demand_order(stream, bus)?;
        let [receive, ..] = self.work[ecu.0];
        let first = self.earliest[data] + self.hops.hops[data].frame.shortest;
        let wait = (self.latency[tag]? + receive?).saturating_sub(first);
        let within = at_least(TAG_WITHIN, self.hops.file.ecu(ecu).clock_ppm);
        let Hop { period, jitter, .. } = &self.hops.hops[data];
        let displaced = (CANDIDATES as u64).saturating_mul(*period);
        let is_in_time = wait + ROUNDING < within && wait + jitter + ROUNDING < displaced;
        is_in_time.then_some(()).ok_or(NoBound::LateCode)
    }

    /// Demands that no code overtakes its message in the queue of their sender or gateway.
    fn demand_order(&self, stream: StreamIndex, bus: BusIndex) -> Result<(), NoBound> {
        let Some(pair) = self.pair(stream, bus) else {
            return Ok(());
        };
        let [data, tag] = pair.map(|at| &self.hops.hops[at]);
        let is_fifo = self.hops.file.ecu(data.ecu).queue.order == QueueOrder::Fifo;
        // The message is requested first.
        match is_fifo || data.priority.last < tag.priority.first {
            true => Ok(()),
            false => Err(NoBound::EarlyCode),
        }
    }

    /// Returns the hops of a message and of the frame of its code on a bus, if it has one there.
    fn pair(&self, stream: StreamIndex, bus: BusIndex) -> Option<[usize; 2]> {
        let parts = self.hops.parts(stream, bus);
        let of = |role: Role| {
            parts
                .iter()
                .copied()
                .find(|&at| self.hops.hops[at].role == role)
        };
        Some([of(Role::Data)?, of(Role::Tag)?])
    }
}
