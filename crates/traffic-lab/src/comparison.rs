//! Boards and policies side by side, at the same receivers.

use waywarden_v2x_security::schedule::{Ego, Features, MessageClass, Sender};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation};
use waywarden_vehicle_tracks::Origin;

use crate::radio::{Place, Reception};
use crate::road::{Placed, Road};
use crate::verification::{Arrival, Comparison, Receiver, Score, moment};

/// Where the plane lies; any place will do.
const ORIGIN: Origin = Origin {
    latitude: 44.6,
    longitude: 10.9,
};

/// How far ahead of its receiver a false message claims to be, in metres.
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
    comparison: Comparison,
    slots: Vec<Slot>,
    /// By vehicle: whether it verifies or has verified.
    was_chosen: Vec<bool>,
    scores: Vec<Score>,
}

impl Comparing {
    pub(crate) fn new(comparison: Comparison) -> Self {
        let cells = comparison.boards.len() * comparison.policies.len();
        Self {
            comparison,
            scores: vec![Score::default(); cells],
            ..Self::default()
        }
    }

    /// Lets vehicles go that have left the road, and takes others in their place.
    pub(crate) fn place(&mut self, road: &Road) {
        if self.scores.is_empty() {
            return;
        }
        self.was_chosen.resize(road.len(), false);
        let slots = std::mem::take(&mut self.slots);
        let (stay, gone): (Vec<_>, Vec<_>) = slots
            .into_iter()
            .partition(|slot| road.get(slot.vehicle).is_some());
        self.slots = stay;
        gone.into_iter().for_each(|slot| self.end(slot));
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
        let Comparison {
            boards, policies, ..
        } = &self.comparison;
        let pairs = boards
            .iter()
            .flat_map(|board| policies.iter().map(move |policy| (board, *policy)));
        pairs
            .map(|(board, policy)| Receiver::new(board, policy))
            .collect()
    }

    fn end(&mut self, slot: Slot) {
        for (score, receiver) in self.scores.iter_mut().zip(slot.receivers) {
            score.add(&receiver.finish());
        }
    }

    /// A vehicle has received a message. `sender` is where a vehicle is that has sent it; without
    /// one it is false.
    pub(crate) fn received(
        &mut self,
        (own, sender): (&Placed, Option<&Placed>),
        (name, is_valid): (Sender, bool),
        reception: &Reception,
    ) {
        let mut slots = self.slots.iter_mut();
        let Some(slot) = slots.find(|slot| slot.vehicle == reception.receiver) else {
            return;
        };
        let (claimed, distance_m) = match sender {
            Some(sender) => (sender.place, own.place.distance_m(&sender.place)),
            None => (ahead(own), f64::INFINITY),
        };
        let arrival = Arrival {
            made_ns: reception.made_ns,
            distance_m,
            features: Features {
                position: Some(location(&claimed)),
                class: MessageClass::Awareness,
                deadline: None,
                sender: name,
                generated: Some(moment(reception.made_ns)),
            },
            is_honest: sender.is_some(),
            is_valid,
        };
        let heading = own.heading_degrees;
        let heading = heading.map(|degrees| (degrees.rem_euclid(360.0) * 100.0) as u16);
        let ego = Ego::new(location(&own.place), heading);
        for receiver in &mut slot.receivers {
            receiver.arrive(arrival, ego, reception.time_ns);
        }
    }

    /// Verifies all that waits; returns the scores.
    pub(crate) fn finish(mut self) -> Vec<Score> {
        let slots = std::mem::take(&mut self.slots);
        slots.into_iter().for_each(|slot| self.end(slot));
        self.scores
    }
}

/// Returns a place ahead of a vehicle.
fn ahead(own: &Placed) -> Place {
    let (sine, cosine) = own.direction.unwrap_or((0.0, 1.0));
    Place {
        x_m: own.place.x_m + FALSE_AHEAD_M * sine,
        y_m: own.place.y_m + FALSE_AHEAD_M * cosine,
    }
}

fn location(place: &Place) -> TwoDLocation {
    let (latitude, longitude) = ORIGIN.degrees(place.x_m, place.y_m);
    TwoDLocation {
        latitude: Latitude((latitude * 1e7).round() as i32),
        longitude: Longitude((longitude * 1e7).round() as i32),
    }
}
