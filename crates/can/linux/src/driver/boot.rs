//! Boots a node with what it retained.

use waywarden_can::node::Boot;

use crate::error::DriverError;
use crate::link::Host;
use crate::store::RetainedStore;

pub(super) fn boot<H: Host, N, S: RetainedStore>(
    host: &H,
    store: &mut S,
    seed: [u8; 32],
    make: impl FnOnce(Boot<'_>) -> N,
) -> Result<N, DriverError> {
    let retained = store.load()?;
    Ok(make(Boot {
        now: host.now(),
        seed,
        retained: &retained,
    }))
}
