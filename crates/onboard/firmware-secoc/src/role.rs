//! The role of an ECU with SecOC whose keys are in place.

use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Ports, Slot};
use waywarden_ecu::EcuRole;
use waywarden_firmware_ecu::{Board, ReportingRole, Start};
use waywarden_firmware_link::{EcuRecord, Link};

use crate::{Keys, SecocAuthenticator, authenticator};

/// The values of a boot of an ECU with SecOC.
pub type SecocStart = Start<EcuRecord>;

/// The role with SecOC, whose keys come from `K`.
pub type SecocRole<'a, L, K = ()> = ReportingRole<'a, L, SecocAuthenticator<'a>, K>;

/// The role of an ECU; none if it neither sends, checks nor announces.
pub type OneRole<'a, L> = Option<EcuRole<SecocRole<'a, L>>>;

/// The first slot of the role.
const SLOT: Slot = Slot(0);

/// Makes the role of a boot, with its keys in `keys`, which are none yet.
///
/// # Panics
/// As [`authenticator()`].
pub fn role<'a, L: Link>(
    start: &SecocStart,
    keys: &'a mut Keys,
    board: &'a Board<L>,
) -> OneRole<'a, L> {
    let record = &start.record;
    record.has_part().then(|| {
        let authenticator = authenticator(&start.boot(), SLOT, record, keys);
        let role = ReportingRole::new(authenticator, (), board);
        EcuRole::new(role, Ports::NONE.with(PORT), SLOT)
    })
}
