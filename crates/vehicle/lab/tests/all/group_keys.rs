//! Message authentication under keys that ECUs agree on: the group's, or that of a subgroup, which
//! an ECU of the group without it cannot forge under.
mod random_trees;
mod removed;
mod retained;

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{CheckRow, Report};
use waywarden_vehicle_resources::Resources;

/// A gateway and four ECUs that agree on a key; `a` sends `S` to `b`, and `d` sends nothing.
fn car(keys: &str, table: &str, more: &str) -> String {
    let ecu = |name: &str, sends: &str| {
        format!("[[ecu]]\nname = '{name}'\nboard = 'tc297'\nports = ['one']\n{sends}")
    };
    let sends = "sends = [{ name = 'S', id = 0x060, length = 4, period = '10ms', format = \
                 'classic', receivers = ['b'] }]\n";
    let ecus = [
        ecu("gateway", ""),
        ecu("a", sends),
        ecu("b", ""),
        ecu("c", ""),
        ecu("d", ""),
    ];
    let ecus = ecus.concat();
    format!(
        "[vehicle]\nname = 'car'\nseed = 5\nduration = '4s'\n[[bus]]\nname = 'one'\n\
         bitrate = '500k'\ndata_bitrate = '2M'\n{ecus}\
         [[keys]]\nname = 'car'\norchestrator = 'gateway'\n{keys}\n\
         [[authentication]]\nprotect = ['S']\ngroup = 'car'\n{table}\n{more}\n"
    )
}

fn report(text: &str) -> Report {
    let file = VehicleFile::parse("car.toml", text);
    let file = file.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, file.seed, &outcome)
}

fn check(report: &Report) -> &CheckRow {
    &report.authentication[0].checks[0]
}

/// Counts refused messages, except those before a receiver knows where the stream stands.
fn wrong(check: &CheckRow) -> u64 {
    check.refused() - check.out_of_step
}

const PROTOCOLS: [&str; 4] = [
    "scheme = 'vatican'",
    "scheme = 'leia'",
    "scheme = 'secoc'\nmaster = 'a'",
    "scheme = 'secoc'\nprofile = 'autosar-1'",
];

const SCHEMES: [&str; 2] = ["tree-with-orchestrator", "tree-without-orchestrator"];

#[test]
fn a_stream_under_a_subgroups_key_is_accepted_and_follows_renewals() {
    for scheme in SCHEMES {
        for protocol in PROTOCOLS {
            for subgroup in ["", "subgroup = ['a', 'b']"] {
                let keys = format!("scheme = '{scheme}'\nrenewal = '600ms'");
                let report = report(&car(&keys, &format!("{protocol}\n{subgroup}"), ""));
                let case = format!("{scheme} {protocol} {subgroup}: {:#?}", check(&report));
                assert!(report.groups[0].agreements >= 4, "{case}");
                assert!(check(&report).authentic > 300, "{case}");
                assert_eq!(wrong(check(&report)), 0, "{case}");
                assert!(check(&report).longest_gap_ms < 25.0, "{case}");
                assert!(check(&report).out_of_step <= 30, "{case}");
                assert_eq!(check(&report).forged, 0, "{case}");
            }
        }
    }
}

/// An attacker runs code on an ECU of the group that neither sends nor checks the stream.
fn intruder(ecu: &str) -> String {
    format!(
        "[[attacker]]\nkind = 'compromise'\necus = ['{ecu}']\nperiod = '20ms'\nfrom = '2005ms'\n\
         [require]\nundeceived = ['b']\n"
    )
}

#[test]
fn an_ecu_outside_a_subgroup_cannot_forge_and_one_with_its_key_can() {
    let with_e = |ecus: &str| format!("subgroup = {ecus}");
    for protocol in PROTOCOLS {
        for (scheme, subgroup, ecu, deceived) in [
            // All of the group have its key.
            (SCHEMES[0], String::new(), "d", true),
            (SCHEMES[1], String::new(), "d", true),
            (SCHEMES[0], with_e("['a', 'b']"), "d", false),
            (SCHEMES[1], with_e("['a', 'b']"), "d", false),
            // An ECU inside can, although it is neither sender nor receiver.
            (SCHEMES[1], with_e("['a', 'b', 'c', 'd']"), "d", true),
            (SCHEMES[1], with_e("['a', 'b', 'c', 'd']"), "gateway", false),
        ] {
            let keys = format!("scheme = '{scheme}'");
            let table = format!("{protocol}\n{subgroup}");
            let report = report(&car(&keys, &table, &intruder(ecu)));
            let check = check(&report);
            let case = format!("{scheme} {table} at {ecu}: {check:#?}");
            assert_eq!(!report.requirements[0].met, deceived, "{case}");
            assert_eq!(check.forged > 0, deceived, "{case}");
            // It has tried, and its tags were wrong.
            assert!(deceived || check.wrong_tag > 50, "{case}");
            assert!(check.authentic > 100, "{case}");
        }
    }
}

#[test]
fn a_removed_ecu_forges_no_more_under_the_key_of_the_group() {
    for protocol in PROTOCOLS {
        for (remove, deceived) in [
            ("", true),
            ("remove = [{ ecu = 'd', at = '1500ms' }]", false),
        ] {
            let report = report(&car(remove, protocol, &intruder("d")));
            let check = check(&report);
            assert_eq!(
                check.forged > 0,
                deceived,
                "{protocol} {remove}: {check:#?}"
            );
            assert!(deceived || check.wrong_tag > 50, "{protocol}: {check:#?}");
        }
    }
}

#[test]
fn a_network_is_a_subgroup_by_its_name_before_and_after_another_joins() {
    let keys = "networks = [{ name = 'front', members = ['a', 'b'] }, \
                { name = 'rear', members = ['c', 'd'], joins = '2s' }]";
    for protocol in PROTOCOLS {
        let table = format!("{protocol}\nsubgroup = 'front'");
        let calm = report(&car(keys, &table, ""));
        assert!(calm.groups[0].merged_ms.is_some_and(|at| at > 2_000.0));
        assert!(check(&calm).authentic > 350, "{protocol}");
        assert_eq!(wrong(check(&calm)), 0, "{protocol}");
        let attacked = intruder("d").replace("2005ms", "3005ms");
        let attacked = report(&car(keys, &table, &attacked));
        assert_eq!(check(&attacked).forged, 0, "{protocol}");
        assert!(check(&attacked).wrong_tag > 20, "{protocol}");
    }
}

#[test]
fn a_receiver_that_is_reset_takes_messages_again_with_its_next_key() {
    let reset = "[[fault]]\nkind = 'reset'\necu = 'b'\nfrom = '2s'\nuntil = '2100ms'\n";
    for protocol in PROTOCOLS {
        let table = format!("{protocol}\nsubgroup = ['a', 'b']");
        let report = report(&car("renewal = '1s'", &table, reset));
        let check = check(&report);
        assert!(check.authentic > 200, "{protocol}: {check:#?}");
        // Its first key is the next one, and the sender goes over to that a little later.
        assert!(check.wrong_tag <= 10, "{protocol}: {check:#?}");
        assert!(check.longest_gap_ms < 1_000.0, "{protocol}: {check:#?}");
        assert_eq!(check.forged, 0, "{protocol}: {check:#?}");
    }
}

const SECOC: &str = "scheme = 'secoc'\nprofile = 'autosar-1'\n";
const NETWORKS: &str = "networks = [{ name = 'front', members = ['a', 'b'] }, \
                        { name = 'rear', members = ['c', 'd'] }]";

/// Keys of the group, keys of the authentication, and the error.
const UNFIT: [(&str, &str, &str); 11] = [
    (
        "",
        "subgroup = ['a', 'c']",
        "car.toml:39:12: group \"car\" forms no subgroup of a + c; it forms gateway + a, \
             gateway + b, gateway + c, gateway + d, a + b, c + d, gateway + a + b + c + d; list",
    ),
    (
        "scheme = 'symmetric-distribution'",
        "subgroup = ['a', 'b']",
        "it forms gateway + a, gateway + b, gateway + c, gateway + d; list",
    ),
    ("", "subgroup = []", "forms no subgroup of ;"),
    ("", "subgroup = ['a', 'x']", "there is no ECU \"x\""),
    (
        "members = ['a', 'b']",
        "subgroup = ['a', 'd']",
        "car.toml:39:18: ECU \"d\" is not in group \"car\"",
    ),
    (
        "members = ['a', 'c']",
        "",
        "car.toml:36:9: ECU \"b\" receives \"S\" and does not hold the key of this group; its \
             ECUs: gateway, a, c",
    ),
    (
        "",
        "subgroup = ['c', 'd']",
        "car.toml:39:12: ECU \"a\" sends \"S\" and does not hold the key of this subgroup; \
             its ECUs: c, d",
    ),
    (
        NETWORKS,
        "subgroup = 'rear'",
        "ECU \"b\" receives \"S\" and does not hold the key",
    ),
    (
        NETWORKS,
        "subgroup = 'middle'",
        "group \"car\" has no network \"middle\"; its networks: front, rear",
    ),
    (
        "",
        "subgroup = 'front'",
        "group \"car\" has no `networks`, and so none \"front\"",
    ),
    (
        "",
        "key_store = 'module'",
        "the keys of protected modules are in place when the car starts",
    ),
];

/// Text of the vehicle file, its replacement, and the error.
const UNKNOWN: [(&str, &str, &str); 5] = [
    (
        "group = 'car'",
        "group = 'cat'",
        "there is no group of keys \"cat\"; did you mean \"car\"?",
    ),
    (
        "group = 'car'",
        "subgroup = ['a', 'b']",
        "a subgroup without a group",
    ),
    (
        "group = 'car'",
        "before_first_key = 'retained'",
        "what to do before the first key of a group, without a group",
    ),
    (
        "group = 'car'",
        "group = 'car'\nbefore_first_key = 'waits'",
        "withhold",
    ),
    (
        "name = 'car'\norchestrator",
        "name = 'cat'\norchestrator",
        "there is no group of keys",
    ),
];

fn errors(text: &str) -> String {
    let errors = VehicleFile::parse("car.toml", text).unwrap_err();
    errors.to_string()
}

#[test]
fn keys_of_groups_that_do_not_fit_are_errors_at_their_place() {
    for (keys, table, expected) in UNFIT {
        let errors = errors(&car(keys, &format!("{SECOC}{table}"), ""));
        assert!(errors.contains(expected), "{keys}\n{table}\n{errors}");
        assert_eq!(errors.lines().count(), errors.matches("car.toml:").count());
    }
}

#[test]
fn unknown_and_missing_groups_are_errors() {
    for (from, to, expected) in UNKNOWN {
        let errors = errors(&car("", SECOC, "").replace(from, to));
        assert!(errors.contains(expected), "{to}\n{errors}");
    }
}

#[test]
fn schemes_that_do_not_fit_the_keys_of_groups_are_errors() {
    for (table, expected) in [
        (
            "scheme = 'secoc'\nmaster = 'gateway'\nsubgroup = ['a', 'b']",
            "ECU \"gateway\" announces freshness and does not hold the key",
        ),
        (
            "scheme = 'leia'\nprofile = 'as-published'",
            "as published the keys are in place when the car starts",
        ),
    ] {
        let errors = errors(&car("", table, ""));
        assert!(errors.contains(expected), "{table}\n{errors}");
    }
}

#[test]
fn the_trailer_joins_and_its_intruder_forges_under_the_groups_key_alone() {
    let path = waywarden_testkit::workspace().join("examples/trailer.toml");
    let report = report(&std::fs::read_to_string(path).unwrap());
    assert!(report.is_met(), "{:#?}", report.requirements);
    let group = &report.groups[0];
    assert!(group.agreed_at_end && group.merged_ms.is_some_and(|at| at > 2_000.0));
    assert!(group.subgroups.iter().any(|one| one.second == 0));
    let [tractor, combination] = report.authentication.as_slice() else {
        panic!("{:#?}", report.authentication)
    };
    for check in &tractor.checks {
        assert_eq!(check.forged, 0, "{check:#?}");
        assert!(check.wrong_tag > 20 && check.authentic > 400, "{check:#?}");
    }
    assert!(combination.forged > 10, "{combination:#?}");
    assert!(combination.checks[0].authentic > 50, "{combination:#?}");
    assert_eq!(report.attacks[0].taken, combination.forged);
}
