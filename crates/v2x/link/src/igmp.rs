//! Multicast groups that the machine's interfaces are members of.

use std::fs;
use std::net::Ipv4Addr;

/// Memberships in the network namespace that the calling thread is in.
const MEMBERSHIPS: &str = "/proc/thread-self/net/igmp";

/// Returns whether an interface is a member of a group, or cannot be asked.
///
/// A socket keeps a membership that its interface has lost: joining once more is refused, and only
/// this list shows the loss.
pub(crate) fn is_member(index: u32, group: Ipv4Addr) -> bool {
    fs::read_to_string(MEMBERSHIPS).map_or(true, |text| lists(&text, index, group))
}

/// A line for each interface begins with its number; lines with its groups follow, indented.
fn lists(text: &str, index: u32, group: Ipv4Addr) -> bool {
    // Linux prints the four bytes as one number of the machine's byte order.
    let group = format!("{:08X}", u32::from_ne_bytes(group.octets()));
    let mut is_it = false;
    for line in text.lines() {
        let first = line.split_whitespace().next().unwrap_or("");
        if !line.starts_with(char::is_whitespace) {
            is_it = first.parse() == Ok(index);
        } else if is_it && first == group {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memberships_are_those_of_the_interface() {
        let group = Ipv4Addr::new(239, 118, 50, 88);
        let number = u32::from_ne_bytes(group.octets());
        let text = format!(
            "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n\
             1\tlo        :     1      V3\n\t\t\t\t010000E0     1 0:00000000\t\t0\n\
             2\teth0      :     2      V3\n\t\t\t\t{number:08X}     1 0:00000000\t\t0\n\
             \t\t\t\t010000E0     1 0:00000000\t\t0\n"
        );
        assert!(lists(&text, 2, group));
        assert!(!lists(&text, 1, group));
        assert!(!lists(&text, 3, group));
        assert!(!lists("", 1, group));
    }
}
