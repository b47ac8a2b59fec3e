//! Known answers, and the check against a plain restatement for random contents.

mod messages;

use alloc::string::ToString;
use alloc::vec::Vec;

use waywarden_random::Random;
use waywarden_v2x_security::region::NoBorders;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{GeographicRegion, Psid, ServiceSpecificPermissions};

use self::messages::{
    Container, bsm, cam, denm, extended_cam, later_high_frequency_container,
    later_special_container, packet, zone,
};
use crate::{
    NotChecked, PayloadCheck, PayloadContradiction, SignedPayload, Subject, check, permission_names,
};

const BSM: Psid = Psid(32);
const CAM: Psid = Psid(36);
const DENM: Psid = Psid(37);
/// Munich, in tenths of a microdegree.
const MUNICH: (i32, i32) = (481_370_000, 115_750_000);
const UNKNOWN: (i32, i32) = (900_000_001, 1_800_000_001);

/// A rectangle by its north, west, south and east.
fn rectangle(edges: [i32; 4]) -> Vec<u8> {
    let edges = edges.into_iter().flat_map(i32::to_be_bytes);
    [0x81, 1, 1].into_iter().chain(edges).collect()
}

fn judged(psid: Psid, payload: &[u8], ssp: Option<&[u8]>, region: Option<&[u8]>) -> PayloadCheck {
    let signed = SignedPayload {
        psid,
        payload: Some(payload),
        ssp: ssp.map(ServiceSpecificPermissions::Opaque),
        region: region.map(|region| parse::<GeographicRegion<'_>>(region).unwrap()),
        has_generation_location: false,
    };
    check(&signed, &NoBorders)
}

/// Around Munich, 20 km to each side at least.
fn around_munich() -> Vec<u8> {
    rectangle([484_000_000, 112_000_000, 479_000_000, 119_000_000])
}

#[test]
fn places_are_compared_with_the_region() {
    let region = around_munich();
    let far = (514_935_494, 91_290_299);
    for (psid, near, away, nowhere) in [
        (
            CAM,
            cam(15, MUNICH, None),
            cam(15, far, None),
            cam(15, UNKNOWN, None),
        ),
        (DENM, denm(MUNICH, &[]), denm(far, &[]), denm(UNKNOWN, &[])),
        (BSM, bsm(MUNICH), bsm(far), bsm(UNKNOWN)),
    ] {
        let ssp = Some(&[1, 0, 0, 0][..]);
        let inside = judged(psid, &near, ssp, Some(&region));
        assert_eq!(
            (inside.name(), &inside.failures[..]),
            ("passed", &[][..]),
            "{inside}"
        );
        assert!(inside.checked.contains(&Subject::Place));
        let outside = judged(psid, &away, ssp, Some(&region));
        assert_eq!(
            outside.failures,
            [PayloadContradiction::OutsideRegion(far.0, far.1)],
            "{outside}"
        );
        let unknown = judged(psid, &nowhere, ssp, Some(&region));
        assert!(
            unknown
                .not_checked
                .contains(&(Subject::Place, NotChecked::NoPlace))
        );
        let everywhere = judged(psid, &away, ssp, None);
        assert!(
            everywhere
                .not_checked
                .contains(&(Subject::Place, NotChecked::NoRegion))
        );
    }
}

#[test]
fn location_in_the_header_is_not_compared_again() {
    let payload = cam(15, (0, 0), None);
    let region = around_munich();
    let signed = SignedPayload {
        psid: CAM,
        payload: Some(&payload),
        ssp: None,
        region: Some(parse(&region).unwrap()),
        has_generation_location: true,
    };
    let result = check(&signed, &NoBorders);
    assert!(result.failures.is_empty());
    let place = (Subject::Place, NotChecked::LocationInHeader);
    assert!(result.not_checked.contains(&place));
}

#[test]
fn unknown_borders_and_unreadable_payloads_are_not_failures() {
    // Germany, of which no border is known here.
    let germany = [0x83, 1, 1, 0x80, 1, 20];
    let result = judged(CAM, &cam(15, MUNICH, None), None, Some(&germany));
    assert!(
        result
            .not_checked
            .contains(&(Subject::Place, NotChecked::UnknownBorders))
    );
    for (psid, payload) in [
        (CAM, &b"text"[..]),
        (DENM, b""),
        (BSM, b"\0\x14"),
        (Psid(99), b""),
    ] {
        assert_eq!(judged(psid, payload, None, None).name(), "not-checked");
    }
    let old = judged(CAM, &[1, 2, 0, 0, 0, 0], None, None);
    assert!(matches!(
        old.not_checked[..],
        [(Subject::Application, NotChecked::Unreadable(_))]
    ));
}

#[test]
fn message_of_another_application_fails() {
    let all: [(Psid, Vec<u8>); 3] = [
        (CAM, cam(15, MUNICH, None)),
        (DENM, denm(MUNICH, &[2])),
        (BSM, bsm(MUNICH)),
    ];
    let failure = |psid, payload: &[u8]| {
        let result = judged(psid, payload, Some(&[1, 0x40, 0, 0]), None);
        let mut others = result.failures.into_iter();
        others.find(|one| matches!(one, PayloadContradiction::OtherApplication(_)))
    };
    for (own, message) in &all {
        for psid in [CAM, DENM, BSM] {
            let expected = (psid != *own).then_some(PayloadContradiction::OtherApplication(*own));
            assert_eq!(failure(psid, message), expected, "{own:?} under {psid:?}");
        }
    }
    // To the port of a service: under its application, under another one's, readable or not.
    for (port, own) in [
        (2001, CAM),
        (2002, DENM),
        (2006, Psid(139)),
        (2009, Psid(639)),
    ] {
        for (_, message) in all.iter().chain([&(Psid(0), b"text".to_vec())]) {
            let packet = packet(port, message);
            for psid in [CAM, DENM, BSM, Psid(139), Psid(639), Psid(99)] {
                let expected = (psid != own).then_some(PayloadContradiction::OtherApplication(own));
                assert_eq!(failure(psid, &packet), expected, "{port} under {psid:?}");
            }
        }
    }
    let own = judged(DENM, &packet(2002, &all[1].1), Some(&[1, 0x40, 0, 0]), None);
    assert_eq!(
        (own.name(), &own.failures[..]),
        ("passed", &[][..]),
        "{own}"
    );
    // A port without an application, and an application without rules.
    for (psid, port) in [(CAM, 3000), (Psid(99), 3000), (Psid(139), 2006)] {
        let result = judged(psid, &packet(port, b"text"), None, None);
        assert_eq!(result.name(), "not-checked", "{result}");
    }
}

#[test]
fn container_that_a_later_version_added_is_not_checked() {
    for later in [later_special_container(), later_high_frequency_container()] {
        let result = judged(CAM, &later, Some(&[1, 0, 0]), None);
        let why = (Subject::Permissions, NotChecked::UnknownContainers);
        assert!(result.not_checked.contains(&why), "{result}");
        assert_eq!(result.failures, []);
    }
}

#[test]
fn zones_need_their_bit_and_later_containers_are_not_checked() {
    let without = judged(CAM, &zone(), Some(&[1, 0x7f, 0xff]), None);
    let missing = [PayloadContradiction::CamNotPermitted("cenDsrcTollingZone")];
    assert_eq!(without.failures, missing, "{without}");
    let with = judged(CAM, &zone(), Some(&[1, 0x80, 0]), None);
    assert!(with.checked.contains(&Subject::Permissions), "{with}");
    let later = judged(CAM, &extended_cam(), Some(&[1, 0, 0]), None);
    let why = (Subject::Permissions, NotChecked::UnknownContainers);
    assert!(later.not_checked.contains(&why), "{later}");
}

#[test]
fn linked_cause_needs_no_permission() {
    let both = judged(DENM, &denm(MUNICH, &[2, 3]), Some(&[1, 0x40, 0, 0]), None);
    assert_eq!(both.failures, [], "{both}");
    assert!(both.checked.contains(&Subject::Permissions));
}

#[test]
fn second_version_of_the_ssp_has_four_more_causes() {
    for (cause, mask) in [(5, 0x80), (7, 0x40), (28, 0x20), (100, 0x10)] {
        let payload = denm(MUNICH, &[cause]);
        let without = judged(DENM, &payload, Some(&[2, 255, 255, 255, !mask]), None);
        assert_eq!(without.failures.len(), 1, "{without}");
        let with = judged(DENM, &payload, Some(&[2, 0, 0, 0, mask]), None);
        assert!(with.checked.contains(&Subject::Permissions), "{with}");
        assert_eq!(with.failures, [], "{with}");
    }
}

#[test]
fn station_of_unknown_type_may_have_either_container() {
    let result = judged(CAM, &cam(0, MUNICH, None), Some(&[1, 0, 0]), None);
    let why = (Subject::StationType, NotChecked::UnknownStationType);
    assert!(result.not_checked.contains(&why), "{result}");
    assert_eq!(result.failures, []);
}

#[test]
fn vehicle_with_the_container_of_a_roadside_unit_fails() {
    let result = judged(CAM, &cam(5, MUNICH, None), Some(&[1, 0, 0]), None);
    assert_eq!(result.failures, [PayloadContradiction::StationType]);
}

#[test]
fn ssp_of_unknown_version_or_without_the_cause_is_not_checked() {
    let cases: [(Option<&[u8]>, u8, NotChecked); 4] = [
        (None, 2, NotChecked::NoSsp),
        (Some(&[3, 0, 0, 0]), 2, NotChecked::UnknownSsp(Some(3))),
        (Some(&[]), 2, NotChecked::UnknownSsp(None)),
        (
            Some(&[1, 255, 255, 255, 255]),
            100,
            NotChecked::CauseWithoutBit(100),
        ),
    ];
    for (ssp, cause, why) in cases {
        let result = judged(DENM, &denm(MUNICH, &[cause]), ssp, None);
        assert!(
            result.not_checked.contains(&(Subject::Permissions, why)),
            "{result}"
        );
        assert!(result.failures.is_empty());
    }
}

#[test]
fn text_names_what_was_and_was_not_checked() {
    let denm = denm(MUNICH, &[3]);
    let refused = judged(DENM, &denm, Some(&[1, 0, 0, 0]), None).to_string();
    assert_eq!(
        refused,
        "the SSP does not permit cause 3, roadworks; checked application, permissions; \
         place not checked: the certificate is valid everywhere"
    );
}

#[test]
fn bits_are_named() {
    let names = |psid, bytes| permission_names(psid, &ServiceSpecificPermissions::Opaque(bytes));
    assert_eq!(
        names(CAM, &[1, 0x82, 0x04]).unwrap(),
        ["cenDsrcTollingZone", "emergency", "speedLimit"]
    );
    assert_eq!(names(DENM, &[1, 0, 0, 1]).unwrap(), ["dangerousSituation"]);
    assert_eq!(names(DENM, &[2, 0, 0, 1, 0x10]).unwrap().len(), 2);
    assert_eq!(
        names(CAM, &[2, 0, 3]).unwrap(),
        ["twoWheeler", "twoWheelerCyclist"]
    );
    // The first version reserves these bits.
    assert_eq!(names(CAM, &[1, 0, 3]).unwrap(), [""; 0]);
    assert_eq!(names(DENM, &[3, 0, 0, 1]), None);
    assert_eq!(names(BSM, &[1]), None);
}

/// Containers with the octet and the mask that the standard's table has for them.
const CONTAINERS: [(Container<'_>, &[(usize, u8)]); 11] = [
    ((0, &[(0, 2)]), &[(1, 0x40)]),
    ((1, &[(0, 6)]), &[(1, 0x20)]),
    ((2, &[(6, 5)]), &[(1, 0x10)]),
    ((3, &[(0, 4)]), &[(1, 0x08)]),
    ((3, &[(0b0100, 4), (0, 4)]), &[(1, 0x08), (2, 0x80)]),
    ((4, &[(0, 2)]), &[(1, 0x04)]),
    ((5, &[(0, 4)]), &[(1, 0x02)]),
    ((5, &[(0b0100, 4), (0b10, 2)]), &[(1, 0x02), (2, 0x40)]),
    ((5, &[(0b0100, 4), (0b01, 2)]), &[(1, 0x02), (2, 0x20)]),
    ((6, &[(0b01000, 5), (1, 3)]), &[(1, 0x01), (2, 0x08)]),
    (
        (6, &[(0b01100, 5), (0, 3), (49, 8)]),
        &[(1, 0x01), (2, 0x10), (2, 0x04)],
    ),
];

/// Causes of the bits of each octet, from the most significant one.
const CAUSES: [[u8; 8]; 3] = [
    [1, 2, 3, 6, 9, 10, 11, 12],
    [14, 15, 17, 18, 19, 26, 27, 91],
    [92, 93, 94, 95, 96, 97, 98, 99],
];

#[test]
fn random_contents_are_judged_as_restated() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let mut below = |bound| random.below(bound);
        let ssp: Vec<u8> = (0..4)
            .map(|at| if at == 0 { 1 } else { below(256) as u8 })
            .collect();
        let ssp = &ssp[..2 + below(3) as usize];
        let has = |octet: usize, mask: u8| ssp.get(octet).is_some_and(|own| own & mask != 0);
        let mut edge = |least: i32, width: u64| least + below(width) as i32;
        let (north, south) = (edge(10_000_000, 40_000_000), edge(-50_000_000, 40_000_000));
        let (west, east) = (edge(-50_000_000, 40_000_000), edge(10_000_000, 40_000_000));
        let place = (
            edge(-60_000_000, 120_000_000),
            edge(-60_000_000, 120_000_000),
        );
        let is_inside = (south..=north).contains(&place.0) && (west..=east).contains(&place.1);
        let region = rectangle([north, west, south, east]);
        let (psid, payload, is_permitted) = match below(3) {
            0 => (BSM, bsm(place), true),
            1 => {
                let (container, bits) = CONTAINERS[below(11) as usize];
                let payload = cam(15, place, Some(container));
                (
                    CAM,
                    payload,
                    bits.iter().all(|(octet, mask)| has(*octet, *mask)),
                )
            }
            _ => {
                let (octet, bit) = (below(3) as usize, below(8) as usize);
                let payload = denm(place, &[CAUSES[octet][bit]]);
                (DENM, payload, has(octet + 1, 0x80 >> bit))
            }
        };
        let result = judged(psid, &payload, Some(ssp), Some(&region));
        let fails = |subject| result.failures.iter().any(|one| one.subject() == subject);
        assert!(
            result.checked.contains(&Subject::Place),
            "seed {seed}: {result}"
        );
        assert_eq!(fails(Subject::Place), !is_inside, "seed {seed}: {result}");
        assert_eq!(
            fails(Subject::Permissions),
            !is_permitted,
            "seed {seed}: {result}"
        );
        let is_accepted = is_inside && is_permitted;
        assert_eq!(
            result.name() == "passed",
            is_accepted,
            "seed {seed}: {result}"
        );
    }
}

#[test]
fn any_bytes_are_judged_without_panic() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let mut payload = match random.below(4) {
            0 => cam(15, MUNICH, Some(CONTAINERS[random.below(11) as usize].0)),
            1 => denm(MUNICH, &[3, 97]),
            2 => bsm(MUNICH),
            _ => (0..random.below(80))
                .map(|_| random.below(256) as u8)
                .collect(),
        };
        for _ in 0..random.below(4) {
            if let Some(at) = (random.below(80) as usize).checked_rem(payload.len()) {
                payload[at] = random.below(256) as u8;
            }
        }
        payload.truncate(random.below(120) as usize);
        let psid = [BSM, CAM, DENM, Psid(99)][random.below(4) as usize];
        let result = judged(psid, &payload, Some(&[1, 0, 0, 0]), Some(&around_munich()));
        assert!(result.to_string().len() < 1_000, "seed {seed}");
    }
}
