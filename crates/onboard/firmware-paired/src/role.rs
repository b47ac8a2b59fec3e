//! The role of an ECU with vatiCAN or LeiA whose keys are in place.

use waywarden_can::mailbox::PORT;
use waywarden_can::node::Ports;
use waywarden_ecu::EcuRole;
use waywarden_firmware_ecu::{Board, ReportingRole, Start};
use waywarden_firmware_link::{Link, PairedRecord};

use crate::authenticator::{SLOT, authenticator};
use crate::{Ends, Keys, PairedAuthenticator};

/// The values of a boot of an ECU with vatiCAN or LeiA.
pub type PairedStart = Start<PairedRecord>;

/// The role with vatiCAN or LeiA.
pub type PairedRole<'a, L> = ReportingRole<'a, L, PairedAuthenticator<'a>>;

/// The role of an ECU; none if it neither sends with tags nor checks.
pub type OneRole<'a, L> = Option<EcuRole<PairedRole<'a, L>>>;

/// Makes the role of a boot, with its keys and ends in their places, which are empty yet.
///
/// # Panics
/// If the record has more keys than there is room for.
pub fn role<'a, L: Link>(
    start: &PairedStart,
    keys: &'a mut Keys,
    ends: &'a mut Ends,
    board: &'a Board<L>,
) -> OneRole<'a, L> {
    let record = &start.record;
    let has_part = !record.senders.is_empty() || !record.receivers.is_empty();
    has_part.then(|| {
        let authenticator = authenticator(&start.boot(), record, keys, ends);
        let role = ReportingRole::new(authenticator, (), board);
        EcuRole::new(role, Ports::NONE.with(PORT), SLOT)
    })
}
