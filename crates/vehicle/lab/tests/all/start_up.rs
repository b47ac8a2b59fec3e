//! The situations of `start_up`, and new parts for those that other ECUs depend on: the ECU that
//! leads a group, and a security module.

use std::path::PathBuf;

use waywarden_can_sim::trace::Discard;
use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_lab::start_up::{
    Situation, StartUp, StartUpFigures, StartUpSetting, StartUpVehicle,
};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

/// Three ECUs on boards that compute, which agree on the key of two streams.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "4s"
[[bus]]
name = "one"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "gateway"
board = "tc297"
ports = ["one"]
start = "10ms"
[[ecu]]
name = "brakes"
board = "tc297"
ports = ["one"]
sends = [{ name = "Speed", id = 0x100, length = 8, period = "10ms", receivers = ["engine"] }]
[[ecu]]
name = "engine"
board = "tc297"
ports = ["one"]
sends = [{ name = "Torque", id = 0x110, length = 8, period = "10ms", receivers = ["brakes"] }]
[[keys]]
name = "core"
orchestrator = "gateway"
[[authentication]]
name = "messages"
scheme = "secoc"
profile = "production"
master = "gateway"
group = "core"
before_first_key = "retained"
protect = ["Speed", "Torque"]
"#;

/// The same ECUs with keys that are in place when the car starts.
fn with_keys_in_place() -> String {
    let (before, keys) = CAR.split_once("[[keys]]").unwrap();
    let (_, authentication) = keys.split_once("[[authentication]]").unwrap();
    let authentication = authentication
        .replace("group = \"core\"\n", "")
        .replace("before_first_key = \"retained\"\n", "");
    format!("{before}[[authentication]]{authentication}")
}

fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    std::fs::read_to_string(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn vehicle(text: &str) -> StartUpVehicle {
    StartUpVehicle::read("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn setting(vehicle: &StartUpVehicle) -> StartUpSetting {
    StartUpSetting {
        seed: vehicle.file().seed,
        duration: vehicle.file().duration,
    }
}

fn figures(text: &str, situation: Situation) -> StartUpFigures {
    let vehicle = vehicle(text);
    let trial = vehicle.run(situation, &setting(&vehicle), &Resources::default());
    trial.result.unwrap_or_else(|why| panic!("{why}"))
}

fn longest(text: &str, situation: Situation) -> f64 {
    let figures = figures(text, situation);
    assert_eq!((figures.waits, figures.never), (2, 0), "{figures:?}");
    figures.longest.and_then(|one| one.ms).expect("a wait")
}

fn start_up(text: &str) -> StartUp {
    let (vehicle, resources) = (vehicle(text), Resources::default());
    let setting = setting(&vehicle);
    let ecus = vehicle.authenticated_ecus(&resources).unwrap();
    let plan = vehicle.plan(&ecus, &setting);
    let situations = plan.situations.iter();
    let trials = situations.map(|one| vehicle.run(*one, &setting, &resources));
    let trials = trials.collect();
    StartUp::new(vehicle.file(), &setting, plan, trials)
}

#[test]
fn a_key_exchange_takes_longer_than_stored_keys_and_a_new_part_waits_for_one() {
    let stored = longest(CAR, Situation::StoredKeys);
    let exchange = longest(CAR, Situation::KeyExchange);
    let brown_out = longest(CAR, Situation::BrownOut);
    let engine = vehicle(CAR).ecu("engine").unwrap();
    let replaced = longest(CAR, Situation::Replaced(engine));
    assert_eq!(longest(CAR, Situation::AsFile), stored);
    assert!(stored < 150.0 && brown_out < 150.0, "{stored} {brown_out}");
    assert!(exchange > stored + 50.0, "{exchange} {stored}");
    assert!(replaced > brown_out + 50.0, "{replaced} {brown_out}");
}

#[test]
fn keys_in_place_are_stored_and_never_exchanged() {
    let text = with_keys_in_place();
    let table = start_up(&text);
    let names: Vec<&str> = table
        .situations
        .iter()
        .map(|row| row.situation.name())
        .collect();
    let expected = [
        "as the file says",
        "stored keys",
        "brown-out",
        "replaced ECU",
    ];
    assert_eq!(names, expected);
    assert_eq!(table.impossible.len(), 1);
    assert_eq!(table.impossible[0].situation.name(), "key exchange");
    assert!(table.impossible[0].reason.contains("in place"));
    // The freshness master sends nothing itself, and was not asked for.
    let replaced = table.replaced.iter().map(|row| row.replaced.as_deref());
    assert!(replaced.eq([Some("brakes"), Some("engine")]));
    assert!(table.required_text.is_none() && table.is_met());
}

#[test]
fn a_requirement_is_missed_by_the_situation_that_takes_too_long_alone() {
    let table = start_up(&format!("{CAR}[require]\nauthentic_within = \"150ms\"\n"));
    let met = table.situations.iter().map(|row| row.met == Some(true));
    assert_eq!(met.collect::<Vec<_>>(), [true, true, false, true, false]);
    assert!(!table.is_met());
    let causes = table.situations.iter().map(|row| &row.figures.cause);
    let causes: Vec<&str> = causes.flatten().map(String::as_str).collect();
    assert_eq!(causes.len(), 2, "{causes:?}");
    assert!(
        causes[0].contains("it had a key of core after"),
        "{causes:?}"
    );
}

#[test]
fn attackers_faults_and_work_of_the_workshop_are_left_out() {
    let disturbance = "[[attacker]]\nkind = \"flood\"\nbus = \"one\"\nid = 0\n\
                   [[fault]]\nkind = \"reset\"\necu = \"brakes\"\nfrom = \"1900ms\"\n";
    let disturbed = format!("{CAR}{disturbance}");
    for situation in [Situation::StoredKeys, Situation::BrownOut] {
        assert_eq!(figures(&disturbed, situation), figures(CAR, situation));
    }
    assert!(figures(&disturbed, Situation::AsFile).never > 0);
}

#[test]
fn a_run_that_is_too_short_for_an_interruption_says_how_long_it_has_to_be() {
    let vehicle = vehicle(CAR);
    let short = StartUpSetting {
        duration: Duration::from_millis(200),
        ..setting(&vehicle)
    };
    let plan = vehicle.plan(&[vehicle.ecu("engine").unwrap()], &short);
    assert_eq!(plan.situations.len(), 3);
    let reasons = plan.impossible.iter();
    assert!(
        reasons.clone().count() == 2 && reasons.clone().all(|one| one.reason.contains("224 ms"))
    );
    let enough = StartUpSetting {
        duration: Duration::from_millis(224),
        ..short
    };
    assert!(vehicle.plan(&[], &enough).impossible.is_empty());
}

#[test]
fn a_security_module_enrols_the_new_part() {
    let text = example("electric-van.toml");
    let van = vehicle(&text);
    let (motor, module) = (van.ecu("motor").unwrap(), van.ecu("security").unwrap());
    let setting = setting(&van);
    let plan = van.plan(&[motor, module], &setting);
    assert_eq!(plan.situations.last(), Some(&Situation::Replaced(motor)));
    let reasons: Vec<&str> = plan
        .impossible
        .iter()
        .map(|one| one.situation.name())
        .collect();
    assert_eq!(reasons, ["stored keys", "replaced ECU"]);
    let figures = figures(&text, Situation::Replaced(motor));
    assert_eq!((figures.never, figures.late), (0, Some(0)), "{figures:?}");
}

/// Granted keys are granted again after each boot: no ECU stores them, and a start is an exchange.
#[test]
fn granted_keys_of_message_authentication_are_exchanged_and_never_stored() {
    let text = example("electric-van-secoc.toml");
    let van = vehicle(&text);
    let motor = van.ecu("motor").unwrap();
    let plan = van.plan(&[motor], &setting(&van));
    let reasons: Vec<&str> = plan
        .impossible
        .iter()
        .map(|one| one.situation.name())
        .collect();
    assert_eq!(reasons, ["stored keys"]);
    assert!(plan.situations.contains(&Situation::KeyExchange));
    let exchange = figures(&text, Situation::KeyExchange);
    assert_eq!(
        (exchange.never, exchange.late),
        (0, Some(0)),
        "{exchange:?}"
    );
}

/// The run of the compact car with the ECU that leads its groups replaced while driving.
fn with_new_gateway(text: &str, (from, until): (u64, u64)) -> Report {
    let fault = format!(
        "[[fault]]\nname = \"workshop\"\nkind = \"replaced\"\necu = \"gateway\"\n\
         from = \"{from}ms\"\nuntil = \"{until}ms\"\n"
    );
    let mut file = VehicleFile::parse("car.toml", &format!("{text}\n{fault}"))
        .unwrap_or_else(|errors| panic!("{errors}"));
    file.duration = Duration::from_millis(until + 2_500);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| ()).unwrap();
    Report::new(&file, file.seed, &outcome)
}

/// At any time, also while keys are agreed on: the run goes on, and reports the boot and what it
/// did to authenticated streams.
#[test]
fn a_new_part_for_the_ecu_that_leads_the_groups_is_reported() {
    let text = example("compact-car-protected.toml");
    each_seed(4, |seed| {
        let mut random = Random::new(seed);
        let from = 60 + random.below(3_000);
        let until = from + 1 + random.below(400);
        let report = with_new_gateway(&text, (from, until));
        let gateway = report.ecus.iter().find(|one| one.ecu == "gateway").unwrap();
        assert_eq!(gateway.boots, 2, "replaced from {from} to {until} ms");
        let mut attacks = report.attacks.iter();
        assert!(attacks.any(|one| one.name == "workshop" && one.actions == 1));
        // What it sends and checks itself. The longer the old freshness master announced, the
        // longer the others refuse the new one.
        let booted = report.first_authentic.iter().filter(|row| row.boots > 0);
        let booted: Vec<_> = booted.collect();
        assert_eq!(booted.len(), 1, "replaced from {from} to {until} ms");
        assert_eq!(booted[0].after_boot_ecu.as_deref(), Some("gateway"));
        let in_time = booted[0].after_boot_ms.is_some_and(|ms| ms <= 700.0);
        let mut requirements = report.requirements.iter();
        let first = requirements.find(|one| one.title == "first authentic messages");
        let first = first.unwrap();
        assert_eq!(first.met, in_time, "{first:?}");
        assert!(in_time || first.cause.as_ref().unwrap().contains("from the boot at"));
    });
}

/// A security module holds who may take part; a new one would know of no ECU.
#[test]
fn a_new_part_for_a_security_module_is_refused_at_any_time() {
    let text = example("electric-van.toml");
    let refusal = |text: &str| {
        let refused = VehicleFile::parse("van.toml", text).err();
        refused.map_or(String::new(), |errors| errors.to_string())
    };
    each_seed(20, |seed| {
        let from = Random::new(seed).below(10_000);
        let fault = "[[fault]]\nkind = \"replaced\"\necu = \"security\"\n";
        let error = refusal(&format!("{text}\n{fault}from = \"{from}ms\"\n"));
        assert!(
            error.contains("a security module is not replaced"),
            "{error}"
        );
        let entry = format!("replace = [{{ ecu = \"security\", at = \"{from}ms\" }}]");
        let old = "replace = [{ ecu = \"camera\", at = \"5s\" }]";
        assert!(text.contains(old));
        let error = refusal(&text.replace(old, &entry));
        assert!(error.contains("security"), "{error}");
    });
}

/// A member of the van's security module that is replaced at any time is enrolled, and sends again.
#[test]
fn a_new_part_under_a_security_module_is_reported_at_any_time() {
    let text = example("electric-van.toml");
    each_seed(4, |seed| {
        let mut random = Random::new(seed);
        let ecu = ["motor", "brakes", "steering", "battery"][random.index(4)];
        let at = 100 + random.below(4_000);
        let new = format!("replace = [{{ ecu = \"{ecu}\", at = \"{at}ms\" }}]");
        let text = text.replace("replace = [{ ecu = \"camera\", at = \"5s\" }]", &new);
        let file = VehicleFile::parse("van.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let lowered = lower(&file, &Resources::default(), Some(seed)).unwrap();
        let outcome = run(lowered, &mut Discard, &mut |_| ()).unwrap();
        let report = Report::new(&file, seed, &outcome);
        let booted = report.first_authentic.iter().filter(|row| row.boots > 0);
        let after: Vec<_> = booted.map(|row| row.after_boot_ms).collect();
        assert!(
            !after.is_empty() && after.iter().all(Option::is_some),
            "{ecu} at {at} ms"
        );
    });
}
