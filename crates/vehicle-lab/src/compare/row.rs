//! What came of a variant: the figures by which variants are ranked, in a form that serialises.

use std::ops::Range;

use serde::Serialize;

use super::choice::{AuthenticationChoice, KeyChoice, Variant};
use super::tags::is_covered;
use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_file::{Attack, Interference, StreamIndex, VehicleFile};
use waywarden_vehicle_report::report::{Cells, Report};

/// A variant and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its place, from 1; those that cannot be made have none.
    pub rank: Option<usize>,
    /// How its ECUs get keys.
    pub keys: KeyChoice,
    /// How its messages are authenticated.
    pub authentication: AuthenticationChoice,
    /// What a run of it showed.
    #[serde(flatten)]
    pub figures: Option<Figures>,
    /// Why it cannot be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a run of a variant showed. Durations are milliseconds, loads are shares from 0 to 1.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// The streams that travel with tags, of those that an ECU receives.
    pub coverage: Coverage,
    /// From power-on until every stream had been received by all once and all keys were there; none
    /// if that was not so by the end.
    pub start_up_ms: Option<f64>,
    /// The bus with the highest load.
    pub busiest_bus: String,
    /// That load, over the run.
    pub load: f64,
    /// The stream that came nearest to its deadline, or was farthest beyond it.
    pub worst_stream: Option<String>,
    /// Its slowest delivery.
    pub worst_ms: Option<f64>,
    /// The same as a share of the deadline; none if nothing of a stream arrived.
    pub worst_share: Option<f64>,
    /// Requirements of the file that were met.
    pub met: usize,
    /// All of them.
    pub requirements: usize,
    /// Those that were missed.
    pub missed: Vec<String>,
    /// Attacks after which no ECU had taken a message that its sender did not send.
    pub stopped: usize,
    /// All that acted and are after messages.
    pub attacks: usize,
    /// Those that reached an ECU.
    pub open: Vec<String>,
    /// Frames of the key protocols, on each bus that carried them.
    pub key_frames: u64,
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Streams with tags.
    pub covered: usize,
    /// Streams that an ECU receives.
    pub streams: usize,
}

impl Coverage {
    /// Counts the streams of a vehicle.
    #[must_use]
    pub fn of(file: &VehicleFile) -> Self {
        let heard = file.streams.iter().filter(|one| !one.receivers.is_empty());
        Coverage {
            covered: heard.clone().filter(|one| is_covered(one)).count(),
            streams: heard.count(),
        }
    }
}

impl Row {
    pub(super) fn new(variant: Variant, result: Result<Figures, String>) -> Self {
        let (figures, reason) = match result {
            Ok(figures) => (Some(figures), None),
            Err(reason) => (None, Some(reason)),
        };
        Row {
            rank: None,
            keys: variant.keys,
            authentication: variant.authentication,
            figures,
            reason,
        }
    }

    /// Whether it ran and met every requirement.
    #[must_use]
    pub fn is_met(&self) -> bool {
        let figures = self.figures.as_ref();
        figures.is_some_and(|figures| figures.missed.is_empty())
    }
}

impl Figures {
    /// Takes the figures of a run; `original` is what the requirements are from.
    pub(super) fn new(original: &VehicleFile, file: &VehicleFile, report: &Report) -> Self {
        let coverage = Coverage::of(file);
        let busiest = report
            .buses
            .iter()
            .reduce(|most, bus| match bus.load > most.load {
                true => bus,
                false => most,
            });
        let groups = report.keys.iter();
        let modules = report.lasan.iter();
        let key_frames = groups.map(|one| one.frames).sum::<u64>()
            + modules.map(|one| one.messages.frames).sum::<u64>();
        let missed = report.requirements.iter().filter(|verdict| !verdict.met);
        let mut figures = Figures {
            coverage,
            start_up_ms: start_up(report),
            busiest_bus: busiest.map_or(String::new(), |bus| bus.bus.clone()),
            load: busiest.map_or(0.0, |bus| bus.load),
            met: report
                .requirements
                .iter()
                .filter(|verdict| verdict.met)
                .count(),
            requirements: report.requirements.len(),
            missed: missed.map(|verdict| verdict.requirement.clone()).collect(),
            key_frames,
            ..Figures::default()
        };
        figures.take_worst(file, report);
        figures.miss_keys(original, file);
        figures.add_attacks(file, report);
        figures
    }

    /// Notes the stream that came nearest to its deadline.
    fn take_worst(&mut self, file: &VehicleFile, report: &Report) {
        let rows = report.streams.iter().zip(&file.streams);
        // What was never due in so short a run says nothing.
        let due = rows.filter(|(row, own)| !own.receivers.is_empty() && row.requested > 0);
        let strain = |row: &waywarden_vehicle_report::report::StreamRow| match row.worst_ms {
            Some(worst) => worst / row.deadline_ms,
            None => f64::INFINITY,
        };
        let shares = due.map(|(row, _)| (row, strain(row)));
        let worst = shares.reduce(|most, one| match one.1 > most.1 {
            true => one,
            false => most,
        });
        if let Some((row, share)) = worst {
            self.worst_stream = Some(row.stream.clone());
            self.worst_ms = row.worst_ms;
            self.worst_share = row.worst_ms.map(|_| share);
        }
    }

    /// A car that is to have keys by a time and gets none misses that.
    fn miss_keys(&mut self, original: &VehicleFile, file: &VehicleFile) {
        let require = &original.require;
        let is_asked = require.group_key_within.is_some() || require.authorised_within.is_some();
        if is_asked && file.groups.is_empty() && file.lasan.is_empty() {
            self.requirements += 1;
            self.missed.push("keys".to_owned());
        }
    }

    /// Counts the attacks of a run that are after messages, and those that reached an ECU.
    pub(super) fn add_attacks(&mut self, file: &VehicleFile, report: &Report) {
        let attackers = file.attackers.iter().map(|one| deceives(file, &one.attack));
        let interferers = file.interferers.iter().map(|one| {
            matches!(
                one.interference,
                Interference::ErrorPassiveOverwrite { .. }
                    | Interference::Janus { .. }
                    | Interference::DoubleReceive { .. }
                    | Interference::KeyFrameOverwrite { .. }
            )
        });
        // The report lists attackers, then interferers, then faults.
        let rows = report.attacks.iter().zip(attackers.chain(interferers));
        for (row, _) in rows.filter(|(row, deceives)| *deceives && row.actions > 0) {
            self.attacks += 1;
            match row.taken + row.key_deceptions {
                0 => self.stopped += 1,
                _ => self.open.push(format!("{}: {}", row.name, row.what)),
            }
        }
    }
}

/// When every stream was received and all keys were there.
fn start_up(report: &Report) -> Option<f64> {
    match report.is_keyed() {
        true => Some(report.keys_ms?.max(report.start_up_ms?)),
        false => report.start_up_ms,
    }
}

/// Whether an attack is there to have an ECU take what the sender did not send.
fn deceives(file: &VehicleFile, attack: &Attack) -> bool {
    match attack {
        Attack::Spoof { frame, .. } | Attack::Flood { frame, .. } => {
            let heard = |at: usize| !file.stream(StreamIndex(at)).receivers.is_empty();
            let same = |at: usize| file.stream(StreamIndex(at)).id.value == frame.id;
            (0..file.streams.len()).any(|at| heard(at) && same(at))
        }
        Attack::Replay { .. }
        | Attack::Masquerade { .. }
        | Attack::ManInTheMiddle { .. }
        | Attack::Forge { .. }
        | Attack::Compromise { .. }
        | Attack::Modify { .. } => true,
        // What a relay brings was said by its sender, if on another bus: no tag tells.
        Attack::Relay { .. } | Attack::Register { .. } | Attack::Suppress { .. } => false,
    }
}

impl Cells for Row {
    const HEADERS: &'static [&'static str] = &[
        "rank",
        "keys",
        "authentication",
        "streams covered",
        "streams and keys up ms",
        "busiest bus",
        "load",
        "worst latency ms",
        "of its deadline",
        "requirements met",
        "attacks stopped",
        "key frames",
    ];
    const NUMBERS: Range<usize> = 3..12;

    fn cells(&self) -> Vec<String> {
        let rank = self.rank.map_or("-".to_owned(), |rank| rank.to_string());
        let mut cells = vec![rank, self.keys.name(), self.authentication.name()];
        let none = || "-".to_owned();
        let Some(own) = &self.figures else {
            cells.resize_with(Self::HEADERS.len(), none);
            return cells;
        };
        let ms = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.3}"));
        let coverage = own.coverage;
        cells.extend([
            format!("{} of {}", coverage.covered, coverage.streams),
            ms(own.start_up_ms),
            own.busiest_bus.clone(),
            percent(own.load),
            ms(own.worst_ms),
            own.worst_share.map_or_else(none, percent),
            format!("{} of {}", own.met, own.requirements),
            format!("{} of {}", own.stopped, own.attacks),
            own.key_frames.to_string(),
        ]);
        cells
    }
}
