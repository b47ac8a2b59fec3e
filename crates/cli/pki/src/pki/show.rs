//! `waywarden pki show`: what a PKI, a certificate or a key file has.

mod summary;

use std::io::Write;
use std::path::{Path, PathBuf};

use self::summary::{Named, Pki, State, Summary, of_entry, vehicles};
use schemars::JsonSchema;
use serde::Serialize;

use waywarden_command_line::answers;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{CertificateShape, IndexEntry};
use waywarden_pki_folder::key_file;
use waywarden_v2x_input::time;

/// Show the certificates of a PKI as a tree, or one certificate or key file.
///
/// No passphrase is needed: of an encrypted key its encryption is shown, and of no key its secret.
///
/// Exit code 0 if everything could be read, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The folder of a PKI, a certificate (`.oer`), or a key (`.p8`, `.vkey`, `.ekey`).
    path: PathBuf,
    /// The form of the answer. In JSON a PKI has a list of `certificates`, each with the
    /// HashedId8 of its issuer.
    #[arg(long, value_enum, default_value_t)]
    format: ShowFormat,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum ShowFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// A file with a private key.
#[derive(Serialize, JsonSchema)]
struct PrivateKey {
    /// Description of the key.
    key: String,
}

const PKI: DocumentFormat<Pki> =
    DocumentFormat::new("pki", 1, "waywarden pki show DIR --format json");
const CERTIFICATE: DocumentFormat<Named> = DocumentFormat::new(
    "pki-certificate",
    1,
    "waywarden pki show CERTIFICATE --format json",
);
const KEY: DocumentFormat<PrivateKey> =
    DocumentFormat::new("pki-key", 1, "waywarden pki show KEY --format json");

/// The schemas of what programs read.
pub(crate) const SCHEMAS: [DocumentSchema; 3] = [PKI.schema(), CERTIFICATE.schema(), KEY.schema()];

impl Show {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = answers::out();
        if self.path.is_dir() {
            let pki = PkiDirectory::open(&self.path)?;
            match self.format {
                ShowFormat::Text => directory(&mut out, &pki)?,
                ShowFormat::Json => PKI.print(&mut out, &Pki::of(&pki)?)?,
            }
            return Ok(Answer::Yes);
        }
        if let Some(what) = key_file::describe(&self.path)? {
            match self.format {
                ShowFormat::Text => {
                    writeln!(out, "{}: {what}", plain(&self.path.display().to_string()))?;
                }
                ShowFormat::Json => KEY.print(&mut out, &PrivateKey { key: what })?,
            }
            return Ok(Answer::Yes);
        }
        let own = Named::of(&certificate(&self.path)?)?;
        if self.format == ShowFormat::Json {
            CERTIFICATE.print(&mut out, &own)?;
            return Ok(Answer::Yes);
        }
        let name = own.name.as_deref().map_or("no name".into(), plain);
        writeln!(out, "{name}, HashedId8 {}", own.id)?;
        let issuer = own.issuer.as_deref().unwrap_or("itself");
        writeln!(out, "  issued by {issuer}")?;
        contents(&mut out, &own.contents, "  ")?;
        Ok(Answer::Yes)
    }
}

/// Shows a PKI: each certificate below that of its issuer.
pub(crate) fn directory(out: &mut impl Write, directory: &PkiDirectory) -> Result<(), Failure> {
    let entries = &directory.index.entries;
    let roots = entries.iter().rev().filter(|one| one.issuer.is_none());
    let mut next: Vec<(&IndexEntry, usize)> = roots.map(|root| (root, 0)).collect();
    let mut shown = 0;
    while let Some((one, depth)) = next.pop() {
        entry(out, directory, one, depth)?;
        shown += 1;
        // An index from elsewhere may have circles.
        if shown > entries.len() {
            break;
        }
        let below = entries.iter().rev();
        let below = below.filter(|other| other.issuer.as_ref() == Some(&one.id));
        next.extend(below.map(|other| (other, depth + 1)));
    }
    for vehicle in vehicles(directory) {
        let state = match &vehicle.revoked {
            Some(revoked) => format!("pseudonyms revoked {revoked}"),
            None => "has pseudonyms".to_owned(),
        };
        writeln!(out, "{}: vehicle, {state}", plain(&vehicle.name))?;
    }
    Ok(())
}

/// Shows one certificate of a PKI.
pub(crate) fn entry(
    out: &mut impl Write,
    directory: &PkiDirectory,
    entry: &IndexEntry,
    depth: usize,
) -> Result<(), Failure> {
    let indent = "  ".repeat(depth);
    let shape: CertificateShape = directory.index.shape;
    let role = entry.role.show(shape);
    let name = plain(&entry.name);
    writeln!(
        out,
        "{indent}{name}: {role}, HashedId8 {}",
        plain(&entry.id)
    )?;
    if let Some(revoked) = entry.revoked() {
        writeln!(out, "{indent}  revoked {}", time::show(revoked))?;
    }
    let own = of_entry(directory, entry)?;
    contents(out, &own.contents, &format!("{indent}  "))?;
    let files: Vec<String> = entry.paths().map(display).collect();
    writeln!(out, "{indent}  files: {}", files.join(", "))?;
    if let Some(uri) = &entry.token {
        writeln!(out, "{indent}  key in a token: {}", plain(uri))?;
    }
    Ok(())
}

fn display(path: &Path) -> String {
    plain(&path.display().to_string()).into_owned()
}

/// Shows what a certificate says.
fn contents(out: &mut impl Write, own: &Summary, indent: &str) -> Result<(), Failure> {
    let state = match own.state {
        State::NotYet => ", not valid yet",
        State::Expired => ", expired",
        State::Valid => "",
    };
    let curve = own.curve.as_deref();
    let curve = curve.map_or(String::new(), |curve| format!(", {curve}"));
    let encrypts = match own.has_encryption_key {
        true => ", with an encryption key",
        false => "",
    };
    writeln!(out, "{indent}{}{curve}{encrypts}", own.kind)?;
    let (from, until) = (&own.valid_from, &own.valid_until);
    writeln!(out, "{indent}valid {from} to {until}{state}")?;
    if let Some(region) = &own.region {
        writeln!(out, "{indent}region {region}")?;
    }
    if let Some(permissions) = &own.may_send {
        writeln!(out, "{indent}may send {}", permissions.join(" "))?;
    }
    for group in &own.may_issue {
        writeln!(out, "{indent}may issue {group}")?;
    }
    for group in &own.may_request {
        writeln!(out, "{indent}may request {group}")?;
    }
    Ok(())
}
