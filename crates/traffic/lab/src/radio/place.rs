//! Where stations are.

/// Metres on a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// To the east.
    pub x_m: f64,
    /// To the north.
    pub y_m: f64,
}

impl Place {
    /// Returns how far another place is, in metres.
    #[must_use]
    pub fn distance_m(&self, other: &Self) -> f64 {
        self.square_m2(other).sqrt()
    }

    /// Returns the square of that distance, in m².
    #[must_use]
    pub fn square_m2(&self, other: &Self) -> f64 {
        let (x, y) = (self.x_m - other.x_m, self.y_m - other.y_m);
        x * x + y * y
    }
}

/// A vehicle at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// Where it is.
    pub place: Place,
    /// Where it is heading, in degrees from north to the east; `None`: not known.
    pub heading_degrees: Option<f64>,
}

impl From<Place> for Position {
    fn from(place: Place) -> Self {
        Self {
            place,
            heading_degrees: None,
        }
    }
}
