//! Features that decide the order of verification, read before anything of a message is verified.

use waywarden_v2x_wire::detect::FoundSpdu;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Ieee1609Dot2Content, SignedData, SignerIdentifier, Time64, TwoDLocation,
};

use super::class::MessageClass;
use super::position::position_of;
use waywarden_v2x_wire::hash::certificate_digest;

/// Claimed sender of a message. Each of these can be forged; a receiver counts by them so that a
/// sender has to forge many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimedSender {
    /// The address of the link, which is that of the last forwarder.
    Link([u8; 6]),
    /// The digest of the signer's certificate.
    Certificate(HashedId8),
    /// Not known: all such messages count as those of one sender.
    #[default]
    Unknown,
}

/// Features that decide the order of verification. All of them are claimed by the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// Claimed position of origin; `None`: not known.
    pub position: Option<TwoDLocation>,
    /// Urgency of its application.
    pub class: MessageClass,
    /// The last moment at which verifying it is of use; the queue shortens one that is too far
    /// away.
    pub deadline: Option<Time64>,
    /// Claimed sender.
    pub sender: ClaimedSender,
    /// Claimed generation time; `None`: not known, so that it counts as made when it came.
    pub generated: Option<Time64>,
}

impl Features {
    /// Reads the features of a message: its position by [`position_of`], its class by its
    /// application, its expiry time as the deadline, and its sender by the link or else by the
    /// signer's certificate. Linear in the length of the message.
    #[must_use]
    pub fn of(found: &FoundSpdu<'_>) -> Self {
        let link = found.link.map(|(_, address)| ClaimedSender::Link(address));
        let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
            return Self {
                sender: link.unwrap_or_default(),
                ..Self::default()
            };
        };
        let header = &signed.tbs_data.header_info;
        Self {
            position: position_of(&found.data).map(|claimed| claimed.place),
            class: MessageClass::of(header.psid),
            deadline: header.expiry_time,
            generated: header.generation_time,
            sender: link.or_else(|| signer(signed)).unwrap_or_default(),
        }
    }
}

fn signer(signed: &SignedData<'_>) -> Option<ClaimedSender> {
    let digest = match &signed.signer {
        SignerIdentifier::Digest(digest) => *digest,
        SignerIdentifier::Certificate(chain) => {
            let own = chain.iter().next()?.ok()?;
            certificate_digest(&own)?.id_8()
        }
        SignerIdentifier::OwnKey(_) => return None,
    };
    Some(ClaimedSender::Certificate(digest))
}
