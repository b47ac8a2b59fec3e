//! Authorities that are renewed while they are served.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use waywarden_v2x_pki::enrolment::EnrolmentLimits;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, RecipientInfo,
};

use crate::authorities::Authorities;
use crate::server::{Endpoint, NoResponse, PkiService, PublicDocument, RequestEvent};

/// For so long authorities that were renewed answer requests that are encrypted to them: as long as
/// a request may be under way that was made before.
const EARLIER: Duration = Duration::from_micros(EnrolmentLimits::DEFAULT.past);

/// Most earlier generations that are kept, the newest ones.
const EARLIER_MAX: usize = 4;

/// Loads what is served; the lines say what is wrong, and with which file.
pub type Load = Box<dyn Fn() -> Result<Authorities, Vec<String>> + Send + Sync>;

/// Authorities that are loaded again when the server is told to reload.
///
/// A request is answered to its end by those that it began with. A later one is answered by those
/// that it is encrypted to: stations and other authorities learn of a renewal after it.
pub struct Renewable {
    generations: RwLock<Generations>,
    load: Load,
}

struct Generations {
    current: Arc<Authorities>,
    /// Those before, and until when they answer; the newest one last.
    earlier: Vec<(Arc<Authorities>, Instant)>,
}

impl Renewable {
    /// Loads what is served first.
    ///
    /// # Errors
    /// The lines of `load`.
    pub fn new(load: Load) -> Result<Self, Vec<String>> {
        let current = Arc::new(load()?);
        Ok(Self {
            generations: RwLock::new(Generations {
                current,
                earlier: Vec::new(),
            }),
            load,
        })
    }

    fn current(&self) -> Arc<Authorities> {
        let generations = self.generations.read();
        let generations = generations.unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&generations.current)
    }

    /// Returns those that a request is encrypted to, or the current ones, which refuse it.
    fn asked(&self, endpoint: Endpoint, request: &[u8]) -> Arc<Authorities> {
        let recipient = recipient(request);
        let generations = self.generations.read();
        let generations = generations.unwrap_or_else(PoisonError::into_inner);
        let is_asked = |one: &Arc<Authorities>| {
            recipient.is_some_and(|recipient| one.is_asked(endpoint, recipient))
        };
        let now = Instant::now();
        let mut earlier = generations.earlier.iter().rev();
        let earlier = earlier.find(|(one, until)| *until > now && is_asked(one));
        match earlier {
            Some((earlier, _)) if !is_asked(&generations.current) => Arc::clone(earlier),
            _ => Arc::clone(&generations.current),
        }
    }

    /// Serves these from now on.
    fn renew(&self, next: Authorities, now: Instant) {
        let mut generations = self.generations.write();
        let generations = generations
            .as_deref_mut()
            .unwrap_or_else(|poisoned| poisoned.get_mut());
        let before = std::mem::replace(&mut generations.current, Arc::new(next));
        let current = &generations.current;
        if !before.ids().eq(current.ids()) {
            generations.earlier.push((before, now + EARLIER));
        }
        let is_kept = |(one, until): &(Arc<Authorities>, Instant)| {
            *until > now && !one.ids().any(|id| current.revoked().contains(&id))
        };
        generations.earlier.retain(is_kept);
        let above = generations.earlier.len().saturating_sub(EARLIER_MAX);
        generations.earlier.drain(..above);
    }
}

impl PkiService for Renewable {
    fn answer(&self, endpoint: Endpoint, request: &[u8]) -> Result<Vec<u8>, NoResponse> {
        let here = |message: &[u8]| {
            let endpoint = Endpoint::Validation;
            self.asked(endpoint, message).answer(endpoint, message)
        };
        let asked = self.asked(endpoint, request);
        asked.answered(endpoint, request, &here)
    }

    fn document(&self, document: PublicDocument) -> Option<Vec<u8>> {
        self.current().document(document)
    }

    fn log(&self, event: &RequestEvent<'_>) {
        self.current().log(event);
    }

    fn reload(&self) {
        let before = self.current();
        match (self.load)() {
            Ok(next) => {
                let ids: Vec<String> = next.ids().map(show).collect();
                self.renew(next, Instant::now());
                before.say(&format!("reloaded: {}", ids.join(", ")));
            }
            Err(lines) => {
                for line in lines {
                    before.say(&format!("not reloaded: {line}; all stays as it was"));
                }
            }
        }
    }
}

impl fmt::Debug for Renewable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Private keys are nothing for a log.
        f.debug_struct("Renewable").finish_non_exhaustive()
    }
}

fn show(id: HashedId8) -> String {
    id.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whose certificate a message is encrypted to, if it is to one alone.
fn recipient(message: &[u8]) -> Option<HashedId8> {
    let Ieee1609Dot2Content::Encrypted(data) = parse::<Ieee1609Dot2Data<'_>>(message).ok()?.content
    else {
        return None;
    };
    let mut recipients = data.recipients.iter();
    match (recipients.next()?.ok()?, recipients.next()) {
        (RecipientInfo::Certificate(one), None) => Some(one.recipient_id),
        _ => None,
    }
}
