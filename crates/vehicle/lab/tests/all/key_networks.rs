//! Groups that are merged of networks, and promoted levels: what the file says is what runs, and
//! what does not fit is named at its place.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{Cells, GroupRow, Report, SubgroupRow};
use waywarden_vehicle_resources::Resources;

/// A gateway and so many ECUs, `a` and on, on one FD bus.
fn car(ecus: u8, keys: &str) -> String {
    let ecu = |at: u8| {
        let name = char::from(b'a' + at);
        format!("[[ecu]]\nname = '{name}'\nboard = 'tc297'\nports = ['one']\n")
    };
    let ecus: String = (0..ecus).map(ecu).collect();
    format!(
        "[vehicle]\nname = 'car'\nduration = '4s'\n[[bus]]\nname = 'one'\nbitrate = '500k'\n\
         data_bitrate = '2M'\n[[ecu]]\nname = 'gateway'\nboard = 'tc297'\nports = ['one']\n\
         {ecus}[[keys]]\nname = 'car'\norchestrator = 'gateway'\n{keys}\n"
    )
}

fn parse(text: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn report(text: &str) -> Report {
    let file = parse(text);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

/// The subgroups in a line each, for messages of failures.
fn subgroups(group: &GroupRow) -> String {
    let line = |one: &SubgroupRow| one.cells().join(" | ");
    let lines: Vec<String> = group.subgroups.iter().map(line).collect();
    lines.join("\n")
}

fn frames(group: &GroupRow, step: &str) -> u64 {
    let mut steps = group.steps.iter();
    steps
        .find(|row| row.step == step)
        .map_or(0, |row| row.frames)
}

const TREES: [&str; 2] = ["tree-with-orchestrator", "tree-without-orchestrator"];

const NETWORKS: &str = "networks = [\n\
    { name = 'front', members = ['a', 'b'] },\n\
    { name = 'rear', members = ['c', 'd'], joins = '2s' },\n]";

#[test]
fn a_network_forms_its_keys_when_it_joins_and_then_all_have_one_key() {
    for scheme in TREES {
        for profile in ["hardened", "as-published"] {
            let keys = format!("scheme = '{scheme}'\nprofile = '{profile}'\n{NETWORKS}");
            let report = report(&car(4, &keys));
            let group = &report.groups[0];
            let case = format!("{scheme} {profile}:\n{}", subgroups(group));
            let [front, rear] = group.networks.as_slice() else {
                panic!("{case}")
            };
            assert_eq!((front.joins_ms, rear.joins_ms), (None, Some(2_000.0)));
            let (own, joined) = (front.key_ms.unwrap(), front.joined_ms.unwrap());
            assert!(own < joined && joined < 1_000.0, "{case}");
            assert!(rear.key_ms.is_some_and(|at| at > 2_000.0), "{case}");
            // As published each ECU counts its keys for itself: nothing tells that all have one.
            if profile == "as-published" {
                continue;
            }
            let (own, joined) = (rear.key_ms.unwrap(), rear.joined_ms.unwrap());
            assert!(2_000.0 < own && own < joined && joined < 3_000.0, "{case}");
            assert_eq!(group.merged_ms, rear.joined_ms, "{case}");
            assert_eq!(group.start_up_ms, front.joined_ms, "{case}");
            assert!(group.agreed_at_end && group.agreements >= 2, "{case}");
            assert!(group.ecus.iter().all(|ecu| !ecu.removed), "{case}");
        }
    }
}

#[test]
fn networks_without_a_time_form_their_keys_side_by_side() {
    for scheme in TREES {
        let networks = NETWORKS.replace(", joins = '2s'", "");
        let report = report(&car(4, &format!("scheme = '{scheme}'\n{networks}")));
        let group = &report.groups[0];
        for network in &group.networks {
            assert!(network.key_ms < group.start_up_ms, "{scheme}: {group:#?}");
            assert_eq!(network.joined_ms, group.start_up_ms, "{scheme}");
        }
        assert!(group.agreed_at_end);
    }
}

#[test]
fn more_ecus_than_a_role_remembers_events_join_at_once() {
    let names = |from: u8, to: u8| {
        let names = (from..to).map(|at| format!("'{}'", char::from(b'a' + at)));
        names.collect::<Vec<_>>().join(", ")
    };
    let networks = format!(
        "networks = [{{ name = 'first', members = [{}] }}, \
         {{ name = 'second', members = [{}], joins = '1500ms' }}]",
        names(0, 4),
        names(4, 24)
    );
    let report = report(&car(24, &format!("scheme = '{}'\n{networks}", TREES[1])));
    let group = &report.groups[0];
    let joined = group.networks[1].joined_ms;
    assert!(joined.is_some_and(|at| at > 1_500.0), "{group:#?}");
    assert!(group.agreed_at_end && group.ecus.iter().all(|ecu| !ecu.removed));
}

#[test]
fn the_orchestrator_knows_over_a_reset_which_network_has_joined() {
    for (reset, joins) in [("1s", "2s"), ("2500ms", "2s")] {
        let fault = format!("[[fault]]\nkind = 'reset'\necu = 'gateway'\nfrom = '{reset}'\n");
        let networks = NETWORKS.replace("2s", joins);
        let report = report(&car(
            4,
            &format!("scheme = '{}'\n{networks}\n{fault}", TREES[0]),
        ));
        let group = &report.groups[0];
        let rear = &group.networks[1];
        assert!(rear.key_ms.unwrap() > 2_000.0, "{reset}: {group:#?}");
        assert!(group.agreed_at_end && rear.joined_ms.is_some(), "{reset}");
    }
}

#[test]
fn promoted_levels_of_five_and_seven_ecus_agree() {
    for ecus in [5, 7] {
        for scheme in TREES {
            for profile in ["hardened", "as-published"] {
                let keys = |odd: &str| {
                    let odd = format!("odd_levels = '{odd}'");
                    format!("scheme = '{scheme}'\nprofile = '{profile}'\n{odd}")
                };
                let case = format!("{ecus} {scheme} {profile}");
                let promoted = report(&car(ecus, &keys("promoted")));
                let skipped = report(&car(ecus, &keys("skipped")));
                let (promoted, skipped) = (&promoted.groups[0], &skipped.groups[0]);
                assert_eq!(promoted.odd_levels, "promoted");
                assert!(promoted.agreed_at_end && promoted.retries == 0, "{case}");
                let promotions = promoted.subgroups.iter().filter(|one| one.second == 0);
                let promotions = promotions.count() as u64;
                let more = frames(promoted, "orchestration") - frames(skipped, "orchestration");
                assert!(skipped.subgroups.iter().all(|one| one.second != 0));
                // Of 7 ECUs and the orchestrator no level is odd.
                let even = ecus == 7 && scheme == TREES[1];
                assert_eq!((more, promotions > 0), (promotions, !even), "{case}");
                let formed = |one: &SubgroupRow| one.key_ms.is_some();
                assert!(
                    promoted.subgroups.iter().all(formed),
                    "{case}:\n{}",
                    subgroups(promoted)
                );
            }
        }
    }
}

#[test]
fn networks_that_do_not_fit_are_errors_at_their_place() {
    let front = "{ name = 'front', members = ['a', 'b'] }";
    for (networks, expected) in [
        (
            "networks = [{ name = 'front', members = ['a'], joins = '2s' }]".to_owned(),
            "car.toml:31:56: the first network is the orchestrator's, and there from the start",
        ),
        (
            format!("networks = [{front}, {{ name = 'front', members = ['c'] }}]"),
            "car.toml:31:64: there is a network \"front\" in this group already",
        ),
        (
            format!("networks = [{front}, {{ name = 'rear', members = ['c', 'a'] }}]"),
            "car.toml:31:88: ECU \"a\" is in network \"front\" already",
        ),
        (
            format!("networks = [{front}, {{ name = 'rear' }}]"),
            "needs the key `members`: the ECUs of this network",
        ),
        (
            format!("networks = [{front}, {{ name = 'rear', members = [] }}]"),
            "network \"rear\" has no ECU",
        ),
        (
            format!("networks = [{front}, {{ name = 'rear', members = ['c', 'gateway'] }}]"),
            "\"gateway\" is the orchestrator",
        ),
        (
            format!("networks = [{front}, {{ name = 'rear', members = ['c', 'brakes'] }}]"),
            "there is no ECU \"brakes\"",
        ),
        (
            format!("members = ['c']\nnetworks = [{front}]"),
            "the group has `members` and `networks`",
        ),
        (
            format!("scheme = 'symmetric-distribution'\nnetworks = [{front}]"),
            "with symmetric distribution no network has a key of its own",
        ),
        (
            format!(
                "start = '1s'\n\
                 networks = [{front}, {{ name = 'rear', members = ['c'], joins = '1s' }}]"
            ),
            "it joins at 1 s, and the others begin at 1 s",
        ),
        (
            format!(
                "networks = [{front}, {{ name = 'rear', members = ['c'], joins = '2s' }}]\n\
                 remove = [{{ ecu = 'c', at = '1s' }}]"
            ),
            "ECU \"c\" does not take part since",
        ),
        (
            "odd_levels = 'raised'".to_owned(),
            "\"raised\" is not possible here; possible: \"skipped\", \"promoted\"",
        ),
    ] {
        let text = car(4, &networks);
        let errors = VehicleFile::parse("car.toml", &text)
            .unwrap_err()
            .to_string();
        assert!(errors.contains(expected), "{networks}\n{errors}");
    }
}
