//! Measurements of this machine for the papers that have a column of it.

use waywarden_papers::{Amount, Asked, Measurement, ecqv, wave};
use waywarden_work::{Duration, OperationKind};

use crate::bench::operations::Waiting;

/// Measurements of this machine.
pub(super) struct Host {
    pub(super) operations: Vec<(OperationKind, std::time::Duration)>,
    pub(super) of_paper: OfPaper,
}

/// Measurements for one paper beside single operations.
pub(super) enum OfPaper {
    Ecqv(Waiting),
    Wave(Vec<(wave::WaveQuantity, Amount)>),
}

impl Host {
    fn operation(&self, kind: OperationKind) -> Option<std::time::Duration> {
        let mut all = self.operations.iter();
        Some(all.find(|(of, _)| *of == kind)?.1)
    }

    fn wave(&self, of: &wave::WaveQuantity) -> Option<Amount> {
        let OfPaper::Wave(measured) = &self.of_paper else {
            return None;
        };
        if let wave::WaveQuantity::Cam(cam) = of {
            match (cam.path, cam.operation) {
                (wave::Path::Curve, wave::Operation::Sign) => {
                    return self.operation(OperationKind::Sign).map(time);
                }
                (wave::Path::Curve, wave::Operation::Verify) => {
                    return self.operation(OperationKind::Verify).map(time);
                }
                _ => {}
            }
        }
        Some(measured.iter().find(|(known, _)| known == of)?.1)
    }

    /// Returns a measured value; none of what was not measured.
    pub(super) fn measurement(&self, of: Asked<'_>) -> Option<Measurement> {
        let amount = match (of, &self.of_paper) {
            (Asked::Ecqv(ecqv::EcqvQuantity::Operation(kind)), _) => time(self.operation(*kind)?),
            (Asked::Ecqv(ecqv::EcqvQuantity::WaitingSignature), OfPaper::Ecqv(all)) => {
                time(all.signature)
            }
            (Asked::Ecqv(ecqv::EcqvQuantity::WaitingMessage), OfPaper::Ecqv(all)) => {
                time(all.message)
            }
            (Asked::Wave(of), _) => self.wave(of)?,
            _ => return None,
        };
        Some(Measurement {
            amount,
            beside: Vec::new(),
        })
    }
}

fn time(time: std::time::Duration) -> Amount {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Amount::Time(Duration::from_nanos(nanos))
}
