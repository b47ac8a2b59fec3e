//! Reads `[[keys]]`: groups and security modules.

use super::draft::Draft;
use super::events;
use super::reader::Section;
use super::source::Findings;
use crate::{KeyGroup, Lasan, Problem, Protection, Thing, group, lasan};
use waywarden_vehicle_grammar::LASAN;

/// Limit on `[[keys]]` of a vehicle: each ECU can take part in as many.
const KEYS_MAX: usize = waywarden_ecu::ROLES_MAX;

/// The content of a `[[keys]]`.
enum Keys {
    Group(KeyGroup),
    Lasan(Lasan),
}

/// Reads the key protocols, and marks the streams that one of them protects.
pub(super) fn key_protocols(
    top: &mut Section<'_>,
    draft: &mut Draft,
    findings: &Findings<'_>,
) -> Option<(Vec<KeyGroup>, Vec<Lasan>)> {
    let tables = events(top, "keys", Thing::KeyGroup, |section, name| match section
        .says("scheme", LASAN)
    {
        true => lasan::lasan(section, name, draft).map(Keys::Lasan),
        false => group::group(section, name, draft).map(Keys::Group),
    })?;
    if tables.len() > KEYS_MAX {
        let (found, most) = (tables.len(), KEYS_MAX);
        let what = "groups of keys";
        findings.add(&top.span, Problem::TooMany { what, found, most });
    }
    let (mut groups, mut networks) = (Vec::new(), Vec::new());
    for table in tables {
        match table {
            Keys::Group(group) => groups.push(group),
            Keys::Lasan(network) => networks.push(network),
        }
    }
    lasan::check(&networks, draft, findings);
    let protected = networks.iter().flat_map(|network| &network.protected);
    for line in protected {
        if let Some(Some(draft)) = draft.streams.get_mut(line.stream.0) {
            draft.stream.protection = Protection::Granted;
        }
    }
    Some((groups, networks))
}
