//! The part of an ECU image in an authentication, as values for its record.

use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::paired::{PairedConnection, PairedReceiver, WireForm};
use waywarden_can_auth::secoc::SecocStream;
use waywarden_ecu::{FreshnessRole, PeriodicStream};
use waywarden_firmware_link::{
    Announcements, ENDS_MAX, EcuRecord, FreshnessRecord, GrantedKeyRecord, KEYS_MAX, KeyRecord,
    List, MESSAGE_MAX, MessageError, PairedRecord, Record, STREAMS_MAX,
};
use waywarden_session_keys::FollowingKey;
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, BeforeFirstKey, EcuIndex, GroupKey, KeyOrigin,
    KeyStoreKind, VehicleFile,
};
use waywarden_vehicle_trace::Facts;
use waywarden_work::Algorithm;

use super::configuration::{self, AuthenticationConfiguration, Line};
use super::keys::{self, Held};
use super::secoc_stream::SecuredStream;
use super::session_keys;
use super::{configurations, context};
use crate::nodes::AuthenticationContext;

/// The part of an image in an authentication.
pub(crate) struct ImagePart {
    pub(crate) context: AuthenticationContext,
    protection: ImageProtection,
    keys: Vec<Held>,
    /// The key of a group that the others follow; none if they are in place, or granted.
    pub(crate) followed: Option<(GroupKey, Vec<FollowingKey>)>,
    /// The keys that follow granted ones; none in place then.
    granted: Vec<GrantedKeyRecord>,
}

/// The protocol of an image, with the streams that it sends and checks.
enum ImageProtection {
    Secoc {
        freshness: FreshnessRecord,
        senders: Vec<SecocStream>,
        receivers: Vec<SecocStream>,
    },
    /// vatiCAN or LeiA, hardened.
    Paired {
        asks_under: Option<StandardId>,
        senders: Vec<PairedConnection>,
        receivers: Vec<PairedConnection>,
    },
}

/// Returns true for a frame that is for one of an image's receiving ends.
pub(crate) type Knows = Box<dyn Fn(&Frame) -> bool + Send>;

/// Returns the part of an image; none if it has no part in any authentication.
///
/// # Errors
/// The part that an image cannot have yet, in words.
pub(crate) fn image_part(
    file: &VehicleFile,
    index: EcuIndex,
    facts: &Facts,
) -> Result<Option<ImagePart>, String> {
    let mut parts = Vec::new();
    for (at, table) in file.authentications.iter().enumerate() {
        for configuration in configurations(file, at, table, index) {
            let context = context(file, (at, table), index, facts);
            parts.push(part(file, table, &configuration, context)?);
        }
    }
    match parts.len() {
        0 | 1 => Ok(parts.pop()),
        count => Err(format!(
            "it has a part in {count} authentications, and an image in one: put its streams into \
             one `[[authentication]]`"
        )),
    }
}

fn part(
    file: &VehicleFile,
    table: &Authentication,
    configuration: &AuthenticationConfiguration,
    context: AuthenticationContext,
) -> Result<ImagePart, String> {
    let name = &table.name.value;
    let only = |what: &str| Err(format!("`{name}` {what}"));
    if table.key_store != KeyStoreKind::Software {
        return only("keeps its keys in protected modules, and an image in its memory");
    }
    let followed = followed(table, configuration)?;
    let granted = match &table.keys {
        KeyOrigin::Grants { .. } => granted(file, table, configuration),
        _ => Vec::new(),
    };
    let is_in_place = followed.is_none() && granted.is_empty();
    configuration::check(file, table, configuration).map_err(|error| error.to_string())?;
    let protection = match &table.protocol {
        AuthenticationProtocol::Secoc(_) => secoc(table, configuration)?,
        AuthenticationProtocol::Paired { wire, mac } => {
            if !is_in_place {
                return only(
                    "has keys of a group or of a security module, and images have such keys for \
                     SecOC alone: write `scheme = \"secoc\"`",
                );
            }
            if *mac != Algorithm::Aes128Cmac {
                return only(
                    "has another code than the one that images have: write \
                     `mac = \"aes-128-cmac\"`",
                );
            }
            paired(name, *wire, configuration)?
        }
        AuthenticationProtocol::Published { .. } => {
            return only(
                "is as published, with its weaknesses, and images have the hardened protocols: \
                 write `profile = \"hardened\"`",
            );
        }
    };
    Ok(ImagePart {
        context,
        protection,
        keys: match is_in_place {
            true => configuration.all_held(),
            false => Vec::new(),
        },
        followed,
        granted,
    })
}

/// Returns the key of a group that the keys of a part follow, with these; none if they are in
/// place, or granted.
fn followed(
    table: &Authentication,
    configuration: &AuthenticationConfiguration,
) -> Result<Option<(GroupKey, Vec<FollowingKey>)>, String> {
    let name = &table.name.value;
    let only = |what: &str| Err(format!("`{name}` {what}"));
    match &table.keys {
        KeyOrigin::Provisioned | KeyOrigin::Grants { .. } => Ok(None),
        KeyOrigin::Group { before, .. } if *before == BeforeFirstKey::Retained => only(
            "has `before_first_key = \"retained\"`, and an image keeps no group key over a \
                 reset: leave it out",
        ),
        KeyOrigin::Group { key, .. } => Ok(Some((key.value, configuration.following()))),
    }
}

/// Returns the keys that follow granted ones.
fn granted(
    file: &VehicleFile,
    table: &Authentication,
    configuration: &AuthenticationConfiguration,
) -> Vec<GrantedKeyRecord> {
    let follow = |key: &FollowingKey| {
        let from = session_keys::grant_of(file, table, key)?;
        Some(GrantedKeyRecord {
            from,
            id: key.id,
            usage: key.usage,
            sends: key.sends,
            of: key.of,
        })
    };
    configuration
        .following()
        .iter()
        .filter_map(follow)
        .collect()
}

/// Makes the ends of lines, of which an image has a bounded number.
fn ends<T>(
    name: &str,
    lines: &[Line],
    end: impl Fn(&Line) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let ends: Vec<T> = lines.iter().map(end).collect::<Result<_, _>>()?;
    match ends.len() <= ENDS_MAX {
        true => Ok(ends),
        false => Err(format!(
            "`{name}` has {} streams that it sends or checks, and an image has room for \
             {ENDS_MAX} of each",
            ends.len()
        )),
    }
}

fn secoc(
    table: &Authentication,
    configuration: &AuthenticationConfiguration,
) -> Result<ImageProtection, String> {
    let name = &table.name.value;
    let together = |line: &Line| match line.secured {
        Some(SecuredStream::Together(stream)) => Ok(stream),
        _ => Err(format!(
            "`{name}` has cryptographic PDUs, and images have freshness and code in the frame of \
             the message"
        )),
    };
    let announcements = || {
        let AuthenticationProtocol::Secoc(secoc) = &table.protocol else {
            return None;
        };
        let frame = configuration::announcement_frame(secoc)?;
        let (profile, key) = (secoc.profile, configuration::ANNOUNCEMENTS);
        Some(Announcements {
            profile,
            frame,
            key,
        })
    };
    let freshness = match (configuration.freshness, announcements()) {
        (FreshnessRole::Follower { resets_ahead, .. }, Some(announcements)) => {
            FreshnessRecord::Follower {
                announcements,
                resets_ahead,
            }
        }
        (FreshnessRole::Master { pace, .. }, Some(announcements)) => FreshnessRecord::Master {
            announcements,
            pace,
        },
        _ => FreshnessRecord::Unsynchronised,
    };
    Ok(ImageProtection::Secoc {
        freshness,
        senders: ends(name, &configuration.sends, together)?,
        receivers: ends(name, &configuration.checks, together)?,
    })
}

fn paired(
    name: &str,
    wire: WireForm,
    configuration: &AuthenticationConfiguration,
) -> Result<ImageProtection, String> {
    let connection = |line: &Line| {
        let made = PairedConnection::new(wire, line.id, line.key());
        made.map_err(|error| format!("`{name}`: {error}"))
    };
    Ok(ImageProtection::Paired {
        asks_under: configuration.asks_under,
        senders: ends(name, &configuration.sends, connection)?,
        receivers: ends(name, &configuration.checks, connection)?,
    })
}

/// Returns the record of an ECU that has streams and nothing else.
pub(crate) fn unprotected(streams: List<PeriodicStream, STREAMS_MAX>) -> EcuRecord {
    EcuRecord {
        streams,
        freshness: FreshnessRecord::Unsynchronised,
        senders: List::new(),
        receivers: List::new(),
        keys: List::new(),
    }
}

impl ImagePart {
    /// Returns the bytes of the record of the ECU with these streams.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    pub(crate) fn encoded(
        &self,
        streams: List<PeriodicStream, STREAMS_MAX>,
    ) -> Result<Vec<u8>, MessageError> {
        let mut bytes = vec![0; MESSAGE_MAX];
        let length = match &self.protection {
            ImageProtection::Secoc { .. } => self.secoc(streams).encode(&mut bytes),
            ImageProtection::Paired {
                asks_under,
                senders,
                receivers,
            } => PairedRecord {
                streams,
                asks_under: *asks_under,
                senders: senders.iter().copied().collect(),
                receivers: receivers.iter().copied().collect(),
                keys: self.keys(),
            }
            .encode(&mut bytes),
        };
        bytes.truncate(length?);
        Ok(bytes)
    }

    /// Returns the record of an ECU with SecOC; one of streams alone in another protocol.
    pub(crate) fn secoc(&self, streams: List<PeriodicStream, STREAMS_MAX>) -> EcuRecord {
        let ImageProtection::Secoc {
            freshness,
            senders,
            receivers,
        } = &self.protection
        else {
            return unprotected(streams);
        };
        EcuRecord {
            streams,
            freshness: *freshness,
            senders: senders.iter().copied().collect(),
            receivers: receivers.iter().copied().collect(),
            keys: self.keys(),
        }
    }

    /// Returns true if its protocol is SecOC.
    pub(crate) const fn is_secoc(&self) -> bool {
        matches!(self.protection, ImageProtection::Secoc { .. })
    }

    /// Returns the keys that follow granted ones.
    pub(crate) fn granted(&self) -> &[GrantedKeyRecord] {
        &self.granted
    }

    /// Returns its keys: one for each end, and that of the announcements.
    fn keys(&self) -> List<KeyRecord, KEYS_MAX> {
        let record = |held: &Held| KeyRecord {
            id: held.id,
            usage: held.usage,
            key: keys::key(held.of),
        };
        self.keys.iter().map(record).collect()
    }

    /// Returns what tells the frames for its receiving ends.
    pub(crate) fn knows(&self) -> Knows {
        match &self.protection {
            ImageProtection::Secoc { receivers, .. } => {
                let receivers = receivers.clone();
                Box::new(move |frame| receivers.iter().any(|one| one.frame_id() == frame.id()))
            }
            ImageProtection::Paired { receivers, .. } => {
                let receiver = |stream: &PairedConnection| {
                    // It only tells frames apart, and asks nothing.
                    PairedReceiver::new(*stream, stream.id(), &[0; 16])
                };
                let receivers: Vec<_> = receivers.iter().map(receiver).collect();
                Box::new(move |frame| receivers.iter().any(|one| one.knows(frame)))
            }
        }
    }
}
