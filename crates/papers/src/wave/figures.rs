//! Figures 5 and 6 drawn anew: the mean times that section 5.2 has, split into ECDSA and the rest.

use super::study::{Machine, Study};
use crate::plot::{Bars, Group};
use crate::{Plot, Unit};

const TIMES: &str = "A CAM signed and verified, and what ECDSA on P-256 alone takes of it (ms)";

impl Study {
    /// Draws the plots.
    #[must_use]
    pub fn plots(&self) -> Vec<Plot> {
        let places = ["Figure 5", "Figure 6"];
        let machines = places.into_iter().zip(&self.machines);
        let plots = machines.map(|(place, machine)| Plot {
            place,
            title: TIMES,
            svg: machine.bars(),
        });
        plots.collect()
    }
}

impl Machine {
    fn bars(&self) -> String {
        let group = |what: &str, service: f64, alone: f64| Group {
            names: vec![self.column.name.clone(), what.to_owned()],
            bars: vec![service, alone],
        };
        let bars = Bars {
            title: TIMES,
            unit: Unit::Milliseconds.name(),
            legend: vec!["in the service".to_owned(), "ECDSA alone".to_owned()],
            groups: vec![
                group("sign", self.service.sign, self.p256.sign),
                group("verify", self.service.verify, self.p256.verify),
            ],
        };
        bars.svg()
    }
}
