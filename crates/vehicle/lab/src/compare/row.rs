//! The results of a variant: the figures by which variants are ranked, in a form that serialises.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::choice::{AuthenticationChoice, KeyChoice, Variant};
use super::security::Coverage;
use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_file::{Attack, Interference, StreamIndex, VehicleFile};
use waywarden_vehicle_report::report::{Cells, Report};

/// A variant and its results.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariantRow {
    /// Its place, from 1; a variant that protects no stream is the baseline and has none.
    pub rank: Option<usize>,
    /// True if it is on the Pareto front.
    pub pareto: bool,
    /// Source of its ECUs' keys.
    pub keys: KeyChoice,
    /// Its message authentication protocol.
    pub authentication: AuthenticationChoice,
    /// Figures of its runs.
    #[serde(flatten)]
    pub figures: VariantFigures,
    /// Variants with the same figures, which have no row of their own.
    pub same: Vec<Variant>,
}

/// Figures of a variant's runs. Durations are milliseconds, loads are shares from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct VariantFigures {
    /// Protection of the streams that are to be protected.
    pub coverage: Coverage,
    /// From power-on until every stream had been received by all once and all keys were there; none
    /// if that was not so by the end.
    pub start_up_ms: Option<f64>,
    /// The bus with the highest load.
    pub busiest_bus: String,
    /// Load of that bus over the run.
    pub load: f64,
    /// The stream that came nearest to its deadline, or was farthest beyond it.
    pub worst_stream: Option<String>,
    /// Its slowest delivery.
    pub worst_ms: Option<f64>,
    /// The same as a share of the deadline; none if nothing of a stream arrived.
    pub worst_share: Option<f64>,
    /// Requirements of the file that were met.
    pub met: usize,
    /// Number of requirements in the file.
    pub requirements: usize,
    /// The requirements that were missed.
    pub missed: Vec<String>,
    /// Attacks after which no ECU had taken a message that its sender did not send.
    pub stopped: usize,
    /// Number of attacks on messages that acted.
    pub attacks: usize,
    /// The attacks that reached an ECU.
    pub open: Vec<String>,
    /// The attacks that did not.
    pub stopped_attacks: Vec<String>,
    /// Frames of the key protocols, on each bus that carried them.
    pub key_frames: u64,
}

impl VariantRow {
    pub(super) const fn new(variant: Variant, figures: VariantFigures) -> Self {
        VariantRow {
            rank: None,
            pareto: false,
            keys: variant.keys,
            authentication: variant.authentication,
            figures,
            same: Vec::new(),
        }
    }

    /// Returns the choices that it is made of.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        Variant {
            keys: self.keys,
            authentication: self.authentication,
        }
    }

    /// Returns true if it protects no stream: the others are compared with it.
    #[must_use]
    pub const fn is_baseline(&self) -> bool {
        self.figures.coverage.covered == 0
    }

    /// Returns true if it met every requirement.
    #[must_use]
    pub const fn is_met(&self) -> bool {
        self.figures.missed.is_empty()
    }
}

impl VariantFigures {
    /// Takes the figures of a run; `original` is what the requirements are from.
    pub(super) fn new(
        original: &VehicleFile,
        (file, coverage): (&VehicleFile, Coverage),
        report: &Report,
    ) -> Self {
        let busiest = report
            .buses
            .iter()
            .reduce(|most, bus| if bus.load > most.load { bus } else { most });
        let groups = report.groups.iter();
        let modules = report.security_modules.iter();
        let key_frames = groups.map(|one| one.frames).sum::<u64>()
            + modules.map(|one| one.messages.frames).sum::<u64>();
        let missed = report.requirements.iter().filter(|verdict| !verdict.met);
        let mut figures = VariantFigures {
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
            missed: missed.map(|verdict| verdict.title.clone()).collect(),
            key_frames,
            ..VariantFigures::default()
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
        let worst = shares.reduce(|most, one| if one.1 > most.1 { one } else { most });
        if let Some((row, share)) = worst {
            self.worst_stream = Some(row.stream.clone());
            self.worst_ms = row.worst_ms;
            self.worst_share = row.worst_ms.map(|_| share);
        }
    }

    /// A car that is to have keys by a time and gets none misses that.
    fn miss_keys(&mut self, original: &VehicleFile, file: &VehicleFile) {
        let require = &original.require;
        let is_asked = require.group_key_within.is_some() || require.authorized_within.is_some();
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
            let attack = format!("{}: {}", row.name, row.what);
            match row.taken + row.key_deceptions {
                0 => {
                    self.stopped += 1;
                    self.stopped_attacks.push(attack);
                }
                _ => self.open.push(attack),
            }
        }
    }
}

/// Returns the time at which every stream was received and all keys were there, in milliseconds.
pub(crate) fn start_up(report: &Report) -> Option<f64> {
    match report.is_keyed() {
        true => Some(report.keys_ms?.max(report.start_up_ms?)),
        false => report.start_up_ms,
    }
}

/// Returns true if the attack aims to make an ECU accept what the sender did not send.
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

impl Cells for VariantRow {
    const HEADERS: &'static [&'static str] = &[
        "rank",
        "keys",
        "authentication",
        "streams covered",
        "session keys",
        "attacks stopped",
        "requirements met",
        "worst latency ms",
        "of its deadline",
        "busiest bus",
        "load",
        "start-up ms",
        "key frames",
        "Pareto",
    ];
    const NUMBERS: Range<usize> = 3..13;

    fn cells(&self) -> Vec<String> {
        let rank = self
            .rank
            .map_or("baseline".to_owned(), |rank| rank.to_string());
        let own = &self.figures;
        let none = || "-".to_owned();
        let ms = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.3}"));
        let coverage = own.coverage;
        vec![
            rank,
            self.keys.name(),
            self.authentication.name(),
            format!("{} of {}", coverage.covered, coverage.streams),
            format!("{} of {}", coverage.session_keys, coverage.covered),
            format!("{} of {}", own.stopped, own.attacks),
            format!("{} of {}", own.met, own.requirements),
            ms(own.worst_ms),
            own.worst_share.map_or_else(none, percent),
            own.busiest_bus.clone(),
            percent(own.load),
            ms(own.start_up_ms),
            own.key_frames.to_string(),
            if self.pareto { "yes" } else { "no" }.to_owned(),
        ]
    }
}
