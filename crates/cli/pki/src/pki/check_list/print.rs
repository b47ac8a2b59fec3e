//! The answer: for people, or a JSON document.

use std::io::{self, Write};

use waywarden_command_line::answers;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::terminal::plain;

use super::lines::{AuthorityLine, CrlLine, CtlLine, EntryLine, FileLine, SignatureLine};

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum AnswerFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

const DOCUMENT: DocumentFormat<Listed<FileLine>> = DocumentFormat::new(
    "pki-check-list",
    1,
    "waywarden pki check-list FILE --format json",
);

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// Prints how lists stand.
pub(super) fn print(format: AnswerFormat, lines: Vec<FileLine>) -> Result<(), Failure> {
    let mut out = answers::out();
    match format {
        AnswerFormat::Json => DOCUMENT.print(&mut out, &Listed::new(lines))?,
        AnswerFormat::Text => lines.iter().try_for_each(|line| file(&mut out, line))?,
    }
    out.flush()?;
    Ok(())
}

fn file(out: &mut impl Write, line: &FileLine) -> io::Result<()> {
    let verdict = match line.accepted {
        true => "accepted",
        false => "not accepted",
    };
    let kind = match line.kind {
        "ctl" => "trust list (CTL)",
        "certificate-chain" => "chain file (CCF)",
        "composite-crl" => "composite revocation list",
        "crl" => "revocation list",
        _ => "unknown list",
    };
    writeln!(out, "{}: {kind}: {verdict}", plain(&line.input))?;
    if let Some(error) = &line.error_text {
        writeln!(out, "  not read: {}", plain(error))?;
    }
    for fault in &line.irregular_text {
        writeln!(out, "  wrong: {}", plain(fault))?;
    }
    if line.is_self_checked {
        writeln!(
            out,
            "  no --elector: checked with the certificates of its own signatures, which anyone can \
             make"
        )?;
    }
    if let Some(own) = &line.ctl {
        ctl(out, own)?;
    }
    if line.unchecked_certificates > 0 {
        writeln!(
            out,
            "  others: {} certificates not checked without --elector",
            line.unchecked_certificates
        )?;
    }
    for (at, own) in line.certificates.iter().enumerate() {
        authority(out, at, own)?;
    }
    for (at, own) in line.crls.iter().enumerate() {
        crl(out, at, own)?;
    }
    writeln!(out)
}

fn ctl(out: &mut impl Write, own: &CtlLine) -> io::Result<()> {
    let quorum = match own.quorum {
        Some(quorum) => format!("{quorum} electors sign the next list"),
        None => "as many electors sign the next list".to_owned(),
    };
    writeln!(
        out,
        "  CTL of group {}, sequence number {}, effective {}; {quorum}",
        own.elector_group_id, own.sequence_number, own.effective_date
    )?;
    if own.is_known {
        writeln!(out, "  the list that came before")?;
    }
    if own.lists_missed > 0 {
        writeln!(out, "  lists missed before it: {}", own.lists_missed)?;
    }
    own.entries.iter().try_for_each(|one| entry(out, one))?;
    for at in &own.certificates_without_entry {
        writeln!(out, "  unsigned[{at}]: a certificate that no entry names")?;
    }
    for (at, one) in own.signatures.iter().enumerate() {
        signature(out, at, one)?;
    }
    writeln!(
        out,
        "  signatures: {} counted, {} required",
        own.signatures_counted, own.signatures_required
    )?;
    for fault in &own.faults_text {
        writeln!(out, "  wrong: {}", plain(fault))?;
    }
    Ok(())
}

fn entry(out: &mut impl Write, own: &EntryLine) -> io::Result<()> {
    let hash = own.hash.get(..16).unwrap_or(&own.hash);
    write!(
        out,
        "  {}[{}] at byte {}: {hash}...",
        own.list, own.index, own.offset
    )?;
    match (&own.certificate, own.state) {
        (Some(id), state) => {
            let name = named(own.name.as_deref());
            let until = own.valid_until.as_deref().unwrap_or_default();
            write!(out, " {id} ({}), until {until}: {state}", plain(name))?;
        }
        (None, _) => write!(out, " no certificate is known")?,
    }
    match &own.note_text {
        Some(note) => writeln!(out, "; {}", plain(note)),
        None => writeln!(out),
    }
}

fn signature(out: &mut impl Write, at: usize, own: &SignatureLine) -> io::Result<()> {
    let signer = own.signer.as_deref().unwrap_or("no certificate");
    let name = named(own.name.as_deref());
    let state = own.state.replace('-', " ");
    writeln!(
        out,
        "  signatures[{at}] of {signer} ({}): {state}",
        plain(name)
    )?;
    for fault in &own.faults_text {
        writeln!(out, "    {}", plain(fault))?;
    }
    Ok(())
}

fn authority(out: &mut impl Write, at: usize, own: &AuthorityLine) -> io::Result<()> {
    let id = own.id.as_deref().unwrap_or("without a hash");
    let name = named(own.name.as_deref());
    let issuer = own.issuer.as_deref().unwrap_or("itself");
    write!(
        out,
        "  others[{at}]: {id} ({}), issued by {issuer}, until {}: ",
        plain(name),
        own.valid_until
    )?;
    match &own.fault_text {
        Some(fault) => writeln!(out, "wrong: {}", plain(fault)),
        None => writeln!(out, "verified"),
    }
}

fn crl(out: &mut impl Write, at: usize, own: &CrlLine) -> io::Result<()> {
    write!(out, "  crl[{at}]: ")?;
    match (own.kind, &own.craca, own.series) {
        (Some(kind), Some(craca), Some(series)) => {
            let period = own
                .i_rev
                .map_or(String::new(), |i_rev| format!(", iRev {i_rev}"));
            writeln!(
                out,
                "{kind} {}{period} of CRACA {craca}, series {series}: {} entries, made {}, next {}",
                own.number.unwrap_or_default(),
                own.entries.unwrap_or_default(),
                own.issue_date.as_deref().unwrap_or_default(),
                own.next_crl.as_deref().unwrap_or_default(),
            )?;
        }
        _ => writeln!(out, "no revocation list")?,
    }
    let signer = own.signer.as_deref().unwrap_or("no certificate");
    match own.faults_text[..] {
        [] => writeln!(out, "    signed by {signer}: verified"),
        ref faults => {
            writeln!(out, "    signed by {signer}: wrong")?;
            faults
                .iter()
                .try_for_each(|fault| writeln!(out, "    {}", plain(fault)))
        }
    }
}

/// A name, or that there is none.
fn named(name: Option<&str>) -> &str {
    name.filter(|name| !name.is_empty()).unwrap_or("no name")
}
