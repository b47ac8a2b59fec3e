//! Positions of vehicles, step by step.

use crate::radio::{PlanePoint, VehiclePosition};

/// A vehicle with the sine and the cosine of its heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) place: PlanePoint,
    pub(crate) heading_degrees: Option<f64>,
    pub(crate) direction: Option<(f64, f64)>,
    pub(crate) speed_m_s: Option<f64>,
}

impl From<VehiclePosition> for Placed {
    fn from(position: VehiclePosition) -> Self {
        let heading = position.heading_degrees;
        Self {
            place: position.place,
            heading_degrees: heading,
            direction: heading.map(|degrees| degrees.to_radians().sin_cos()),
            speed_m_s: None,
        }
    }
}

impl From<&Placed> for VehiclePosition {
    fn from(placed: &Placed) -> Self {
        Self {
            place: placed.place,
            heading_degrees: placed.heading_degrees,
        }
    }
}

/// All vehicles at one time, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Road {
    vehicles: Vec<Option<Placed>>,
}

impl Road {
    /// Takes all vehicles off the road.
    pub(crate) fn clear(&mut self) {
        self.vehicles.fill(None);
    }

    /// Puts a vehicle on the road, with its speed in m/s.
    pub(crate) fn put(&mut self, number: usize, position: VehiclePosition, speed: Option<f64>) {
        if self.vehicles.len() <= number {
            self.vehicles.resize(number + 1, None);
        }
        self.vehicles[number] = Some(Placed {
            speed_m_s: speed,
            ..position.into()
        });
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Placed> {
        self.vehicles.get(number)?.as_ref()
    }

    /// Returns where each number is, up to the highest one that ever was.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&Placed>> {
        self.vehicles.iter().map(Option::as_ref)
    }

    pub(crate) fn len(&self) -> usize {
        self.vehicles.len()
    }

    /// Returns the vehicles that are on the road.
    pub(crate) fn present(&self) -> impl Iterator<Item = (usize, &Placed)> {
        let all = self.vehicles.iter().enumerate();
        all.filter_map(|(number, one)| Some((number, one.as_ref()?)))
    }
}
