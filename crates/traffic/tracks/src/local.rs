//! Metres on a plane, on the ellipsoid of WGS 84.

/// The equatorial radius of WGS 84, in metres.
const RADIUS_M: f64 = 6_378_137.0;
/// The first eccentricity of WGS 84, squared.
const ECCENTRICITY_2: f64 = 6.694_379_990_14e-3;

/// Geographic position of a plane's point 0,0; x goes to the east and y goes to the north.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneOrigin {
    /// Degrees to the north, -80 to 80.
    pub latitude: f64,
    /// Degrees to the east, -180 to 180.
    pub longitude: f64,
}

impl PlaneOrigin {
    /// Metres of a degree of latitude and of longitude.
    fn degree_m(self) -> (f64, f64) {
        let sine = self.latitude.to_radians().sin();
        let root = (1.0 - ECCENTRICITY_2 * sine * sine).sqrt();
        let meridian = RADIUS_M * (1.0 - ECCENTRICITY_2) / (root * root * root);
        let parallel = RADIUS_M / root * self.latitude.to_radians().cos();
        (meridian.to_radians(), parallel.to_radians())
    }

    /// Returns the latitude and the longitude of a point, in degrees. Within 20 km it is off by at
    /// most some 60 m: the plane touches the ellipsoid at 0,0.
    #[must_use]
    pub fn degrees(self, x_m: f64, y_m: f64) -> (f64, f64) {
        let (north, east) = self.degree_m();
        let longitude = self.longitude + x_m / east;
        (self.latitude + y_m / north, wrapped(longitude))
    }

    /// Returns how far a place is to the east and to the north, in metres.
    #[must_use]
    pub fn metres(self, latitude: f64, longitude: f64) -> (f64, f64) {
        let (north, east) = self.degree_m();
        let x = wrapped(longitude - self.longitude) * east;
        (x, (latitude - self.latitude) * north)
    }
}

/// Brings a longitude to -180 to below 180 degrees.
pub(crate) fn wrapped(longitude: f64) -> f64 {
    (longitude + 180.0).rem_euclid(360.0) - 180.0
}

/// Brings a direction to 0 to below 360 degrees.
pub(crate) fn turned(degrees: f64) -> f64 {
    // A tiny negative number gives 360 itself.
    match degrees.rem_euclid(360.0) {
        turned if turned < 360.0 => turned,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degree_is_as_long_as_tables_have_it() {
        // Lengths of a degree at 45 degrees on WGS 84: 111,131.8 m and 78,846.8 m.
        let origin = PlaneOrigin {
            latitude: 45.0,
            longitude: 179.9999,
        };
        let (north, east) = origin.degree_m();
        assert!((north - 111_131.8).abs() < 0.1 && (east - 78_846.8).abs() < 0.1);
        let (latitude, longitude) = origin.degrees(100.0, -50.0);
        assert!(longitude < -179.99, "{longitude}");
        let (x, y) = origin.metres(latitude, longitude);
        assert!((x - 100.0).abs() < 1e-6 && (y + 50.0).abs() < 1e-6);
    }

    #[test]
    fn directions_stay_below_a_whole_turn() {
        assert_eq!(turned(-90.0), 270.0);
        assert_eq!(turned(-1e-20), 0.0);
    }
}
