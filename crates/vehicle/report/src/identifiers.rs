//! Names of identifiers on a bus: those of the streams that own them.

use std::collections::BTreeMap;

use waywarden_can::Id;
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::trace::BusIndex;

use crate::measure::Watched;

/// Names of identifiers: first those of the bus, then those that only one stream of the car has.
#[derive(Clone, Debug, Default)]
pub struct IdentifierNames {
    on_bus: BTreeMap<(usize, u32), String>,
    anywhere: BTreeMap<u32, Option<String>>,
}

impl IdentifierNames {
    /// Collects the names of streams.
    #[must_use]
    pub fn of(streams: &[Watched]) -> Self {
        let mut names = IdentifierNames::default();
        for stream in streams {
            let key = acceptance_key(stream.id);
            names
                .on_bus
                .insert((stream.bus.0, key), stream.name.clone());
            let anywhere = names
                .anywhere
                .entry(key)
                .or_insert_with(|| Some(stream.name.clone()));
            // Two streams of one identifier: forwarded frames could be either's.
            if anywhere.as_ref().is_some_and(|name| *name != stream.name) {
                *anywhere = None;
            }
        }
        names
    }

    /// Returns the stream of an identifier on a bus; none if several share it, or none has it.
    #[must_use]
    pub fn name(&self, bus: BusIndex, id: Id) -> Option<&str> {
        let key = acceptance_key(id);
        let here = self.on_bus.get(&(bus.0, key));
        here.or_else(|| self.anywhere.get(&key)?.as_ref())
            .map(String::as_str)
    }
}
