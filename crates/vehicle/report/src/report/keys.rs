//! Groups that agree on keys, in figures.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_group_keys::{Address, OddLevel, Orchestration, Scheme, Transport};

use super::{ms, picos_ms};
use crate::RunOutcome;
use crate::measure::keys::{GroupFigures, MergedNetwork, PartyFigures, SubgroupFigures};
use crate::measure::span;
use waywarden_vehicle_file::{KeyGroup, KeyNetwork, KeySuite, VehicleFile};

/// A group in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupRow {
    /// Its name.
    pub group: String,
    /// The scheme, as vehicle files write it.
    pub scheme: &'static str,
    /// Treatment of the last one of an odd level: `skipped` or `promoted`.
    pub odd_levels: &'static str,
    /// The suite.
    pub suite: &'static str,
    /// The profile.
    pub profile: &'static str,
    /// `fd` or `classic`.
    pub transport: &'static str,
    /// Start of the exchanges: `each`, `signed-ahead` or `once`.
    pub orchestration: &'static str,
    /// The orchestrator's ECU.
    pub orchestrator: String,
    /// Number of its other members.
    pub members: usize,
    /// Time from power-on until all had the first key.
    pub start_up_ms: Option<f64>,
    /// Time from the orchestrator's beginning until all had the first key.
    pub agreement_ms: Option<f64>,
    /// Number of times all had a new key.
    pub agreements: u64,
    /// The longest of the later agreements of all ECUs.
    pub longest_renewal_ms: Option<f64>,
    /// True if all have one key at the end.
    pub agreed_at_end: bool,
    /// Frames sent, on each bus that carries them.
    pub frames: u64,
    /// The same by step.
    pub steps: Vec<StepRow>,
    /// Bus time of these frames.
    pub bus_ms: f64,
    /// Exchanges that failed and were tried again.
    pub retries: u64,
    /// Time from power-on until all networks that it is merged of had one key.
    pub merged_ms: Option<f64>,
    /// The networks that it is merged of; none if it is one.
    pub networks: Vec<MergedRow>,
    /// Its logical ECUs, each a subgroup with a key of its own.
    pub subgroups: Vec<SubgroupRow>,
    /// Its ECUs, the orchestrator first.
    pub ecus: Vec<PartyRow>,
}

/// A network of a group in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MergedRow {
    /// The group.
    pub group: String,
    /// The network.
    pub network: String,
    /// Its ECUs.
    pub ecus: Vec<String>,
    /// Time from power-on until it was admitted; none if it took part from the start.
    pub joins_ms: Option<f64>,
    /// The logical ECU that it is; none of a single ECU without the orchestrator.
    pub logical: Option<u8>,
    /// Time from power-on until all its ECUs had its own key.
    pub key_ms: Option<f64>,
    /// Time from power-on until it had one key with all others that took part.
    pub joined_ms: Option<f64>,
}

/// A logical ECU of a group in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubgroupRow {
    /// The group.
    pub group: String,
    /// Its address.
    pub logical: u8,
    /// The address of the first one that it is formed of.
    pub first: u8,
    /// The address of the second one; 0 if it is a promotion of the first.
    pub second: u8,
    /// The ECUs that hold its key.
    pub ecus: Vec<String>,
    /// Time from power-on until all its ECUs that took part had its first key.
    pub key_ms: Option<f64>,
}

/// Frames of one step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepRow {
    /// The group.
    pub group: String,
    /// Content of the frames.
    pub step: &'static str,
    /// Number of frames.
    pub frames: u64,
}

/// An ECU of a group in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartyRow {
    /// The group.
    pub group: String,
    /// The ECU.
    pub ecu: String,
    /// Its address.
    pub address: u8,
    /// `orchestrator` or `member`.
    pub part: &'static str,
    /// Time from power-on until it had its first key.
    pub first_key_ms: Option<f64>,
    /// The epoch of the key it has at the end; 0 for none.
    pub epoch: u64,
    /// The most agreements in a row that it was ordered into without getting a key, as it reported;
    /// 0 if it never did.
    pub starved: u32,
    /// Computing time, for all its groups, until all had the first key.
    pub computed_ms: Option<f64>,
    /// True if it is removed.
    pub removed: bool,
}

pub(super) fn rows(file: &VehicleFile, outcome: &RunOutcome) -> Vec<GroupRow> {
    let groups = file.groups.iter().zip(outcome.measure.groups());
    groups
        .map(|(group, figures)| row(file, outcome, group, figures))
        .collect()
}

fn row(
    file: &VehicleFile,
    outcome: &RunOutcome,
    group: &KeyGroup,
    figures: &GroupFigures,
) -> GroupRow {
    let since_start = |time| ms(span(Time::ZERO, time));
    let took = |one: &crate::measure::keys::Agreement| Some(ms(span(one.begun?, one.at)));
    let later = figures.agreements.iter().skip(1).filter_map(took);
    let steps = figures.steps.iter().map(|(&step, &frames)| StepRow {
        group: group.name.value.clone(),
        step: step.name(),
        frames,
    });
    let party = |(at, party): (usize, &PartyFigures)| PartyRow {
        group: group.name.value.clone(),
        ecu: outcome.names.ecus[party.ecu.0].clone(),
        address: party.address.0,
        part: if at == 0 { "orchestrator" } else { "member" },
        first_key_ms: party.first.map(since_start),
        epoch: party.epoch,
        starved: party.starved,
        computed_ms: party.computed.map(picos_ms),
        removed: party.removed,
    };
    GroupRow {
        group: group.name.value.clone(),
        scheme: scheme_name(group.scheme),
        odd_levels: odd_levels_name(group.odd),
        suite: suite_name(group.suite),
        profile: group.profile.name(),
        transport: transport_name(group.transport),
        orchestration: orchestration_name(group.orchestration),
        orchestrator: file.ecu(group.orchestrator.ecu).name.value.clone(),
        members: group.members.len(),
        start_up_ms: figures.start_up().map(since_start),
        agreement_ms: figures.agreements.first().and_then(took),
        agreements: figures.agreed,
        longest_renewal_ms: later.reduce(f64::max),
        agreed_at_end: figures.is_agreed(),
        frames: figures.steps.values().sum(),
        steps: steps.collect(),
        bus_ms: picos_ms(figures.busy),
        retries: figures.failed,
        merged_ms: figures.merged().map(since_start),
        networks: merged_rows(group, figures, &outcome.names.ecus),
        subgroups: subgroup_rows(group, figures, &outcome.names.ecus),
        ecus: figures.parties.iter().enumerate().map(party).collect(),
    }
}

/// Returns the networks of a group in figures; `names` are those of the ECUs.
pub fn merged_rows(group: &KeyGroup, figures: &GroupFigures, names: &[String]) -> Vec<MergedRow> {
    let ecu = |party: &usize| names[figures.parties[*party].ecu.0].clone();
    let networks = group.networks.iter().zip(&figures.networks);
    let row = |(network, measured): (&KeyNetwork, &MergedNetwork)| {
        let subgroup = measured.subgroup.map(|at| &figures.subgroups[at]);
        let key = subgroup.and_then(|one| one.formed);
        MergedRow {
            group: group.name.value.clone(),
            network: network.name.value.clone(),
            ecus: measured.members.iter().map(ecu).collect(),
            joins_ms: network.joins.map(ms),
            logical: subgroup.map(|one| one.logical.0),
            key_ms: key.map(|time| ms(span(Time::ZERO, time))),
            joined_ms: measured.joined.map(|time| ms(span(Time::ZERO, time))),
        }
    };
    networks.map(row).collect()
}

/// Returns the logical ECUs of a group in figures; `names` are those of the ECUs.
pub fn subgroup_rows(
    group: &KeyGroup,
    figures: &GroupFigures,
    names: &[String],
) -> Vec<SubgroupRow> {
    let row = |one: &SubgroupFigures| {
        let (Address(first), Address(second)) = one.children;
        let members = one.members.iter();
        SubgroupRow {
            group: group.name.value.clone(),
            logical: one.logical.0,
            first,
            second,
            ecus: members
                .map(|(party, _)| names[figures.parties[*party].ecu.0].clone())
                .collect(),
            key_ms: one.formed.map(|time| ms(span(Time::ZERO, time))),
        }
    };
    figures.subgroups.iter().map(row).collect()
}

/// Returns the name of a choice for odd levels in vehicle files.
pub fn odd_levels_name(odd: OddLevel) -> &'static str {
    match odd {
        OddLevel::Skipped => "skipped",
        OddLevel::Promoted => "promoted",
    }
}

/// Returns a scheme's name in vehicle files.
#[must_use]
pub fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::TreeWithOrchestrator => "tree-with-orchestrator",
        Scheme::TreeWithoutOrchestrator => "tree-without-orchestrator",
        Scheme::SymmetricDistribution => "symmetric-distribution",
    }
}

/// Returns the name of a suite in vehicle files.
#[must_use]
pub fn suite_name(suite: KeySuite) -> &'static str {
    match suite {
        KeySuite::FourQ => "fourq",
        KeySuite::P256 => "p256",
    }
}

/// Returns the name of a frame format in vehicle files.
#[must_use]
pub fn transport_name(transport: Transport) -> &'static str {
    match transport {
        Transport::Classic => "classic",
        Transport::Fd => "fd",
    }
}

/// Returns the name of a way of orchestration in vehicle files.
#[must_use]
pub fn orchestration_name(orchestration: Orchestration) -> &'static str {
    match orchestration {
        Orchestration::Each => "each",
        Orchestration::SignedAhead => "signed-ahead",
        Orchestration::Once => "once",
    }
}
