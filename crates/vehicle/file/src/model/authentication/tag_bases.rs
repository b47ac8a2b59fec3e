//! The 29-bit identifiers of message authentication.

use waywarden_can::Id;
use waywarden_can_auth::paired::WireForm;

use super::{Authentication, AuthenticationProtocol};

/// The command of a question about a stream's state, or of its answer, in a 29-bit identifier.
pub(super) const EPOCH: u32 = 2;

impl Authentication {
    /// Returns the beginnings of a stream's 29-bit identifiers, each with the command that follows:
    /// of its messages and their tags, of answers and theirs.
    pub fn tag_bases(&self, id: Id) -> impl Iterator<Item = (u16, u32)> + use<> {
        let (messages, answers) = match self.protocol {
            AuthenticationProtocol::Paired { wire, .. } => (wire == WireForm::Leia, true),
            AuthenticationProtocol::Published { wire, .. } => {
                (wire == WireForm::Leia, wire == WireForm::Leia)
            }
            AuthenticationProtocol::Secoc(_) => (false, false),
        };
        let own = match id {
            Id::Standard(id) => Some(id.raw()),
            Id::Extended(_) => None,
        };
        own.into_iter().flat_map(move |own| {
            let all = [(own, 0, messages), (own | 1, 1, messages)];
            let all = all
                .into_iter()
                .chain([(own, EPOCH, answers), (own | 1, EPOCH + 1, answers)]);
            all.filter_map(|(base, command, there)| there.then_some((base, command)))
        })
    }
}
