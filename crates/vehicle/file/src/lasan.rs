//! Reads `[[keys]]` of the scheme `lasan`: a security module, the ECUs that it authenticates, the
//! streams that it lets them send, and what the workshop changes.
//!
//! The messages, and what each choice means, are in docs/protocols/lasan.md.

mod protect;
mod workshop;

use waywarden_lasan::{Credentials, IDENTIFIERS, LasanProfile, PARTIES_MAX, SUITES};
use waywarden_work::Duration;

use super::draft::Draft;
use super::key_identifiers;
use super::keys::window_between;
use super::model::{EcuIndex, KeyParty, Lasan, ProtectedStream, Window};
use super::parties;
use super::place::Located;
use super::problem::Problem;
use super::reader::{Names, Section};
use super::source::Findings;
use waywarden_vehicle_grammar::{STREAM_KEY, STREAM_KEY_MIN};

pub use protect::HELD_MAX;

/// Limit on frames of a stream under one key: twice what a new receiver can be behind.
const COUNTED: u64 = 1 << 16;

/// Reads when certificates hold.
fn validity(
    section: &mut Section<'_>,
    profile: LasanProfile,
    credentials: Credentials,
) -> Option<Window> {
    let validity = window_between(section, "valid_from", "valid_until")?;
    if credentials != Credentials::Certificates || is_published(profile) {
        let at = section.location(match section.has("valid_until") {
            true => "valid_until",
            false => "valid_from",
        });
        section.fault(
            &at,
            Problem::Relation {
                found: "nothing here has a time in which it holds".to_owned(),
                remedy: "only `credentials = \"certificates\"` do, and not as published: leave it \
                         out",
            },
        );
    }
    protect::whole_milliseconds(section, &validity, ["valid_from", "valid_until"]);
    Some(validity)
}

/// Sees that certificates hold when they are first needed.
fn check_end(section: &mut Section<'_>, validity: Option<Window>, start: Duration) {
    if let Some(until) = validity.and_then(|window| window.until)
        && until <= start
    {
        let at = section.location("valid_until");
        let found =
            format!("certificates end at {until:#}, and the first epoch begins at {start:#}");
        let remedy = "no ECU would ever be authenticated: let `valid_until` be later than that";
        section.fault(&at, Problem::Relation { found, remedy });
    }
}

/// Reads a security module with everything around it.
pub(super) fn lasan(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
) -> Option<Lasan> {
    section.kind("scheme");
    let suite = suite(&mut section);
    let profile = match section.word("profile") {
        "compact" => LasanProfile::Compact,
        "as-published" => LasanProfile::AsPublished,
        _ => LasanProfile::Hardened,
    };
    let credentials = credentials(&mut section, profile);
    let module = section.reference("security_module", &draft.ecu_names);
    let in_charge = module.and_then(|at| draft.ecus.get(at)?.as_ref());
    let known_buses = parties::buses(&mut section, (in_charge, "security module"), draft);
    let buses = known_buses.as_deref().unwrap_or_default();
    let transport = parties::transport(&mut section, buses, draft);
    let identifiers = key_identifiers::plan(&mut section, IDENTIFIERS);
    let gateway = parties::gateway(&mut section, module, buses, draft);
    let pacing = section.time("pacing");
    let in_charge = (module, "security module");
    let members = parties::members(&mut section, in_charge, buses, draft);
    let gives_way = section.flag("gives_way");
    let start = section.moment("start");
    let renewal = section.time("renewal").map(|given| given.value);
    let stream_key = section.positive("stream_key");
    let validity = validity(&mut section, profile, credentials);
    let stream_key_at = stream_key.as_ref().map(|given| given.span.clone());
    let buses = known_buses?;
    let (module, members) = seats(&mut section, module?, &members, draft)?;
    let protected = protect::protected(&mut section, (&module, &members), draft);
    let changes = workshop::changes(&mut section, &members, (profile, credentials), draft);
    let stream_key = good_for(&mut section, stream_key, &protected, draft);
    let all = members.iter().chain([&module]);
    let start = start.map_or_else(
        || parties::all_listen(all, &buses, draft),
        |start| start.value,
    );
    check_end(&mut section, validity, start);
    let network = Lasan {
        name,
        suite: suite?,
        profile,
        credentials,
        transport: transport?,
        identifiers: identifiers?,
        pacing: pacing.map(|pacing| pacing.value),
        gives_way,
        start,
        security_module: module,
        members,
        buses,
        gateway,
        renewal,
        stream_key,
        stream_key_at,
        validity: validity.unwrap_or_default(),
        protected,
        changes,
    };
    key_identifiers::check_bits(&mut section, network.frames().bits());
    section.finish()?;
    Some(network)
}

fn is_published(profile: LasanProfile) -> bool {
    profile == LasanProfile::AsPublished
}

/// Reads the suite: P-256, as in \[LASAN\], unless another is named.
fn suite(section: &mut Section<'_>) -> Option<&'static str> {
    let names = || SUITES.iter().map(|(name, ..)| *name);
    let Some(word) = section.optional::<String>("suite") else {
        return names().next();
    };
    let found = names().find(|name| **name == word.value);
    section.demand(found.is_some(), &word.span, || {
        Names::given(super::problem::Thing::Suite, names()).unknown(&word.value)
    });
    found
}

fn credentials(section: &mut Section<'_>, profile: LasanProfile) -> Credentials {
    let default = match profile {
        LasanProfile::Compact => Credentials::Keys,
        _ => Credentials::Certificates,
    };
    let credentials = match section.choice("credentials") {
        Some("certificates") => Credentials::Certificates,
        Some("digests") => Credentials::Digests,
        Some("keys") => Credentials::Keys,
        _ => default,
    };
    let at = section.location("credentials");
    let possible = !is_published(profile) || credentials == Credentials::Certificates;
    section.demand(possible, &at, || Problem::Relation {
        found: "the published messages carry certificates".to_owned(),
        remedy: "leave `credentials` out, or take `profile = \"hardened\"` or \"compact\"",
    });
    credentials
}

/// Returns how long a stream's key is good for: a receiver that gets it in its first half has to
/// find the sender's counter from its 16 low bits.
fn good_for(
    section: &mut Section<'_>,
    given: Option<Located<Duration>>,
    protected: &[ProtectedStream],
    draft: &Draft,
) -> Duration {
    let periods = protected.iter().filter_map(|line| {
        let stream = draft.streams.get(line.stream.0)?.as_ref()?;
        Some(stream.stream.period)
    });
    let longest = periods.min().map(|shortest| shortest.times(COUNTED));
    let Some(given) = given else {
        return longest.map_or(STREAM_KEY, |longest| longest.min(STREAM_KEY));
    };
    let longest = longest.unwrap_or(given.value);
    let range = if given.value > longest {
        format!("up to {longest:#}, in which a protected stream has {COUNTED} frames")
    } else if given.value < STREAM_KEY_MIN {
        format!("{STREAM_KEY_MIN} or more, for in its last quarter everybody gets the next key")
    } else {
        return given.value;
    };
    let problem = Problem::OutOfRange {
        what: "stream_key",
        found: format!("{:#}", given.value),
        range,
    };
    section.fault(&given.span, problem);
    given.value
}

/// Gives every party its address, and sees whether they all fit.
fn seats(
    section: &mut Section<'_>,
    module: usize,
    members: &[Located<usize>],
    draft: &Draft,
) -> Option<(KeyParty, Vec<KeyParty>)> {
    let span = section.location("members");
    let mut seat = parties::addresses(draft);
    let module = seat(module);
    let members: Vec<KeyParty> = members.iter().map(|member| seat(member.value)).collect();
    let highest = members
        .iter()
        .chain([&module])
        .max_by_key(|one| one.address);
    let (found, most) = (members.len(), PARTIES_MAX - 1);
    if members.is_empty() {
        section.fault(
            &span,
            Problem::Relation {
                found: "there is no ECU besides the security module".to_owned(),
                remedy: "name at least one in `members`, or a bus in `buses` that has one",
            },
        );
    } else if found > most {
        let what = "members of one security module";
        section.fault(&span, Problem::TooMany { what, found, most });
    } else if let Some(highest) = highest.filter(|one| usize::from(one.address.0) > PARTIES_MAX) {
        let name = draft.ecu_names.name(highest.ecu.0);
        let found = format!("ECU {name:?} has address {}", highest.address.0);
        let remedy = "a security module knows addresses 1 to 127: give the ECU one of them";
        section.fault(&span, Problem::Relation { found, remedy });
    } else {
        return Some((module, members));
    }
    None
}

/// Notes streams that two security modules protect.
pub(super) fn check(networks: &[Lasan], draft: &Draft, findings: &Findings<'_>) {
    for (at, network) in networks.iter().enumerate() {
        for line in &network.protected {
            let twice = |other: &Lasan| other.protected.iter().any(|one| one.stream == line.stream);
            if networks[..at].iter().any(twice) {
                let name = draft.stream_names.name(line.stream.0);
                let problem = Problem::Relation {
                    found: format!("stream {name:?} is protected by another security module"),
                    remedy: "take it out of one `protect`",
                };
                findings.add(&network.name.span, problem);
            }
        }
    }
}

/// Returns which of the members an ECU is.
fn member(members: &[KeyParty], ecu: EcuIndex) -> Option<KeyParty> {
    members.iter().find(|member| member.ecu == ecu).copied()
}
