//! The keys that a security module grants: for streams that it protects itself, and for message
//! authentication.

use waywarden_can::Id;

use super::{AuthenticationProtocol, EcuIndex, FreshnessMasterPlace, StreamIndex, VehicleFile};
use crate::model::Window;

/// Use of a granted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantedKeyUse {
    /// The messages of a stream, encrypted.
    Encryption(StreamIndex),
    /// The messages of a stream, authenticated.
    Authentication {
        /// The authentication, by its place in the vehicle file.
        table: usize,
        /// The stream.
        stream: StreamIndex,
    },
    /// The announcements of freshness of an authentication, by its place in the vehicle file.
    Announcements(usize),
}

/// A key that a security module grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedKey {
    /// The identifier of its stream or announcements, under which ECUs request it.
    pub id: Id,
    /// Its use.
    pub of: GrantedKeyUse,
    /// The ECU that sends under it, and asks for it.
    pub sender: EcuIndex,
    /// The other ECUs that get it: those that check.
    pub receivers: Vec<EcuIndex>,
    /// Time during which it may be used.
    pub window: Window,
}

impl GrantedKeyUse {
    /// Returns it in a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GrantedKeyUse::Encryption(_) => "encryption",
            GrantedKeyUse::Authentication { .. } => "authentication",
            GrantedKeyUse::Announcements(_) => "freshness",
        }
    }
}

impl GrantedKey {
    /// Returns the stream whose messages come under it; none for announcements.
    #[must_use]
    pub const fn stream(&self) -> Option<StreamIndex> {
        match self.of {
            GrantedKeyUse::Encryption(stream) | GrantedKeyUse::Authentication { stream, .. } => {
                Some(stream)
            }
            GrantedKeyUse::Announcements(_) => None,
        }
    }

    /// Returns the authentication that it is for, by its place in the vehicle file, if it is for
    /// one.
    #[must_use]
    pub const fn authentication(&self) -> Option<usize> {
        match self.of {
            GrantedKeyUse::Encryption(_) => None,
            GrantedKeyUse::Authentication { table, .. } | GrantedKeyUse::Announcements(table) => {
                Some(table)
            }
        }
    }

    /// Returns true if an ECU gets it, as sender or receiver.
    #[must_use]
    pub fn is_held_by(&self, ecu: EcuIndex) -> bool {
        self.sender == ecu || self.receivers.contains(&ecu)
    }
}

impl super::Authentication {
    /// Returns the freshness master, where freshness is announced.
    #[must_use]
    pub const fn freshness_master(&self) -> Option<&FreshnessMasterPlace> {
        match &self.protocol {
            AuthenticationProtocol::Secoc(secoc) => secoc.master.as_ref(),
            _ => None,
        }
    }
}

impl VehicleFile {
    /// Returns the name of a granted key's use: its stream, or the authentication whose freshness
    /// it announces.
    #[must_use]
    pub fn granted_key_name(&self, key: &GrantedKey) -> String {
        match key.of {
            GrantedKeyUse::Encryption(stream) | GrantedKeyUse::Authentication { stream, .. } => {
                self.stream(stream).name.value.clone()
            }
            GrantedKeyUse::Announcements(table) => {
                format!("freshness of {}", self.authentications[table].name.value)
            }
        }
    }

    /// Returns the keys that a security module grants, which is named by its place in the file: of
    /// the streams that it protects itself, then by authentication of streams and announcements.
    #[must_use]
    pub fn granted_keys(&self, network: usize) -> Vec<GrantedKey> {
        let lines = self.lasan[network].protected.iter();
        let encrypted = lines.map(|line| {
            let stream = self.stream(line.stream);
            GrantedKey {
                id: stream.id.value,
                of: GrantedKeyUse::Encryption(line.stream),
                sender: stream.sender,
                receivers: stream.receivers.iter().map(|one| one.ecu).collect(),
                window: line.window,
            }
        });
        let mut keys: Vec<GrantedKey> = encrypted.collect();
        for (at, table) in self.authentications.iter().enumerate() {
            if table.keys.granting_network() == Some(network) {
                keys.extend(self.keys_of_streams(at));
                keys.extend(self.key_of_announcements(at));
            }
        }
        keys
    }

    fn keys_of_streams(&self, table: usize) -> impl Iterator<Item = GrantedKey> + '_ {
        let own = &self.authentications[table];
        own.streams.iter().map(move |&stream| {
            let checks = self.checks(own).filter(|check| check.stream == stream);
            let mut receivers: Vec<EcuIndex> = checks.map(|check| check.ecu).collect();
            receivers.sort();
            receivers.dedup();
            GrantedKey {
                id: self.stream(stream).id.value,
                of: GrantedKeyUse::Authentication { table, stream },
                sender: self.stream(stream).sender,
                receivers,
                window: Window::default(),
            }
        })
    }

    /// All that send or check follow the announcements.
    fn key_of_announcements(&self, table: usize) -> Option<GrantedKey> {
        let own = &self.authentications[table];
        let master = own.freshness_master()?;
        let senders = own.streams.iter().map(|&stream| self.stream(stream).sender);
        let checks = self.checks(own).map(|check| check.ecu);
        let mut receivers: Vec<EcuIndex> = senders.chain(checks).collect();
        receivers.retain(|ecu| *ecu != master.ecu);
        receivers.sort();
        receivers.dedup();
        Some(GrantedKey {
            id: Id::Standard(master.id),
            of: GrantedKeyUse::Announcements(table),
            sender: master.ecu,
            receivers,
            window: Window::default(),
        })
    }
}
