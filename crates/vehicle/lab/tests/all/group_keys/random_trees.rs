//! Random trees of groups, with an ECU outside a subgroup.

use waywarden_testkit::Random;
use waywarden_vehicle_file::VehicleFile;

use super::{PROTOCOLS, SCHEMES, check, report};

/// A random tree, a random subgroup of it, a stream between two of its ECUs and an intruder on an
/// ECU that does not hold its key.
struct Case {
    text: String,
    /// Number of ECUs of the group that do not hold the key.
    outside: usize,
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    names.join(", ")
}

/// A table of keys with this scheme, of one group or of two networks.
fn random_keys(random: &mut Random, scheme: &str, names: &[String]) -> String {
    let odd = ["skipped", "promoted"][random.index(2)];
    let cut = random.index(names.len());
    let networks = match cut {
        0 => format!("members = [{}]", quoted(names)),
        _ => format!(
            "networks = [{{ name = 'x', members = [{}] }}, {{ name = 'y', members = [{}] }}]",
            quoted(&names[..cut]),
            quoted(&names[cut..])
        ),
    };
    format!("scheme = '{scheme}'\nodd_levels = '{odd}'\n{networks}")
}

/// A car in which an ECU sends a stream to another one.
fn car(names: &[String], keys: &str, [sender, receiver]: [&str; 2], more: &str) -> String {
    let ecu = |name: &String| {
        let sends = match name == sender {
            true => format!(
                "sends = [{{ name = 'S', id = 0x060, length = 4, period = '10ms', \
                 format = 'classic', receivers = ['{receiver}'] }}]\n"
            ),
            false => String::new(),
        };
        format!("[[ecu]]\nname = '{name}'\nports = ['one']\n{sends}")
    };
    let ecus: String = names.iter().map(ecu).collect();
    format!(
        "[vehicle]\nname = 'car'\nduration = '2500ms'\n[[bus]]\nname = 'one'\n\
         bitrate = '500k'\ndata_bitrate = '2M'\n[[ecu]]\nname = 'gateway'\nports = ['one']\n\
         {ecus}[[keys]]\nname = 'car'\norchestrator = 'gateway'\nrenewal = '400ms'\n{keys}\n\
         {more}"
    )
}

/// The ECUs of a random logical ECU with more than one besides the orchestrator, and whether the
/// same with the orchestrator are a logical ECU too.
fn random_holders(random: &mut Random, text: &str) -> (Vec<String>, bool) {
    let file = VehicleFile::parse("plan", text).unwrap();
    let plan = file.groups[0].plan(std::iter::repeat(0)).unwrap();
    let name = |address| {
        let mut parties = file.groups[0].parties();
        let party = parties.find(|party| party.address == address).unwrap();
        file.ecu(party.ecu).name.value.clone()
    };
    let holders = plan.merges().map(|logical| {
        let holders = plan
            .holders(logical)
            .filter(|at| *at != plan.orchestrator());
        holders.map(name).collect::<Vec<String>>()
    });
    let mut holders: Vec<Vec<String>> = holders.filter(|all| all.len() > 1).collect();
    let ecus = holders.swap_remove(random.index(holders.len()));
    let with_orchestrator = plan.merges().any(|logical| {
        let all: Vec<String> = plan.holders(logical).map(name).collect();
        all.len() == ecus.len() + 1 && all.iter().all(|one| one == "gateway" || ecus.contains(one))
    });
    (ecus, with_orchestrator)
}

fn random_case(random: &mut Random) -> Case {
    let count = 3 + random.index(4);
    let names: Vec<String> = (0..count).map(|at| format!("e{at}")).collect();
    let scheme = SCHEMES[random.index(2)];
    let keys = random_keys(random, scheme, &names);
    let plan = car(&names, &keys, ["e0", "e1"], "");
    let (ecus, with_orchestrator) = random_holders(random, &plan);
    let is_full = scheme == SCHEMES[0];
    let mut subgroup = ecus.clone();
    // Without it in each logical ECU the orchestrator is named like any other.
    if with_orchestrator && !is_full {
        subgroup.push("gateway".to_owned());
    }
    let sender = random.index(ecus.len());
    let receiver = (sender + 1 + random.index(ecus.len() - 1)) % ecus.len();
    let outside: Vec<&String> = names.iter().filter(|name| !ecus.contains(name)).collect();
    let intruder = match outside.as_slice() {
        [] => String::new(),
        some => format!(
            "[[attacker]]\nkind = 'compromise'\necus = ['{}']\nperiod = '20ms'\nfrom = '1s'\n",
            some[random.index(some.len())]
        ),
    };
    let protocol = PROTOCOLS[random.index(PROTOCOLS.len())];
    let protocol = protocol.replace("master = 'a'", &format!("master = '{}'", ecus[sender]));
    let more = format!(
        "[[authentication]]\nprotect = ['S']\ngroup = 'car'\nsubgroup = [{}]\n{protocol}\n\
         {intruder}",
        quoted(&subgroup)
    );
    Case {
        text: car(&names, &keys, [&ecus[sender], &ecus[receiver]], &more),
        outside: outside.len(),
    }
}

#[test]
fn in_random_trees_an_ecu_without_a_subgroups_key_is_refused_and_its_ecus_are_not() {
    let mut random = Random::of_test("subgroup_keys");
    for _ in 0..12 {
        let Case { text, outside } = random_case(&mut random);
        let report = report(&text);
        let check = check(&report);
        let case = format!("{text}\n{check:#?}");
        assert!(report.groups[0].agreements >= 3, "{case}");
        assert!(check.authentic > 100, "{case}");
        assert_eq!(check.forged, 0, "{case}");
        assert!(outside == 0 || check.wrong_tag > 20, "{case}");
    }
}
