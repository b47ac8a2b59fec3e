//! Intended changes during the fire: an ECU is retired, and perhaps taken back; the windows of
//! streams begin and end. All of them have to take effect.

use waywarden_can_sim::random::Random;
use waywarden_lasan::Address;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, ModuleEvent, NetworkTime as Millis, Permission, StreamId,
    enrolled_digest,
};
use waywarden_work::Duration;

use super::FIRE_MS;
use crate::network::{Fleet, NetworkConfig, identity_secret, name, party};

/// The time after the end of a window in which an ECU may still hold its key, in milliseconds,
/// without an attack. A grant states a lifetime that is counted from its reception, and it may have
/// been this long on its way. An attacker that replays a grant which its receiver missed defers the
/// end, but not beyond the next message of the security module that arrives: in the end
/// ([`Changes::is_settled`]) no such key is left.
const ON_THE_WAY_MS: u64 = 400;

/// The greatest difference between two clocks, in milliseconds.
const CLOCKS_MS: u64 = 2;

#[derive(Debug)]
struct Retirement {
    ecu: u8,
    from: u64,
    returns: bool,
    /// Number of the security module's events that were known when it was retired.
    events: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Changes {
    retired: Option<Retirement>,
}

impl Changes {
    /// Draws changes at random and writes their windows into the configuration.
    pub(super) fn new(random: &mut Random, network_config: &mut NetworkConfig) -> Self {
        let zero = network_config.settings().time_at_zero.0;
        for line in &mut network_config.streams {
            let at = Millis(zero + 100 + random.below(FIRE_MS - 100));
            match random.below(8) {
                0 => line.from = at,
                1 => line.until = at,
                _ => {}
            }
        }
        let retires = random.chance(0.4);
        let retired = retires.then(|| Retirement {
            ecu: 1 + random.below(u64::from(network_config.ecus)) as u8,
            from: random.below(FIRE_MS),
            returns: random.chance(0.5),
            events: None,
        });
        if retired.is_some() {
            // A receiver that is not notified, because the security module was reset, holds a key
            // until its time is over.
            network_config.timing.stream_key = Duration::from_millis(3_000);
        }
        Changes { retired }
    }

    /// Returns true if an ECU takes part.
    pub(super) fn takes_part(&self, ecu: u8) -> bool {
        let retired = self.retired.as_ref();
        retired.is_none_or(|one| one.ecu != ecu || one.returns)
    }

    /// Does what is to be done by now.
    pub(super) fn apply<S: AuthenticationSuite>(&mut self, fleet: &Fleet<S>, now: u64) {
        let mut module = fleet.module.borrow_mut();
        let (Some(one), Some(module)) = (&mut self.retired, module.as_mut()) else {
            return;
        };
        let ecu = Address(one.ecu);
        if one.returns && now >= FIRE_MS {
            if one.events.take().is_some() {
                assert!(module.enrol(ecu, name(one.ecu), digest::<S>(fleet, one.ecu).as_ref()));
            }
        } else if now >= one.from {
            one.events.get_or_insert(fleet.module_events.len());
            // Again and again: a reset may have come before it was written down.
            module.retire(ecu);
        }
    }

    /// Asserts that all of it has taken effect.
    pub(super) fn check<S: AuthenticationSuite>(&self, fleet: &Fleet<S>, now: u64) {
        let time = fleet.network_config.settings().time_at_zero.0 + now;
        for line in &fleet.network_config.streams {
            let early = time + CLOCKS_MS < line.from.0;
            let late = time > line.until.0.saturating_add(ON_THE_WAY_MS);
            if early || late {
                for ecu in 1..=fleet.network_config.ecus {
                    let key = fleet.stream_key(ecu, line.sender.0);
                    assert_eq!(key, None, "of {line:?} at {ecu} at {now} ms");
                }
            }
        }
        let Some((retired, known)) = self
            .retired
            .as_ref()
            .and_then(|one| Some((one, one.events?)))
        else {
            return;
        };
        let module = fleet.module.borrow();
        let is_in = module
            .as_ref()
            .map(|one| one.is_authenticated(Address(retired.ecu)));
        assert_ne!(is_in, Some(true), "{retired:?} is in at {now} ms");
        for event in &fleet.module_events[known..] {
            let ModuleEvent::Keyed { stream, generation } = event else {
                continue;
            };
            let sender = sender_of(&fleet.network_config.streams, *stream);
            let key = fleet.stream_key(retired.ecu, sender);
            assert!(
                key.is_none_or(|(held, _)| held != *generation),
                "{retired:?} was granted {stream:?}"
            );
        }
    }

    /// Returns true if a stream is in its required final state: its newest key with all who may
    /// have it and take part; with no ECU if its sender is retired or its window over.
    pub(super) fn is_settled<S: AuthenticationSuite>(
        &self,
        fleet: &Fleet<S>,
        line: &Permission,
    ) -> bool {
        let sender = line.sender.0;
        let key = fleet.stream_key(sender, sender);
        let over = line.until != Millis::MAX;
        let dead = over || !self.takes_part(sender);
        (1..=fleet.network_config.ecus).all(|ecu| {
            let held = fleet.stream_key(ecu, sender);
            match self.takes_part(ecu) {
                true if dead => held.is_none(),
                true if line.holders().contains(Address(ecu)) => key.is_some() && held == key,
                // What others have now is not for it; what it sends itself no other ECU can read.
                false if ecu != sender => held.is_none() || held != key,
                _ => true,
            }
        })
    }
}

fn sender_of(lines: &[Permission], stream: StreamId) -> u8 {
    let line = lines.iter().find(|line| line.stream == stream);
    line.map_or(0, |line| line.sender.0)
}

/// The key with which an ECU is taken back.
fn digest<S: AuthenticationSuite>(fleet: &Fleet<S>, ecu: u8) -> Option<[u8; 32]> {
    let key = party::<S>(&fleet.network_config, ecu, &identity_secret(ecu, 0)).key;
    match fleet.network_config.credentials {
        Credentials::Certificates => None,
        Credentials::Digests => key.try_into().ok(),
        Credentials::Keys => Some(enrolled_digest(&key)),
    }
}
