//! `waywarden pki trust`: whom a receiver trusts, by signed lists in a folder.

mod report;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_v2x_security::hash::Digest;
use waywarden_v2x_security::trust::{
    ImportContext, ImportRefusal, Imported, TrustChange, claimed_time,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time64};

pub(crate) use self::report::SCHEMA;
use waywarden_command_line::answers;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::index::show_id;
use waywarden_pki_folder::trust::folder::Folder;
use waywarden_pki_folder::trust::verifier;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};
use waywarden_v2x_input::{records, time};

/// The most documents of one command.
const DOCUMENTS_MAX: usize = 10_000;

const EXAMPLES: &str = "\
Examples:
  waywarden pki trust import trust tlm.oer --trust-anchor e7a4b2b045e7acf9
  waywarden pki trust import trust ectl.ctl root.ctl root.crl
  waywarden pki trust show trust
  waywarden verify messages.hex --trust trust";

/// Keep a trust store from the signed lists of a PKI (ETSI TS 102 941).
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Trust {
    Import(Import),
    Show(report::Show),
}

impl Trust {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            Self::Import(import) => import.execute(),
            Self::Show(show) => show.execute(),
        }
    }
}

/// Verify certificates and lists against a trust store, and take them in.
///
/// A document is recognized by its content: the certificate of a trust list manager (TLM) or a root
/// CA, an ECTL, the CTL or CRL of a root CA, full or delta, or the certificate of another
/// authority. Their order does not matter. A list is taken if it is newer than the one in the
/// store, its signer may sign it, and the next one is not due yet.
///
/// A certificate that issued itself needs your approval, unless a list names it: compare its hash
/// with the one that its holder publishes, and give it with --trust-anchor.
///
/// Exit code 0 if all were taken or known, 2 if one was refused: then the store is as it was.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Import {
    /// The folder of the trust store; it is made if it is not there.
    dir: PathBuf,
    /// Files with certificates and lists: bytes, or lines of hexadecimal digits.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Approve the certificate with this hash: the HashedId8, or all digits of the hash. May be
    /// given more than once.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    trust_anchor: Vec<Hash>,
    /// Judge the documents at this time, such as 2026-03-01T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    at: Option<Time64>,
}

/// The end of the hash of a certificate, or all of it.
#[derive(Clone, Debug)]
struct Hash(Vec<u8>);

fn hash(text: &str) -> Result<Hash, String> {
    let bytes = records::hex(text).filter(|bytes| matches!(bytes.len(), 8 | 32 | 48));
    bytes.map(Hash).ok_or_else(|| {
        format!("{text:?}: give 16 hexadecimal digits (HashedId8), or all 64 or 96 of the hash")
    })
}

impl Hash {
    fn is_of(&self, digest: &Digest) -> bool {
        match self.0.len() {
            8 => digest.id_8().0[..] == self.0,
            _ => digest.as_bytes() == self.0,
        }
    }
}

impl Import {
    fn execute(&self) -> Result<Answer, Failure> {
        let mut waiting = Vec::new();
        for path in &self.files {
            read(path, &mut waiting)?;
        }
        // The older list of an issuer first: after the newer one it would be refused.
        waiting.sort_by_key(|record| claimed_time(&record.bytes));
        let mut folder = Folder::open_to_change(&self.dir)?;
        let context = ImportContext {
            now: self.at.unwrap_or_else(time::now),
            approves: &|digest| self.trust_anchor.iter().any(|one| one.is_of(digest)),
            verifier: &verifier,
        };
        let mut done: Vec<(String, Imported)> = Vec::new();
        // Each round takes what the one before made acceptable.
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut early: Vec<(InputRecord, ImportRefusal)> = Vec::new();
            for record in waiting {
                match folder.store.import(&record.bytes, &context) {
                    Ok(imported) => done.push((record.place, imported)),
                    Err(refusal) if refusal.may_be_early() => early.push((record, refusal)),
                    Err(refusal) => return Err(refused(&[(record, refusal)])),
                }
            }
            if early.len() == before {
                return Err(refused(&early));
            }
            waiting = early.into_iter().map(|(record, _)| record).collect();
        }
        if done.iter().any(|(_, one)| one.change != TrustChange::None) {
            folder.save()?;
        }
        let mut out = answers::out();
        for (place, imported) in &done {
            writeln!(out, "{}: {}", plain(place), describe(imported))?;
        }
        out.flush()?;
        Ok(Answer::Yes)
    }
}

/// Reads the documents of a file.
fn read(path: &Path, documents: &mut Vec<InputRecord>) -> Result<(), Failure> {
    let read = records::each(path, |mut record| {
        if documents.len() == DOCUMENTS_MAX {
            return Err(StopReason::Failed(Failure::new(format_args!(
                "more than {DOCUMENTS_MAX} documents; import them in parts"
            ))));
        }
        if parse::<Certificate<'_>>(&record.bytes).is_err()
            && let Ok(found) = record.find()
        {
            record.bytes = found.spdu.to_vec();
        }
        documents.push(record);
        Ok(())
    });
    match read {
        Ok(file) => {
            file.note.into_iter().for_each(messages::status);
            Failure::if_any(
                file.wrong
                    .into_iter()
                    .map(UnreadFile::into_failure)
                    .collect(),
            )
        }
        Err(stop) => Err(stop.into_failure()),
    }
}

fn refused(all: &[(InputRecord, ImportRefusal)]) -> Failure {
    Failure::all(all.iter().map(|(record, refusal)| {
        let remedy = match refusal {
            ImportRefusal::NotApproved { digest, .. } => {
                format!(" with --trust-anchor {}", show_id(digest.id_8()))
            }
            _ => String::new(),
        };
        format!(
            "{}: {refusal}{remedy}; the store is as it was",
            record.place
        )
    }))
}

fn describe(imported: &Imported) -> String {
    let (kind, id) = (imported.kind.name(), show_id(imported.id));
    match imported.change {
        TrustChange::None => format!("{kind} {id}: known"),
        TrustChange::Certificate => format!("{kind} {id}: trusted from now on"),
        TrustChange::List {
            sequence,
            added,
            removed,
            next_update,
        } => {
            let sequence = sequence.map_or(String::new(), |one| format!(", ctlSequence {one}"));
            let next = time::show(next_update);
            format!(
                "{kind} of {id}{sequence}: {added} certificates added, {removed} removed; the next \
                 list is due {next}"
            )
        }
    }
}
