//! Messages from within the areas of \[ECQV-CITS §VI\], in windows of time.

use crate::road::{Placed, Road};
use crate::windows::Windows;

/// Direction that an ellipse or a sector is turned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// The receiver's heading.
    True,
    /// The heading's number, clockwise from north, taken for an angle counterclockwise from east:
    /// the mistake that the paper's tables suggest.
    Misread,
}

/// The form of an area, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Circle(f64),
    /// To each side, and ahead and behind.
    Ellipse(f64, f64),
    /// The radius, and the cosine of half of the aperture.
    Sector(f64, f64),
}

/// An area, and the length of the windows in which messages are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountedArea {
    /// As text, such as `circle:150m`.
    pub name: &'static str,
    /// Window length, in ms.
    pub window_ms: u64,
    /// Direction that it is turned to.
    pub heading: Heading,
    form: Form,
}

const fn area(name: &'static str, window_ms: u64, form: Form, heading: Heading) -> CountedArea {
    CountedArea {
        name,
        window_ms,
        heading,
        form,
    }
}

/// Cosines of half of 90, 135 and 180 degrees.
const COS_45: f64 = core::f64::consts::FRAC_1_SQRT_2;
const COS_67_5: f64 = 0.382_683_432_365_089_8;
const COS_90: f64 = 0.0;

/// The areas of the paper's Tables V, IX, XI and XIII. Ellipses and sectors are there twice.
pub const AREAS: [CountedArea; 27] = {
    use Form::{Circle, Ellipse, Sector};
    use Heading::{Misread, True};
    [
        area("circle:150m", 100, Circle(150.0), True),
        area("circle:250m", 100, Circle(250.0), True),
        area("circle:300m", 100, Circle(300.0), True),
        area("circle:1000m", 100, Circle(1_000.0), True),
        area("ellipse:25x150m", 100, Ellipse(25.0, 150.0), True),
        area("ellipse:25x250m", 100, Ellipse(25.0, 250.0), True),
        area("ellipse:25x300m", 100, Ellipse(25.0, 300.0), True),
        area("ellipse:25x1000m", 100, Ellipse(25.0, 1_000.0), True),
        area("sector:300m:90deg", 100, Sector(300.0, COS_45), True),
        area("sector:300m:135deg", 100, Sector(300.0, COS_67_5), True),
        area("sector:300m:180deg", 100, Sector(300.0, COS_90), True),
        area("ellipse:25x150m", 100, Ellipse(25.0, 150.0), Misread),
        area("ellipse:25x250m", 100, Ellipse(25.0, 250.0), Misread),
        area("ellipse:25x300m", 100, Ellipse(25.0, 300.0), Misread),
        area("ellipse:25x1000m", 100, Ellipse(25.0, 1_000.0), Misread),
        area("sector:300m:90deg", 100, Sector(300.0, COS_45), Misread),
        area("sector:300m:135deg", 100, Sector(300.0, COS_67_5), Misread),
        area("sector:300m:180deg", 100, Sector(300.0, COS_90), Misread),
        area("circle:50m", 20, Circle(50.0), True),
        area("ellipse:25x50m", 20, Ellipse(25.0, 50.0), True),
        area("sector:50m:90deg", 20, Sector(50.0, COS_45), True),
        area("sector:50m:135deg", 20, Sector(50.0, COS_67_5), True),
        area("sector:50m:180deg", 20, Sector(50.0, COS_90), True),
        area("ellipse:25x50m", 20, Ellipse(25.0, 50.0), Misread),
        area("sector:50m:90deg", 20, Sector(50.0, COS_45), Misread),
        area("sector:50m:135deg", 20, Sector(50.0, COS_67_5), Misread),
        area("sector:50m:180deg", 20, Sector(50.0, COS_90), Misread),
    ]
};

/// Number of the areas, the first ones, with windows of 100 ms.
const OF_100_MS: usize = 18;

/// The areas that reach farther than 300 m.
const WIDER_THAN_300_M: [usize; 3] = [3, 7, 14];

/// Position of a sender relative to the receiver.
struct Relative {
    square: f64,
    /// Ahead and to the right, by the true heading and by the misread one.
    along: Option<[(f64, f64); 2]>,
}

impl Relative {
    fn new(receiver: &Placed, sender: &Placed) -> Self {
        let east = sender.place.x_m - receiver.place.x_m;
        let north = sender.place.y_m - receiver.place.y_m;
        let along = receiver.direction.map(|(sine, cosine)| {
            [
                (east * sine + north * cosine, east * cosine - north * sine),
                (east * cosine + north * sine, east * sine - north * cosine),
            ]
        });
        Self {
            square: east * east + north * north,
            along,
        }
    }

    fn is_in(&self, area: &CountedArea) -> bool {
        let reach = match area.form {
            Form::Circle(radius) => return self.square <= radius * radius,
            Form::Ellipse(_, ahead) => ahead,
            Form::Sector(radius, _) => radius,
        };
        let Some(along) = self.along.filter(|_| self.square <= reach * reach) else {
            return false;
        };
        let (ahead, right) = along[area.heading as usize];
        match area.form {
            Form::Circle(_) => true,
            Form::Ellipse(side, front) => {
                let (x, y) = (right / side, ahead / front);
                x * x + y * y <= 1.0
            }
            // Within half of the aperture: the cosine is at least that of the half.
            Form::Sector(_, least) => ahead >= 0.0 && ahead * ahead >= least * least * self.square,
        }
    }
}

/// Counts messages by area.
#[derive(Clone, Debug)]
pub(crate) struct AreaCounts {
    /// For each vehicle, one count for each area.
    heard: Vec<[u32; AREAS.len()]>,
    pub(crate) windows: Vec<Windows>,
}

impl Default for AreaCounts {
    fn default() -> Self {
        Self {
            heard: Vec::new(),
            windows: vec![Windows::default(); AREAS.len()],
        }
    }
}

impl AreaCounts {
    pub(crate) fn received(&mut self, road: &Road, sender: usize, receiver: usize) {
        let Some((own, other)) = road.get(receiver).zip(road.get(sender)) else {
            return;
        };
        let relative = Relative::new(own, other);
        if relative.square > 1e6 {
            return;
        }
        if self.heard.len() <= receiver {
            self.heard.resize(receiver + 1, [0; AREAS.len()]);
        }
        let heard = &mut self.heard[receiver];
        if relative.square > 300.0 * 300.0 {
            for at in WIDER_THAN_300_M {
                heard[at] += u32::from(relative.is_in(&AREAS[at]));
            }
            return;
        }
        for (count, area) in heard.iter_mut().zip(&AREAS) {
            *count += u32::from(relative.is_in(area));
        }
    }

    /// A window of so many ms ends for those that were on the road at its begin.
    pub(crate) fn end_window(&mut self, window_ms: u64, was_there: &[bool]) {
        let areas = match window_ms {
            100 => 0..OF_100_MS,
            _ => OF_100_MS..AREAS.len(),
        };
        self.heard
            .resize(self.heard.len().max(was_there.len()), [0; AREAS.len()]);
        for (heard, was_there) in self.heard.iter_mut().zip(was_there) {
            for at in areas.clone() {
                if *was_there {
                    self.windows[at].add(heard[at]);
                }
                heard[at] = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::{PlanePoint, VehiclePosition};

    fn at(x_m: f64, y_m: f64, heading: f64) -> Placed {
        let position = VehiclePosition {
            place: PlanePoint { x_m, y_m },
            heading_degrees: Some(heading),
        };
        position.into()
    }

    fn areas(receiver: &Placed, sender: &Placed, heading: Heading) -> Vec<&'static str> {
        let relative = Relative::new(receiver, sender);
        let own = AREAS.iter().filter(|area| area.heading == heading);
        own.filter(|area| relative.is_in(area))
            .map(|area| area.name)
            .collect()
    }

    #[test]
    fn areas_are_what_their_names_and_places_say() {
        let long = AREAS.iter().filter(|area| area.window_ms == 100);
        assert_eq!(long.count(), OF_100_MS);
        assert!(AREAS[OF_100_MS..].iter().all(|area| area.window_ms == 20));
        let is_wide = |at: &usize| AREAS[*at].name.contains("1000m");
        let wide: Vec<usize> = (0..AREAS.len()).filter(is_wide).collect();
        assert_eq!(wide, WIDER_THAN_300_M);
        for area in AREAS {
            let Form::Sector(_, cosine) = area.form else {
                continue;
            };
            let aperture = area.name.rsplit(':').next().unwrap();
            let aperture: f64 = aperture.trim_end_matches("deg").parse().unwrap();
            let expected = (aperture / 2.0).to_radians().cos();
            assert!((cosine - expected).abs() < 1e-15, "{}", area.name);
        }
    }

    #[test]
    fn a_heading_counts_clockwise_from_north() {
        // The receiver drives to the east; the sender is 140 m ahead and 5 m to the left.
        let (receiver, sender) = (at(0.0, 0.0, 90.0), at(140.0, 5.0, 0.0));
        let ahead = [
            "circle:150m",
            "circle:250m",
            "circle:300m",
            "circle:1000m",
            "ellipse:25x150m",
            "ellipse:25x250m",
            "ellipse:25x300m",
            "ellipse:25x1000m",
            "sector:300m:90deg",
            "sector:300m:135deg",
            "sector:300m:180deg",
        ];
        assert_eq!(areas(&receiver, &sender, Heading::True), ahead);
        // Misread, 90 degrees are the north: there the sender is to the right, and just ahead.
        assert_eq!(
            areas(&receiver, &sender, Heading::Misread),
            ["sector:300m:180deg"]
        );
        // Behind there is no sector.
        let behind = at(-40.0, 0.0, 0.0);
        let names = areas(&receiver, &behind, Heading::True);
        assert!(
            names.iter().all(|name| !name.starts_with("sector")),
            "{names:?}"
        );
        assert!(names.contains(&"circle:50m") && names.contains(&"ellipse:25x50m"));
    }
}
