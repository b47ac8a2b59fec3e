//! Facts in words, with the names of the vehicle file: what traces, reports and pictures print.
//!
//! Nothing here is read by a program. With `--cfg no_prose` every phrase is an `x`, and each
//! verdict, figure and exit code is what it is without.

mod authorization;
mod group;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;

use waywarden_can_sim::json::RemarkText;
use waywarden_group_keys::Address;
use waywarden_lasan::StreamId;

use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_trace::{
    AuthorizationEvent, CheckOutcome, CheckRefusal, Fact, GroupKeyEvent, JudgedFact,
    MessageIdentity, Truth,
};

/// The names behind the numbers of facts.
#[derive(Clone, Debug, Default)]
pub struct Prose {
    streams: Vec<String>,
    groups: Vec<String>,
    networks: Vec<NetworkNames>,
    authentications: Vec<String>,
    attackers: Vec<String>,
    ecus: Vec<String>,
}

/// The names behind the numbers of a security module's network.
#[derive(Clone, Debug, Default)]
struct NetworkNames {
    name: String,
    ecus: BTreeMap<Address, String>,
    /// Names of protected streams.
    streams: BTreeMap<StreamId, String>,
}

impl Prose {
    /// Takes the names of a vehicle.
    #[must_use]
    pub fn of(file: &VehicleFile) -> Self {
        let networks = file.lasan.iter().enumerate().map(|(at, network)| {
            let ecus = network.parties();
            let ecus = ecus.map(|party| (party.address, file.ecu(party.ecu).name.value.clone()));
            let keys = file.granted_keys(at).into_iter();
            let streams = keys.map(|key| (StreamId::of(key.id), file.granted_key_name(&key)));
            NetworkNames {
                name: network.name.value.clone(),
                ecus: ecus.collect(),
                streams: streams.collect(),
            }
        });
        Prose {
            streams: names(file.streams.iter().map(|one| &one.name.value)),
            groups: names(file.groups.iter().map(|one| &one.name.value)),
            networks: networks.collect(),
            authentications: names(file.authentications.iter().map(|one| &one.name.value)),
            attackers: names(file.attackers.iter().map(|one| &one.name.value)),
            ecus: names(file.ecus.iter().map(|one| &one.name.value)),
        }
    }

    /// Returns the kind of a fact, the party responsible and the text; none for facts that traces
    /// leave out.
    #[must_use]
    pub fn describe(&self, fact: &JudgedFact<'_>) -> Option<RemarkText> {
        let kind = fact.kind()?.name();
        let by = self.responsible(fact.fact).to_owned();
        let text = self.text(fact)?;
        Some(RemarkText { kind, by, text })
    }

    /// Returns the name of the party responsible for a fact: a protocol, a stream, a module of a
    /// program, an attacker.
    #[must_use]
    pub fn responsible<'a>(&'a self, fact: &'a Fact) -> &'a str {
        match *fact {
            Fact::GroupKey { group, .. } => self.group(group),
            Fact::Authorization { network, .. } => self.network(network),
            Fact::Checked { authentication, .. } => name(&self.authentications, authentication),
            Fact::Taken { stream, .. }
            | Fact::HandedIn { stream, .. }
            | Fact::Discarded { stream, .. }
            | Fact::Protected { stream, .. } => name(&self.streams, stream),
            Fact::Released { message }
            | Fact::Sampled { message, .. }
            | Fact::Skipped { message, .. }
            | Fact::Withheld { message } => name(&self.streams, message.stream),
            Fact::Executed { .. } | Fact::ImageFailed { .. } => "image",
            Fact::Overrun { message, .. } | Fact::Dropped { message, .. } => {
                let message = MessageIdentity::of(message).message;
                message.map_or("", |message| name(&self.streams, message.stream))
            }
            Fact::Displayed { module, .. } | Fact::KeyPressed { module, .. } => module,
            Fact::Intruded { attacker, .. }
            | Fact::CallRefused { attacker }
            | Fact::Suppressed { attacker, .. }
            | Fact::Modified { attacker, .. }
            | Fact::Impersonated { attacker, .. } => name(&self.attackers, attacker),
        }
    }

    /// Returns the text of a fact; none for facts that traces leave out.
    #[must_use]
    pub fn text(&self, fact: &JudgedFact<'_>) -> Option<String> {
        let text = match fact.fact {
            Fact::GroupKey { event, .. } => group::text(event),
            Fact::Authorization { network, event } => {
                let names = self.networks.get(*network)?;
                let (code, text) = (event.code(), self.authorization(names, event));
                format!("{code}: {text}")
            }
            Fact::Checked {
                stream, outcome, ..
            } => {
                let words = check_outcome(outcome, fact.is_forged());
                format!("{}: {words}", name(&self.streams, *stream))
            }
            Fact::Taken { frame, .. } if fact.is_forged() => format!("{frame} {FORGED}"),
            Fact::Skipped { since_boot, .. } => {
                format!("the transmit queue is full, {since_boot} skipped since boot")
            }
            Fact::Displayed { value, source, .. } => {
                return Some(display(value, source.and(fact.truth)));
            }
            Fact::KeyPressed {
                number,
                key,
                is_down,
                ..
            } => {
                let what = if *is_down { "pressed" } else { "let go" };
                format!("event {number}: key {} {what}", key.label())
            }
            Fact::Intruded {
                made_up, handed_in, ..
            } => format!("{made_up} made up, {handed_in} handed in"),
            Fact::CallRefused { .. } => "a module refused a call from outside".to_owned(),
            Fact::Suppressed { frame, .. } => format!("{frame} dropped"),
            Fact::Modified { frame, changed, .. } => format!("{frame} made into {changed}"),
            Fact::Impersonated { frame, .. } => format!("{frame} in the name of another"),
            Fact::ImageFailed { why } => why.clone(),
            Fact::Overrun { .. } => "the receive mailbox has no room for a frame".to_owned(),
            Fact::Executed { .. }
            | Fact::Taken { .. }
            | Fact::Released { .. }
            | Fact::Sampled { .. }
            | Fact::Dropped { .. }
            | Fact::Discarded { .. }
            | Fact::HandedIn { .. }
            | Fact::Protected { .. }
            | Fact::Withheld { .. } => return None,
        };
        Some(phrase(text))
    }

    /// Returns the name of a group.
    #[must_use]
    pub fn group(&self, at: usize) -> &str {
        name(&self.groups, at)
    }

    /// Returns the name of an authentication's table.
    #[must_use]
    pub fn authentication(&self, at: usize) -> &str {
        name(&self.authentications, at)
    }

    /// Returns the name of a stream.
    #[must_use]
    pub fn stream(&self, at: usize) -> &str {
        name(&self.streams, at)
    }

    /// Returns the name of an attacker.
    #[must_use]
    pub fn attacker(&self, at: usize) -> &str {
        name(&self.attackers, at)
    }

    /// Returns the name of an ECU.
    #[must_use]
    pub fn ecu(&self, at: usize) -> &str {
        name(&self.ecus, at)
    }

    /// Returns the name of the ECU that has an address in a security module's network.
    #[must_use]
    pub fn ecu_at(&self, network: usize, address: Address) -> Option<&str> {
        let names = &self.networks.get(network)?.ecus;
        names.get(&address).map(String::as_str)
    }

    /// Returns the name of a stream that a security module's network protects.
    #[must_use]
    pub fn protected_stream(&self, network: usize, stream: StreamId) -> Option<&str> {
        let names = &self.networks.get(network)?.streams;
        names.get(&stream).map(String::as_str)
    }

    /// Returns the name of a security module's table.
    #[must_use]
    pub fn network(&self, at: usize) -> &str {
        self.networks.get(at).map_or("", |one| one.name.as_str())
    }

    /// Returns the text of an event of a group key.
    #[must_use]
    pub fn group_key(event: &GroupKeyEvent) -> String {
        phrase(group::text(event))
    }

    /// Returns the text of an event under a security module, without the code that traces put
    /// before it.
    #[must_use]
    pub fn authorization_text(&self, network: usize, event: &AuthorizationEvent) -> String {
        let names = self.networks.get(network);
        phrase(names.map_or(String::new(), |names| self.authorization(names, event)))
    }
}

/// Text for a forgery that was accepted.
const FORGED: &str = "taken though its sender did not send it";

/// Returns the text of a check's outcome; `is_forged` if its sender did not send the message.
#[must_use]
pub const fn check_outcome(outcome: &CheckOutcome, is_forged: bool) -> &'static str {
    match outcome {
        CheckOutcome::Authentic(_) if is_forged => FORGED,
        CheckOutcome::Authentic(_) => "authentic",
        CheckOutcome::Refused(CheckRefusal::WrongTag) => "wrong tag",
        CheckOutcome::Refused(CheckRefusal::Replay) => "replay",
        CheckOutcome::Refused(CheckRefusal::Missing) => "missing tag",
        CheckOutcome::Refused(CheckRefusal::TagWithoutData) => "tag without data",
        CheckOutcome::Refused(CheckRefusal::OutOfStep) => "out of step",
        CheckOutcome::Resynced => "in step again",
        CheckOutcome::Refused(CheckRefusal::NoRoom) => "no room to check it",
        CheckOutcome::Refused(CheckRefusal::NotReady) => "not ready to check it",
        CheckOutcome::Refused(CheckRefusal::UnknownKey) => "under an unknown key",
    }
}

/// Returns the text of a displayed value and its source.
pub(crate) fn display(value: &str, truth: Option<Truth>) -> String {
    let origin = truth.map_or(String::new(), origin);
    phrase(format!("shows {value}{origin}"))
}

/// Returns the text of a displayed value's source.
fn origin(truth: Truth) -> String {
    match truth {
        Truth::Genuine(genuine) => match genuine.cause {
            Some(event) => format!(" (event {event})"),
            None => " (from the start)".to_owned(),
        },
        Truth::Forged { .. } => " (its sender did not send it)".to_owned(),
    }
}

/// Returns the phrase itself, or `x` in a build without prose.
pub(crate) fn phrase(text: String) -> String {
    if cfg!(no_prose) { "x".to_owned() } else { text }
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    names.cloned().collect()
}

fn name(names: &[String], at: usize) -> &str {
    names.get(at).map_or("", String::as_str)
}
