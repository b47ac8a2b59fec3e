//! The compact car with SecOC under group keys, beside the car as it is.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

use super::parse;

pub(super) fn report(name: &str) -> Report {
    let file = parse(name);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, file.seed, &outcome)
}

/// The attacks after which an ECU took what its sender did not send.
fn deceived(report: &Report) -> Vec<&str> {
    let attacks = report.attacks.iter().filter(|one| one.taken > 0);
    attacks.map(|one| one.name.as_str()).collect()
}

/// The protected car meets all that is asked of the car, takes every message, and no attack that
/// deceives an ECU of the unprotected car deceives one of it.
#[test]
fn the_protected_car_meets_all_requirements_and_refuses_what_deceived_the_car() {
    let calm = report("compact-car-protected.toml");
    assert!(calm.requirements.len() > 150);
    assert!(calm.requirements.iter().all(|one| one.met));
    for check in calm.authentication.iter().flat_map(|table| &table.checks) {
        // Before the first announcement a receiver does not know the time of the car.
        assert_eq!(check.refused(), check.out_of_step, "{check:?}");
    }
    // Each of the 58 protected streams, and within the bound that the file states.
    assert_eq!(calm.first_authentic.len(), 58);
    let within = |at: Option<f64>| at.is_some_and(|at| at < 700.0);
    let mut firsts = calm.first_authentic.iter();
    assert!(firsts.all(|row| within(row.power_on_ms)));
    let mut requirements = calm.requirements.iter();
    assert!(requirements.any(|one| one.title == "first authentic messages"));
    assert!(calm.groups.iter().all(|group| group.agreements >= 3));
    let (before, after) = (
        report("compact-car-attack.toml"),
        report("compact-car-secoc.toml"),
    );
    assert_eq!(
        deceived(&before),
        ["standstill", "key-thief", "liar", "bad-connector"]
    );
    assert_eq!(deceived(&after), [""; 0]);
}
