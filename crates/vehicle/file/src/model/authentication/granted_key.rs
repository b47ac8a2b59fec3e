//! Keys that a security module grants: for streams under its own protection and for message
//! authentication.

use waywarden_can::Id;

use super::{AuthenticationProtocol, EcuIndex, FreshnessMasterPlace, StreamIndex, VehicleFile};
use crate::model::Window;

/// Use of a granted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantedKeyUse {
    /// Encrypts the messages of a stream.
    Encryption(StreamIndex),
    /// Authenticates the messages of a stream.
    Authentication {
        /// Index of the authentication in the vehicle file.
        table: usize,
        /// The stream.
        stream: StreamIndex,
    },
    /// Authenticates the freshness announcements of an authentication, named by its index in the
    /// vehicle file.
    Announcements(usize),
}

/// A key that a security module grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedKey {
    /// CAN identifier of its stream or announcements; ECUs request the key by it.
    pub id: Id,
    /// Use of the key.
    pub of: GrantedKeyUse,
    /// ECU that sends messages under the key, and requests it.
    pub sender: EcuIndex,
    /// ECUs that receive the key to check messages.
    pub receivers: Vec<EcuIndex>,
    /// Time window in which the key may be used.
    pub window: Window,
}

impl GrantedKeyUse {
    /// Returns the use as one word.
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
    /// Returns the stream that the key protects; `None` for announcements.
    #[must_use]
    pub const fn stream(&self) -> Option<StreamIndex> {
        match self.of {
            GrantedKeyUse::Encryption(stream) | GrantedKeyUse::Authentication { stream, .. } => {
                Some(stream)
            }
            GrantedKeyUse::Announcements(_) => None,
        }
    }

    /// Returns the index in the vehicle file of the authentication that uses the key; `None` for an
    /// encrypted stream.
    #[must_use]
    pub const fn authentication(&self) -> Option<usize> {
        match self.of {
            GrantedKeyUse::Encryption(_) => None,
            GrantedKeyUse::Authentication { table, .. } | GrantedKeyUse::Announcements(table) => {
                Some(table)
            }
        }
    }

    /// Returns true if an ECU gets the key, as sender or receiver.
    #[must_use]
    pub fn is_held_by(&self, ecu: EcuIndex) -> bool {
        self.sender == ecu || self.receivers.contains(&ecu)
    }
}

impl super::Authentication {
    /// Returns the freshness master; `None` if freshness is not announced.
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

    /// Returns the keys that a security module grants; `network` is its index in the file. Keys of
    /// the streams under its own protection come first, then those of each authentication: streams,
    /// then announcements.
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

    /// Returns the key of the announcements, which every sender and every checking ECU receives.
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
