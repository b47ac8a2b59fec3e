//! The keys by which the log of a simulated run is checked.

use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth_log::VehicleKeys;
use waywarden_vehicle_file::{StreamIndex, VehicleFile};

use crate::lower::{announcement_key, message_key};

/// The keys that the simulated runs of a vehicle have.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedKeys<'f>(pub &'f VehicleFile);

impl VehicleKeys for SimulatedKeys<'_> {
    fn message_key(&self, authentication: usize, stream: StreamIndex) -> MacKey {
        message_key(self.0, authentication, stream)
    }

    fn announcement_key(&self, authentication: usize) -> MacKey {
        announcement_key(self.0, authentication)
    }
}
