//! Access to private keys: names become numbers, and tokens are read.

use waywarden_v2x_service::access::{ClientCredential, Rule};
use waywarden_v2x_service::config::{Client, Config, group_id, secret, user};
use waywarden_v2x_service_protocol::Token;

use waywarden_command_line::exit::Failure;

/// Reads the grants. `own` is the user that the service becomes.
pub(super) fn rules(config: &Config, own: Option<u32>) -> Result<Vec<Rule>, Failure> {
    let (mut rules, mut failures) = (Vec::new(), Vec::new());
    for section in &config.access {
        let Some(client) = section.client() else {
            continue;
        };
        match credential(client, own) {
            Ok(client) => rules.push(Rule {
                client,
                grant: section.grant(),
            }),
            Err(why) => failures.push(Failure::new(format_args!("[[access]] {why}"))),
        }
    }
    Failure::if_any(failures)?;
    Ok(rules)
}

fn credential(client: Client<'_>, own: Option<u32>) -> Result<ClientCredential, String> {
    match client {
        Client::Uid(uid) => Ok(ClientCredential::Uid(uid)),
        Client::Gid(gid) => Ok(ClientCredential::Gid(gid)),
        Client::User(name) => user(name)
            .map(|account| ClientCredential::Uid(account.uid))
            .map_err(|error| error.to_string()),
        Client::Group(name) => group_id(name)
            .map(ClientCredential::Gid)
            .map_err(|error| error.to_string()),
        Client::TokenFile(path) => secret::token(path, own)
            .map(|token| ClientCredential::Token(Token(token)))
            .map_err(|error| error.to_string()),
    }
}
