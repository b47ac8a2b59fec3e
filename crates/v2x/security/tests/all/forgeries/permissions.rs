//! Permissions that are wider than an issuer's, at each depth of a chain.

use waywarden_testkit_v2x::world::MessageContents;
use waywarden_v2x_security::ResultCode::ChainInconsistentChainPermissions;
use waywarden_v2x_wire::ieee1609dot2::EndEntityType;

use super::build::{
    Draft, Group, Permission, Pki, Range, all, any, bitmap, bits, group, kept, one_of, opaque,
    plain,
};
use super::table::Family;

#[test]
fn permissions_wider_than_an_issuers_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("permission");
    for kind in kinds() {
        for depth in 1..4 {
            widened(&mut family, &kind, depth);
        }
    }
    subjects(&mut family);
    types(&mut family);
    ambiguous(&mut family);
    family
}

const STATION: usize = 3;

/// A root, two authorities and a station.
pub(crate) fn deep() -> [Draft; 4] {
    [
        Draft::authority(1),
        Draft::authority(2),
        Draft::authority(3),
        Draft::station(4),
    ]
}

pub(crate) fn check(
    family: &mut Family,
    name: &str,
    forged: &[Draft],
    honest: &[Draft],
    psids: [u64; 2],
) {
    let [forged, honest] = [forged, honest].map(Pki::new);
    let message = |psid| MessageContents {
        psid,
        ..MessageContents::new()
    };
    family.pair(
        name,
        ChainInconsistentChainPermissions,
        &mut forged.verifier_of_both(&honest),
        &forged.sign(&message(psids[0])),
        &honest.sign(&message(psids[1])),
    );
}

/// Permissions of issuers, in a narrow and in a wide form, and those of a station.
struct Kind {
    name: &'static str,
    narrow: Group,
    wide: Group,
    asked: Permission,
    honest: Permission,
}

impl Kind {
    fn of_range(
        name: &'static str,
        narrow: Range,
        wide: Range,
        asked: Permission,
        honest: Permission,
    ) -> Self {
        Self {
            name,
            narrow: group(vec![narrow]),
            wide: group(vec![wide]),
            asked,
            honest,
        }
    }
}

fn kinds() -> Vec<Kind> {
    let mut kinds = application_kinds();
    kinds.extend(bitmap_kinds());
    kinds.extend(opaque_kinds());
    kinds
}

fn application_kinds() -> Vec<Kind> {
    vec![
        Kind {
            name: "application",
            narrow: group(vec![any(32)]),
            wide: group(vec![any(32), any(135)]),
            asked: plain(135),
            honest: plain(32),
        },
        Kind {
            name: "all applications",
            narrow: group(vec![any(32), any(36)]),
            wide: all(1, -1),
            asked: plain(135),
            honest: plain(32),
        },
    ]
}

/// Issuers that may give a bitmap.
fn bitmap_kinds() -> Vec<Kind> {
    let masked = || bits(135, &[1, 0], &[0xff, 0x80]);
    vec![
        Kind::of_range(
            "bit of a bitmap",
            masked(),
            bits(135, &[1, 0], &[0xff, 0x00]),
            bitmap(135, &[1, 0x80]),
            bitmap(135, &[1, 0x01]),
        ),
        Kind::of_range(
            "version of a bitmap",
            masked(),
            any(135),
            bitmap(135, &[2, 0]),
            bitmap(135, &[1, 0]),
        ),
        Kind::of_range(
            "short bitmap",
            bits(135, &[1, 0x80], &[0xff, 0x80]),
            bits(135, &[1, 0x00], &[0xff, 0x00]),
            bitmap(135, &[1]),
            bitmap(135, &[1, 0x80]),
        ),
        Kind::of_range(
            "no value for a bitmap",
            masked(),
            any(135),
            plain(135),
            bitmap(135, &[1, 0]),
        ),
        Kind::of_range(
            "opaque value for a bitmap",
            masked(),
            any(135),
            opaque(135, &[1, 0]),
            bitmap(135, &[1, 0]),
        ),
    ]
}

/// Issuers that may give an opaque value.
fn opaque_kinds() -> Vec<Kind> {
    let few = || one_of(135, &[b"a"]);
    vec![
        Kind::of_range(
            "opaque value",
            few(),
            one_of(135, &[b"a", b"b"]),
            opaque(135, b"b"),
            opaque(135, b"a"),
        ),
        Kind::of_range(
            "longer opaque value",
            few(),
            any(135),
            opaque(135, b"aa"),
            opaque(135, b"a"),
        ),
        Kind::of_range(
            "empty opaque value",
            few(),
            any(135),
            opaque(135, b""),
            opaque(135, b"a"),
        ),
        Kind::of_range(
            "no value for an opaque one",
            few(),
            any(135),
            plain(135),
            opaque(135, b"a"),
        ),
        Kind::of_range(
            "bitmap for an opaque value",
            few(),
            any(135),
            bitmap(135, b"a"),
            opaque(135, b"a"),
        ),
    ]
}

/// Every certificate above `depth` may give the narrow permissions; those from there on have the
/// wide ones.
fn widened(family: &mut Family, kind: &Kind, depth: usize) {
    let drafts = |from: usize, own: Permission| {
        let mut drafts = deep();
        for (at, draft) in drafts.iter_mut().enumerate().take(STATION) {
            let may_give = if at < from { kind.narrow } else { kind.wide };
            draft.issue = kept(vec![may_give]);
        }
        drafts[STATION].app = kept(vec![own]);
        drafts
    };
    let psid = |permission: Permission| permission.psid.0;
    check(
        family,
        &format!("{} at depth {depth}", kind.name),
        &drafts(depth, kind.asked),
        &drafts(STATION, kind.honest),
        [psid(kind.asked), psid(kind.honest)],
    );
}

/// Groups, each list for the certificate at this place of the chain.
pub(crate) type Changes = Vec<(usize, Vec<Group>)>;

/// With these groups in place of those of a certificate.
pub(crate) fn with(changes: &[(usize, Vec<Group>)]) -> [Draft; 4] {
    let mut drafts = deep();
    for (at, groups) in changes {
        drafts[*at].issue = kept(groups.clone());
    }
    drafts
}

/// Groups that do not cover what they seem to.
fn subjects(family: &mut Family) {
    let honest = deep();
    let cases: Vec<(&str, Changes)> = vec![
        // What a group names is not covered by the one for all.
        (
            "application that another group takes out",
            vec![(
                2,
                vec![
                    all(1, -1),
                    Group {
                        min_chain_length: 9,
                        ..group(vec![any(135)])
                    },
                ],
            )],
        ),
        (
            "all, under an issuer that takes one out",
            vec![(0, vec![all(1, -1), group(vec![one_of(135, &[b"a"])])])],
        ),
        (
            "no group for the application",
            vec![(2, vec![group(vec![any(32), any(36), any(37)])])],
        ),
        (
            "group of no application",
            vec![(2, vec![group(Vec::new())])],
        ),
        (
            "similar application",
            vec![(2, vec![group(vec![any(32), any(36), any(37), any(0x8700)])])],
        ),
    ];
    for (name, changes) in cases {
        check(family, name, &with(&changes), &honest, [135; 2]);
    }
    let mut forged = deep();
    forged[2].issue = &[];
    forged[2].app = kept(vec![plain(135)]);
    check(family, "issued by a station", &forged, &honest, [135; 2]);
    let mut forged = deep();
    forged[1].issue = &[];
    forged[1].app = kept(vec![plain(135)]);
    check(
        family,
        "authority issued by a station",
        &forged,
        &honest,
        [135; 2],
    );
    let mut forged = deep();
    forged[2].issue = &[];
    forged[2].request = kept(vec![all(1, -1)]);
    check(
        family,
        "issued by who may only request",
        &forged,
        &honest,
        [135; 2],
    );
}

/// Issuers for those who enrol and for those who send.
fn types(family: &mut Family) {
    let of = |ee_type| Group {
        ee_type,
        ..all(1, -1)
    };
    let enrol = of(EndEntityType::ENROL);
    let both = of(EndEntityType::new(0xc0).unwrap());
    let honest = with(&[(0, vec![both]), (1, vec![both]), (2, vec![both])]);
    for (name, at) in [("root", 0), ("authority", 1), ("sub-authority", 2)] {
        let mut changes = vec![(at, vec![enrol])];
        changes.extend((0..at).map(|above| (above, vec![both])));
        let name = format!("{name} for enrolment only");
        check(family, &name, &with(&changes), &honest, [135; 2]);
    }
    for (name, at) in [("authority", 1), ("sub-authority", 2)] {
        let forged = with(&[(at, vec![both])]);
        let name = format!("{name} for enrolment under one that is not");
        check(family, &name, &forged, &honest, [135; 2]);
    }
    let requesting = |mut drafts: [Draft; 4]| {
        drafts[STATION].request = kept(vec![all(1, 0)]);
        drafts
    };
    let forged = requesting(deep());
    check(
        family,
        "request under an issuer for senders",
        &forged,
        &requesting(honest),
        [135; 2],
    );
}

/// Forges permissions with two meanings.
fn ambiguous(family: &mut Family) {
    let honest = deep();
    let mut cases: Vec<(&str, [Draft; 4])> = Vec::new();
    for (name, permissions) in [
        ("application twice", vec![plain(135), plain(135)]),
        (
            "application twice, with others between",
            vec![plain(135), plain(32), plain(135)],
        ),
        (
            "application twice with different permissions",
            vec![opaque(135, b"a"), bitmap(135, b"b")],
        ),
        (
            "another application twice",
            vec![plain(135), plain(32), plain(32)],
        ),
    ] {
        let mut drafts = deep();
        drafts[STATION].app = kept(permissions);
        cases.push((name, drafts));
    }
    for (name, at) in [
        ("root with two groups for all", 0),
        ("authority with two groups for all", 1),
        ("sub-authority with two groups for all", 2),
    ] {
        cases.push((name, with(&[(at, vec![all(1, -1), all(1, 0)])])));
    }
    let mut implicit = deep();
    implicit[2].issue = kept(vec![group(vec![any(32)])]);
    implicit[STATION] = implicit[STATION].implicit();
    cases.push(("implicit certificate for more than its issuer", implicit));
    for (name, forged) in cases {
        check(family, name, &forged, &honest, [135; 2]);
    }
}
