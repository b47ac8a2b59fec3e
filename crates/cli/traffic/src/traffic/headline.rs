//! Boards that verify in time, by scenario, policy and attack.

mod cell;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_report_page::{Page, TableCell};
use waywarden_traffic_lab::{Mean, PairedVerdict, PolicyComparison};

use waywarden_command_line::table::Rows;

use cell::{HeadlineCell, PolicyShare};

/// The policy that others are compared with, if it is there.
const REFERENCE: &str = "safety";

/// Results of a run.
pub(super) struct Simulated {
    pub(super) scenario: String,
    pub(super) level: String,
    pub(super) attack: &'static str,
    pub(super) received: Received,
    /// For each board, for each policy: the share of relevant messages in time; `None` if there
    /// were none.
    pub(super) shares: Vec<Option<f64>>,
}

/// Load of the channel in a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    pub(super) vehicles_mean: f64,
    pub(super) messages: f64,
    pub(super) in_100ms_mean: f64,
    pub(super) in_100ms_most: f64,
}

/// The shares of all scenarios.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Headline {
    /// The policy that the others are compared with.
    reference: String,
    policies: Vec<String>,
    traffic: Vec<TrafficRow>,
    cells: Vec<HeadlineCell>,
}

/// Load of the channel in a scenario under an attack: means over the seeds.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TrafficRow {
    scenario: String,
    level: String,
    attack: &'static str,
    seeds: usize,
    vehicles_mean: f64,
    messages_received: f64,
    messages_received_confidence_95: Option<f64>,
    received_in_100ms_mean: f64,
    received_in_100ms_most: f64,
}

impl TrafficRow {
    fn of(group: &[&Simulated]) -> Self {
        let mean = |of: fn(&Received) -> f64| Mean::of(group.iter().map(|run| of(&run.received)));
        let messages = mean(|received| received.messages);
        Self {
            scenario: group[0].scenario.clone(),
            level: group[0].level.clone(),
            attack: group[0].attack,
            seeds: group.len(),
            vehicles_mean: mean(|received| received.vehicles_mean).mean,
            messages_received: messages.mean,
            messages_received_confidence_95: messages.confidence_95,
            received_in_100ms_mean: mean(|received| received.in_100ms_mean).mean,
            received_in_100ms_most: mean(|received| received.in_100ms_most).mean,
        }
    }

    fn words(&self) -> Vec<String> {
        let half = self.messages_received_confidence_95;
        vec![
            self.scenario.clone(),
            self.level.clone(),
            self.attack.to_owned(),
            self.seeds.to_string(),
            format!("{:.1}", self.vehicles_mean),
            format!("{:.0}", self.messages_received),
            half.map_or_else(String::new, |half| format!("{half:.0}")),
            format!("{:.2}", self.received_in_100ms_mean),
            format!("{:.1}", self.received_in_100ms_most),
        ]
    }
}

/// The names of the columns of the traffic.
const TRAFFIC: [&str; 9] = [
    "scenario",
    "level",
    "attack",
    "seeds",
    "vehicles, mean",
    "messages received",
    "95 % +-",
    "in 100 ms, mean",
    "in 100 ms, most",
];

impl Headline {
    pub(super) fn of(runs: &[Simulated], comparison: &PolicyComparison) -> Self {
        let policies: Vec<String> = comparison
            .policies
            .iter()
            .map(ToString::to_string)
            .collect();
        let at = policies.iter().position(|policy| policy == REFERENCE);
        let reference = at.unwrap_or(policies.len().saturating_sub(1));
        let mut cells = Vec::new();
        let groups = group(runs);
        for group in &groups {
            for (at, board) in comparison.boards.iter().enumerate() {
                let shares = |policy: usize| {
                    let place = at * policies.len() + policy;
                    group
                        .iter()
                        .map(move |run| run.shares.get(place).copied().flatten())
                };
                let each = policies.iter().enumerate().map(|(policy, name)| {
                    let others = (policy != reference).then(|| {
                        let pairs = shares(reference).zip(shares(policy));
                        Mean::of(pairs.filter_map(|(own, other)| Some(own? - other?)))
                    });
                    PolicyShare::new(name, Mean::of(shares(policy).flatten()), others)
                });
                cells.push(HeadlineCell {
                    scenario: group[0].scenario.clone(),
                    level: group[0].level.clone(),
                    attack: group[0].attack,
                    board: board.name.clone(),
                    seeds: group.len(),
                    policies: each.collect(),
                });
            }
        }
        Self {
            reference: policies.get(reference).cloned().unwrap_or_default(),
            policies,
            traffic: groups.iter().map(|group| TrafficRow::of(group)).collect(),
            cells,
        }
    }

    /// Tells whether boards were compared.
    pub(super) fn has_boards(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Returns the load of the channel, for programs.
    pub(super) fn traffic_rows(&self) -> &[TrafficRow] {
        &self.traffic
    }

    /// Returns the load of the channel, one row a scenario.
    pub(super) fn traffic(&self) -> Rows {
        Rows {
            headers: TRAFFIC.to_vec(),
            rows: self.traffic.iter().map(TrafficRow::words).collect(),
            numbers: 3..9,
        }
    }

    /// One row a policy, for programs.
    pub(super) fn rows(&self) -> Rows {
        let number = |number: Option<f64>| number.map_or_else(String::new, |n| format!("{n:.6}"));
        let rows = self.cells.iter().flat_map(|cell| {
            cell.policies.iter().map(move |one| {
                vec![
                    cell.scenario.clone(),
                    cell.level.clone(),
                    cell.attack.to_owned(),
                    cell.board.clone(),
                    one.policy.clone(),
                    cell.seeds.to_string(),
                    number(one.share),
                    number(one.confidence_95),
                    number(one.reference_more_by),
                    number(one.reference_more_by_confidence_95),
                    one.reference_is.unwrap_or_default().to_owned(),
                ]
            })
        });
        Rows {
            headers: vec![
                "scenario",
                "level",
                "attack",
                "board",
                "policy",
                "seeds",
                "share",
                "confidence_95",
                "reference_more_by",
                "reference_more_by_confidence_95",
                "reference_is",
            ],
            rows: rows.collect(),
            numbers: 5..10,
        }
    }

    /// One row a board, one column a policy, for people.
    pub(super) fn pivoted(&self) -> Rows<String> {
        let words = ["scenario", "level", "attack", "board"].map(str::to_owned);
        let rows = self.cells.iter().map(|cell| {
            let words = [&cell.scenario, &cell.level, cell.attack, &cell.board].map(str::to_owned);
            let shares = cell.policies.iter().map(PolicyShare::words);
            words.into_iter().chain(shares).collect()
        });
        Rows {
            headers: words.into_iter().chain(self.policies.clone()).collect(),
            rows: rows.collect(),
            numbers: 4..4 + self.policies.len(),
        }
    }

    /// Counts the cells in which the reference is worse than a policy or better than all.
    pub(super) fn conclusion(&self) -> String {
        let mut text = String::new();
        if self.policies.len() < 2 {
            return text;
        }
        let calm = |cell: &&HeadlineCell| cell.attack == "none";
        let attacked = |cell: &&HeadlineCell| cell.attack != "none";
        let of = [
            (
                "without an attack",
                self.cells.iter().filter(calm).collect::<Vec<_>>(),
            ),
            ("under attack", self.cells.iter().filter(attacked).collect()),
        ];
        if self.cells.iter().all(|cell| cell.seeds < 2) {
            return "one seed: policies are not compared; give more --seeds\n".to_owned();
        }
        for (name, cells) in of.iter().filter(|(_, cells)| !cells.is_empty()) {
            let count =
                |is: fn(&HeadlineCell) -> bool| cells.iter().filter(|cell| is(cell)).count();
            // Writing into memory has no way to fail.
            let _ = writeln!(
                text,
                "{name}, {all} cells: {reference} is worse than another policy in {worse}, beyond \
                 the interval; its mean is above every other's in {above}, in {better} of them \
                 beyond the interval; another has 100 % too in {full}",
                all = cells.len(),
                reference = self.reference,
                worse = count(|cell| cell.any(PairedVerdict::Worse)),
                above = count(HeadlineCell::is_above),
                better = count(HeadlineCell::all_better),
                full = count(HeadlineCell::is_full),
            );
        }
        text
    }

    /// The table as a page.
    pub(super) fn page(&self) -> String {
        let mut page = Page::new("Road traffic", "Road traffic on the channel");
        let rows = self.traffic.iter().map(|row| {
            let cells = row.words().into_iter().enumerate();
            let cell = |(at, words)| match at {
                0..3 => TableCell::words(words),
                _ => TableCell::number(words),
            };
            cells.map(cell).collect()
        });
        page.table(TRAFFIC, rows);
        if !self.has_boards() {
            return page.finish();
        }
        page.heading("Relevant messages verified in time");
        page.note(
            "The mean over the seeds, with an interval of 95 % confidence on pointing at it. A \
             message is relevant to a safety application if its sender truly is within the \
             application's range; it is in time if it is verified within its latency.",
        );
        for line in self.conclusion().lines() {
            page.note(line);
        }
        let headers = ["scenario", "level", "attack", "board"].into_iter();
        let headers = headers.chain(self.policies.iter().map(String::as_str));
        let rows = self.cells.iter().map(|cell| {
            let words = [&cell.scenario, &cell.level, cell.attack, &cell.board];
            let words = words.map(|words: &str| TableCell::words(words));
            words
                .into_iter()
                .chain(cell.policies.iter().map(|one| one.cell(&self.reference)))
                .collect()
        });
        page.table(headers, rows);
        page.finish()
    }
}

/// Gathers the runs that differ by their seeds alone; they stand one after the other, but for
/// attacks, which alternate.
fn group(runs: &[Simulated]) -> Vec<Vec<&Simulated>> {
    let mut groups: Vec<Vec<&Simulated>> = Vec::new();
    for run in runs {
        let is_same = |group: &&mut Vec<&Simulated>| {
            let first = group[0];
            (&first.scenario, &first.level, first.attack) == (&run.scenario, &run.level, run.attack)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}
