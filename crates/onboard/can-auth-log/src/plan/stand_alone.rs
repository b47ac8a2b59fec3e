//! Tables that stand alone, without a vehicle: docs/auth.md describes them.

use std::collections::HashMap;

use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::secoc::SynchronisationError;
use waywarden_vehicle_file::matrix::j1939::parameter_group;
use waywarden_vehicle_file::{
    AuthenticationFile, AuthenticationProtocol, FileErrors, LogAuthentication, LogStream,
    LogStreams, Problem,
};

use super::AuthenticationPlan;
use super::table::{
    AuthenticationTable, Except, FreshnessAnnouncements, NamedMessage, ProtectedMessages,
};

impl AuthenticationPlan {
    /// Adds a table of a file. A message belongs to the first table that names it, else to the
    /// first that is about all messages.
    ///
    /// `key` is the one that the table names ([`LogAuthentication::key`]): a key file is for the
    /// caller to read. With `fd` classic frames of SecOC become CAN FD frames, as if the table said
    /// `fd = true`.
    ///
    /// # Errors
    /// [`FileErrors`] with the place of the table if its profile has no announcements.
    pub fn add_table(
        &mut self,
        file: &AuthenticationFile,
        table: &LogAuthentication,
        key: MacKey,
        fd: bool,
    ) -> Result<(), FileErrors> {
        let table = AuthenticationTable::stand_alone(table, key, fd).map_err(|error| {
            let (found, remedy) = (error.to_string(), "take another profile");
            let problem = Problem::Relation { found, remedy };
            FileErrors::from(file.source.error(&table.name.span, problem))
        })?;
        self.tables.push(table);
        Ok(())
    }
}

impl AuthenticationTable {
    fn stand_alone(
        table: &LogAuthentication,
        key: MacKey,
        fd: bool,
    ) -> Result<Self, SynchronisationError> {
        let secoc = match &table.protocol {
            AuthenticationProtocol::Secoc(secoc) => Some(secoc),
            _ => None,
        };
        let announcements = secoc.zip(table.announcements).map(|(secoc, own)| {
            FreshnessAnnouncements::new(secoc, own.id, own.period, key.duplicate())
        });
        let (except_groups, except_ids): (Vec<&LogStream>, Vec<&LogStream>) =
            table.except.iter().partition(|one| one.is_of_any_source);
        let except = Except {
            ids: except_ids.iter().map(|one| one.id).collect(),
            groups: groups(except_groups).map(|(group, _)| group).collect(),
        };
        let message = |one: &LogStream| NamedMessage {
            name: one.name.clone(),
            key: key.duplicate(),
            layout: None,
        };
        let messages = match &table.streams {
            LogStreams::All => ProtectedMessages::All { except, key },
            LogStreams::Named(listed) => {
                let (of_groups, of_ids): (Vec<&LogStream>, Vec<&LogStream>) =
                    listed.iter().partition(|one| one.is_of_any_source);
                let of_ids = of_ids.iter().filter(|one| !except.contains(one.id));
                let named = of_ids.map(|one| (one.id, message(one))).collect();
                let groups: HashMap<u32, NamedMessage> = groups(of_groups)
                    .map(|(group, one)| (group, message(one)))
                    .collect();
                match groups.is_empty() {
                    true => ProtectedMessages::Named(named),
                    false => ProtectedMessages::Groups {
                        named,
                        groups,
                        except,
                    },
                }
            }
        };
        Ok(AuthenticationTable {
            mac: table.protocol.mac(),
            protocol_name: table.protocol.name(),
            protocol: table.protocol.clone(),
            widens: secoc.is_some() && (fd || table.widens),
            announcements: announcements.transpose()?,
            data_ids: table.data_ids.iter().copied().collect(),
            cryptographic: HashMap::new(),
            shares_keys: true,
            asking: Vec::new(),
            bus: table.channel.clone(),
            messages,
        })
    }
}

/// Returns messages that stand for any source address by their parameter groups.
fn groups(messages: Vec<&LogStream>) -> impl Iterator<Item = (u32, &LogStream)> {
    let messages = messages.into_iter();
    messages.filter_map(|one| Some((parameter_group(one.id)?, one)))
}
