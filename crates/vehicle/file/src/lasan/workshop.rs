//! Reads the changes by the workshop: retirements, enrolments and replacements, with their times.

use waywarden_lasan::{Credentials, LasanProfile};
use waywarden_work::Duration;

use super::member;
use crate::draft::Draft;
use crate::model::{EcuIndex, KeyParty, WorkshopChange, WorkshopWork};
use crate::parties::{self, Turn, TurnKind};
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;

/// Reads `retire`, `enrol` and `replace`.
pub(super) fn changes(
    section: &mut Section<'_>,
    members: &[KeyParty],
    (profile, credentials): (LasanProfile, Credentials),
    draft: &Draft,
) -> Vec<WorkshopChange> {
    let (mut changes, mut turns) = (Vec::new(), Vec::new());
    for (key, work) in [
        ("retire", WorkshopWork::Retire),
        ("enrol", WorkshopWork::Enrol),
        ("replace", WorkshopWork::Replace),
    ] {
        let entries = section.tables(key);
        let known = profile != LasanProfile::AsPublished && credentials == Credentials::Keys;
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
            let Some((member, at)) = change(section, entry, members, draft) else {
                continue;
            };
            changes.push(WorkshopChange {
                at: at.value,
                member,
                work,
            });
            let kind = match work {
                WorkshopWork::Retire => TurnKind::Leaves,
                WorkshopWork::Enrol => TurnKind::Returns,
                WorkshopWork::Replace => TurnKind::Stays,
            };
            let ecu = member.ecu;
            turns.push(Turn { ecu, at, kind });
        }
    }
    let remedy = "an ECU is retired first, enrolled or replaced after that, and each at a time of \
                  its own";
    parties::check_turns(section, turns, remedy, draft);
    changes.sort_by_key(|change: &WorkshopChange| change.at);
    changes
}

fn change(
    section: &mut Section<'_>,
    mut entry: Section<'_>,
    members: &[KeyParty],
    draft: &Draft,
) -> Option<(KeyParty, Located<Duration>)> {
    let ecu = entry.reference("ecu", &draft.ecu_names);
    let at = parties::at(&mut entry);
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
    member.zip(at)
}
