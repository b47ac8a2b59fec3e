//! Runs as JUnit XML: a test case for each requirement.

use waywarden_command_line::junit::{JunitCase, JunitResult, JunitSuite};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::require::RequirementVerdict;
use waywarden_vehicle_report::runs::Runs;

const NAME: &str = "waywarden run";

/// Returns the requirements of one run.
pub(super) fn of_run(report: &Report) -> JunitSuite {
    let cases = report.requirements.iter();
    let cases = cases.map(|one| case(&report.vehicle, one, one.met, String::new()));
    JunitSuite {
        name: NAME,
        cases: cases.collect(),
    }
}

/// Returns the requirements of many runs, each as the worst run met it.
pub(super) fn of_runs(runs: &Runs) -> JunitSuite {
    let cases = runs.requirements.iter().map(|one| {
        let within = format!(
            "missed in {} of {} runs; the worst has seed {}, phase {}",
            one.runs_missed, runs.runs, one.worst_in.seed, one.worst_in.phase
        );
        case(&runs.vehicle, &one.worst, one.runs_missed == 0, within)
    });
    JunitSuite {
        name: NAME,
        cases: cases.collect(),
    }
}

fn case(vehicle: &str, verdict: &RequirementVerdict, met: bool, within: String) -> JunitCase {
    let message = format!(
        "{} measured, {} required",
        verdict.measured_text, verdict.required_text
    );
    let cause = verdict.cause.clone().unwrap_or_default();
    let detail = [verdict.place.clone(), cause, within].into_iter();
    let detail: Vec<String> = detail.filter(|line| !line.is_empty()).collect();
    JunitCase {
        class: vehicle.to_owned(),
        name: verdict.title.clone(),
        result: match met {
            true => JunitResult::Passed(message),
            false => JunitResult::Failed {
                message,
                detail: detail.join("\n"),
            },
        },
    }
}
