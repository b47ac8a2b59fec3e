//! The roads of a network (`.net.xml`) of SUMO \[SUMO\].

use std::collections::HashMap;
use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};

use crate::error::{ReadError, TrackCause, value};
use crate::input::decompressed;
use crate::number::{finite, speed};
use crate::xml::{Xml, each_attribute};

/// One direction of a road that cars may drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Name of the edge.
    pub id: String,
    /// The junction where it begins.
    pub from: String,
    /// The junction where it ends.
    pub to: String,
    /// Length of its first lane, in metres.
    pub length_m: f64,
    /// Number of lanes that cars may use.
    pub lanes: u32,
    /// Speed limit of its first lane, in m/s.
    pub speed_m_s: f64,
    /// True if it comes from outside: nothing leads to its begin but the way back.
    pub is_entry: bool,
    /// True if it leads outside: nothing goes on from its end but the way back.
    pub is_exit: bool,
    /// The places that its first lane goes along, east and north in metres.
    pub shape: Vec<(f64, f64)>,
    /// Edges on which cars can go on, by their places in the list.
    pub next: Vec<usize>,
}

/// The speed limit of a road without one: 50 km/h.
const SPEED_M_S: f64 = 13.9;

/// An edge whose lanes are read.
#[derive(Debug, Default)]
struct Partial {
    id: String,
    from: String,
    to: String,
    length_m: Option<f64>,
    speed_m_s: Option<f64>,
    lanes: u32,
    shape: Vec<(f64, f64)>,
}

/// Reads the edges of a network that cars may drive, in the order of the file. Plain text and gzip
/// are told apart by content.
///
/// # Errors
/// [`ReadError`] names the line.
pub fn read_network(input: impl BufRead) -> Result<Vec<Edge>, ReadError> {
    let input =
        decompressed(input).map_err(|error| ReadError::at_line(1, TrackCause::Input(error)))?;
    let mut xml = Xml::new(input);
    let mut partials: Vec<Partial> = Vec::new();
    let mut connections = Vec::new();
    let mut open: Option<Partial> = None;
    loop {
        let (line, event) = xml.next()?;
        let fault = |cause| ReadError::at_line(line, cause);
        match event {
            Event::Start(element) | Event::Empty(element) => match element.name().into_inner() {
                "edge" => open = edge(&element).map_err(fault)?,
                "lane" => {
                    if let Some(open) = &mut open {
                        lane(open, &element).map_err(fault)?;
                    }
                }
                "connection" => connections.extend(connection(&element).map_err(fault)?),
                _ => {}
            },
            Event::End(element) if element.name().into_inner() == "edge" => {
                partials.extend(open.take().filter(|edge| edge.lanes > 0));
            }
            Event::Eof if partials.is_empty() => return Err(fault(TrackCause::NoRoad)),
            Event::Eof => break,
            _ => {}
        }
    }
    let edges = partials.into_iter().map(|edge| Edge {
        is_entry: false,
        is_exit: false,
        length_m: edge.length_m.unwrap_or(0.0),
        lanes: edge.lanes,
        speed_m_s: edge.speed_m_s.unwrap_or(SPEED_M_S),
        id: edge.id,
        from: edge.from,
        to: edge.to,
        shape: edge.shape,
        next: Vec::new(),
    });
    let mut edges = connected(edges.collect(), &connections);
    find_ends(&mut edges);
    Ok(edges)
}

/// Finds the edges that come from outside and those that lead there.
fn find_ends(edges: &mut [Edge]) {
    // By junction: where from edges come to it, and where to they go from it.
    let (mut sources, mut targets) = (HashMap::new(), HashMap::new());
    for edge in edges.iter() {
        let (from, to) = (edge.from.clone(), edge.to.clone());
        sources
            .entry(to.clone())
            .or_insert_with(Vec::new)
            .push(from.clone());
        targets.entry(from).or_insert_with(Vec::new).push(to);
    }
    let only = |all: Option<&Vec<String>>, back: &String| {
        all.is_none_or(|all| all.iter().all(|one| one == back))
    };
    for edge in edges {
        edge.is_entry = only(sources.get(&edge.from), &edge.to);
        edge.is_exit = only(targets.get(&edge.to), &edge.from);
    }
}

/// Enters which edge leads to which.
fn connected(mut edges: Vec<Edge>, connections: &[(String, String)]) -> Vec<Edge> {
    let numbers = edges.iter().map(|edge| edge.id.clone()).zip(0..);
    let numbers: HashMap<String, usize> = numbers.collect();
    for (from, to) in connections {
        let (Some(from), Some(to)) = (numbers.get(from), numbers.get(to)) else {
            continue;
        };
        let next = &mut edges[*from].next;
        if !next.contains(to) {
            next.push(*to);
        }
    }
    edges
}

/// Reads which edge leads to which.
fn connection(element: &BytesStart<'_>) -> Result<Option<(String, String)>, TrackCause> {
    let (mut from, mut to) = (None, None);
    each_attribute(element, |name, value| {
        match name {
            "from" => from = Some(value.into_owned()),
            "to" => to = Some(value.into_owned()),
            _ => {}
        }
        Ok(())
    })?;
    Ok(from.zip(to))
}

/// Reads an edge; `None` for one within a junction.
fn edge(element: &BytesStart<'_>) -> Result<Option<Partial>, TrackCause> {
    let (mut edge, mut is_road) = (Partial::default(), true);
    each_attribute(element, |name, value| {
        match name {
            "id" => edge.id = value.into_owned(),
            "from" => edge.from = value.into_owned(),
            "to" => edge.to = value.into_owned(),
            "function" => is_road = value == "normal",
            _ => {}
        }
        Ok(())
    })?;
    match (is_road, edge.id.is_empty()) {
        (true, true) => Err(TrackCause::Missing {
            inside: "<edge>",
            name: "id",
        }),
        (true, false) => Ok(Some(edge)),
        (false, _) => Ok(None),
    }
}

fn lane(edge: &mut Partial, element: &BytesStart<'_>) -> Result<(), TrackCause> {
    let mut is_for_cars = true;
    let (mut length, mut limit) = (None, None);
    let is_first = edge.shape.is_empty();
    let has_cars = |classes: &str| {
        let mut classes = classes.split_whitespace();
        classes.any(|class| class == "passenger" || class == "all")
    };
    each_attribute(element, |name, value| {
        match name {
            "length" => length = Some(finite(name, &value)?),
            "speed" => limit = Some(speed(name, &value)?),
            "shape" if is_first => edge.shape = shape(name, &value)?,
            "allow" => is_for_cars = has_cars(&value),
            "disallow" => is_for_cars = !has_cars(&value),
            _ => {}
        }
        Ok(())
    })?;
    edge.length_m = edge.length_m.or(length);
    edge.speed_m_s = edge.speed_m_s.or(limit);
    edge.lanes += u32::from(is_for_cars);
    Ok(())
}

/// Reads places: `east,north` or `east,north,up`, separated by spaces.
fn shape(name: &str, text: &str) -> Result<Vec<(f64, f64)>, TrackCause> {
    let place = |text: &str| {
        let mut numbers = text.split(',').map(|number| finite(name, number));
        match (numbers.next(), numbers.next()) {
            (Some(east), Some(north)) => Ok((east?, north?)),
            _ => Err(value(name, text, "places such as 1.5,2.5")),
        }
    };
    text.split_whitespace().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roads_for_cars_are_read_with_their_ends() {
        let text = r#"<net>
            <edge id=":a_0" function="internal"><lane id=":a_0_0" length="5"/></edge>
            <edge id="in" from="w" to="a"><lane length="100.5" speed="20" shape="0,0 100,1.5,9"/><lane length="100.5"/></edge>
            <edge id="path" from="a" to="b"><lane allow="pedestrian" length="9"/></edge>
            <edge id="out" from="a" to="w"><lane disallow="tram" length="50"/></edge>
            <edge id="on" from="a" to="b"><lane length="70"/></edge>
            <edge id="back" from="b" to="a"><lane length="70"/></edge>
            <connection from="in" to="out" fromLane="0" toLane="0"/>
            <connection from="in" to="out" fromLane="1" toLane="0"/>
            <connection from=":a_0" to="out" fromLane="0" toLane="0"/>
            </net>"#;
        let edges = read_network(text.as_bytes()).unwrap();
        let seen: Vec<_> = edges
            .iter()
            .map(|edge| (edge.id.as_str(), edge.length_m, edge.is_entry, edge.is_exit))
            .collect();
        assert_eq!(
            seen,
            [
                ("in", 100.5, true, false),
                ("out", 50.0, false, true),
                ("on", 70.0, false, true),
                ("back", 70.0, true, false),
            ]
        );
        assert_eq!(edges[0].shape, [(0.0, 0.0), (100.0, 1.5)]);
        let broken = text.replace("100,1.5,9", "100");
        let error = read_network(broken.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("line 3: shape=\"100\": places"), "{error}");
        assert_eq!((edges[0].lanes, edges[0].speed_m_s), (2, 20.0));
        assert_eq!((edges[1].lanes, edges[1].speed_m_s), (1, SPEED_M_S));
        assert_eq!(
            (&edges[0].next[..], &edges[1].next[..]),
            (&[1][..], &[][..])
        );
        let error = read_network("<net/>".as_bytes()).unwrap_err().to_string();
        assert!(error.contains("no road for cars"), "{error}");
    }
}
