//! Access control for the use of private keys.
//!
//! The kernel says who is at the other end of a Unix-domain socket: its user and its primary group.
//! A client shows a token where that is not enough, or not known as over TCP.

mod token;

use std::collections::BTreeSet;
use std::fmt;

use waywarden_v2x_wire::ieee1609dot2::Psid;

use token::PaddedToken;
use waywarden_v2x_service_protocol::{
    ClientToken, RefusedRequest, RequestedOperation, Status, TOKEN_BYTES_MAX,
};

/// Least number of bytes of a token in a rule: a shorter one can be guessed.
pub const TOKEN_BYTES_MIN: usize = 16;
/// Most rules.
pub const RULES_MAX: usize = 1024;

/// Operations permitted to a client beyond those of every client: verification, encryption, and
/// queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// Applications that it may have messages signed for.
    pub sign: BTreeSet<Psid>,
    /// True if it may have messages decrypted.
    pub decrypt: bool,
}

impl Grant {
    /// Returns a grant of what this one and another one permit.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            sign: self.sign.union(&other.sign).copied().collect(),
            decrypt: self.decrypt || other.decrypt,
        }
    }

    /// Returns true if it permits nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sign.is_empty() && !self.decrypt
    }

    /// Checks that a client with this grant may ask for an operation.
    ///
    /// # Errors
    /// [`Status::NotAuthorized`] or [`Status::PsidNotAuthorized`], with who can change it.
    pub fn check(&self, operation: &RequestedOperation) -> Result<(), RefusedRequest> {
        match operation {
            RequestedOperation::Sign(sign) => self.check_sign(sign.psid),
            RequestedOperation::ChangeCertificate(psid) => self.check_sign(*psid),
            RequestedOperation::Decrypt(_) if !self.decrypt => Err(RefusedRequest::new(
                Status::NotAuthorized,
                format!("this client may not have messages decrypted; {REMEDY}"),
            )),
            _ => Ok(()),
        }
    }

    fn check_sign(&self, psid: Psid) -> Result<(), RefusedRequest> {
        if self.sign.contains(&psid) {
            return Ok(());
        }
        let Psid(number) = psid;
        if self.sign.is_empty() {
            let reason = format!(
                "this client may not have messages signed, also not for PSID {number}; {REMEDY}"
            );
            return Err(RefusedRequest::new(Status::NotAuthorized, reason));
        }
        let reason =
            format!("this client may not have messages signed for PSID {number}; {REMEDY}");
        Err(RefusedRequest::new(Status::PsidNotAuthorized, reason))
    }
}

/// Remedy for a client without a grant, for reasons of refusals.
const REMEDY: &str = "the administrator of the service can grant it in the service's \
                      configuration, to the client's user, its group or a token";

/// The credential by which a rule recognizes a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientCredential {
    /// The user that the client runs as. The kernel shows every user that this machine does not
    /// know as one and the same, mostly 65534: that one should have no rule.
    Uid(u32),
    /// The primary group that the client runs with. Supplementary groups do not count: the kernel
    /// does not say them of a datagram, and no crate of this workspace asks for those of a stream.
    Gid(u32),
    /// A secret of [`TOKEN_BYTES_MIN`] to [`TOKEN_BYTES_MAX`] bytes that the client shows.
    Token(ClientToken),
}

/// A grant to a client.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessRule {
    /// Credential of the client.
    pub client: ClientCredential,
    /// Operations granted to it.
    pub grant: Grant,
}

/// The process at the other end of a socket, according to the kernel: of a stream, the effective
/// credentials at connection (SO_PEERCRED); of a datagram, the real ones of its sender
/// (SCM_CREDENTIALS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// User of the process.
    pub uid: u32,
    /// Primary group of the process.
    pub gid: u32,
}

/// An error in the access rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessError {
    /// There are more than [`RULES_MAX`].
    TooManyRules(usize),
    /// The token of the rule at this place, from 0, has a length in bytes that is out of range.
    TokenLength {
        /// Index of the rule, from 0.
        rule: usize,
        /// Length of its token in bytes.
        length: usize,
    },
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyRules(count) => {
                write!(f, "{count} access rules; at most {RULES_MAX} are possible")
            }
            Self::TokenLength { rule, length } => write!(
                f,
                "access rule {}: a token of {length} bytes; a token has {TOKEN_BYTES_MIN} to \
                 {TOKEN_BYTES_MAX} bytes",
                rule + 1
            ),
        }
    }
}

impl std::error::Error for AccessError {}

/// The rules of who may have private keys used. Without a rule, a client may not.
#[derive(Debug, Default)]
pub struct Access {
    peers: Vec<(PeerCredential, Grant)>,
    tokens: Vec<(PaddedToken, Grant)>,
}

#[derive(Clone, Copy, Debug)]
enum PeerCredential {
    Uid(u32),
    Gid(u32),
}

impl Access {
    /// Takes rules. A client has what all the rules for it grant together.
    ///
    /// # Errors
    /// [`AccessError`].
    pub fn new(rules: impl IntoIterator<Item = AccessRule>) -> Result<Self, AccessError> {
        let mut access = Self::default();
        for (place, AccessRule { client, grant }) in rules.into_iter().enumerate() {
            if place >= RULES_MAX {
                return Err(AccessError::TooManyRules(place + 1));
            }
            match client {
                ClientCredential::Uid(uid) => access.peers.push((PeerCredential::Uid(uid), grant)),
                ClientCredential::Gid(gid) => access.peers.push((PeerCredential::Gid(gid), grant)),
                ClientCredential::Token(ClientToken(token)) => {
                    let padded = PaddedToken::new(&token)
                        .filter(|_| token.len() >= TOKEN_BYTES_MIN)
                        .ok_or(AccessError::TokenLength {
                            rule: place,
                            length: token.len(),
                        })?;
                    access.tokens.push((padded, grant));
                }
            }
        }
        Ok(access)
    }

    /// Returns the grant of a peer by its user and group: empty if the kernel does not give them.
    #[must_use]
    pub fn grant_of_peer(&self, peer: Option<Peer>) -> Grant {
        let Some(peer) = peer else {
            return Grant::default();
        };
        let is_of_peer = |client: &PeerCredential| match client {
            PeerCredential::Uid(uid) => *uid == peer.uid,
            PeerCredential::Gid(gid) => *gid == peer.gid,
        };
        let rules = self.peers.iter().filter(|(client, _)| is_of_peer(client));
        rules.fold(Grant::default(), |sum, (_, grant)| sum.and(grant))
    }

    /// Returns the grant of a token; `None` if no rule has it. The time that a wrong token takes
    /// depends on the number of rules alone.
    #[must_use]
    pub fn grant_of_token(&self, token: &[u8]) -> Option<Grant> {
        let shown = PaddedToken::new(token)?;
        let mut sum: Option<Grant> = None;
        for (known, grant) in &self.tokens {
            if known.is(&shown) {
                sum = Some(sum.unwrap_or_default().and(grant));
            }
        }
        sum
    }
}
