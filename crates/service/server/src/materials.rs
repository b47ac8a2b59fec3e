//! Materials of the service: trust, certificates and private keys.

use std::collections::BTreeSet;
use std::fmt;

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_signing::{Credential, DecryptionKeys};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid};

/// Everything that a reload replaces.
pub struct Materials {
    /// Verifies: it has the trust anchors, authorities and revocation lists.
    pub verifier: Verifier,
    /// True if trust anchors are configured for the verifier.
    pub is_trust_configured: bool,
    /// Sign. The first one that may sign a message does.
    pub signers: Vec<SigningIdentity>,
    /// Keeps which pseudonyms were used; `None`: what kept it before, or else this process.
    pub used: Option<Box<dyn UsedCertificates>>,
    /// Decrypts.
    pub decryption: Decryption,
}

/// A certificate to sign with, and the store that has its private key.
pub struct SigningIdentity {
    /// Its name in the configuration.
    pub name: String,
    /// The certificate and the handle of its key.
    pub credential: Credential,
    /// The store that has the key.
    pub store: Box<dyn KeyStore + Send>,
    /// The applications that it signs for; `None`: all that the certificate permits.
    pub psids: Option<BTreeSet<Psid>>,
    /// True if it is one of several pseudonyms of its name, one of which signs until another one is
    /// requested.
    pub is_pseudonym: bool,
}

/// A record of used pseudonyms, the most recently used first.
pub trait UsedCertificates: Send {
    /// Returns the number of others used since; `None` if it was never used.
    fn age(&self, id: HashedId8) -> Option<usize>;

    /// Takes one as used last, before the first message that it signs.
    ///
    /// # Errors
    /// A human-readable reason why the use cannot be recorded. The certificate is not used then.
    fn add(&mut self, id: HashedId8) -> Result<(), String>;
}

/// Most pseudonyms that a process remembers.
const REMEMBERED_MAX: usize = 1_024;

/// Pseudonyms that this process has used; the next one knows nothing of them.
#[derive(Debug, Default)]
pub struct UsedInProcess(Vec<HashedId8>);

impl UsedCertificates for UsedInProcess {
    fn age(&self, id: HashedId8) -> Option<usize> {
        self.0.iter().rev().position(|one| *one == id)
    }

    fn add(&mut self, id: HashedId8) -> Result<(), String> {
        self.0.retain(|one| *one != id);
        self.0.push(id);
        if self.0.len() > REMEMBERED_MAX {
            self.0.remove(0);
        }
        Ok(())
    }
}

impl SigningIdentity {
    /// Returns true if it signs for an application: the certificate and the configuration permit
    /// it.
    #[must_use]
    pub fn signs(&self, psid: Psid) -> bool {
        let is_wanted = |psids: &BTreeSet<Psid>| psids.contains(&psid);
        self.psids.as_ref().is_none_or(is_wanted) && self.credential.permits(psid)
    }
}

/// Private keys to decrypt with.
pub struct Decryption {
    /// The keys, by the identifiers with which messages name recipients.
    pub keys: DecryptionKeys,
    /// The store that has them.
    pub store: Box<dyn KeyStore + Send>,
}

impl Materials {
    /// Returns true if trust is configured and no trust anchor is there: every message is refused.
    #[must_use]
    pub fn lacks_anchor(&self) -> bool {
        let mut kept = self.verifier.store().kept();
        self.is_trust_configured && !kept.any(|one| one.issuer().is_none())
    }

    /// Says in one line what there is.
    #[must_use]
    pub fn summary(&self) -> String {
        let kept = self.verifier.store().kept().count();
        let pseudonyms = self.signers.iter().filter(|one| one.is_pseudonym).count();
        let others = self.signers.iter().filter(|one| !one.is_pseudonym);
        let signers = others.map(|one| {
            let HashedId8(id) = one.credential.id();
            let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} ({id})", one.name)
        });
        let pseudonyms = (pseudonyms > 0).then(|| format!("{pseudonyms} pseudonyms"));
        let signers: Vec<String> = signers.chain(pseudonyms).collect();
        let signers = match signers.is_empty() {
            true => "none".to_owned(),
            false => signers.join(", "),
        };
        format!("{kept} trusted certificates; signers: {signers}")
    }
}

impl fmt::Debug for Materials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())
    }
}
