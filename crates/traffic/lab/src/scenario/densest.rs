//! The place with the most road in a network.

use waywarden_vehicle_tracks::Edge;

/// Distance between the points that stand for roads, in metres.
const POINT_M: f64 = 25.0;

/// Limit on the points that are tried as the middle.
const TRIED_MAX: usize = 500;

/// A piece of road: where its middle is, and how long it is, in metres.
struct Piece {
    x_m: f64,
    y_m: f64,
    length_m: f64,
}

/// Returns the place, east and north in metres, with the most road within a radius; `None` if no
/// edge has a shape.
#[must_use]
pub fn densest_place(edges: &[Edge], radius_m: f64) -> Option<(f64, f64)> {
    let pieces: Vec<Piece> = edges.iter().flat_map(pieces).collect();
    let road_m = |middle: &Piece| {
        let is_near =
            |one: &&Piece| libm::hypot(one.x_m - middle.x_m, one.y_m - middle.y_m) <= radius_m;
        pieces
            .iter()
            .filter(is_near)
            .map(|one| one.length_m)
            .sum::<f64>()
    };
    let step = pieces.len().div_ceil(TRIED_MAX).max(1);
    let tried = pieces.iter().step_by(step);
    let best = tried
        .map(|piece| (road_m(piece), piece))
        .reduce(|best, other| {
            // The first one of several that are as good.
            if other.0 > best.0 { other } else { best }
        });
    best.map(|(_, piece)| (piece.x_m, piece.y_m))
}

fn pieces(edge: &Edge) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (from, to) in edge.shape.iter().zip(edge.shape.iter().skip(1)) {
        let (east, north) = (to.0 - from.0, to.1 - from.1);
        let length_m = libm::hypot(east, north);
        // The conversion saturates; a road of a network of SUMO has some kilometres.
        let count = ((length_m / POINT_M).ceil() as u32).clamp(1, 10_000);
        pieces.extend((0..count).map(|at| {
            let share = (f64::from(at) + 0.5) / f64::from(count);
            Piece {
                x_m: from.0 + east * share,
                y_m: from.1 + north * share,
                length_m: length_m / f64::from(count),
            }
        }));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use waywarden_vehicle_tracks::read_network;

    use super::*;

    #[test]
    fn the_place_is_where_roads_meet() {
        let edge = |id: u32, shape: &str| {
            format!(
                "<edge id=\"{id}\" from=\"a{id}\" to=\"b\">\
                 <lane length=\"9\" shape=\"{shape}\"/></edge>"
            )
        };
        let text = [
            edge(1, "0,0 1000,0"),
            edge(2, "1000,0,7 1000,300,7"),
            edge(3, "1000,0 1000,-300"),
            edge(4, "5000,0 5400,0"),
        ];
        let edges = read_network(format!("<net>{}</net>", text.concat()).as_bytes()).unwrap();
        let (x, y) = densest_place(&edges, 200.0).unwrap();
        assert!((850.0..=1_050.0).contains(&x) && y.abs() < 150.0, "{x} {y}");
        assert_eq!(densest_place(&[], 200.0), None);
    }
}
