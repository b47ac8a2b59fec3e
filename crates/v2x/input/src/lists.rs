//! Signed revocation lists in files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use waywarden_input_files::Problem;
use waywarden_v2x_security::revocation::{
    Continuity, CrlKind, IncompleteSeries, ListNumber, Revokes,
};
use waywarden_v2x_security::{AppliedCrl, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::{emit, length, parse};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time64};
use waywarden_v2x_wire::ieee1609dot2dot1::CertManagementPdu;

use super::records;
use super::time;
use super::unread::UnreadFile;

/// Applies the revocation lists in files, in any order. Notes and failures begin with `what`, the
/// option that names the files. Returns a note on each list, and one on each series that lacks
/// lists; the first list that is not accepted is a failure.
pub fn apply_all(
    paths: &[PathBuf],
    what: &str,
    verifier: &mut Verifier,
    now: Time64,
) -> Result<Vec<String>, Problem> {
    let mut notes = Vec::new();
    for path in paths {
        notes.extend(apply(path, what, verifier, now)?);
    }
    // After all of them: a later file may have what an earlier one lacked.
    let incomplete = verifier.revocations().incomplete();
    notes.extend(incomplete.map(|one| gap(what, &one)));
    Ok(notes)
}

fn apply(
    path: &Path,
    what: &str,
    verifier: &mut Verifier,
    now: Time64,
) -> Result<Vec<String>, Problem> {
    let mut applied = Vec::new();
    let mut failure = None;
    let read = records::each::<UnreadFile>(path, |record| {
        let context = ReceptionContext {
            source: MessageSource::File,
            ..ReceptionContext::at(now)
        };
        let bytes = record.find().map_or(&record.bytes[..], |found| found.spdu);
        for (place, bytes) in single_lists(&record.place, bytes) {
            match verifier.apply_crl(&bytes, &context) {
                Ok(list) => applied.push(revoked(what, &place, &list, now)),
                Err(_) if parse::<Certificate<'_>>(&bytes).is_ok() => {
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
        }
        Ok(())
    });
    let failed = |unread: UnreadFile| {
        let place = unread.place.of(&unread.file);
        Problem::new("list-not-read", format_args!("{what} {unread}")).at(place)
    };
    let file = read.map_err(failed)?;
    // A list with a line that cannot be read may lack what it revokes.
    if let Some(unread) = file.wrong.into_iter().next() {
        return Err(failed(unread));
    }
    match failure {
        Some(failure) => Err(Problem::new("list-refused", failure).at(path.display())),
        None if applied.is_empty() => {
            let path = path.display();
            let line = format!("{what} {path}: the file has no revocation list");
            Err(Problem::new("list-missing", line).at(path))
        }
        None => {
            applied.extend(file.note.map(|note| format!("{what} {note}")));
            Ok(applied)
        }
    }
}

/// The revocation lists in a composite one \[1609.2.1\], each with its place; of anything else the
/// bytes as they are. The trust list in a composite one is left to `pki check-list`.
fn single_lists<'a>(place: &str, bytes: &'a [u8]) -> Vec<(String, Cow<'a, [u8]>)> {
    let Ok(CertManagementPdu::CompositeCrl(composite)) = CertManagementPdu::read(bytes) else {
        return vec![(place.to_owned(), bytes.into())];
    };
    let lists = composite.crls.iter().flatten().enumerate();
    let lists = lists.filter_map(|(at, list)| {
        // As it came: what was read is written with the same bytes.
        let mut buffer = vec![0; length(&list).ok()?];
        emit(&list, &mut buffer).ok()?;
        Some((format!("{place}, crl[{at}]"), buffer.into()))
    });
    lists.collect()
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

/// Describes the lists that a series lacks.
fn gap(what: &str, series: &IncompleteSeries) -> String {
    let name = format!(
        "{what}: CRACA {}, series {}",
        records::show(&series.name.authority().0),
        series.name.series().0
    );
    let kind = match series.kind {
        CrlKind::Hash => "by hash",
        CrlKind::Linkage => "by linkage values",
    };
    match series.continuity {
        Continuity::Complete => name,
        Continuity::NoFullList => format!(
            "{name}: delta lists {kind} and no full one: what was revoked before them is not \
             known; add the latest full list"
        ),
        Continuity::Missing { first, lists } => {
            let first = match first {
                ListNumber::Serial(serial) => format!("crlSerial {serial}"),
                ListNumber::Index(period, index) => {
                    format!("iRev {}, indexWithinI {index}", period.0)
                }
            };
            let are = if lists == 1 {
                "1 list is"
            } else {
                &format!("{lists} lists are")
            };
            format!(
                "{name}: {are} missing {kind}, from {first} on: what they revoked may not be \
                 known; add them, or a later full list"
            )
        }
    }
}
