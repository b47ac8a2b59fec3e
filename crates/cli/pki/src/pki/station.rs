//! `waywarden pki enrol --from URL`: a station asks a server for its certificates.

use std::path::{Path, PathBuf};

use waywarden_v2x_pki::Region;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use super::issue::Period;
use super::{registration, show};
use waywarden_command_line::answers;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_pki_authorities::Note;
use waywarden_pki_authorities::station::{StationRequest, TICKETS_MAX, TIMEOUT_MAX, enrol_from};
use waywarden_pki_folder::passphrase::{NewPassphrase, Passphrases};
use waywarden_pki_folder::permission::{PsidPermission, permission};
use waywarden_pki_folder::validity;
use waywarden_v2x_input::time;

/// Requests of a station to a server.
#[derive(Debug, clap::Args)]
pub(crate) struct Remote {
    /// Ask the server at this URL, as a station. DIR is the folder of the station then.
    #[arg(long, value_name = "URL", requires_all = ["id", "key", "trust"])]
    #[arg(conflicts_with = "token")]
    pub(crate) from: Option<String>,
    /// The canonical identifier that is registered.
    #[arg(long, value_name = "CANONICAL", requires = "from", value_parser = registration::id)]
    id: Option<String>,
    /// The canonical private key.
    #[arg(long, value_name = "FILE", requires = "from")]
    key: Option<PathBuf>,
    /// A folder with the certificate of the root that the station trusts.
    #[arg(long, value_name = "DIR", requires = "from")]
    trust: Option<PathBuf>,
    /// Number of authorization tickets: 0 to 1000.
    #[arg(long, requires = "from", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(TICKETS_MAX)))]
    tickets: u32,
    /// Ask for a new credential, with the one that the station has.
    #[arg(long, requires = "from")]
    renew: bool,
    /// Permissions of the tickets [default: CAM and DENM].
    #[arg(long, value_name = "APPLICATION[:BITMAP]", requires = "from", value_parser = permission)]
    psid: Vec<PsidPermission>,
    /// Timeout of one request, in seconds: 1 to 3600.
    #[arg(long, value_name = "SECONDS", requires = "from", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(TIMEOUT_MAX)))]
    timeout: u32,
    /// Time that the tickets are for [default: now]. The server moves their beginning to that of a
    /// week, or of the cell of its grid: ask for those of the next week beforehand.
    #[arg(long, value_name = "TIME", requires = "from", value_parser = time::parse_time)]
    ticket_start: Option<Time64>,
    /// Longest validity of a ticket [default: 168h].
    #[arg(long, value_name = "DURATION", requires = "from", value_parser = validity::duration)]
    ticket_validity: Option<Duration>,
}

/// Options of the command beside it.
pub(crate) struct Asked<'a> {
    /// The folder of the station.
    pub(crate) folder: &'a Path,
    pub(crate) name: &'a str,
    /// Validity period of the credential.
    pub(crate) period: &'a Period,
    pub(crate) region: Option<&'a Region>,
    pub(crate) passphrase: &'a NewPassphrase,
}

impl Remote {
    /// Enrols the station unless it has a credential, gets its tickets, and shows what it got.
    pub(crate) fn enrol(&self, url: &str, asked: &Asked<'_>) -> Result<(), Failure> {
        let (Some(id), Some(key), Some(trust)) = (&self.id, &self.key, &self.trust) else {
            return Err(Failure::new("--from: give --id, --key and --trust, too"));
        };
        let request = StationRequest {
            url: url.to_owned(),
            name: asked.name.to_owned(),
            canonical_id: id.clone(),
            canonical_key: key.clone(),
            trust: trust.clone(),
            period: asked.period.as_new(),
            region: asked.region.cloned(),
            renews: self.renew,
            tickets: self.tickets,
            permissions: self.psid.clone(),
            ticket_start: self.ticket_start,
            ticket_validity: self.ticket_validity,
            timeout_s: self.timeout,
        };
        let mut passphrases = Passphrases::new(&asked.passphrase.source);
        let mut chosen = || asked.passphrase.chosen();
        let mut show_note = |note: Note| match note {
            Note::Warning(text) | Note::Status(text) => messages::status(format_args!("{text}")),
            Note::Progress { .. } => {}
        };
        let got = enrol_from(
            asked.folder,
            &request,
            &mut chosen,
            &mut passphrases,
            &mut show_note,
        )?;
        let mut out = answers::out();
        for entry in got.issued.entries() {
            show::entry(&mut out, &got.issued.directory, entry, 0)?;
        }
        got.refused.map_or(Ok(()), |refused| Err(refused.into()))
    }
}
