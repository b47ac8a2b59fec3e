//! A station, and what it asks a server for.

use std::path::PathBuf;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::permission::{PsidPermission, permission};
use waywarden_pki_folder::validity;
use waywarden_v2x_pki::enrolment::ssp;
use waywarden_v2x_pki::{Contents, Region, SspPermission};
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid, Time64};

use super::authorities::{Authorities, start};
use crate::error::PkiError;
use crate::issue::NewPeriod;

/// The most tickets of one call.
pub const TICKETS_MAX: u32 = 1_000;

/// The longest time of one request, in seconds.
pub const TIMEOUT_MAX: u32 = 3_600;

/// A station, and what it asks a server for.
#[derive(Clone, Debug)]
pub struct StationRequest {
    /// The server: `http://HOST[:PORT][/PATH]`.
    pub url: String,
    /// Name of the station in its folder.
    pub name: String,
    /// The canonical identifier that is registered.
    pub canonical_id: String,
    /// The file of the canonical private key.
    pub canonical_key: PathBuf,
    /// A folder with the certificate of the root that the station trusts.
    pub trust: PathBuf,
    /// Validity period of the credential; three years by default.
    pub period: NewPeriod,
    /// Region of the credential. Default: that of the issuer.
    pub region: Option<Region>,
    /// True if it asks for a new credential with the one that it has.
    pub renews: bool,
    /// Number of authorization tickets, at most [`TICKETS_MAX`].
    pub tickets: u32,
    /// Permissions of the tickets; CAM and DENM if there are none.
    pub permissions: Vec<PsidPermission>,
    /// Time that the tickets are for. Default: now. The server moves their beginning to that of a
    /// week, or of the cell of its grid.
    pub ticket_start: Option<Time64>,
    /// Longest validity of a ticket; 168 hours by default.
    pub ticket_validity: Option<Duration>,
    /// Longest time of one request with its repetitions, in seconds: 1 to [`TIMEOUT_MAX`].
    pub timeout_s: u32,
}

impl StationRequest {
    pub(super) fn check(&self) -> Result<(), PkiError> {
        if self.tickets > TICKETS_MAX {
            let why = format!("--tickets: {}; at most {TICKETS_MAX}", self.tickets);
            return Err(PkiError::new(why));
        }
        match (1..=TIMEOUT_MAX).contains(&self.timeout_s) {
            true => Ok(()),
            false => Err(PkiError::new(format_args!(
                "--timeout: {} s; 1 to {TIMEOUT_MAX}",
                self.timeout_s
            ))),
        }
    }

    /// Returns the contents of the requested credential.
    pub(super) fn credential(&self, authorities: &Authorities) -> Result<Contents, Failure> {
        let from = match self.period.start {
            Some(from) => validity::start(from).map_err(Failure::new)?,
            None => start(&[&authorities.enrolment])?,
        };
        let duration = self.period.validity.unwrap_or(Duration::Years(3));
        let mut contents = Contents::new(from, duration);
        contents.region = self.region.clone();
        Ok(contents.permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_CREDENTIAL))
    }

    /// Returns the permissions of the tickets.
    pub(super) fn of_tickets(&self) -> Vec<(Psid, SspPermission)> {
        let usual = ["CAM", "DENM"].into_iter();
        let usual: Vec<PsidPermission> = usual.filter_map(|text| permission(text).ok()).collect();
        let given = match self.permissions.is_empty() {
            true => &usual,
            false => &self.permissions,
        };
        given.iter().cloned().map(|one| (one.0, one.1)).collect()
    }
}
