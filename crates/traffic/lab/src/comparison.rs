//! Boards and policies side by side, at the same receivers.

use waywarden_v2x_schedule::{ClaimedSender, Ego, Features, MessageClass};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation};
use waywarden_vehicle_tracks::PlaneOrigin;

use crate::message_source::MessageSigner;
use crate::radio::PlanePoint;
use crate::road::{Placed, Road};
use crate::run_log::{MessageDecision, MessageVerdict, ReceivedMessage, RunLog};
use crate::verification::{Arrival, PolicyComparison, Receiver, Score, moment};

/// Geographic position of the plane's origin, at the first vehicle; any place will do.
const ORIGIN: PlaneOrigin = PlaneOrigin {
    latitude: 44.6,
    longitude: 10.9,
};

/// Claimed distance of a false message ahead of its receiver, in metres.
const FALSE_AHEAD_M: f64 = 20.0;

/// A vehicle that verifies.
#[derive(Clone, Debug)]
struct Slot {
    vehicle: usize,
    /// For each board, for each policy.
    receivers: Vec<Receiver>,
}

/// Boards and policies at work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparing {
    comparison: PolicyComparison,
    /// Place of the first vehicle: networks may have their origin far away.
    origin: Option<PlanePoint>,
    slots: Vec<Slot>,
    /// By vehicle: true if it verifies or has verified.
    was_chosen: Vec<bool>,
    scores: Vec<Score>,
}

impl Comparing {
    pub(crate) fn new(comparison: PolicyComparison) -> Self {
        let cells = comparison.boards.len() * comparison.policies.len();
        Self {
            comparison,
            scores: vec![Score::default(); cells],
            ..Self::default()
        }
    }

    /// Lets vehicles go that have left the road, and takes others in their place.
    pub(crate) fn place(&mut self, road: &Road, log: &mut impl RunLog) {
        if self.scores.is_empty() {
            return;
        }
        let first = road.present().next().map(|(_, placed)| placed.place);
        self.origin = self.origin.or(first);
        self.was_chosen.resize(road.len(), false);
        let slots = std::mem::take(&mut self.slots);
        let (stay, gone): (Vec<_>, Vec<_>) = slots
            .into_iter()
            .partition(|slot| road.get(slot.vehicle).is_some());
        self.slots = stay;
        gone.into_iter().for_each(|slot| self.end(slot, log));
        for (vehicle, _) in road.present() {
            if self.slots.len() >= self.comparison.receivers {
                break;
            }
            if !self.was_chosen[vehicle] {
                self.was_chosen[vehicle] = true;
                self.slots.push(Slot {
                    vehicle,
                    receivers: self.receivers(),
                });
            }
        }
    }

    fn receivers(&self) -> Vec<Receiver> {
        let PolicyComparison {
            boards, policies, ..
        } = &self.comparison;
        let pairs = boards
            .iter()
            .flat_map(|board| policies.iter().map(move |policy| (board, *policy)));
        pairs
            .map(|(board, policy)| Receiver::new(board, policy))
            .collect()
    }

    fn end(&mut self, slot: Slot, log: &mut impl RunLog) {
        let policies = self.comparison.policies.len();
        let cells = self.scores.iter_mut().zip(slot.receivers).enumerate();
        for (cell, (score, receiver)) in cells {
            score.add(&receiver.finish(&mut decided(log, cell, policies)));
        }
    }

    /// Returns true if a vehicle verifies.
    pub(crate) fn verifies(&self, vehicle: usize) -> bool {
        self.slots.iter().any(|slot| slot.vehicle == vehicle)
    }

    /// A vehicle has received a message. `sender` is where a vehicle is that has sent it; without
    /// one it is false.
    pub(crate) fn received(
        &mut self,
        (own, sender): (&Placed, Option<&Placed>),
        (name, is_valid, signer): (ClaimedSender, bool, Option<MessageSigner>),
        message: ReceivedMessage,
        log: &mut impl RunLog,
    ) {
        let policies = self.comparison.policies.len();
        let origin = self.origin;
        let location = |place: &PlanePoint| location(place, origin);
        let mut slots = self.slots.iter_mut();
        let Some(slot) = slots.find(|slot| slot.vehicle == message.receiver) else {
            return;
        };
        let claimed = sender.map_or_else(|| ahead(own), |sender| sender.place);
        let arrival = Arrival {
            message,
            features: Features {
                position: Some(location(&claimed)),
                class: MessageClass::Awareness,
                deadline: None,
                sender: name,
                generated: Some(moment(message.made_ns)),
            },
            is_honest: sender.is_some(),
            is_valid,
            signer,
        };
        let heading = own.heading_degrees;
        let heading = heading.map(|degrees| (degrees.rem_euclid(360.0) * 100.0) as u16);
        let ego = Ego::new(location(&own.place), heading);
        for (cell, receiver) in slot.receivers.iter_mut().enumerate() {
            let decided = &mut decided(log, cell, policies);
            receiver.arrive(arrival, ego, message.time_ns, decided);
        }
    }

    /// Verifies all that waits; returns the scores.
    pub(crate) fn finish(mut self, log: &mut impl RunLog) -> Vec<Score> {
        let slots = std::mem::take(&mut self.slots);
        slots.into_iter().for_each(|slot| self.end(slot, log));
        self.scores
    }
}

/// Logs the decision of a cell, a board with a policy.
fn decided(
    log: &mut impl RunLog,
    cell: usize,
    policies: usize,
) -> impl FnMut(&Arrival, MessageVerdict, u64) {
    move |arrival, verdict, decided_ns| {
        log.decided(&MessageDecision {
            message: arrival.message,
            applications: arrival.applications().count() as u8,
            board: cell / policies,
            policy: cell % policies,
            verdict,
            decided_ns,
        });
    }
}

/// Returns a place ahead of a vehicle.
fn ahead(own: &Placed) -> PlanePoint {
    let (sine, cosine) = own.direction.unwrap_or((0.0, 1.0));
    PlanePoint {
        x_m: own.place.x_m + FALSE_AHEAD_M * sine,
        y_m: own.place.y_m + FALSE_AHEAD_M * cosine,
    }
}

/// Returns a place on the earth. The plane's `origin` is at [`ORIGIN`].
fn location(place: &PlanePoint, origin: Option<PlanePoint>) -> TwoDLocation {
    let (x_m, y_m) = origin.map_or((0.0, 0.0), |origin| (origin.x_m, origin.y_m));
    let (latitude, longitude) = ORIGIN.degrees(place.x_m - x_m, place.y_m - y_m);
    TwoDLocation {
        latitude: Latitude((latitude * 1e7).round() as i32),
        longitude: Longitude((longitude * 1e7).round() as i32),
    }
}
