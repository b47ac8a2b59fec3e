//! `waywarden pki show`: what a PKI, a certificate or a key file has.

use std::io::Write;
use std::path::{Path, PathBuf};

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CertificateType, EndEntityType, IssuerIdentifier,
    PsidGroupPermissions,
};

use super::directory::{Directory, certificate};
use super::index::{Entry, Shape, show_id};
use super::issuer::curve_of;
use super::{key_file, permission, region, validity};
use crate::exit::{Answer, Failure};
use crate::terminal::plain;
use crate::v2x::certificates::id_of;
use crate::v2x::time;

/// Show the certificates of a PKI as a tree, or one certificate or key file.
///
/// No passphrase is needed: of an encrypted key its encryption is shown, and of no key its secret.
///
/// Exit code 0 if everything could be read, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The folder of a PKI, a certificate (`.oer`), or a key (`.p8`, `.vkey`, `.ekey`).
    path: PathBuf,
}

impl Show {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = std::io::stdout().lock();
        if self.path.is_dir() {
            directory(&mut out, &Directory::open(&self.path)?)?;
            return Ok(Answer::Yes);
        }
        if let Some(what) = key_file::describe(&self.path)? {
            writeln!(out, "{}: {what}", plain(&self.path.display().to_string()))?;
            return Ok(Answer::Yes);
        }
        let bytes = certificate(&self.path)?;
        let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
        let id = id_of(&view).map_or("unknown".to_owned(), show_id);
        let name = match &view.to_be_signed.id {
            CertificateId::Name(name) => plain(name.as_str()).into_owned(),
            _ => "no name".to_owned(),
        };
        writeln!(out, "{name}, HashedId8 {id}")?;
        let issuer = match view.issuer {
            IssuerIdentifier::SelfIssued(_) => "itself".to_owned(),
            IssuerIdentifier::Sha256AndDigest(id)
            | IssuerIdentifier::Sha384AndDigest(id)
            | IssuerIdentifier::Sm3AndDigest(id) => show_id(id),
        };
        writeln!(out, "  issued by {issuer}")?;
        contents(&mut out, &bytes, "  ")?;
        Ok(Answer::Yes)
    }
}

/// Shows a PKI: each certificate below that of its issuer.
pub(crate) fn directory(out: &mut impl Write, directory: &Directory) -> Result<(), Failure> {
    let entries = &directory.index.entries;
    let roots = entries.iter().rev().filter(|one| one.issuer.is_none());
    let mut next: Vec<(&Entry, usize)> = roots.map(|root| (root, 0)).collect();
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
    Ok(())
}

/// Shows one certificate of a PKI.
pub(crate) fn entry(
    out: &mut impl Write,
    directory: &Directory,
    entry: &Entry,
    depth: usize,
) -> Result<(), Failure> {
    let indent = "  ".repeat(depth);
    let shape: Shape = directory.index.shape;
    let role = entry.role.show(shape);
    let name = plain(&entry.name);
    writeln!(
        out,
        "{indent}{name}: {role}, HashedId8 {}",
        plain(&entry.id)
    )?;
    let path = directory.file(&entry.certificate);
    let bytes = certificate(&path)?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    if id_of(&view).map(show_id).as_deref() != Some(&entry.id) {
        return Err(Failure::new(format_args!(
            "{}: is not the certificate {} that the index names",
            path.display(),
            entry.id
        )));
    }
    contents(out, &bytes, &format!("{indent}  "))?;
    let keys = entry.key.iter().chain(&entry.encryption_key);
    let files: Vec<String> = [&entry.certificate]
        .into_iter()
        .chain(keys)
        .map(display)
        .collect();
    for file in entry.key.iter().chain(&entry.encryption_key) {
        let path = directory.file(file);
        if !path.is_file() {
            let path = path.display();
            return Err(Failure::new(format_args!(
                "{path}: the private key is missing"
            )));
        }
    }
    writeln!(out, "{indent}  files: {}", files.join(", "))?;
    Ok(())
}

fn display(path: &PathBuf) -> String {
    plain(&Path::new(path).display().to_string()).into_owned()
}

/// Shows what a certificate says.
fn contents(out: &mut impl Write, bytes: &[u8], indent: &str) -> Result<(), Failure> {
    let view: Certificate<'_> = parse(bytes).map_err(Failure::new)?;
    let own = &view.to_be_signed;
    let period = own.validity_period;
    let (start, end) = (period.start(), period.end());
    let now = time::now();
    let state = match () {
        () if now < start => ", not valid yet",
        () if now >= end => ", expired",
        () => "",
    };
    let kind = match view.kind {
        CertificateType::Implicit => "implicit",
        _ => "explicit",
    };
    let curve = curve_of(&[bytes.to_vec()])?;
    let curve = curve.map_or(String::new(), |curve| format!(", {curve:?}"));
    let encrypts = match own.encryption_key {
        Some(_) => ", with an encryption key",
        None => "",
    };
    writeln!(out, "{indent}{kind}{curve}{encrypts}")?;
    writeln!(out, "{indent}valid {}{state}", validity::show((start, end)))?;
    if let Some(region) = &own.region {
        writeln!(out, "{indent}region {}", region::show(region))?;
    }
    if let Some(permissions) = &own.app_permissions {
        let all: Vec<String> = permissions
            .iter()
            .flatten()
            .map(|one| permission::show(&one))
            .collect();
        writeln!(out, "{indent}may send {}", all.join(" "))?;
    }
    for group in own.cert_issue_permissions.iter().flatten().flatten() {
        writeln!(out, "{indent}may issue {}", group_text(&group))?;
    }
    for group in own.cert_request_permissions.iter().flatten().flatten() {
        writeln!(out, "{indent}may request {}", group_text(&group))?;
    }
    Ok(())
}

fn group_text(group: &PsidGroupPermissions<'_>) -> String {
    let least = group.min_chain_length;
    let lengths = match group.chain_length_range {
        -1 => format!("{least} or more"),
        0 => least.to_string(),
        range => format!("{least} to {}", least.saturating_add(range)),
    };
    let both =
        group.ee_type.contains(EndEntityType::APP) && group.ee_type.contains(EndEntityType::ENROL);
    let whom = match () {
        () if both => "messages and enrolment",
        () if group.ee_type.contains(EndEntityType::ENROL) => "enrolment",
        () => "messages",
    };
    format!(
        "{} (chain length {lengths}, for {whom})",
        permission::show_group(group)
    )
}
