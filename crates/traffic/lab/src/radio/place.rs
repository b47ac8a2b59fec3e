//! Places and headings of stations.

/// Metres on a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanePoint {
    /// Distance to the east of the origin.
    pub x_m: f64,
    /// Distance to the north of the origin.
    pub y_m: f64,
}

impl PlanePoint {
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
pub struct VehiclePosition {
    /// Place of the vehicle.
    pub place: PlanePoint,
    /// Heading in degrees from north to the east; `None`: not known.
    pub heading_degrees: Option<f64>,
}

impl From<PlanePoint> for VehiclePosition {
    fn from(place: PlanePoint) -> Self {
        Self {
            place,
            heading_degrees: None,
        }
    }
}
