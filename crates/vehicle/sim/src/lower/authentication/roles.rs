//! The role of an ECU in an authentication, by protocol and code.

use waywarden_can::node::{Boot, Slot};
use waywarden_can_auth::mac::{AesCmac, HmacSha256, Mac, SipHash, SpongentMac};
use waywarden_can_auth::paired::{self, WireForm};
use waywarden_key_suites::Entropy;
use waywarden_work::Algorithm;

use super::configuration::{AuthenticationConfiguration, Line, Protocol};
use super::ends::{ends, made};
use super::keys::Keys;
use super::published::{leia, vatican};
use crate::nodes::MessageAuthenticator;

/// Makes a role at a boot.
pub(super) fn role(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
) -> Box<dyn MessageAuthenticator> {
    match configuration.mac {
        Algorithm::SpongentMac => with::<SpongentMac>(boot, slot, configuration),
        Algorithm::SipHash => with::<SipHash>(boot, slot, configuration),
        Algorithm::HmacSha256 => with::<HmacSha256>(boot, slot, configuration),
        _ => with::<AesCmac>(boot, slot, configuration),
    }
}

fn with<M: Mac + Send + 'static>(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
) -> Box<dyn MessageAuthenticator> {
    let keys = configuration.place::<M>(boot);
    match &configuration.protocol {
        Protocol::Paired(wire) => paired(boot, slot, configuration, *wire, keys),
        Protocol::Published(WireForm::Vatican) => vatican(boot, slot, configuration, keys),
        Protocol::Published(WireForm::Leia) => leia(boot, slot, configuration, keys),
        Protocol::Secoc => secoc(boot, slot, configuration, keys),
    }
}

fn paired(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
    wire: WireForm,
    keys: Keys,
) -> Box<dyn MessageAuthenticator> {
    let mut entropy = Entropy::new(boot.seed);
    let connection = |line: &Line| paired::PairedConnection::new(wire, line.id, line.key()).ok();
    let senders = ends(&configuration.sends, |line| {
        Some(paired::PairedSender::in_epoch(connection(line)?, 0))
    });
    let receivers = ends(&configuration.checks, |line| {
        let mut seed = [0; 16];
        seed.copy_from_slice(&entropy.draw().as_bytes()[..16]);
        let connection = connection(line)?;
        Some(paired::PairedReceiver::new(
            connection,
            configuration.asks_under?,
            &seed,
        ))
    });
    made(boot, slot, configuration, keys, (senders, receivers))
}

fn secoc(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
    keys: Keys,
) -> Box<dyn MessageAuthenticator> {
    let senders = ends(&configuration.sends, |line| Some(line.secured?.sender()));
    let receivers = ends(&configuration.checks, |line| Some(line.secured?.receiver()));
    made(boot, slot, configuration, keys, (senders, receivers))
}
