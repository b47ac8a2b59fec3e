//! Section III-B: Algorithms 4 and 6 as printed, beside what ECDSA needs.
//! docs/protocols/ecqv-cits.md lists all that is wrong in them, and tests of `waywarden-v2x-keys`
//! run them as printed.

use super::study::EcqvStudy;
use waywarden_paper_tables::{Cell, Unit};

const PLACE: &str = "§III-B";

impl EcqvStudy {
    /// The range of nonces, and the checks of a verifier.
    pub(super) fn algorithms(&self, cells: &mut Vec<Cell>) {
        let printed = &self.text.algorithms;
        let cell = |name: &str| Cell::new(PLACE, name.to_owned(), Unit::Applicable);
        let (bits, order) = (printed.nonce_bits, printed.order_bits);
        let is_whole = bits == order;
        let why = match is_whole {
            true => String::new(),
            false => format!(
                "nonces of {bits} bits are one in {} of the numbers below an order of {order} \
                 bits: their upper bits are known to be 0, and known bits of nonces reveal the key; 0 is \
                 among them",
                2_u64.saturating_pow(order.saturating_sub(bits))
            ),
        };
        let name = "Algorithm 4, line 6, draws nonces from the whole range";
        cells.push(cell(name).claimed(is_whole, why));
        let is_checked = |need: &&String| printed.checks.contains(need);
        let missing: Vec<&str> = printed
            .needed
            .iter()
            .filter(|need| !is_checked(need))
            .map(String::as_str)
            .collect();
        let why = match missing.is_empty() {
            true => String::new(),
            false => format!(
                "not checked: {}; where the inverse of 0 is 0 and infinity has the coordinate 0, r \
                 = s = 0 passes as a signature of every message under every key",
                missing.join(", ")
            ),
        };
        let name = "Algorithm 6 checks r, s and the sum of points";
        cells.push(cell(name).claimed(missing.is_empty(), why));
    }
}
