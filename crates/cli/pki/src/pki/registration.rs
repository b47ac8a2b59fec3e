//! `waywarden pki register`: which stations may ask for certificates, and for which.

use std::io::Write as _;
use std::path::PathBuf;

use serde::Deserialize;
use waywarden_ecverify::Curve;
use waywarden_v2x_pki::enrolment::StationProfile;
use waywarden_v2x_pki::verification_key;
use waywarden_v2x_pki_service::database::{StationRecord, Status, whole_seconds};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::etsi103097::its_aid::{CAM, DENM};

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_pki_authorities::profile::{DurationText, RangeText, RegionText};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::permission::default_range;
use waywarden_pki_folder::{public, recorded};
use waywarden_v2x_input::time;

/// The longest canonical identifier, in bytes.
const ID_MAX: usize = 64;

/// The longest profile, in bytes.
const PROFILE_MAX: usize = 16 << 10;

const EXAMPLES: &str = "\
Examples:
  waywarden pki register my-pki --id WAYWARDEN-0001 --public-key car.der
  waywarden pki register my-pki --id LIGHT-7 --public-key light.der --profile light.toml
  waywarden pki register my-pki --id WAYWARDEN-0001 --block";

/// Register a station, so that it may ask `pki serve` for certificates.
///
/// The profile says in TOML what it may ask for: `permissions`, `region`, `validity`, `ahead`,
/// `credential-validity` and `tickets`. Without one: CAM and DENM, tickets of a week fetched up to
/// three months ahead, at most 100 at one time, and credentials of three years.
///
/// Exit code 0 if it was registered, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Register {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The canonical identifier of the station.
    #[arg(long, value_name = "CANONICAL", value_parser = id)]
    id: String,
    /// The public key of its canonical key pair: a point or SubjectPublicKeyInfo (DER).
    #[arg(long, value_name = "FILE", required_unless_present_any = ["block", "unblock"])]
    public_key: Option<PathBuf>,
    /// The curve of the key, if the file does not say it.
    #[arg(long, value_enum, default_value = "p256", requires = "public_key")]
    curve: CurveName,
    /// A profile of the certificates that it may ask for.
    #[arg(long, value_name = "FILE", requires = "public_key")]
    profile: Option<PathBuf>,
    /// Let a registered station ask no longer.
    #[arg(long, conflicts_with_all = ["public_key", "unblock"])]
    block: bool,
    /// Let a blocked station ask again.
    #[arg(long, conflicts_with = "public_key")]
    unblock: bool,
}

impl Register {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let mut database = recorded::open(&directory.path, &directory.index)?;
        let Some(path) = &self.public_key else {
            let (status, what) = match self.block {
                true => (Status::Blocked, "blocked"),
                false => (Status::Active, "active"),
            };
            database
                .set_status(self.id.as_bytes(), status)
                .map_err(Failure::new)?;
            writeln!(super::stdout(), "{}: {what}", self.id)?;
            return Ok(Answer::Yes);
        };
        let key = public::read(path, Curve::from(self.curve))?;
        let profile = match &self.profile {
            None => String::new(),
            Some(path) => {
                let text = files::text(path)?;
                let checked = read_profile(&text);
                checked.map_err(|why| Failure::new(format_args!("{}: {why}", path.display())))?;
                text
            }
        };
        let station = StationRecord {
            canonical_id: self.id.as_bytes().to_vec(),
            public_key: written(&verification_key(&key)).map_err(Failure::new)?,
            profile,
            status: Status::Active,
            registered: whole_seconds(time::now()),
        };
        database.check_key(&station).map_err(Failure::new)?;
        database.register(&station).map_err(Failure::new)?;
        writeln!(super::stdout(), "registered {}", self.id)?;
        Ok(Answer::Yes)
    }
}

/// Takes a canonical identifier that can be typed and shown.
pub(crate) fn id(text: &str) -> Result<String, String> {
    let is_shown = !text.chars().any(char::is_control);
    match (1..=ID_MAX).contains(&text.len()) && is_shown {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "give 1 to {ID_MAX} bytes without control characters"
        )),
    }
}

/// Profile of a station, as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    /// Permissions that its tickets may contain.
    #[serde(default)]
    permissions: Vec<RangeText>,
    /// Region in which its certificates may be valid.
    region: Option<RegionText>,
    /// Longest validity of a ticket.
    validity: Option<DurationText>,
    /// Longest time from the request to the end of a ticket's validity.
    ahead: Option<DurationText>,
    /// Longest validity of a credential.
    credential_validity: Option<DurationText>,
    /// Maximum number of tickets that are valid at one time.
    tickets: Option<u32>,
}

/// Reads what a station may ask for; an empty text is the usual.
pub(crate) fn read_profile(text: &str) -> Result<StationProfile, String> {
    if text.len() > PROFILE_MAX {
        return Err(format!("longer than {PROFILE_MAX} bytes"));
    }
    let table: Table = toml::from_str(text).map_err(|error| error.to_string().trim().to_owned())?;
    let permissions = if table.permissions.is_empty() {
        [CAM, DENM].map(|psid| (psid, default_range(psid))).to_vec()
    } else {
        let all = table.permissions.into_iter();
        all.map(|one| (one.0.0, one.0.1)).collect()
    };
    let mut profile = StationProfile::new(permissions);
    if let Some(region) = table.region {
        profile = profile.within(region.0);
    }
    if let Some(validity) = table.validity {
        profile.ticket.duration_max = validity.0;
    }
    if let Some(ahead) = table.ahead {
        profile.ticket.ahead_max = ahead.0;
    }
    if let Some(validity) = table.credential_validity {
        profile.credential.duration_max = validity.0;
        profile.credential.ahead_max = validity.0;
    }
    if let Some(tickets) = table.tickets {
        profile.tickets_at_once = tickets;
    }
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid};

    use super::*;

    #[test]
    fn a_profile_says_what_a_station_may_ask_for() {
        let usual = read_profile("").unwrap();
        let psids: Vec<Psid> = usual.ticket.permissions.iter().map(|one| one.0).collect();
        assert_eq!(psids, [Psid(36), Psid(37)]);
        let text = "permissions = ['SPATEM']\nvalidity = '1h'\nahead = '2h'\ntickets = 3\n\
                    credential-validity = '1y'\nregion = 'circle:48,11,100'\n";
        let profile = read_profile(text).unwrap();
        assert_eq!(profile.ticket.permissions.len(), 1);
        assert_eq!(profile.ticket.duration_max, Duration::Hours(1));
        assert_eq!(profile.ticket.ahead_max, Duration::Hours(2));
        assert_eq!(profile.credential.duration_max, Duration::Years(1));
        assert_eq!(profile.tickets_at_once, 3);
        assert!(profile.ticket.region.is_some() && profile.credential.region.is_some());
        for text in [
            "x = 1",
            "tickets = -1",
            "permissions = ['CAMM']",
            "validity = 'soon'",
            "[",
        ] {
            assert!(read_profile(text).is_err(), "{text}");
        }
    }
}
