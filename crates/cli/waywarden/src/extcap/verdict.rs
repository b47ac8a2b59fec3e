//! The verdict in the comment of a packet, which `packaging/wireshark/waywarden.lua` reads.

use std::fmt::Write as _;

/// A verdict, as far as it stands beside a packet.
pub(super) struct PacketVerdict<'a> {
    /// True if the message is accepted.
    pub(super) is_accepted: bool,
    /// The standard's name for the result.
    pub(super) result: &'a str,
    /// HashedId8 of the signer's certificate, in hexadecimal digits.
    pub(super) signer: Option<&'a str>,
    /// PSID of the application.
    pub(super) psid: Option<u64>,
    /// Reason for the verdict.
    pub(super) reason: Option<&'a str>,
}

impl PacketVerdict<'_> {
    /// Returns the comment: words with `=` between name and value, and the reason at the end.
    pub(super) fn comment(&self) -> String {
        let accepted = match self.is_accepted {
            true => "accepted",
            false => "refused",
        };
        let mut comment = format!("waywarden {accepted} verdict={}", self.result);
        if let Some(signer) = self.signer {
            let _ = write!(comment, " signer={signer}");
        }
        if let Some(psid) = self.psid {
            let _ = write!(comment, " psid={psid}");
        }
        if let Some(reason) = self.reason.filter(|reason| !reason.is_empty()) {
            let _ = write!(comment, " reason={reason}");
        }
        comment
    }
}
