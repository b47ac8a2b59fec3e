//! Reads the origin of an authentication's keys: in place when the car starts, agreed on by a
//! group, or granted by a security module.

use super::{grants, group_keys};
use crate::draft::Draft;
use crate::model::{AuthenticationProtocol, KeyOrigin, KeyStoreKind, KeyTables};
use crate::problem::Problem;
use crate::reader::Section;

/// The keys of a file that name the origin of session keys.
const SOURCES: [&str; 2] = ["group", "granted_by"];

/// Reads it; `tables` are none if they are broken.
pub(super) fn origin(
    section: &mut Section<'_>,
    protocol: Option<&AuthenticationProtocol>,
    key_store: KeyStoreKind,
    tables: Option<KeyTables<'_>>,
    draft: &Draft,
) -> Option<KeyOrigin> {
    let [group, granted] = SOURCES.map(|key| section.has(key));
    if group && granted {
        let span = section.location("granted_by");
        let problem = Problem::Relation {
            found: "there is a `group` as well".to_owned(),
            remedy: "keep one of them: ECUs agree on the keys, or a security module grants them",
        };
        section.fault(&span, problem);
    }
    for key in SOURCES {
        check_renewable(section, key, protocol, key_store);
    }
    let agreed = group_keys::origin(section, tables.map(|tables| tables.groups), draft);
    let granting = grants::origin(section, tables.map(|tables| tables.networks));
    match (group, granted) {
        (false, false) => Some(KeyOrigin::Provisioned),
        (true, _) => agreed,
        (false, true) => granting,
    }
}

/// Notes message authentication whose keys cannot change while the car runs.
fn check_renewable(
    section: &mut Section<'_>,
    key: &'static str,
    protocol: Option<&AuthenticationProtocol>,
    key_store: KeyStoreKind,
) {
    if !section.has(key) {
        return;
    }
    let span = section.location(key);
    let published = matches!(protocol, Some(AuthenticationProtocol::Published { .. }));
    section.demand(!published, &span, || Problem::Relation {
        found: "as published the keys are in place when the car starts".to_owned(),
        remedy: match key {
            "group" => "write `profile = \"hardened\"`, or leave `group` out",
            _ => "write `profile = \"hardened\"`, or leave `granted_by` out",
        },
    });
    section.demand(key_store == KeyStoreKind::Software, &span, || {
        Problem::Relation {
            found: "the keys of protected modules are in place when the car starts".to_owned(),
            remedy: match key {
                "group" => "write `key_store = \"software\"`, or leave `group` out",
                _ => "write `key_store = \"software\"`, or leave `granted_by` out",
            },
        }
    });
}
