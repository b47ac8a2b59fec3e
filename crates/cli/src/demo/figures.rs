//! The figures of the story, in words.

use std::collections::BTreeSet;

use waywarden_can_sim::trace::Discard;
use waywarden_command_line::exit::Failure;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_report::report::{AttackRow, AttackerAction, Report};

use crate::run::simulate;

pub(super) fn report(file: &VehicleFile) -> Result<Report, Failure> {
    let lowered = lower(file, &Resources::default(), None).map_err(Failure::new)?;
    Ok(Report::new(
        file,
        file.seed,
        &simulate(lowered, &mut Discard)?,
    ))
}

/// The rows of attackers and interferers; a failing ECU is no attack.
pub(super) fn attacks(report: &Report) -> impl Iterator<Item = &AttackRow> {
    report
        .attacks
        .iter()
        .filter(|row| row.action != AttackerAction::Fault)
}

pub(super) fn accepted(attack: &AttackRow) -> String {
    match attack.taken {
        0 => "none".to_owned(),
        taken => format!("{taken} by {} receivers", attack.taken_by.len()),
    }
}

/// The names of the messages that at least one receiver checks.
pub(super) fn protected(report: &Report) -> BTreeSet<&str> {
    let checks = report.authentication.iter().flat_map(|one| &one.checks);
    checks.map(|check| check.stream.as_str()).collect()
}

pub(super) fn missed(report: &Report) -> usize {
    report
        .requirements
        .iter()
        .filter(|verdict| !verdict.met)
        .count()
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(super) fn milliseconds(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.3}"))
}
