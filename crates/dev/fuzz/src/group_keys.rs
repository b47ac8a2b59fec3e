//! Group keys: an orchestrator and three members that agree.
//!
//! The law, in `hardened`: no member confirms a key that the orchestrator did not prove for that
//! epoch. Events are `confirmed` (a role took a group key into use), `failed` (an exchange),
//! `missed` (a member lacks a newer key), `unresponsive` (the orchestrator went on without an ECU)
//! and `included` (it took one back).

mod forged;
mod laws;
mod network;
mod parties;
#[cfg(test)]
mod tests;

use waywarden_group_keys::{
    AnyGroupSuite, GroupPlan, GroupProfile, GroupSettings, GroupTiming, IDENTIFIERS, MergeOrder,
    OddLevel, Orchestration, Scheme, Transport,
};
use waywarden_key_suites::{FourQ, P256};
use waywarden_work::Duration;

use crate::disturbance;
use crate::seen::Seen;
use crate::source::Source;
use crate::world::ECUS;

use network::GroupNetwork;

/// Lets a network live through the bytes, which strike a member.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub fn member(bytes: &[u8]) -> Seen {
    let target = usize::from(bytes.first().copied().unwrap_or(0)) % ECUS;
    run(bytes, target)
}

/// Lets a network live through the bytes, which strike the orchestrator.
///
/// # Panics
/// As [`member`].
pub fn orchestrator(bytes: &[u8]) -> Seen {
    run(bytes, ECUS)
}

fn run(bytes: &[u8], target: usize) -> Seen {
    let mut source = Source(bytes);
    let suite = match source.byte() {
        // P-256 is slow, and the roles do not know the difference.
        0..=15 => AnyGroupSuite::of::<P256>(),
        _ => AnyGroupSuite::of::<FourQ>(),
    };
    let from = source.choose(&[1, 8, 252]);
    let Some(settings) = settings(&mut source, from) else {
        return Seen::default();
    };
    let directory = parties::directory(suite, from, settings);
    match GroupNetwork::new(suite, &directory) {
        Ok(network) => disturbance::run(network, source, target),
        Err(_) => Seen::default(),
    }
}

fn settings(source: &mut Source<'_>, from: u8) -> Option<GroupSettings> {
    let scheme = source.choose(&[
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ]);
    let odd = source.choose(&[OddLevel::Skipped, OddLevel::Promoted]);
    let (ecus, orchestrator) = parties::places(from);
    let mut orchestrations = [
        Orchestration::Each,
        Orchestration::SignedAhead,
        Orchestration::Once,
    ];
    if scheme != Scheme::TreeWithoutOrchestrator {
        orchestrations[2] = Orchestration::Each;
    }
    Some(GroupSettings {
        plan: GroupPlan::new(scheme, odd, orchestrator, &ecus).ok()?,
        profile: source.choose(&[
            GroupProfile::Hardened,
            GroupProfile::Hardened,
            GroupProfile::AsPublished,
        ]),
        transport: source.choose(&[Transport::Fd, Transport::Classic]),
        identifiers: IDENTIFIERS,
        merge_order: source.choose(&[MergeOrder::AsReady, MergeOrder::ByLevel]),
        orchestration: source.choose(&orchestrations),
        timing: GroupTiming {
            exchange: Duration::from_millis(100),
            answer: Duration::from_millis(50),
            beacon: Duration::from_millis(source.choose(&[400, 0])),
        },
    })
}
