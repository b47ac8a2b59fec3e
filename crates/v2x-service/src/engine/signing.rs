//! Messages signed, on a thread of their own: no other work delays them.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use waywarden_v2x_security::Verified;
use waywarden_v2x_signing::{Credential, Seed, Sender, SendingOptions, SignError, Statement};
use waywarden_v2x_wire::ieee1609dot2::{ServiceSpecificPermissions, Time64};

use super::Shared;
use super::requests::{Handler, Requests};
use crate::materials::SigningIdentity;
use crate::protocol::{Refused, ResponseBody, Sign, Status};
use crate::time::Reading;

/// The thread that signs.
pub(super) type Signing = Requests<Signer>;

/// Starts the thread.
pub(super) fn start(
    shared: &Arc<Shared>,
    signers: Vec<SigningIdentity>,
    room: usize,
) -> io::Result<Signing> {
    let signer = Signer::new(Arc::clone(shared), signers)?;
    Requests::start(shared, ("sign", "sign"), room, signer)
}

impl Handler for Signer {
    type Request = Sign;
    type Materials = Vec<SigningIdentity>;

    fn replace(&mut self, signers: Vec<SigningIdentity>) {
        let identities = signers.into_iter().map(|identity| Identity {
            sender: Sender::new(identity.credential.clone()),
            identity,
        });
        self.identities = identities.collect();
        let certificates = self.identities.iter();
        let certificates = certificates.map(|one| one.identity.credential.certificate());
        self.shared.exchange.replace(certificates);
    }

    fn answer(&mut self, sign: &Sign, arrived: Instant) -> Result<ResponseBody, Refused> {
        let signed = self.try_sign(sign);
        match &signed {
            Ok(_) => {
                self.shared.statistics.signed();
                self.shared.observer.signed(arrived.elapsed());
            }
            Err(refused) => self.shared.observer.refused(refused.status),
        }
        signed
    }
}

/// Fresh randomness for one call.
pub(super) fn seed() -> Result<Seed, Refused> {
    let mut bytes = [0; 32];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(Seed::new(bytes)),
        Err(_) => {
            let reason = "the operating system gives no randomness";
            Err(Refused::new(Status::Internal, reason))
        }
    }
}

/// Signs.
pub(super) struct Signer {
    shared: Arc<Shared>,
    identities: Vec<Identity>,
    /// The latest time that a message was signed with: no earlier one follows.
    last: Option<Time64>,
}

/// A certificate, and how it was used last.
struct Identity {
    identity: SigningIdentity,
    sender: Sender,
}

impl Signer {
    fn new(shared: Arc<Shared>, signers: Vec<SigningIdentity>) -> io::Result<Self> {
        // The first message is not the one that learns that there is no randomness.
        seed().map_err(|refused| io::Error::other(refused.reason))?;
        let mut signer = Self {
            shared,
            identities: Vec::new(),
            last: None,
        };
        signer.replace(signers);
        Ok(signer)
    }

    fn try_sign(&mut self, sign: &Sign) -> Result<ResponseBody, Refused> {
        let now = self.now()?;
        let at = self.choose(sign, now.time)?;
        let Identity { identity, sender } = &mut self.identities[at];
        let position = now.position.map(|one| one.location);
        let statement = Statement {
            psid: sign.psid,
            payload: &sign.payload,
            location: sign.location.or(position),
        };
        let options = SendingOptions {
            signer: sign.signer,
            lifetime: sign
                .lifetime
                .map(|one| u64::try_from(one.as_micros()).unwrap_or(u64::MAX)),
        };
        let seed = seed()?;
        let made = (now.time, &seed);
        let message = self.shared.exchange.sign(sender, |sender| {
            sender.send_with(&mut *identity.store, &statement, options, made)
        });
        let message = message.map_err(|error| not_signed(&error))?;
        self.last = Some(now.time);
        let (_, end) = identity.credential.certificate().validity();
        let expires = options.lifetime.map(|one| now.time.0.saturating_add(one));
        Ok(ResponseBody::Signed {
            message,
            expires: expires.map_or(end, |one| Time64(one).min(end)),
        })
    }

    /// The time, if a message may be signed with it.
    fn now(&self) -> Result<Reading, Refused> {
        let now = self.shared.time.read();
        if let Some(why) = now.distrust {
            let reason = format!("{why}; nothing is signed until the time is trusted");
            return Err(Refused::new(Status::TimeNotTrusted, reason));
        }
        if self.last.is_some_and(|last| now.time < last) {
            let reason = "the clock is behind the last message that was signed";
            return Err(Refused::new(Status::TimeNotTrusted, reason));
        }
        Ok(now)
    }

    /// Finds the first certificate that may sign the message.
    fn choose(&self, sign: &Sign, now: Time64) -> Result<usize, Refused> {
        let serves = |one: &&(usize, &Identity)| one.1.identity.signs(sign.psid);
        let all: Vec<_> = self.identities.iter().enumerate().collect();
        let mut serving = all.iter().filter(serves).peekable();
        if serving.peek().is_none() {
            let reason = format!(
                "none of the service's {} certificates permits PSID {}",
                self.identities.len(),
                sign.psid.0
            );
            return Err(Refused::new(Status::NotPermitted, reason));
        }
        let mut valid = serving.filter(|(_, one)| {
            let (start, end) = one.identity.credential.certificate().validity();
            start <= now && now < end
        });
        let valid: Vec<_> = valid.by_ref().collect();
        if valid.is_empty() {
            let reason = format!(
                "no certificate of the service for PSID {} is valid now",
                sign.psid.0
            );
            return Err(Refused::new(Status::NoCertificate, reason));
        }
        let permitted = valid
            .iter()
            .find(|(_, one)| permits(&one.identity.credential, sign));
        permitted.map(|(at, _)| *at).ok_or_else(|| {
            let reason = "permissions: beyond what the service's certificates permit";
            Refused::new(Status::NotPermitted, reason)
        })
    }
}

/// Whether a certificate has the service specific permissions that a message needs: the same bytes,
/// or of a bitmap every bit that is set after the first byte, which is the version.
fn permits(credential: &Credential, sign: &Sign) -> bool {
    let Some(asked) = &sign.permissions else {
        return true;
    };
    let certificate: &Verified = credential.certificate();
    let view = certificate.view().ok();
    let own = view.and_then(|view| view.to_be_signed.app_permissions);
    let mut own = own.iter().flatten().flatten();
    let Some(own) = own.find(|one| one.psid == sign.psid) else {
        return false;
    };
    match own.ssp {
        None => true,
        Some(ServiceSpecificPermissions::Unknown(..)) => false,
        Some(ServiceSpecificPermissions::Opaque(bytes)) => bytes == &asked[..],
        Some(ServiceSpecificPermissions::Bitmap(bits)) => {
            let bits = bits.as_bytes();
            let is_within = |(own, asked): (&u8, &u8)| asked & !own == 0;
            bits.len() == asked.len()
                && bits.first() == asked.first()
                && bits.iter().zip(asked).all(is_within)
        }
    }
}

fn not_signed(error: &SignError) -> Refused {
    let status = match error {
        SignError::NotPermitted(_) => Status::NotPermitted,
        SignError::Missing("generationLocation") => Status::LocationUnknown,
        _ => Status::NotSigned,
    };
    Refused::new(status, error.to_string())
}
