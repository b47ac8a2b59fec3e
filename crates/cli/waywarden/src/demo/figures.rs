//! The figures of the story, in words.

use std::collections::BTreeSet;

use waywarden_can_sim::trace::Discard;
use waywarden_command_line::exit::Failure;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_report::report::{AttackRow, AttackerAction, Report};
use waywarden_vehicle_resources::Resources;

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

/// Says when the last receiver accepted its first authentic message.
pub(super) fn first_authentic(report: &Report) -> String {
    let rows = &report.first_authentic;
    let waiting = rows.iter().filter(|row| row.power_on_ms.is_none()).count();
    if waiting > 0 {
        return format!("Start: receivers of {waiting} protected messages accepted none of them.");
    }
    let times = rows.iter().filter_map(|row| Some((row.power_on_ms?, row)));
    let last = times.max_by(|(a, _), (b, _)| a.total_cmp(b));
    last.map_or(String::new(), |(ms, row)| {
        format!(
            "Start: {ms:.0} ms after power-on all receivers have a first authentic message, with \
             the keys of the\nlast trip; {} at {} is the last.",
            row.stream, row.power_on_ecu
        )
    })
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
