//! The busy ratios that stations share.

use crate::busy_ratio::BusyRatio;

/// Congestion control's field in the header of a packet to all in range, its media-dependent data
/// \[TS 102 636-4-2 §6\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DccMcoField {
    /// Ratio that the sender measured (`CBR_L0_hop`).
    pub own: BusyRatio,
    /// Ratio of its neighbours (`CBR_L1_hop`).
    pub neighbours: BusyRatio,
    /// Power that it sends with, in dBm, at most 31.
    pub power_dbm: u8,
}

impl DccMcoField {
    /// Reads the field. Each of its values is one; the 11 reserved bits are ignored.
    #[must_use]
    pub fn from_bytes([own, neighbours, power, _]: [u8; 4]) -> Self {
        Self {
            own: BusyRatio::from_byte(own),
            neighbours: BusyRatio::from_byte(neighbours),
            power_dbm: power >> 3,
        }
    }

    /// Writes the field, ratios rounded down, with reserved bits of 0.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 4] {
        let power = self.power_dbm.min(31) << 3;
        [self.own.to_byte(), self.neighbours.to_byte(), power, 0]
    }
}

/// A ratio and whose it is.
type Named = (Option<u64>, BusyRatio);

/// Reports of the neighbours between two measurements, in constant memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeighbourRatios {
    one_hop: Largest,
    two_hops: Largest,
}

impl NeighbourRatios {
    /// Adds a report of a neighbour, which any number names.
    pub fn add(&mut self, neighbour: u64, report: &DccMcoField) {
        self.one_hop.add(neighbour, report.own);
        self.two_hops.add(neighbour, report.neighbours);
    }

    /// Returns the ratio of the neighbours (`CBR_L1_hop`), which own packets carry.
    #[must_use]
    pub fn one_hop(&self) -> BusyRatio {
        self.one_hop.ratio()
    }

    /// Returns the ratio that congestion control goes by (`CBR_G`): the largest of what was
    /// measured here, of the neighbours' and of their neighbours'.
    #[must_use]
    pub fn global(&self, own: BusyRatio) -> BusyRatio {
        [self.one_hop.ratio(), self.two_hops.ratio()]
            .into_iter()
            .fold(
                own,
                |largest, one| if one > largest { one } else { largest },
            )
    }
}

/// The two largest ratios of different neighbours, and the mean of all.
#[derive(Clone, Copy, Debug, Default)]
struct Largest {
    sum: f64,
    count: u32,
    first: Named,
    second: Named,
}

impl Largest {
    fn add(&mut self, neighbour: u64, ratio: BusyRatio) {
        self.sum += ratio.share();
        self.count = self.count.saturating_add(1);
        let named = (Some(neighbour), ratio);
        if self.first.0 == named.0 {
            self.first.1 = if ratio > self.first.1 {
                ratio
            } else {
                self.first.1
            };
        } else if self.first.0.is_none() || ratio > self.first.1 {
            self.second = self.first;
            self.first = named;
        } else if self.second.0.is_none() || ratio > self.second.1 {
            self.second = named;
        }
    }

    /// Returns the largest ratio if the mean is above the target, else the second largest: one
    /// neighbour alone slows no station down before the channel is full.
    fn ratio(&self) -> BusyRatio {
        let is_above = self.sum > BusyRatio::TARGET.share() * f64::from(self.count);
        match is_above {
            true => self.first.1,
            false => self.second.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(own: f64, neighbours: f64) -> DccMcoField {
        DccMcoField {
            own: BusyRatio::new(own).unwrap(),
            neighbours: BusyRatio::new(neighbours).unwrap(),
            power_dbm: 23,
        }
    }

    /// Known answer of the field's layout: ratios of 255ths, power in the upper 5 bits.
    #[test]
    fn a_field_has_its_bits() {
        let field = report(0.5, 1.0);
        assert_eq!(field.to_bytes(), [127, 255, 23 << 3, 0]);
        let read = DccMcoField::from_bytes([127, 255, 23 << 3 | 7, 0xFF]);
        assert_eq!(
            (read.own.to_byte(), read.neighbours),
            (127, BusyRatio::FULL)
        );
        assert_eq!(read.power_dbm, 23);
        let loud = DccMcoField {
            power_dbm: 40,
            ..field
        };
        assert_eq!(DccMcoField::from_bytes(loud.to_bytes()).power_dbm, 31);
    }

    #[test]
    fn the_second_largest_counts_until_the_channel_is_full() {
        let mut heard = NeighbourRatios::default();
        assert_eq!(heard.global(BusyRatio::IDLE), BusyRatio::IDLE);
        heard.add(1, &report(0.6, 0.1));
        assert_eq!(heard.one_hop(), BusyRatio::IDLE);
        heard.add(2, &report(0.2, 0.3));
        heard.add(3, &report(0.4, 0.2));
        // The mean is 0.4.
        assert_eq!(heard.one_hop().share(), 0.4);
        assert_eq!(heard.global(BusyRatio::IDLE).share(), 0.4);
        assert_eq!(heard.global(BusyRatio::FULL), BusyRatio::FULL);
        // Now it is 0.75.
        for neighbour in 4..20 {
            heard.add(neighbour, &report(0.8, 0.2));
        }
        heard.add(20, &report(0.9, 0.2));
        assert_eq!(heard.one_hop().share(), 0.9);
    }

    #[test]
    fn one_neighbour_that_reports_often_is_one() {
        let mut heard = NeighbourRatios::default();
        heard.add(1, &report(0.1, 0.0));
        for _ in 0..5 {
            heard.add(2, &report(0.6, 0.0));
        }
        assert_eq!(heard.one_hop().share(), 0.1);
    }
}
