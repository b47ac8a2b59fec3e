//! A group's exchange summed up.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_group_keys::{Address, GroupHeader, Step};

use super::super::record::{Happening, IdentifiedHeader, KeyFrame, Noticed, Record};
use super::super::{
    ExchangeFrames, ExchangeParty, FrameAddresses, GroupExchange, StepFigures, ms, picos_ms,
};
use super::{SummaryContext, payload};
use crate::run::RunOutcome;
use waywarden_vehicle_file::KeyGroup;
use waywarden_vehicle_report::measure::keys::GroupFigures;
use waywarden_vehicle_report::report::{
    merged_rows, odd_levels_name, orchestration_name, scheme_name, subgroup_rows, suite_name,
    transport_name,
};

/// Returns the end of a group's exchange: the next order, or the first beacon, after every member
/// had the key.
pub(super) fn end(
    record: &Record,
    outcome: &RunOutcome,
    of: usize,
    figures: &GroupFigures,
) -> Time {
    let Some(agreed) = figures.merged() else {
        return outcome.end;
    };
    let ends_it = |frame: &KeyFrame| match step(frame) {
        Some((Step::Freshness | Step::Orchestration | Step::Start, _)) => true,
        Some((Step::Finish, header)) => header.second != Address::NONE,
        _ => false,
    };
    let next = record.entries.iter().filter_map(|entry| match entry {
        Noticed::Frame(frame) if frame.of == of && ends_it(frame) => Some(frame.attempt.started),
        _ => None,
    });
    next.filter(|start| *start > agreed)
        .min()
        .unwrap_or(outcome.end)
}

/// Returns what a frame of a group carries.
fn step(frame: &KeyFrame) -> Option<(Step, GroupHeader)> {
    match frame.header {
        IdentifiedHeader::Group(step, header) => Some((step, header)),
        IdentifiedHeader::Lasan(_) => None,
    }
}

impl SummaryContext<'_> {
    pub(super) fn group(&self, at: usize, place: usize) -> GroupExchange {
        let group: &KeyGroup = &self.file.groups[place];
        let figures = &self.outcome.measure.groups()[place];
        let (agreed, names) = (figures.merged(), &self.outcome.names.ecus);
        let first = self.counted(at).map(|one| one.attempt.started).min();
        let begun = self
            .events(at)
            .find(|one| one.code == "begun")
            .map(|one| one.at);
        let since = |from: Option<Time>| Some(picos_ms(agreed?.since(from?).get()));
        let (destroyed, foreign) = self.disturbed(at);
        let conductor = group.orchestrator.ecu.0;
        let failed = |one: &&Happening| one.code == "failed" && one.ecu == conductor;
        GroupExchange {
            group: group.name.value.clone(),
            scheme: scheme_name(group.scheme),
            odd_levels: odd_levels_name(group.odd),
            suite: suite_name(group.suite),
            profile: group.profile.name(),
            transport: transport_name(group.transport),
            orchestration: orchestration_name(group.orchestration),
            orchestrator: self.ecu(conductor),
            members: group.members.len(),
            buses: group.buses.iter().map(|bus| self.bus(bus.0)).collect(),
            removed: self.removed(figures),
            agreed: agreed.is_some(),
            missing: self.missing(figures),
            begun_ms: begun.map(ms),
            first_frame_ms: first.map(ms),
            agreed_ms: agreed.map(ms),
            took_ms: since(begun),
            from_first_frame_ms: since(first),
            frames: self.counted(at).count() as u64,
            bytes: self.counted(at).map(payload).sum(),
            bus_ms: picos_ms(self.counted(at).map(|one| self.busy(one)).sum()),
            bus_load: self.load(at),
            destroyed,
            foreign,
            retries: self.events(at).filter(failed).count() as u64,
            steps: self.steps(at),
            parts: self.group_parts(at),
            networks: merged_rows(group, figures, names),
            subgroups: subgroup_rows(group, figures, names),
            ecus: self.group_parties(at, figures),
        }
    }

    /// The ECUs that are not to have the key.
    fn removed(&self, figures: &GroupFigures) -> Vec<String> {
        let parties = figures.parties.iter();
        let removed = parties.filter(|party| figures.is_left_out(party));
        removed.map(|party| self.ecu(party.ecu.0)).collect()
    }

    /// The ECUs that lack the newest key at the end, unless all have had one.
    fn missing(&self, figures: &GroupFigures) -> Vec<String> {
        if figures.merged().is_some() {
            return Vec::new();
        }
        let newest = figures.parties.iter().map(|party| party.epoch).max();
        let lacks = |epoch: u64| epoch == 0 || Some(epoch) != newest;
        let awaited = figures
            .parties
            .iter()
            .filter(|party| figures.is_awaited(party));
        let missing = awaited.filter(|party| lacks(party.epoch));
        missing.map(|party| self.ecu(party.ecu.0)).collect()
    }

    fn steps(&self, at: usize) -> Vec<StepFigures> {
        let mut steps: BTreeMap<Step, (u64, u64, u64)> = BTreeMap::new();
        let counted = self.counted(at);
        for (one, (step, _)) in counted.filter_map(|one| Some((one, step(one)?))) {
            let (frames, bytes, busy) = steps.entry(step).or_default();
            *frames += 1;
            *bytes += payload(one);
            *busy += self.busy(one);
        }
        let figures = steps
            .into_iter()
            .map(|(step, (frames, bytes, busy))| StepFigures {
                step: step.name(),
                frames,
                bytes,
                bus_ms: picos_ms(busy),
            });
        figures.collect()
    }

    fn group_parts(&self, at: usize) -> Vec<ExchangeFrames> {
        self.parts(at, |one| {
            let (step, header) = step(one)?;
            let order = matches!(step, Step::Freshness | Step::Orchestration);
            let (name, addresses) = match step {
                Step::Finish | Step::End | Step::Acknowledge | Step::Report | Step::Start => {
                    (step.name(), None)
                }
                Step::MasterSignature | Step::MasterSecret => {
                    ("distribution", Some(FrameAddresses::from(header)))
                }
                // The freshness that announces the distribution names no logical ECU.
                _ if header.result == Address::NONE => {
                    ("distribution", Some(FrameAddresses::from(header)))
                }
                _ if header.second == Address::NONE => {
                    ("promotion", Some(FrameAddresses::from(header)))
                }
                _ => ("exchange", Some(FrameAddresses::from(header))),
            };
            Some((name, addresses, !order))
        })
    }

    fn group_parties(&self, at: usize, figures: &GroupFigures) -> Vec<ExchangeParty> {
        let parties = figures.parties.iter().enumerate().map(|(number, party)| {
            let ecu = party.ecu.0;
            let (computed_ms, operations) = self.computed(ecu);
            ExchangeParty {
                ecu: self.ecu(ecu),
                address: party.address.0,
                part: if number == 0 {
                    "orchestrator"
                } else {
                    "member"
                },
                agreed_ms: party.first.map(ms),
                frames: self.sent(at, ecu),
                computed_ms,
                operations,
            }
        });
        parties.collect()
    }
}
