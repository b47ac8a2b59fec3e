//! Properties that must always hold, and the state that their checks need.

use waywarden_lasan::{Address, Permission, StreamId};

use crate::ring::Ring;

type Bytes = [u8; 32];

/// Number of sessions and keys that are remembered.
const REMEMBERED: usize = 128;

pub(super) struct Laws {
    /// The secrets that each ECU has had with the security module.
    exporters: Ring<(Address, Bytes), REMEMBERED>,
    /// The keys of streams that anybody has had.
    keys: Ring<(StreamId, u32, Bytes), REMEMBERED>,
}

impl Laws {
    pub(super) const fn new() -> Self {
        Laws {
            exporters: Ring::new(),
            keys: Ring::new(),
        }
    }

    pub(super) fn note_exporter(&mut self, ecu: Address, exporter: &Bytes) {
        self.exporters.note((ecu, *exporter));
    }

    /// An ECU has the key of a stream: the list gives it to it, and it is nothing else's.
    pub(super) fn hold(
        &mut self,
        ecu: Address,
        line: &Permission,
        (generation, key): (u32, &Bytes),
    ) {
        let holders = line.holders();
        assert!(holders.contains(ecu), "{ecu:?} holds {:?}", line.stream);
        for &(stream, at, other) in self.keys.iter() {
            let same = stream == line.stream && at == generation;
            assert_eq!(same, other == *key, "{stream:?} and {:?}", line.stream);
        }
        self.keys.note((line.stream, generation, *key));
    }

    /// The security module has a session with an ECU: the ECU has had it first.
    pub(super) fn check_session(&self, ecu: Address, exporter: &Bytes) {
        let mut known = self.exporters.iter();
        let had = known.any(|known| *known == (ecu, *exporter));
        assert!(
            had || self.exporters.has_forgotten(),
            "another party is authenticated as {ecu:?}"
        );
    }
}
