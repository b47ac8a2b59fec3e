//! Contents of a trust store: as a table, as JSON, and to a verifier.

use std::io::Write;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_security::trust::{DocumentKind, ListStatus, StoredCertificate, TrustState};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use waywarden_command_line::answers;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{self, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::{OutputFormat, Rows};
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::index::show_id;
use waywarden_pki_folder::trust::folder::Folder;
use waywarden_pki_folder::trust::{list_name, verifier};
use waywarden_v2x_input::time;

/// Show the trusted certificates, and those that expired, were withdrawn or revoked, with the list.
///
/// Exit code 0 if the store could be read, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The folder of the trust store.
    dir: PathBuf,
    /// At this time, such as 2026-03-01T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    at: Option<Time64>,
    /// The form of the answer; CSV has the certificates alone.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A certificate, as JSON.
#[derive(Serialize, JsonSchema)]
struct CertificateLine {
    /// Its HashedId8 in hexadecimal.
    id: String,
    /// Role of its holder.
    role: &'static str,
    /// The name in it.
    name: Option<String>,
    /// The HashedId8 of its issuer.
    issuer: Option<String>,
    /// Start of the validity.
    valid_from: Option<String>,
    /// End of the validity.
    valid_until: Option<String>,
    /// The list that names it.
    named_by: Option<String>,
    /// URL of its holder.
    access_point: Option<String>,
    /// State of the certificate, such as `trusted`.
    state: &'static str,
    /// Reason why it is not trusted.
    reason: Option<String>,
}

/// A list, as JSON.
#[derive(Serialize, JsonSchema)]
struct ListLine {
    /// `ECTL`, `CTL` or `CRL`.
    kind: &'static str,
    /// Signer of the list.
    issuer: String,
    /// Sequence number of the list.
    sequence: Option<u8>,
    /// Time at which it was made.
    made: String,
    /// Time at which the next list is due.
    next_update: String,
    /// Number of certificates that it names.
    certificates: usize,
    /// URLs of further lists.
    distribution_centres: Vec<String>,
    /// True if the next list is due.
    overdue: bool,
}

/// A trust store.
#[derive(Serialize, JsonSchema)]
struct ReportLines {
    /// The certificates in it.
    certificates: Vec<CertificateLine>,
    /// The lists that name them.
    lists: Vec<ListLine>,
}

const DOCUMENT: document::DocumentFormat<ReportLines> =
    document::DocumentFormat::new("pki-trust", 1, "waywarden pki trust show DIR --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Show {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        let folder = Folder::open(&self.dir)?;
        let now = self.at.unwrap_or_else(time::now);
        let report = folder.store.install(&mut verifier(), now);
        let lines = ReportLines {
            certificates: report.certificates.iter().map(certificate_line).collect(),
            lists: report.lists.iter().map(list_line).collect(),
        };
        let mut out = answers::out();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &lines)?,
            OutputFormat::Csv => print_csv(&mut out, &lines.certificates)?,
            OutputFormat::Table => {
                certificates(&lines).print(&mut out)?;
                if !lines.lists.is_empty() {
                    lists(&lines).print(&mut out)?;
                }
            }
        }
        out.flush()?;
        Ok(Answer::Yes)
    }
}

fn certificates(lines: &ReportLines) -> Rows {
    let row = |one: &CertificateLine| {
        let text = |text: &Option<String>| plain(text.as_deref().unwrap_or("")).into_owned();
        let state = match &one.reason {
            Some(reason) => format!("{}: {}", one.state, plain(reason)),
            None => one.state.to_owned(),
        };
        let named_by = one.named_by.clone();
        vec![
            one.id.clone(),
            one.role.to_owned(),
            text(&one.name),
            text(&one.valid_until),
            named_by.unwrap_or_default(),
            state,
        ]
    };
    Rows {
        headers: vec![
            "HashedId8",
            "role",
            "name",
            "valid until",
            "named by",
            "state",
        ],
        rows: lines.certificates.iter().map(row).collect(),
        numbers: 0..0,
    }
}

fn lists(lines: &ReportLines) -> Rows {
    let row = |one: &ListLine| {
        let due = match one.overdue {
            true => format!("{} (overdue)", one.next_update),
            false => one.next_update.clone(),
        };
        vec![
            format!("{} of {}", one.kind, one.issuer),
            one.made.clone(),
            due,
            one.sequence.map_or(String::new(), |one| one.to_string()),
            one.certificates.to_string(),
        ]
    };
    Rows {
        headers: vec!["list", "made", "next due", "ctlSequence", "certificates"],
        rows: lines.lists.iter().map(row).collect(),
        numbers: 3..5,
    }
}

fn certificate_line(one: &StoredCertificate) -> CertificateLine {
    let (state, reason) = state(&one.state);
    let named_by = match (one.list, one.validity) {
        (Some((kind, issuer)), _) => Some(list_name(kind, issuer)),
        (None, Some(_)) => Some("your approval".to_owned()).filter(|_| one.issuer.is_none()),
        (None, None) => None,
    };
    CertificateLine {
        id: show_id(one.id),
        role: one.role.name(),
        name: one.name.clone(),
        issuer: one.issuer.map(show_id),
        valid_from: one.validity.map(|(start, _)| time::show(start)),
        valid_until: one.validity.map(|(_, end)| time::show(end)),
        named_by,
        access_point: one.access_point.clone(),
        state,
        reason,
    }
}

fn list_line(one: &ListStatus) -> ListLine {
    ListLine {
        kind: one.kind.name(),
        issuer: show_id(one.issuer),
        sequence: one.sequence,
        made: time::show(one.made),
        next_update: time::show(one.next_update),
        certificates: one.entries,
        distribution_centres: one.centres.clone(),
        overdue: one.is_overdue,
    }
}

/// A state in a word, and what is to be said of it.
fn state(state: &TrustState) -> (&'static str, Option<String>) {
    match state {
        TrustState::Trusted => ("trusted", None),
        TrustState::NotYetValid => ("not valid yet", None),
        TrustState::Expired => ("expired", None),
        TrustState::Overdue(kind, issuer) => {
            let list = list_name(*kind, *issuer);
            ("not trusted", Some(format!("{list} is overdue")))
        }
        TrustState::Withdrawn(kind, issuer, sequence) => {
            let list = list_name(*kind, *issuer);
            let words = format!("by {list}, ctlSequence {sequence}");
            ("withdrawn", Some(words))
        }
        TrustState::Revoked(root) => {
            let list = list_name(DocumentKind::Crl, *root);
            ("revoked", Some(format!("by {list}")))
        }
        TrustState::Refused(refusal) => ("not trusted", Some(refusal.to_string())),
    }
}
