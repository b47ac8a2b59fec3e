//! One figure: the cost of an operation, as a time or in cycles, fixed or growing with the message.

use waywarden_work::Duration;

use crate::Provenance;

/// The text that the assumption of a counted figure begins with.
const COUNTED: &str = "instructions counted in QEMU, one cycle each assumed";

/// One figure of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardFigure {
    pub(crate) bytes: Option<u32>,
    pub(crate) amount: CostFormula,
    pub(crate) provenance: Provenance,
}

impl BoardFigure {
    /// Returns the one message length, in bytes, that this figure is for; `None` means any.
    #[must_use]
    pub const fn bytes(&self) -> Option<u32> {
        self.bytes
    }

    /// Returns how the cost grows with the message.
    #[must_use]
    pub const fn amount(&self) -> &CostFormula {
        &self.amount
    }

    /// Returns the source of the figure.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Returns true if the figure is a count of instructions of our own code, as the emulated
    /// boards have them: exact, but not in cycles.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        matches!(&self.provenance, Provenance::Assumed { why } if why.starts_with(COUNTED))
    }
}

/// Cost of an operation, with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost<'a> {
    /// Time on one core of the board.
    pub duration: Duration,
    /// Source of the figure.
    pub provenance: &'a Provenance,
}

/// A cost: `fixed + per_unit * ceil((message + padding) / unit)`, in nanoseconds or in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostFormula {
    /// Cost of every call.
    pub fixed: u64,
    /// Cost of each begun unit of message.
    pub per_unit: u64,
    /// Length of a unit in bits; at least 1.
    pub unit_bits: u32,
    /// Bits that the algorithm appends to the message before it is cut into units.
    pub padding_bits: u32,
    /// Clock in hertz if the numbers above are cycles; `None` if they are nanoseconds.
    pub cycles_at_hz: Option<u64>,
}

impl CostFormula {
    /// Returns the cost of a message of `bytes` bytes, before the clock is applied: cycles or
    /// nanoseconds. Saturates.
    #[must_use]
    pub fn count(&self, bytes: u32) -> u64 {
        let bits = u64::from(bytes) * 8 + u64::from(self.padding_bits);
        let units = bits.div_ceil(u64::from(self.unit_bits.max(1)));
        self.fixed
            .saturating_add(self.per_unit.saturating_mul(units))
    }

    /// Returns the time a message of `bytes` bytes takes, to the nearest nanosecond. Saturates.
    #[must_use]
    pub fn duration(&self, bytes: u32) -> Duration {
        let count = self.count(bytes);
        let Some(hz) = self.cycles_at_hz else {
            return Duration::from_nanos(count);
        };
        let hz = u128::from(hz.max(1));
        let nanos = (u128::from(count) * 1_000_000_000 + hz / 2) / hz;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_grows_by_begun_units() {
        let sha256 = CostFormula {
            fixed: 0,
            per_unit: 4480,
            unit_bits: 512,
            padding_bits: 72,
            cycles_at_hz: Some(120_000_000),
        };
        assert_eq!(sha256.count(0), 4480);
        assert_eq!(sha256.count(55), 4480);
        assert_eq!(sha256.count(56), 8960);
        assert_eq!(sha256.duration(55).as_nanos(), 37_333);
    }

    #[test]
    fn absurd_figures_saturate() {
        let absurd = CostFormula {
            fixed: u64::MAX,
            per_unit: u64::MAX,
            unit_bits: 1,
            padding_bits: u32::MAX,
            cycles_at_hz: Some(1),
        };
        assert_eq!(absurd.duration(u32::MAX).as_nanos(), u64::MAX);
    }
}
