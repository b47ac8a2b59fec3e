//! The identifiers of key protocols: reads `identifiers`, and sees that nothing else on the buses
//! of a `[[keys]]` has identifiers that its frames may have.

use waywarden_can::{ExtendedId, Id, StandardId};
use waywarden_group_keys::{FixedBits, GroupFrameReader as GroupFrames, IdPattern, IdentifierPlan};
use waywarden_lasan::LasanFrameReader as ModuleFrames;

use super::draft::Draft;
use super::keys;
use super::model::{
    Authentication, AuthenticationProtocol, BusIndex, KeyGroup, KeyTables, Lasan, Protection,
};
use super::place::{Located, Span};
use super::problem::Problem;
use super::reader::{Integer, Section};
use super::source::Findings;

/// The key of the table.
const KEY: &str = "identifiers";

/// The bits that stay with the base in 29-bit identifiers of message authentication.
const TAG_MASK: u32 = 0x1FFF_0000;

/// 29-bit identifiers with both page bits: J1939 leaves them to ISO 15765-3, so that no node takes
/// them for parameter groups.
const BESIDE_J1939: u32 = 0x0300_0000;

/// The bits below the highest, which is the priority of a frame that gives way.
const BELOW_PRIORITY: u32 = ExtendedId::MAX >> 1;

/// Reads `identifiers`: a base and a mask; those of the protocol's page unless they are given. The
/// fields need so many bits, which is only known once the parties are.
pub(super) fn plan(section: &mut Section<'_>, default: IdentifierPlan) -> Option<IdentifierPlan> {
    if !section.has(KEY) {
        // It is known, though it is not there.
        section.allow(&[KEY]);
        return Some(default);
    }
    let Some(mut inner) = section.table(KEY) else {
        section.broken();
        return None;
    };
    let base = number(&mut inner, "base");
    let mask = number(&mut inner, "mask");
    let is_extended = inner.flag("extended");
    let made = plan_of(&mut inner, base, mask, is_extended);
    section.adopt(&inner);
    inner.finish()?;
    made
}

fn number(section: &mut Section<'_>, key: &'static str) -> Option<Located<Integer>> {
    let number = section.required::<Integer>(key)?;
    let range = 0..=Integer::from(ExtendedId::MAX);
    let within = range.contains(&number.value);
    section.demand(within, &number.span, || Problem::OutOfRange {
        what: key,
        found: number.value.to_string(),
        range: "0 to 0x7FF, or to 0x1FFFFFFF with `extended = true`".to_owned(),
    });
    within.then_some(number)
}

fn plan_of(
    section: &mut Section<'_>,
    base: Option<Located<Integer>>,
    mask: Option<Located<Integer>>,
    is_extended: bool,
) -> Option<IdentifierPlan> {
    let (base, mask) = (base?, mask?);
    for number in [&base, &mask] {
        if let Err(error) = keys::identifier(number.value, is_extended) {
            section.fault(&number.span, Problem::Id(error));
            return None;
        }
    }
    let [low, fixed] = [base.value, mask.value].map(|number| u32::try_from(number).unwrap_or(0));
    let made = match is_extended {
        true => IdentifierPlan::extended(FixedBits {
            base: low,
            mask: fixed,
        }),
        false => IdentifierPlan::standard(FixedBits {
            base: low,
            mask: fixed,
        }),
    };
    section.demand(made.is_ok(), &base.span, || Problem::Relation {
        found: format!("base 0x{low:X} has ones where mask 0x{fixed:X} has none"),
        remedy: "the mask has ones where all identifiers have the bits of the base",
    });
    made.ok()
}

/// Notes identifiers that leave too few bits to the fields; `bits` are how many these need, and
/// how many there are.
pub(super) fn check_bits(section: &mut Section<'_>, (needed, left): (u32, u32)) {
    let at = section.location(KEY);
    section.demand(needed <= left, &at, || Problem::Relation {
        found: format!("the fields of its frames need {needed} bits, and `mask` leaves {left}"),
        remedy: "let the mask have fewer ones (with `extended = true` there are 29 bits), or give \
                 its ECUs lower addresses",
    });
}

/// Something on buses that has identifiers of its own.
struct Occupied {
    what: String,
    span: Span,
    pattern: IdPattern,
    buses: Vec<BusIndex>,
    /// True if it has a counter where key frames have addresses.
    counts: bool,
}

impl Occupied {
    fn id(what: String, span: &Span, id: Id, buses: &[BusIndex]) -> Self {
        let is_extended = id.is_extended();
        let pattern = IdPattern {
            is_extended,
            value: id.raw(),
            mask: match is_extended {
                true => ExtendedId::MAX,
                false => u32::from(StandardId::MAX),
            },
        };
        let (span, buses) = (span.clone(), buses.to_vec());
        Occupied {
            what,
            span,
            pattern,
            buses,
            counts: false,
        }
    }
}

/// Returns the pattern of the 29-bit identifiers of message authentication that begin so.
pub(super) fn tags(base: u16, command: u32) -> IdPattern {
    IdPattern {
        is_extended: true,
        value: u32::from(base) << 18 | command << 16,
        mask: TAG_MASK,
    }
}

/// The frames of one `[[keys]]`.
enum Frames {
    Group(Box<GroupFrames>),
    Module(ModuleFrames),
}

/// One `[[keys]]` with its frames.
struct Keyed<'a> {
    what: &'static str,
    name: &'a Located<String>,
    buses: &'a [BusIndex],
    frames: Frames,
    /// True if the file gives it identifiers.
    is_planned: bool,
}

impl Keyed<'_> {
    fn group(group: &KeyGroup) -> Option<Keyed<'_>> {
        Some(Keyed {
            what: "group",
            name: &group.name,
            buses: &group.buses,
            frames: Frames::Group(Box::new(group.frames().ok()?)),
            is_planned: group.identifiers != waywarden_group_keys::IDENTIFIERS,
        })
    }

    fn module(network: &Lasan) -> Keyed<'_> {
        Keyed {
            what: "security module",
            name: &network.name,
            buses: &network.buses,
            frames: Frames::Module(network.frames()),
            is_planned: network.identifiers != waywarden_lasan::IDENTIFIERS,
        }
    }

    fn is_on(&self, buses: &[BusIndex]) -> bool {
        self.buses.iter().any(|bus| buses.contains(bus))
    }

    /// Returns true if something has identifiers that its frames may have, too. Of tags with a
    /// counter, the identifiers of the protocol's page meet few: those whose counter looks like
    /// addresses.
    fn clashes(&self, other: &Occupied) -> bool {
        (self.is_planned || !other.counts) && self.meets(&other.pattern)
    }

    /// Returns true if one of its frames may have an identifier of a pattern.
    fn meets(&self, pattern: &IdPattern) -> bool {
        match &self.frames {
            Frames::Group(frames) => frames.meets(pattern),
            Frames::Module(frames) => frames.meets(pattern),
        }
    }

    /// Returns patterns that cover all of its identifiers.
    fn patterns(&self) -> Vec<IdPattern> {
        match &self.frames {
            Frames::Group(frames) => frames.patterns().collect(),
            Frames::Module(frames) => vec![frames.pattern()],
        }
    }

    fn needed_bits(&self) -> u32 {
        match &self.frames {
            Frames::Group(frames) => frames.bits().0,
            Frames::Module(frames) => frames.bits().0,
        }
    }
}

/// Returns true if frames of a vehicle's key protocols may have an identifier of a pattern.
pub(super) fn clashes(groups: &[KeyGroup], networks: &[Lasan], pattern: &IdPattern) -> bool {
    let mut keyed = keyed(KeyTables { groups, networks });
    keyed.any(|one| one.meets(pattern))
}

fn keyed(tables: KeyTables<'_>) -> impl Iterator<Item = Keyed<'_>> {
    let groups = tables.groups.iter().filter_map(Keyed::group);
    groups.chain(tables.networks.iter().map(Keyed::module))
}

/// Notes users of key frames' identifiers: streams, their tags, and other `[[keys]]`. Each problem
/// comes with identifiers that nothing else has.
pub(super) fn check(
    tables: KeyTables<'_>,
    authentications: &[Authentication],
    draft: &Draft,
    findings: &Findings<'_>,
) {
    let keyed: Vec<Keyed<'_>> = keyed(tables).collect();
    let occupied = occupied(authentications, draft);
    // What was proposed is taken, so that all proposals hold together.
    let mut proposed: Vec<(&[BusIndex], IdPattern)> = Vec::new();
    for (at, one) in keyed.iter().enumerate() {
        let here = || occupied.iter().filter(|other| one.is_on(&other.buses));
        let clashing: Vec<&Occupied> = here().filter(|other| one.clashes(other)).collect();
        let own = one.patterns();
        let overlaps = |other: &&Keyed<'_>| {
            let mut patterns = other.patterns().into_iter();
            one.is_on(other.buses) && patterns.any(|its| own.iter().any(|own| own.meets(&its)))
        };
        let other = keyed[..at].iter().find(overlaps);
        if clashing.is_empty() && other.is_none() {
            continue;
        }
        let mut taken: Vec<IdPattern> = here().map(|other| other.pattern).collect();
        let others = keyed.iter().enumerate().filter(|(place, _)| *place != at);
        for (_, other) in others.filter(|(_, other)| one.is_on(other.buses)) {
            taken.extend(other.patterns());
        }
        let before = proposed.iter().filter(|(buses, _)| one.is_on(buses));
        taken.extend(before.map(|(_, pattern)| *pattern));
        let proposal = proposal(one.needed_bits(), &taken);
        if let Some(proposal) = proposal {
            proposed.push((one.buses, proposal.pattern()));
        }
        let (what, name) = (one.what, &one.name.value);
        if let Some(other) = other {
            let (whose, other) = (other.what, &other.name.value);
            let problem = Problem::Identifiers {
                found: format!(
                    "{whose} {other:?} is on one of its buses too, with identifiers that frames of \
                     this {what} may have"
                ),
                remedy: remedy(proposal, name, "give each `buses` of its own"),
            };
            findings.add(&one.name.span, problem);
        }
        for other in clashing {
            let problem = Problem::Identifiers {
                found: format!("{} may be a key frame's of {what} {name:?}", other.what),
                remedy: remedy(proposal, name, "give it an identifier of the other format"),
            };
            findings.add(&other.span, problem);
        }
    }
}

fn remedy(proposal: Option<IdentifierPlan>, name: &str, otherwise: &str) -> String {
    let Some(plan) = proposal else {
        return otherwise.to_owned();
    };
    format!(
        "write `identifiers = {{ base = 0x{:08X}, mask = 0x{:08X}, extended = true }}` in the \
         [[keys]] {name:?}, which nothing else on its buses has",
        plan.base(),
        plan.mask()
    )
}

/// Returns 29-bit identifiers that leave so many bits and that none of the patterns meets: beside
/// J1939 if that can be, else those with the fewest fixed bits.
fn proposal(needed: u32, taken: &[IdPattern]) -> Option<IdentifierPlan> {
    let is_free = |plan: &IdentifierPlan| {
        let pattern = plan.pattern();
        plan.free_bits() >= needed && !taken.iter().any(|other| other.meets(&pattern))
    };
    let beside = IdentifierPlan::extended(FixedBits {
        base: BESIDE_J1939,
        mask: BESIDE_J1939,
    })
    .ok();
    if let Some(plan) = beside.filter(is_free) {
        return Some(plan);
    }
    // The priority is free in each of them.
    let most = (ExtendedId::MAX.count_ones() - 1).checked_sub(needed.checked_sub(1)?)?;
    let with = |fixed: u32| {
        let mask = BELOW_PRIORITY & !(BELOW_PRIORITY >> fixed);
        let shift = BELOW_PRIORITY.count_ones() - fixed;
        let bases = (0..1_u32 << fixed).rev().map(move |value| value << shift);
        bases.filter_map(move |base| IdentifierPlan::extended(FixedBits { base, mask }).ok())
    };
    (1..=most).flat_map(with).find(is_free)
}

/// Returns the identifiers on the buses of a vehicle, besides key frames, with their users.
fn occupied(authentications: &[Authentication], draft: &Draft) -> Vec<Occupied> {
    let mut occupied = Vec::new();
    for stream in draft.streams.iter().flatten().map(|one| &one.stream) {
        let (name, id) = (&stream.name.value, stream.id.value);
        let buses: Vec<BusIndex> = stream.carried.iter().map(|one| one.bus).collect();
        let what = format!("identifier 0x{id} of stream {name:?}");
        occupied.push(Occupied::id(what, &stream.id.span, id, &buses));
        let own = match (stream.protection, id) {
            (Protection::Separate { id, .. }, _) => Some(id),
            (Protection::Paired(_), Id::Standard(id)) => Id::standard(id.raw() | 1).ok(),
            _ => None,
        };
        if let Some(tag) = own {
            let what = format!("identifier 0x{tag} of the tags of stream {name:?}");
            occupied.push(Occupied::id(what, &stream.id.span, tag, &buses));
        }
    }
    for table in authentications {
        for &at in &table.streams {
            let Some(stream) = draft.stream(at.0).map(|one| &one.stream) else {
                continue;
            };
            let buses: Vec<BusIndex> = stream.carried.iter().map(|one| one.bus).collect();
            let tagged = table
                .tag_bases(stream.id.value)
                .map(|(base, command)| Occupied {
                    what: format!(
                        "0x{base:03X} before 18 bits, of the tags of stream {:?},",
                        stream.name.value
                    ),
                    span: stream.id.span.clone(),
                    pattern: tags(base, command),
                    buses: buses.clone(),
                    counts: true,
                });
            occupied.extend(tagged);
        }
        if let AuthenticationProtocol::Secoc(secoc) = &table.protocol
            && let Some(master) = &secoc.master
        {
            let id = Id::Standard(master.id);
            let what = format!(
                "identifier 0x{id} of the announcements of {:?}",
                table.name.value
            );
            occupied.push(Occupied::id(what, &table.name.span, id, &master.buses));
        }
    }
    for route in draft.routes.iter().flatten().map(|one| &one.route) {
        let verify = route.verify.as_ref();
        if let Some(warning) = verify.and_then(|verify| verify.warning.as_ref()) {
            let what = format!("identifier 0x{} of a gateway's warning", warning.id);
            let at = draft.ecus.get(route.gateway.0).and_then(Option::as_ref);
            let span = at.map_or(0..0, |ecu| ecu.name.span.clone());
            occupied.push(Occupied::id(what, &span, warning.id, &[route.to]));
        }
    }
    occupied
}
