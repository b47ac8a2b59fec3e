//! The part of an ECU image in an authentication, as values for its record.

use waywarden_can_auth::secoc::SecocStream;
use waywarden_ecu::FreshnessRole;
use waywarden_firmware_link::{
    Announcements, ENDS_MAX, FreshnessRecord, KEYS_MAX, KeyRecord, List,
};
use waywarden_session_keys::FollowingKey;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, BeforeFirstKey, EcuIndex, GroupKey, KeyOrigin,
    KeyStoreKind,
};
use waywarden_vehicle_trace::Facts;

use super::configuration::{self, AuthenticationConfiguration, Line};
use super::keys::{self, Held};
use super::secoc_stream::SecuredStream;
use super::{configurations, context};
use crate::nodes::AuthenticationContext;

/// The part of an image in an authentication.
pub(crate) struct ImagePart {
    pub(crate) context: AuthenticationContext,
    pub(crate) freshness: FreshnessRecord,
    pub(crate) senders: Vec<SecocStream>,
    pub(crate) receivers: Vec<SecocStream>,
    keys: Vec<Held>,
    /// The key of a group that the others follow; none if they are in place.
    pub(crate) followed: Option<(GroupKey, Vec<FollowingKey>)>,
}

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
    let AuthenticationProtocol::Secoc(secoc) = &table.protocol else {
        return only("has another protocol than SecOC, the one that images have");
    };
    if table.key_store != KeyStoreKind::Software {
        return only("keeps its keys in protected modules, and an image in its memory");
    }
    let followed = followed(table, configuration)?;
    configuration::check(file, table, configuration).map_err(|error| error.to_string())?;
    let ends = |lines: &[Line]| -> Result<Vec<SecocStream>, String> {
        let together = lines.iter().map(|line| match line.secured {
            Some(SecuredStream::Together(stream)) => Ok(stream),
            _ => Err(format!(
                "`{name}` has cryptographic PDUs, and images have freshness and code in the frame \
                 of the message"
            )),
        });
        let ends: Vec<SecocStream> = together.collect::<Result<_, _>>()?;
        match ends.len() <= ENDS_MAX {
            true => Ok(ends),
            false => Err(format!(
                "`{name}` has {} streams that it sends or checks, and an image has room for \
                 {ENDS_MAX} of each",
                ends.len()
            )),
        }
    };
    let announcements = || {
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
    Ok(ImagePart {
        context,
        freshness,
        senders: ends(&configuration.sends)?,
        receivers: ends(&configuration.checks)?,
        keys: match followed {
            Some(_) => Vec::new(),
            None => configuration.all_held(),
        },
        followed,
    })
}

/// Returns the key of a group that the keys of a part follow, with these; none if they are in
/// place.
fn followed(
    table: &Authentication,
    configuration: &AuthenticationConfiguration,
) -> Result<Option<(GroupKey, Vec<FollowingKey>)>, String> {
    let name = &table.name.value;
    let only = |what: &str| Err(format!("`{name}` {what}"));
    match &table.keys {
        KeyOrigin::Provisioned => Ok(None),
        KeyOrigin::Group { before, .. } if *before == BeforeFirstKey::Retained => only(
            "has `before_first_key = \"retained\"`, and an image keeps no group key over a \
                 reset: leave it out",
        ),
        KeyOrigin::Group { key, .. } => Ok(Some((key.value, configuration.following()))),
        KeyOrigin::Grants { .. } => {
            only("takes its keys from a security module, and images have none of it")
        }
    }
}

impl ImagePart {
    /// Returns its keys.
    pub(crate) fn keys(&self) -> List<KeyRecord, KEYS_MAX> {
        let record = |held: &Held| KeyRecord {
            id: held.id,
            usage: held.usage,
            key: keys::key(held.of),
        };
        // One for each end, and that of the announcements.
        self.keys.iter().map(record).collect()
    }
}
