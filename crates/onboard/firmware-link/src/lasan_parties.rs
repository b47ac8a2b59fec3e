//! The knowledge of a party under a security module: the settings of its network, the others' keys,
//! and which streams may be sent by whom.

use core::ops::Range;

use waywarden_key_roles::{FixedBits, IdentifierPlan};
use waywarden_lasan::{
    Address, AddressSet, Credentials, LasanFrameReader, LasanProfile, LasanTiming, Name,
    NetworkSettings, NetworkTime, Party, PartyDirectory, Permission, Transport,
};

use crate::List;
use crate::fields::{Field, MessageError, Reader, Writer, put_all, take_all};

/// Maximum number of parties that an image knows, the security module among them.
pub const LASAN_PARTIES_MAX: usize = 9;
/// Maximum number of streams and announcements whose keys an image grants.
pub const PERMISSIONS_MAX: usize = 24;
/// Maximum number of bytes of all keys and credentials that an image knows.
pub const KNOWN_MAX: usize = 3_072;

/// The knowledge of a party.
pub struct LasanParties {
    settings: NetworkSettings,
    /// The addresses of all ECUs of the network, also of those of which it knows nothing else.
    ecus: AddressSet,
    authority: (Name, Range<u16>),
    parties: List<Entry, LASAN_PARTIES_MAX>,
    permissions: List<Permission, PERMISSIONS_MAX>,
    /// All keys and credentials.
    bytes: List<u8, KNOWN_MAX>,
}

/// A party, with the places of its key and its credential.
struct Entry {
    address: Address,
    name: Name,
    key: Range<u16>,
    credential: Range<u16>,
}

impl LasanParties {
    /// Makes the knowledge of settings, the addresses of all ECUs, and who issues certificates.
    ///
    /// # Errors
    /// [`MessageError::Field`] if a key is longer than there is room for.
    pub fn new(
        settings: NetworkSettings,
        ecus: AddressSet,
        (name, key): (Name, &[u8]),
    ) -> Result<Self, MessageError> {
        let mut parties = LasanParties {
            settings,
            ecus,
            authority: (name, 0..0),
            parties: List::new(),
            permissions: List::new(),
            bytes: List::new(),
        };
        parties.authority.1 = parties.keep(key)?;
        Ok(parties)
    }

    /// Adds a party.
    ///
    /// # Errors
    /// [`MessageError::Field`] if there is no room for another, or for its key and credential.
    pub fn add(&mut self, party: &Party<&[u8]>) -> Result<(), MessageError> {
        let entry = Entry {
            address: party.address,
            name: party.name,
            key: self.keep(party.key)?,
            credential: self.keep(party.credential)?,
        };
        let added = self.parties.push(entry);
        added.map_err(|_| MessageError::Field("the number of parties"))
    }

    /// Adds a line of the access-control list.
    ///
    /// # Errors
    /// [`MessageError::Field`] if there is no room for another.
    pub fn permit(&mut self, permission: Permission) -> Result<(), MessageError> {
        let added = self.permissions.push(permission);
        added.map_err(|_| MessageError::Field("the number of permissions"))
    }

    /// Returns the reader of the network's frames.
    #[must_use]
    pub fn frames(&self) -> LasanFrameReader {
        let NetworkSettings {
            security_module,
            transport,
            identifiers,
            ..
        } = self.settings;
        LasanFrameReader::new(security_module, self.ecus.iter(), transport, identifiers)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<Range<u16>, MessageError> {
        let first = self.bytes.len() as u16;
        let kept = self.bytes.extend_from_slice(bytes);
        kept.map_err(|_| MessageError::Field("the length of keys and credentials"))?;
        Ok(first..self.bytes.len() as u16)
    }

    fn kept(&self, place: &Range<u16>) -> &[u8] {
        let place = usize::from(place.start)..usize::from(place.end);
        self.bytes.get(place).unwrap_or(&[])
    }
}

impl PartyDirectory for LasanParties {
    fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    fn authority(&self) -> (Name, &[u8]) {
        let (name, key) = &self.authority;
        (*name, self.kept(key))
    }

    fn party(&self, index: usize) -> Option<Party<&[u8]>> {
        let entry = self.parties.get(index)?;
        Some(Party {
            address: entry.address,
            name: entry.name,
            key: self.kept(&entry.key),
            credential: self.kept(&entry.credential),
        })
    }

    fn permissions(&self) -> &[Permission] {
        &self.permissions
    }
}

/// Writes bytes behind their number.
fn put_bytes(bytes: &[u8], to: &mut Writer<'_>) -> Result<(), MessageError> {
    to.put(&(bytes.len() as u16))?;
    to.bytes(bytes)
}

fn take_bytes<'a>(from: &mut Reader<'a>) -> Result<&'a [u8], MessageError> {
    let length: u16 = from.take()?;
    from.bytes(length.into())
}

impl Field for LasanParties {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.settings)?;
        to.put(&self.ecus)?;
        let (name, key) = self.authority();
        to.bytes(&name.0)?;
        put_bytes(key, to)?;
        to.put(&(self.parties.len() as u8))?;
        for party in (0..).map_while(|index| self.party(index)) {
            to.put(&party.address.0)?;
            to.bytes(&party.name.0)?;
            put_bytes(party.key, to)?;
            put_bytes(party.credential, to)?;
        }
        put_all(&self.permissions, to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let (settings, ecus) = (from.take()?, from.take()?);
        let authority = (Name(from.array()?), take_bytes(from)?);
        let mut parties = LasanParties::new(settings, ecus, authority)?;
        for _ in 0..from.take::<u8>()? {
            let party = Party {
                address: Address(from.take()?),
                name: Name(from.array()?),
                key: take_bytes(from)?,
                credential: take_bytes(from)?,
            };
            parties.add(&party)?;
        }
        parties.permissions = take_all(from, "the number of permissions")?;
        Ok(parties)
    }
}

impl Field for AddressSet {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let mut bits = [0u8; 16];
        for Address(address) in self.iter() {
            bits[usize::from(address / 8)] |= 1 << (address % 8);
        }
        to.put(&bits)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let bits: [u8; 16] = from.array()?;
        let has = |at: &u8| bits[usize::from(at / 8)] >> (at % 8) & 1 == 1;
        Ok((0..128).filter(has).map(Address).collect())
    }
}

impl Field for Permission {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.stream)?;
        to.put(&self.sender.0)?;
        to.put(&self.receivers)?;
        to.put(&self.from.0)?;
        to.put(&self.until.0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Permission {
            stream: from.take()?,
            sender: Address(from.take()?),
            receivers: from.take()?,
            from: NetworkTime(from.take()?),
            until: NetworkTime(from.take()?),
        })
    }
}

impl Field for NetworkSettings {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&(self.profile == LasanProfile::Compact))?;
        to.put(&match self.credentials {
            Credentials::Certificates => 0u8,
            Credentials::Digests => 1,
            Credentials::Keys => 2,
        })?;
        to.put(&matches!(self.transport, Transport::Fd))?;
        to.put(&self.identifiers.is_extended())?;
        to.put(&self.identifiers.base())?;
        to.put(&self.identifiers.mask())?;
        to.put(&self.pacing)?;
        to.put(&self.gives_way)?;
        to.put(&self.security_module.0)?;
        to.put(&self.time_at_zero.0)?;
        let LasanTiming {
            authentication,
            answer,
            patience,
            stream_key,
        } = self.timing;
        let times = [authentication, answer, patience, stream_key];
        times.iter().try_for_each(|time| to.put(time))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(NetworkSettings {
            profile: match from.take()? {
                true => LasanProfile::Compact,
                false => LasanProfile::Hardened,
            },
            credentials: match from.take::<u8>()? {
                0 => Credentials::Certificates,
                1 => Credentials::Digests,
                2 => Credentials::Keys,
                _ => return Err(MessageError::Field("the credentials of a network")),
            },
            transport: match from.take()? {
                true => Transport::Fd,
                false => Transport::Classic,
            },
            identifiers: read_plan(from)?,
            pacing: from.take()?,
            gives_way: from.take()?,
            security_module: Address(from.take()?),
            time_at_zero: NetworkTime(from.take()?),
            timing: LasanTiming {
                authentication: from.take()?,
                answer: from.take()?,
                patience: from.take()?,
                stream_key: from.take()?,
            },
        })
    }
}

fn read_plan(from: &mut Reader<'_>) -> Result<IdentifierPlan, MessageError> {
    let is_extended: bool = from.take()?;
    let fixed = FixedBits {
        base: from.take()?,
        mask: from.take()?,
    };
    let made = match is_extended {
        true => IdentifierPlan::extended(fixed),
        false => IdentifierPlan::standard(fixed),
    };
    made.map_err(|_| MessageError::Field("the identifiers of a network"))
}
