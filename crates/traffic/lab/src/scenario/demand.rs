//! Trips by chance, as SUMO reads them.

use std::fmt::Write as _;

use waywarden_random::Random;
use waywarden_vehicle_tracks::Edge;

use super::{Between, Traffic};

/// Reason for the lack of trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandError {
    /// No road comes in from which one that leads out can be reached.
    NoEnds,
    /// No road leads to another one.
    NoRoads,
}

impl std::fmt::Display for DemandError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::NoEnds => {
                "no road comes in from which one that leads out can be reached; say \
                 between = \"roads\", or give the network roads that end"
            }
            Self::NoRoads => "no road leads to another one",
        })
    }
}

impl std::error::Error for DemandError {}

/// Time between departures of a group's vehicles, in ms.
const GROUP_INTERVAL_MS: u64 = 1_000;

/// Makes trips for so many vehicles, as a route file of SUMO. The same network and seed give the
/// same trips.
///
/// # Errors
/// [`DemandError`] if the network has none.
pub fn trips(
    edges: &[Edge],
    traffic: &Traffic,
    vehicles: u32,
    seed: u64,
) -> Result<String, DemandError> {
    let mut random = Random::new(seed).stream("demand", 0);
    let origins = Origins::new(edges, traffic.between)?;
    let duration_ms = u64::from(traffic.duration_s) * 1_000;
    let group = traffic.group.max(1);
    let groups = 0..vehicles.div_ceil(group);
    let mut begins: Vec<u64> = groups.map(|_| random.below(duration_ms)).collect();
    begins.sort_unstable();
    let mut departures = Vec::new();
    for begin in begins {
        let way = origins.draw(edges, &mut random);
        let own = (0..u64::from(group)).map(|place| begin + place * GROUP_INTERVAL_MS);
        departures.extend(own.map(|depart| (depart.min(duration_ms - 1), way)));
    }
    departures.truncate(vehicles as usize);
    // SUMO takes trips by their time.
    departures.sort_by_key(|(depart, _)| *depart);
    let mut text = String::from("<routes>\n");
    for (number, (depart, (from, to))) in departures.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  <trip id=\"{number}\" depart=\"{}.{:03}\" from=\"{}\" to=\"{}\" \
             departLane=\"best\" departSpeed=\"max\"/>",
            depart / 1_000,
            depart % 1_000,
            escaped(&edges[from].id),
            escaped(&edges[to].id),
        );
    }
    text += "</routes>\n";
    Ok(text)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// Roads to come from, each with the roads that can be reached from it.
struct Origins {
    between: Between,
    /// A road, and those it leads to.
    reached: Vec<(usize, Vec<usize>)>,
}

impl Origins {
    fn new(edges: &[Edge], between: Between) -> Result<Self, DemandError> {
        let is_from = |edge: &Edge| between == Between::Roads || edge.is_entry;
        let is_to = |edge: &Edge| between == Between::Roads || edge.is_exit;
        let from = (0..edges.len()).filter(|at| is_from(&edges[*at]));
        let reached = from.filter_map(|from| {
            let mut to = reachable(edges, from);
            let is_back = |at: usize| edges[at].to == edges[from].from;
            to.retain(|at| is_to(&edges[*at]) && !is_back(*at));
            (!to.is_empty()).then_some((from, to))
        });
        let reached: Vec<_> = reached.collect();
        match (reached.is_empty(), between) {
            (false, _) => Ok(Self { between, reached }),
            (true, Between::Ends) => Err(DemandError::NoEnds),
            (true, Between::Roads) => Err(DemandError::NoRoads),
        }
    }

    fn draw(&self, edges: &[Edge], random: &mut Random) -> (usize, usize) {
        // Of ends one that carries more is more likely, of roads a longer one.
        let weight = |at: usize| match self.between {
            Between::Ends => (f64::from(edges[at].lanes) * edges[at].speed_m_s).max(1.0) as u64,
            Between::Roads => edges[at].length_m.clamp(1.0, 1e6) as u64,
        };
        let from = draw(self.reached.iter().map(|(from, _)| weight(*from)), random);
        let (from, to) = &self.reached[from];
        let at = draw(to.iter().map(|at| weight(*at)), random);
        (*from, to[at])
    }
}

/// Draws a place by its weight.
fn draw(weights: impl Iterator<Item = u64> + Clone, random: &mut Random) -> usize {
    let mut left = random.below(weights.clone().sum::<u64>().max(1));
    for (at, weight) in weights.enumerate() {
        match left.checked_sub(weight) {
            Some(rest) => left = rest,
            None => return at,
        }
    }
    0
}

/// Finds the roads that can be reached from one, in the order of their numbers.
fn reachable(edges: &[Edge], from: usize) -> Vec<usize> {
    let mut is_seen = vec![false; edges.len()];
    let mut open = edges[from].next.clone();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut is_seen[at], true) {
            open.extend(&edges[at].next);
        }
    }
    is_seen[from] = false;
    (0..edges.len()).filter(|at| is_seen[*at]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn edge(id: &str, is_entry: bool, is_exit: bool, next: &[usize]) -> Edge {
        Edge {
            shape: Vec::new(),
            id: id.to_owned(),
            from: format!("from {id}"),
            to: format!("to {id}"),
            length_m: 100.0,
            lanes: 1,
            speed_m_s: 10.0,
            is_entry,
            is_exit,
            next: next.to_vec(),
        }
    }

    fn traffic(between: Between) -> Traffic {
        Traffic {
            duration_s: 60,
            between,
            vehicles: BTreeMap::new(),
            group: 1,
        }
    }

    #[test]
    fn groups_depart_one_after_the_other_on_one_way() {
        let edges = [
            edge("in", true, false, &[1, 2]),
            edge("out", false, true, &[]),
            edge("out2", false, true, &[]),
        ];
        let traffic = Traffic {
            group: 4,
            ..traffic(Between::Ends)
        };
        let text = trips(&edges, &traffic, 6, 1).unwrap();
        let departs: Vec<f64> = text
            .split("depart=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(departs.len(), 6);
        assert!(departs.is_sorted() && departs.iter().all(|depart| *depart < 60.0));
        let together = departs.windows(2).filter(|two| two[1] - two[0] <= 1.0);
        assert!(together.count() >= 4, "{departs:?}");
    }

    #[test]
    fn trips_lead_where_a_car_can_go() {
        let edges = [
            edge("in", true, false, &[1]),
            edge("out<1>", false, true, &[]),
            edge("out2", false, true, &[]),
        ];
        let text = trips(&edges, &traffic(Between::Ends), 3, 1).unwrap();
        assert_eq!(text.matches("from=\"in\" to=\"out&lt;1>\"").count(), 3);
        assert_eq!(text, trips(&edges, &traffic(Between::Ends), 3, 1).unwrap());
        assert_ne!(text, trips(&edges, &traffic(Between::Ends), 3, 2).unwrap());
        let error = trips(&edges[1..], &traffic(Between::Ends), 3, 1);
        assert_eq!(error, Err(DemandError::NoEnds));
        let error = trips(&edges[1..], &traffic(Between::Roads), 3, 1);
        assert_eq!(error, Err(DemandError::NoRoads));
    }
}
