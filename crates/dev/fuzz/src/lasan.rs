//! LASAN: a security module that authenticates three ECUs and grants them streams.
//!
//! The laws, but for `as-published`: no ECU has the key of a stream that the list does not give
//! it, no key is two streams' or two generations', and the security module has no session but one
//! that the ECU of that address has had, too. Events are `authenticated` (the security module
//! authenticated an ECU), `failed` (at either side), `granted` (an ECU took the key of a stream
//! into use), `denied` (a request refused, or a stream taken away), `lost` (a session that an ECU
//! gave up or had replaced) and `received` (a protected frame was authentic).

mod forged;
mod laws;
mod network;
mod parties;
#[cfg(test)]
mod tests;

use waywarden_lasan::{
    Address, AnyLasanSuite, Credentials, EcdheEcdsa, FourQSchnorrQ, IDENTIFIERS, LasanProfile,
    LasanTiming, MlKem768MlDsa44, NetworkSettings, NetworkTime, Transport,
};
use waywarden_work::Duration;

use crate::disturbance;
use crate::seen::Seen;
use crate::source::Source;
use crate::world::ECUS;

use network::LasanNetwork;

/// Lets a network live through the bytes, which strike an ECU.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub fn ecu(bytes: &[u8]) -> Seen {
    let target = usize::from(bytes.first().copied().unwrap_or(0)) % ECUS;
    run(bytes, target)
}

/// Lets a network live through the bytes, which strike the security module.
///
/// # Panics
/// As [`ecu`].
pub fn security_module(bytes: &[u8]) -> Seen {
    run(bytes, ECUS)
}

fn run(bytes: &[u8], target: usize) -> Seen {
    let mut source = Source(bytes);
    let suite = match source.byte() {
        // These are slow, and the roles hardly know the difference.
        0..=7 => AnyLasanSuite::of::<MlKem768MlDsa44>(),
        8..=23 => AnyLasanSuite::of::<EcdheEcdsa>(),
        _ => AnyLasanSuite::of::<FourQSchnorrQ>(),
    };
    let from = source.choose(&[1, 8, 124]);
    let settings = settings(&mut source, from);
    let directory = parties::directory(suite, from, settings);
    match LasanNetwork::new(suite, &directory) {
        Ok(network) => disturbance::run(network, source, target),
        Err(_) => Seen::default(),
    }
}

fn settings(source: &mut Source<'_>, from: u8) -> NetworkSettings {
    NetworkSettings {
        identifiers: IDENTIFIERS,
        profile: source.choose(&[
            LasanProfile::Hardened,
            LasanProfile::Compact,
            LasanProfile::Hardened,
            LasanProfile::Compact,
            LasanProfile::AsPublished,
        ]),
        credentials: source.choose(&[
            Credentials::Certificates,
            Credentials::Digests,
            Credentials::Keys,
        ]),
        transport: source.choose(&[Transport::Fd, Transport::Fd, Transport::Classic]),
        pacing: source.choose(&[None, None, None, Some(Duration::from_micros(500))]),
        gives_way: source.byte().is_multiple_of(2),
        security_module: Address(from + ECUS as u8),
        time_at_zero: NetworkTime(1_000),
        timing: LasanTiming {
            authentication: Duration::from_millis(100),
            answer: Duration::from_millis(20),
            patience: Duration::from_millis(100),
            stream_key: Duration::from_millis(2_000),
        },
    }
}
