//! The parts of a vehicle as they are read, before it is known how they fit together.

use super::model::{Bus, BusIndex, BusPassage, Ecu, Route, Stream, is_verified};
use super::place::{Located, Span};
use super::problem::Problem;
use super::reader::Names;

/// The parts read so far; `None` stands for a part that is broken and already noted.
pub(super) struct Draft {
    pub(super) bus_names: Names,
    pub(super) ecu_names: Names,
    pub(super) stream_names: Names,
    pub(super) buses: Vec<Option<Bus>>,
    pub(super) ecus: Vec<Option<Ecu>>,
    pub(super) streams: Vec<Option<StreamDraft>>,
    pub(super) routes: Vec<Option<RouteDraft>>,
}

/// A stream as it stands in the file; its way through the vehicle is not known yet.
pub(super) struct StreamDraft {
    pub(super) stream: Stream,
    pub(super) receivers: Vec<Located<usize>>,
}

/// A route as it stands in the file.
pub(super) struct RouteDraft {
    pub(super) route: Route,
    /// The streams it names; `None` means all that are sent on its bus.
    pub(super) named: Option<Vec<Located<usize>>>,
}

impl Draft {
    /// Returns the names of buses.
    pub(super) fn names_of(&self, buses: &[BusIndex]) -> Vec<String> {
        buses
            .iter()
            .map(|bus| self.bus_names.name(bus.0).to_owned())
            .collect()
    }

    /// Says that an ECU is not on a bus.
    pub(super) fn not_on_bus(&self, ecu: &Ecu, bus: BusIndex) -> Problem {
        Problem::NotOnBus {
            ecu: ecu.name.value.clone(),
            bus: self.bus_names.name(bus.0).to_owned(),
            ports: self.names_of(&ecu.ports),
        }
    }

    /// Returns a stream, unless it is broken.
    pub(super) fn stream(&self, index: usize) -> Option<&StreamDraft> {
        self.streams.get(index)?.as_ref()
    }

    /// Returns true if a stream has no tags any more on a bus that carries it.
    pub(super) fn is_verified(&self, stream: &Stream, carried: &BusPassage) -> bool {
        let route = |at: usize| Some(&self.routes.get(at)?.as_ref()?.route);
        is_verified(&stream.carried, carried.bus, route)
    }

    /// Returns the names of the buses that carry a stream.
    pub(super) fn carriers(&self, stream: &StreamDraft) -> Vec<String> {
        let buses: Vec<BusIndex> = stream
            .stream
            .carried
            .iter()
            .map(|carried| carried.bus)
            .collect();
        self.names_of(&buses)
    }
}

impl RouteDraft {
    /// Returns where a stream of the route is named.
    pub(super) fn place_of(&self, stream: usize) -> Span {
        let named = self.named.iter().flatten();
        named
            .filter(|named| named.value == stream)
            .map(|named: &Located<usize>| named.span.clone())
            .next()
            .unwrap_or(self.route.span.clone())
    }
}
