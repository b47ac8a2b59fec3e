//! `waywarden inspect`: what is in a message, a certificate or a capture, part by part.

use std::path::{Path, PathBuf};

use waywarden_v2x_inspect::{Inspection, Issuer};

use crate::verify::passed_over;
use waywarden_command_line::answers;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};

const EXAMPLES: &str = "\
Examples:
  waywarden inspect examples/v2x/messages.hex
  waywarden inspect examples/v2x/implicit.oer --issuer-cert examples/v2x/trust/authority.oer
  waywarden inspect said.pcap --udp-port 4000
  waywarden inspect examples/v2x/scms/ctl.oer          # a trust list of electors, part by part
  waywarden inspect list.oer --format json";

/// Show the contents of V2X messages, certificates and captures, field by field, with the place of
/// each in bytes.
///
/// Files are as for `verify`, read by the same decoder. The public key of an implicit certificate
/// is rebuilt if you give its issuer.
///
/// Frames of other traffic in captures are skipped and counted on standard error; a broken packet
/// is reported, and later ones are shown.
///
/// Exit code 0 if everything could be read, 1 if a message or its payload could not (the fields
/// before the fault are shown), 2 if a file cannot be read, or not to its end, or
/// has nothing to show.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Inspect {
    /// Files with messages and certificates; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The certificate of an implicit certificate's issuer.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["issuer_hash", "issuer_key"])]
    issuer_cert: Option<PathBuf>,
    /// The hash of the whole certificate of the issuer: 32 bytes in hexadecimal digits.
    #[arg(long, value_name = "HEX", requires = "issuer_key")]
    issuer_hash: Option<String>,
    /// The issuer's public key, compressed (33 bytes) or not (65), in hexadecimal digits.
    #[arg(long, value_name = "HEX", requires = "issuer_hash")]
    issuer_key: Option<String>,
    /// A UDP port of captures that has messages, as for `verify`.
    #[arg(long = "udp-port", value_name = "PORT")]
    udp_ports: Vec<u16>,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Tree,
    /// A JSON document.
    Json,
}

const DOCUMENT: DocumentFormat<Listed<Inspection>> =
    DocumentFormat::new("inspect", 1, "waywarden inspect FILE --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Inspect {
    /// Runs the command.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let issuer = self.issuer()?;
        let mut out = answers::out();
        let (mut all, mut readable, mut any) = (Vec::new(), true, false);
        let (mut passed, mut failures) = (0, Vec::<Failure>::new());
        for path in &self.files {
            let read = records::each::<StopReason<Failure>>(path, |record| {
                let inspected = Inspection::new(&record, issuer.as_ref(), &self.udp_ports);
                let inspected = inspected.map_err(|why| StopReason::Failed(Failure::new(why)))?;
                let Some(inspection) = inspected else {
                    passed += 1;
                    return Ok(());
                };
                readable &= inspection.is_read();
                any = true;
                match self.format {
                    Format::Json => all.push(inspection),
                    Format::Tree => inspection.print(&mut out).map_err(StopReason::failed)?,
                }
                Ok(())
            });
            let mut unread = Vec::new();
            // What stands before the place where a file ends is shown, and the other files are.
            match read {
                Ok(file) => {
                    let note = file.note.iter();
                    note.for_each(|note| messages::note(plain(note)));
                    unread.extend(file.wrong);
                }
                Err(StopReason::Failed(failure)) => failures.push(failure),
                Err(StopReason::Unread(wrong)) => unread.push(wrong),
            }
            for unread in unread {
                // A program that reads the document finds it nowhere else.
                if self.format == Format::Json {
                    all.push(Inspection::unread(&unread));
                }
                failures.push(unread.into_failure());
            }
        }
        let words = passed_over(passed);
        if self.format == Format::Json {
            DOCUMENT.print(&mut out, &Listed::new(all))?;
        }
        if !any && failures.is_empty() {
            return Err(Failure::new(format_args!(
                "the files have no message and no certificate{words}"
            )));
        }
        if let Some(words) = words.strip_prefix("; ") {
            messages::note(words);
        }
        Failure::if_any(failures)?;
        Ok(if readable { Answer::Yes } else { Answer::No })
    }

    fn issuer(&self) -> Result<Option<Issuer>, Failure> {
        match (&self.issuer_cert, &self.issuer_hash, &self.issuer_key) {
            (Some(path), ..) => issuer_of_file(path).map(Some),
            (None, Some(hash), Some(key)) => given_issuer(hash, key).map(Some),
            _ => Ok(None),
        }
    }
}

/// Reads the issuer's certificate.
fn issuer_of_file(path: &Path) -> Result<Issuer, Failure> {
    let wrong = |why: &str| Failure::new(format_args!("--issuer-cert {}: {why}", path.display()));
    let mut found = None;
    let read = records::each::<UnreadFile>(path, |record| {
        found = found.take().or(Some(record.bytes));
        Ok(())
    });
    let file = read.map_err(UnreadFile::into_failure::<Failure>)?;
    file.note.into_iter().for_each(messages::status);
    Failure::if_any(
        file.wrong
            .into_iter()
            .map(UnreadFile::into_failure)
            .collect(),
    )?;
    let bytes = found.ok_or_else(|| wrong("has no certificate"))?;
    Issuer::of_certificate(&bytes).map_err(|why| wrong(&why))
}

/// Reads the hash of the issuer's certificate, and its key.
fn given_issuer(hash: &str, key: &str) -> Result<Issuer, Failure> {
    let hash = records::hex(hash).and_then(|hash| <[u8; 32]>::try_from(hash).ok());
    let hash = hash.ok_or_else(|| {
        Failure::new("--issuer-hash: 64 hexadecimal digits, the SHA-256 of a certificate")
    })?;
    let wrong = |why: &str| Failure::new(format_args!("--issuer-key: {why}"));
    let key = records::hex(key)
        .ok_or_else(|| wrong("66 hexadecimal digits (compressed) or 130 (uncompressed)"))?;
    Issuer::given(hash, &key).map_err(|why| wrong(&why))
}
