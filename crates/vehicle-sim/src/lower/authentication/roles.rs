//! The role of an ECU in an authentication, by protocol and code.

use waywarden_can::node::{Boot, Slot};
use waywarden_can_auth::mac::{AesCmac, HmacSha256, Mac, SipHash, SpongentMac};
use waywarden_can_auth::paired::{self, Wire};
use waywarden_can_auth::secoc;
use waywarden_ecu::End;
use waywarden_ecu_keys::suite::Entropy;
use waywarden_work::Algorithm;

use super::keys::Keys;
use super::post::{Line, Post, Protocol, made};
use super::published::{leia, vatican};
use crate::nodes::Authenticating;

/// Makes a role at a boot.
pub(super) fn role(boot: &Boot<'_>, slot: Slot, post: &Post) -> Box<dyn Authenticating> {
    match post.mac {
        Algorithm::SpongentMac => with::<SpongentMac>(boot, slot, post),
        Algorithm::SipHash => with::<SipHash>(boot, slot, post),
        Algorithm::HmacSha256 => with::<HmacSha256>(boot, slot, post),
        _ => with::<AesCmac>(boot, slot, post),
    }
}

fn with<M: Mac + 'static>(boot: &Boot<'_>, slot: Slot, post: &Post) -> Box<dyn Authenticating> {
    let keys = post.place::<M>(boot);
    match &post.protocol {
        Protocol::Paired(wire) => paired(boot, slot, post, *wire, keys),
        Protocol::Published(Wire::Vatican) => vatican(boot, slot, post, keys),
        Protocol::Published(Wire::Leia) => leia(boot, slot, post, keys),
        Protocol::Secoc => secoc(boot, slot, post, keys),
    }
}

fn paired(
    boot: &Boot<'_>,
    slot: Slot,
    post: &Post,
    wire: Wire,
    keys: Keys,
) -> Box<dyn Authenticating> {
    let mut entropy = Entropy::new(boot.seed);
    let connection = |line: &Line| paired::Connection::new(wire, line.id, line.key()).ok();
    let senders = post.sends.iter().filter_map(|line| {
        let end = paired::Sender::new(connection(line)?, 0);
        let port = line.port;
        Some(End { port, end })
    });
    let receivers = post.checks.iter().filter_map(|line| {
        let mut seed = [0; 16];
        seed.copy_from_slice(&entropy.draw().as_bytes()[..16]);
        let end = paired::Receiver::new(connection(line)?, post.asks_under?, &seed);
        let port = line.port;
        Some(End { port, end })
    });
    let ends = (senders.collect(), receivers.collect());
    made(boot, slot, post, keys, ends)
}

fn secoc(boot: &Boot<'_>, slot: Slot, post: &Post, keys: Keys) -> Box<dyn Authenticating> {
    let senders = post.sends.iter().filter_map(|line| {
        let (port, end) = (line.port, secoc::Sender::new(line.secoc?, 0));
        Some(End { port, end })
    });
    let receivers = post.checks.iter().filter_map(|line| {
        let (port, end) = (line.port, secoc::Receiver::new(line.secoc?, 0));
        Some(End { port, end })
    });
    let ends = (senders.collect(), receivers.collect());
    made(boot, slot, post, keys, ends)
}
