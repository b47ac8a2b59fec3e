//! Access to private keys: names become numbers, and tokens are read.

use waywarden_v2x_service::access::{AccessRule, ClientCredential};
use waywarden_v2x_service::config::{Config, Grantee, group_id, secret, user};
use waywarden_v2x_service_protocol::ClientToken;

use waywarden_command_line::exit::Failure;

/// Reads the grants. `own` is the user that the service becomes.
pub(super) fn rules(config: &Config, own: Option<u32>) -> Result<Vec<AccessRule>, Failure> {
    let (mut rules, mut failures) = (Vec::new(), Vec::new());
    for section in &config.access {
        let Some(client) = section.client() else {
            continue;
        };
        match credential(client, own) {
            Ok(client) => rules.push(AccessRule {
                client,
                grant: section.grant(),
            }),
            Err(why) => failures.push(Failure::new(format_args!("[[access]] {why}"))),
        }
    }
    Failure::if_any(failures)?;
    Ok(rules)
}

fn credential(client: Grantee<'_>, own: Option<u32>) -> Result<ClientCredential, String> {
    match client {
        Grantee::Uid(uid) => Ok(ClientCredential::Uid(uid)),
        Grantee::Gid(gid) => Ok(ClientCredential::Gid(gid)),
        Grantee::User(name) => user(name)
            .map(|account| ClientCredential::Uid(account.uid))
            .map_err(|error| error.to_string()),
        Grantee::Group(name) => group_id(name)
            .map(ClientCredential::Gid)
            .map_err(|error| error.to_string()),
        Grantee::TokenFile(path) => secret::token(path, own)
            .map(|token| ClientCredential::Token(ClientToken(token)))
            .map_err(|error| error.to_string()),
    }
}
