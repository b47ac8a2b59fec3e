//! The roles of an ECU in the protocols as published: all its streams of a port hang together.

use waywarden_can::StandardId;
use waywarden_can::node::{Boot, Port, Slot};
use waywarden_can_auth::key_store::KeyId;
use waywarden_can_auth::stream::{LeiaReceivers, LeiaSenders, VaticanSenders};
use waywarden_can_auth::{leia, vatican};
use waywarden_ecu::End;
use waywarden_work::RecordedOperations;

use super::configuration::{AuthenticationConfiguration, EPOCHS, FAILURES, Line};
use super::ends::made;
use super::keys::Keys;
use crate::nodes::MessageAuthenticator;

/// Groups lines by port: as published, all streams of a port hang together.
fn by_port(lines: &[Line]) -> Vec<(Port, Vec<&Line>)> {
    let mut groups: Vec<(Port, Vec<&Line>)> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|(port, _)| *port == line.port) {
            Some((_, group)) => group.push(line),
            None => groups.push((line.port, vec![line])),
        }
    }
    groups
}

pub(super) fn vatican(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
    keys: Keys,
) -> Box<dyn MessageAuthenticator> {
    let connection = |line: &&Line| vatican::VaticanConnection::new(line.id, line.key()).ok();
    let senders = by_port(&configuration.sends)
        .into_iter()
        .map(|(port, lines)| {
            let senders = lines
                .iter()
                .filter_map(connection)
                .map(vatican::VaticanSender::new);
            let end = VaticanSenders::new(senders.collect::<Vec<_>>(), false);
            End { port, end }
        });
    let receivers = by_port(&configuration.checks)
        .into_iter()
        .map(|(port, lines)| {
            let connections = lines.iter().filter_map(connection);
            let end = vatican::VaticanReceiver::new(connections.collect::<Vec<_>>(), false);
            End { port, end }
        });
    let ends = (senders.collect(), receivers.collect());
    made(boot, slot, configuration, keys, ends)
}

pub(super) fn leia(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
    mut keys: Keys,
) -> Box<dyn MessageAuthenticator> {
    let mut meter = RecordedOperations::new();
    let failing = |id: StandardId| {
        let session = KeyId(FAILURES | EPOCHS | id.raw());
        leia::LeiaConnection::of_failures(id, KeyId(FAILURES | id.raw()), session)
    };
    let mut begin = |connection: leia::LeiaConnection, keys: &mut Keys| {
        let begun = connection.begin(keys, &mut meter).ok();
        while meter.drain().next().is_some() {}
        begun
    };
    let connection =
        |line: &&Line| leia::LeiaConnection::new(line.id, line.key(), line.epoch_key()).ok();
    let mut senders = Vec::new();
    for (port, lines) in by_port(&configuration.sends) {
        let own = lines.iter().filter_map(connection).collect::<Vec<_>>();
        let own = own.into_iter().filter_map(|one| begin(one, &mut keys));
        let own: Vec<leia::LeiaSender> = own.map(leia::LeiaSender::new).collect();
        let failures = configuration
            .others_ask
            .iter()
            .filter_map(|id| begin(failing(*id), &mut keys));
        let end = LeiaSenders::new(own, failures.collect::<Vec<_>>());
        senders.push(End { port, end });
    }
    let mut receivers = Vec::new();
    for (port, lines) in by_port(&configuration.checks) {
        let own = lines.iter().filter_map(connection).collect::<Vec<_>>();
        let own = own.into_iter().filter_map(|one| begin(one, &mut keys));
        let own: Vec<leia::LeiaConnection> = own.collect();
        let failures = configuration
            .asks_under
            .and_then(|id| begin(failing(id), &mut keys));
        let receiver = leia::LeiaReceiver::new(own, failures.map(leia::LeiaSender::new));
        let end = LeiaReceivers::new(receiver);
        receivers.push(End { port, end });
    }
    made(boot, slot, configuration, keys, (senders, receivers))
}
