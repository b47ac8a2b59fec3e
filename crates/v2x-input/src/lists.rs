//! Signed revocation lists in files.

use std::path::Path;

use waywarden_v2x_security::revocation::Revokes;
use waywarden_v2x_security::{AppliedCrl, CrlRefusal, ReceptionContext, Source, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time64};

use super::records;
use super::time;
use super::unread::UnreadFile;
use waywarden_command_line::exit::Failure;

/// Applies the revocation lists in a file, which words about it begin with `what`. Returns what
/// each revokes, in words; the first that is not accepted is a failure.
pub fn apply(
    path: &Path,
    what: &str,
    verifier: &mut Verifier,
    now: Time64,
) -> Result<Vec<String>, Failure> {
    let mut applied = Vec::new();
    let mut failure = None;
    let read = records::each::<UnreadFile>(path, |record| {
        let context = ReceptionContext {
            source: Source::File,
            ..ReceptionContext::at(now)
        };
        let bytes = record.find().map_or(&record.bytes[..], |found| found.spdu);
        let place = &record.place;
        match verifier.apply_crl(bytes, &context) {
            Ok(list) => applied.push(revoked(what, place, &list, now)),
            Err(CrlRefusal::Old) => applied.push(format!(
                "{what} {place}: passed over, a newer list of its CRACA and series was applied"
            )),
            Err(_) if parse::<Certificate<'_>>(bytes).is_ok() => {
                failure.get_or_insert_with(|| {
                    format!("{what} {place}: a certificate, no revocation list")
                });
            }
            Err(refusal) => {
                failure.get_or_insert_with(|| {
                    format!("{what} {place}: {refusal}; nothing was verified")
                });
            }
        }
        Ok(())
    });
    if let Err(unread) = read {
        return Err(Failure::new(format_args!("{what} {unread}")));
    }
    match failure {
        Some(failure) => Err(Failure::new(failure)),
        None if applied.is_empty() => Err(Failure::new(format_args!(
            "{what} {}: the file has no revocation list",
            path.display()
        ))),
        None => Ok(applied),
    }
}

/// Says what a list has revoked, and whether the next one should be there.
fn revoked(what: &str, place: &str, list: &AppliedCrl, now: Time64) -> String {
    let next = Time64(u64::from(list.next_crl.0) * 1_000_000);
    let revoked = match list.revokes {
        Revokes::Certificates(count) => format!("{count} certificates"),
        Revokes::Holders {
            from,
            holders,
            groups,
            ..
        } => format!(
            "{holders} holders and {groups} groups from period {} on",
            from.0
        ),
    };
    format!(
        "{what} {place}: revokes {revoked} of CRACA {}, series {}; the next list {} due {}",
        records::show(&list.craca.0),
        list.series.0,
        if next < now { "was" } else { "is" },
        time::show(next),
    )
}
