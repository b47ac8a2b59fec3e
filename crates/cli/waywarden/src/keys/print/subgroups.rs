//! The networks and the subgroups of a group: who holds which key, and since when.

use std::io::{self, Write};

use waywarden_vehicle_lab::exchange::GroupExchange;

use super::Detail;
use crate::report_table::report_table;

/// Maximum number of subgroups that are listed by default: those of 8 ECUs in a full tree.
const LISTED_MAX: usize = 15;

/// Prints the networks that a group is merged of, and its subgroups.
pub(super) fn print(out: &mut impl Write, group: &GroupExchange, detail: Detail) -> io::Result<()> {
    if !group.networks.is_empty() {
        report_table(&group.networks).print(out)?;
    }
    let subgroups = group.subgroups.len();
    // In a plain tree they are what the exchanges of the time line form.
    let is_plain = group.networks.is_empty() && group.odd_levels == "skipped";
    if detail == Detail::Fitting && (is_plain || subgroups > LISTED_MAX) {
        return writeln!(
            out,
            "({subgroups} subgroups have keys of their own: --steps lists them)"
        );
    }
    report_table(&group.subgroups).print(out)
}
