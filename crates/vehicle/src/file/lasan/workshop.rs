//! Reads what the workshop does: who is retired, enrolled again, replaced, and when.

use waywarden_ecu_keys::lasan::{Credentials, Profile};
use waywarden_work::Duration;

use super::member;
use crate::file::draft::Draft;
use crate::file::model::{EcuIndex, KeyParty, WorkshopChange, WorkshopWork};
use crate::file::problem::Problem;
use crate::file::reader::Section;

/// How many things of one kind the workshop does at the most.
const CHANGES_MAX: usize = 1_024;

/// Reads `retire`, `enrol` and `replace`.
pub(super) fn changes(
    section: &mut Section<'_>,
    members: &[KeyParty],
    (profile, credentials): (Profile, Credentials),
    draft: &Draft,
) -> Vec<WorkshopChange> {
    let mut changes = Vec::new();
    for (key, work) in [
        ("retire", WorkshopWork::Retire),
        ("enrol", WorkshopWork::Enrol),
        ("replace", WorkshopWork::Replace),
    ] {
        let entries = section.tables(key, CHANGES_MAX);
        let known = profile != Profile::AsPublished && credentials == Credentials::Keys;
        if work == WorkshopWork::Replace && !entries.is_empty() && known {
            let at = section.location(key);
            section.fault(
                &at,
                Problem::Relation {
                    found: "the security module has the keys of the old parts".to_owned(),
                    remedy: "a new part shows its key: write `credentials = \"digests\"` or \
                             \"certificates\"",
                },
            );
        }
        for entry in entries {
            changes.extend(change(section, entry, work, members, draft));
        }
    }
    changes.sort_by_key(|change: &WorkshopChange| change.at);
    changes
}

fn change(
    section: &mut Section<'_>,
    mut entry: Section<'_>,
    work: WorkshopWork,
    members: &[KeyParty],
    draft: &Draft,
) -> Option<WorkshopChange> {
    let ecu = entry.reference("ecu", &draft.ecu_names);
    let at = entry.required::<Duration>("at");
    let member = ecu.and_then(|ecu| member(members, EcuIndex(ecu)));
    if ecu.is_some() {
        let span = entry.location("ecu");
        entry.demand(member.is_some(), &span, || Problem::Relation {
            found: "this ECU is no member".to_owned(),
            remedy: "name one of the `members`; the security module cannot leave",
        });
    }
    if entry.finish().is_none() {
        section.broken();
        return None;
    }
    Some(WorkshopChange {
        at: at?.value,
        member: member?,
        work,
    })
}
