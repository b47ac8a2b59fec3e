//! Reads `[[authentication]]`: the streams that travel with a tag, the protocol, and the master
//! that announces how new a message must be.
//!
//! The protocols and their choices are in docs/protocols/vatican-leia.md and secoc.md.

mod alone;
mod data_ids;
mod ends;
mod fits;
mod grants;
mod group_keys;
mod key_origin;
mod log_tables;
mod secoc;
mod separate;

use std::collections::BTreeMap;

use waywarden_can::{Id, StandardId};
use waywarden_can_auth::paired::WireForm;
use waywarden_work::Algorithm;

pub use alone::{AuthenticationFile, KEY_FILE_MAX};
pub use log_tables::{Announcements, KeySource, LogAuthentication, LogStream, LogStreams};

use super::draft::Draft;
use super::key_identifiers;
use super::model::{
    Authentication, AuthenticationProtocol, EcuIndex, KeyStoreKind, KeyTables, Protection, Stream,
    StreamIndex, VehicleFile,
};
use super::place::Located;
use super::problem::Problem;
use super::reader::Section;
use super::source::Findings;

/// Limit on streams that one table authenticates.
pub const STREAMS_MAX: usize = 256;

/// The highest identifier under which an ECU asks; the next one has the one below, and so on.
const ASKING_FIRST: u16 = 0x7EF;

/// The command of a question in a 29-bit identifier.
const QUESTION: u32 = 2;

/// Reads one table.
pub(super) fn authentication(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<Authentication> {
    let scheme = scheme(&mut section);
    let key_store = match section.word("key_store") {
        "module" => KeyStoreKind::Module,
        _ => KeyStoreKind::Software,
    };
    let list = section.required::<Vec<Located<String>>>("protect");
    let list = list.map_or(Vec::new(), |list| list.value);
    let named = section.references(&list, &draft.stream_names);
    let at = section.location("protect");
    section.demand(named.len() <= STREAMS_MAX, &at, || Problem::TooMany {
        what: "authenticated streams",
        found: named.len(),
        most: STREAMS_MAX,
    });
    let unchecked = section.list("unchecked");
    let span = section.location("unchecked");
    let unchecked = section.references(&unchecked, &draft.ecu_names);
    let readable = unchecked.is_empty() || scheme != Some("leia");
    section.demand(readable, &span, || Problem::Relation {
        found: "LeiA's frames have 29-bit identifiers, which no ECU reads without it".to_owned(),
        remedy: "leave `unchecked` out, or write `scheme = \"vatican\"`",
    });
    let protocol = match scheme? {
        "secoc" => secoc::secoc(&mut section, &named, draft).map(AuthenticationProtocol::Secoc),
        word => Some(two_frames(&mut section, word)),
    };
    if let Some(protocol) = &protocol {
        for one in &named {
            let Some(stream) = draft.stream(one.value) else {
                continue;
            };
            match protocol {
                AuthenticationProtocol::Secoc(secoc) if !secoc.cryptographic_ids.is_empty() => {
                    let index = StreamIndex(one.value);
                    if let Some(problem) = separate::problem(secoc, index, &stream.stream) {
                        section.fault(&one.span, problem);
                    }
                }
                _ => fits::check(&mut section, &one.span, protocol, &stream.stream, draft),
            }
        }
    }
    let keys = key_origin::origin(&mut section, protocol.as_ref(), key_store, tables, draft);
    section.finish()?;
    Some(Authentication {
        name,
        protocol: protocol?,
        keys: keys?,
        streams: named.iter().map(|one| StreamIndex(one.value)).collect(),
        unchecked: unchecked.iter().map(|one| EcuIndex(one.value)).collect(),
        key_store,
        asking: Vec::new(),
    })
}

/// Returns true if a stream of a vehicle can travel with the tags of a protocol.
pub fn fits(file: &VehicleFile, protocol: &AuthenticationProtocol, stream: &Stream) -> bool {
    obstacles(file, protocol, stream).is_empty()
}

/// Returns why a stream of a vehicle cannot travel with the tags of a protocol, with the remedy of
/// each reason; none if it can.
pub fn obstacles(
    file: &VehicleFile,
    protocol: &AuthenticationProtocol,
    stream: &Stream,
) -> Vec<Problem> {
    fits::problems(protocol, stream, file.streams.iter())
}

/// Notes senders and receivers that do not get the keys that their messages come under.
pub(super) fn check_ends(file: &VehicleFile, findings: &Findings<'_>) {
    group_keys::check_ends(file, findings);
    grants::check(file, findings);
}

/// Reads the protocol.
fn scheme(section: &mut Section<'_>) -> Option<&'static str> {
    section.need("scheme");
    section.kind("scheme")
}

/// Reads the choices of vatiCAN and LeiA.
fn two_frames(section: &mut Section<'_>, scheme: &str) -> AuthenticationProtocol {
    let wire = match scheme {
        "leia" => WireForm::Leia,
        _ => WireForm::Vatican,
    };
    let published = section.word("profile") == "as-published";
    let mac = section.choice("mac");
    let mac = match mac {
        Some("aes-128-cmac") => Algorithm::Aes128Cmac,
        Some("siphash") => Algorithm::SipHash,
        Some("hmac-sha-256") => Algorithm::HmacSha256,
        Some(_) => Algorithm::SpongentMac,
        None if published => Algorithm::SpongentMac,
        None => Algorithm::Aes128Cmac,
    };
    match published {
        true => AuthenticationProtocol::Published { wire, mac },
        false => AuthenticationProtocol::Paired { wire, mac },
    }
}

/// Notes streams that two tables protect, and marks all that are protected.
pub(super) fn check(tables: &[Authentication], draft: &mut Draft, findings: &Findings<'_>) {
    let mut first: BTreeMap<usize, &Authentication> = BTreeMap::new();
    for table in tables {
        for stream in &table.streams {
            let protection = table.protection(*stream);
            let Some(Some(own)) = draft.streams.get_mut(stream.0) else {
                continue;
            };
            let name = own.stream.name.value.clone();
            let by = match first.insert(stream.0, table) {
                Some(other) => format!("by [[authentication]] {:?}", other.name.value),
                None if own.stream.protection == Protection::Granted => "by [[keys]]".to_owned(),
                None => {
                    own.stream.protection = protection;
                    continue;
                }
            };
            findings.add(
                &table.name.span,
                Problem::Relation {
                    found: format!("stream {name:?} is protected already, {by}"),
                    remedy: "name it in one `protect` only",
                },
            );
        }
    }
    separate::check(tables, draft, findings);
    check_routes(draft, findings);
}

/// Notes routes that are to verify streams without tags, or without tags by then.
fn check_routes(draft: &Draft, findings: &Findings<'_>) {
    for route in draft.routes.iter().flatten() {
        if route.route.verify.is_none() {
            continue;
        }
        for stream in &route.route.streams {
            let Some(own) = draft.stream(stream.0) else {
                continue;
            };
            let tagged = !matches!(
                own.stream.protection,
                Protection::None | Protection::Granted
            );
            if !tagged {
                let problem = Problem::Relation {
                    found: format!(
                        "stream {:?} travels without a tag that a gateway could verify",
                        own.stream.name.value
                    ),
                    remedy: "name it in the `protect` of an [[authentication]], or take it by a \
                             route without `verify`",
                };
                findings.add(&route.place_of(stream.0), problem);
            } else if matches!(own.stream.id.value, Id::Extended(_)) {
                let problem = Problem::Relation {
                    found: format!(
                        "stream {:?} has a 29-bit identifier, and a gateway verifies streams under \
                         11-bit ones",
                        own.stream.name.value
                    ),
                    remedy: "take it by a route without `verify`",
                };
                findings.add(&route.place_of(stream.0), problem);
            }
        }
    }
}

/// Gives each ECU that checks messages an identifier to ask under that nothing else uses.
pub(super) fn assign(file: &mut VehicleFile) {
    let taken = |stream: &Stream| match stream.id.value {
        Id::Standard(id) => id.raw(),
        Id::Extended(id) => id.base(),
    };
    let taken: Vec<u16> = file.streams.iter().map(taken).collect();
    let free = (0..=ASKING_FIRST)
        .rev()
        .filter(|id| !taken.contains(id) && !taken.contains(&(id & !1)))
        .filter(|id| {
            let tags = key_identifiers::tags(*id, QUESTION);
            !key_identifiers::clashes(&file.groups, &file.lasan, &tags)
        })
        .filter_map(|id| StandardId::new(id).ok());
    // As many as there may be ECUs that ask, in all tables.
    let most = file
        .authentications
        .iter()
        .map(|table| file.checks(table).count());
    let free: Vec<StandardId> = free.take(most.sum()).collect();
    let mut free = free.into_iter();
    for at in 0..file.authentications.len() {
        let table = &file.authentications[at];
        let asks = match &table.protocol {
            AuthenticationProtocol::Paired { .. } => true,
            AuthenticationProtocol::Published { wire, .. } => *wire == WireForm::Leia,
            AuthenticationProtocol::Secoc(_) => false,
        };
        let mut ecus: Vec<EcuIndex> = match asks {
            true => file.checks(table).map(|check| check.ecu).collect(),
            false => Vec::new(),
        };
        ecus.sort();
        ecus.dedup();
        let asking = ecus.into_iter().zip(&mut free).collect();
        file.authentications[at].asking = asking;
    }
}
