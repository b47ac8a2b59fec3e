//! The probability that bits survive noise and interference. The model is NIST's for OFDM with
//! convolutional codes: a bound over the weights of the code's error events \[NIST-PER\].

use std::sync::Arc;

/// A constellation and the rate of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulation {
    constellation: Constellation,
    code: Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Constellation {
    Bpsk,
    Qpsk,
    Qam16,
    Qam64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Half,
    TwoThirds,
    ThreeQuarters,
}

impl Modulation {
    /// BPSK with half of the bits for the code.
    pub const BPSK_1_2: Self = Self::new(Constellation::Bpsk, Code::Half);
    /// BPSK with a quarter of the bits for the code.
    pub const BPSK_3_4: Self = Self::new(Constellation::Bpsk, Code::ThreeQuarters);
    /// QPSK with half of the bits for the code.
    pub const QPSK_1_2: Self = Self::new(Constellation::Qpsk, Code::Half);
    /// QPSK with a quarter of the bits for the code.
    pub const QPSK_3_4: Self = Self::new(Constellation::Qpsk, Code::ThreeQuarters);
    /// 16-QAM with half of the bits for the code.
    pub const QAM16_1_2: Self = Self::new(Constellation::Qam16, Code::Half);
    /// 16-QAM with a quarter of the bits for the code.
    pub const QAM16_3_4: Self = Self::new(Constellation::Qam16, Code::ThreeQuarters);
    /// 64-QAM with a third of the bits for the code.
    pub const QAM64_2_3: Self = Self::new(Constellation::Qam64, Code::TwoThirds);
    /// 64-QAM with a quarter of the bits for the code.
    pub const QAM64_3_4: Self = Self::new(Constellation::Qam64, Code::ThreeQuarters);

    const fn new(constellation: Constellation, code: Code) -> Self {
        Self {
            constellation,
            code,
        }
    }

    /// Returns the share of wrong bits before the code corrects them, at a ratio of signal to noise
    /// and interference.
    fn raw(self, ratio: f64) -> f64 {
        match self.constellation {
            Constellation::Bpsk => 0.5 * complementary_error(ratio.sqrt()),
            Constellation::Qpsk => 0.5 * complementary_error((ratio / 2.0).sqrt()),
            Constellation::Qam16 => 0.375 * complementary_error((ratio / 10.0).sqrt()),
            Constellation::Qam64 => 7.0 / 24.0 * complementary_error((ratio / 42.0).sqrt()),
        }
    }

    /// Returns a bound of the share of wrong bits after the code has corrected them.
    fn corrected(self, ratio: f64) -> f64 {
        let raw = self.raw(ratio);
        let distance = (4.0 * raw * (1.0 - raw)).sqrt();
        self.code.bound(distance).min(1.0)
    }

    /// Returns the natural logarithm of the share of bits that are right.
    #[must_use]
    pub fn log_success(self, ratio: f64) -> f64 {
        (-self.corrected(ratio)).ln_1p()
    }
}

impl Code {
    /// Sums the error events by their weights, the first ten.
    fn bound(self, distance: f64) -> f64 {
        // How many bits are wrong in all events of a weight, for the code of 64 states.
        const HALF: [f64; 9] = [
            36.0,
            211.0,
            1_404.0,
            11_633.0,
            77_433.0,
            502_690.0,
            3_322_763.0,
            21_292_910.0,
            134_365_911.0,
        ];
        const TWO_THIRDS: [f64; 10] = [
            3.0,
            70.0,
            285.0,
            1_276.0,
            6_160.0,
            27_128.0,
            117_019.0,
            498_860.0,
            2_103_891.0,
            8_784_123.0,
        ];
        const THREE_QUARTERS: [f64; 10] = [
            42.0,
            201.0,
            1_492.0,
            10_469.0,
            62_935.0,
            379_644.0,
            2_253_373.0,
            13_073_811.0,
            75_152_755.0,
            428_005_675.0,
        ];
        let sum = |counts: &[f64], first: i32, step: i32| {
            let terms = (0..)
                .zip(counts)
                .map(|(at, count)| count * distance.powi(first + step * at));
            terms.sum::<f64>()
        };
        match self {
            Self::Half => sum(&HALF, 10, 2) / 2.0,
            Self::TwoThirds => sum(&TWO_THIRDS, 6, 1) / 4.0,
            Self::ThreeQuarters => sum(&THREE_QUARTERS, 5, 1) / 6.0,
        }
    }
}

/// The complementary error function, off by less than 1.2e-7 of its value (W. J. Cody's way needs
/// more terms than the bound above is worth).
fn complementary_error(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let sum = TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let value = t * (-x * x + sum).exp();
    if x >= 0.0 { value } else { 2.0 - value }
}

/// A modulation's logarithm of success by the ratio in decibels, as a table.
#[derive(Clone, Debug)]
pub struct ErrorRate {
    /// By steps of [`STEP_DB`] from [`LEAST_DB`].
    table: Arc<[f64]>,
}

const LEAST_DB: f64 = -12.0;
const STEP_DB: f64 = 0.05;
/// At 30 dB every modulation here is without errors.
const STEPS: usize = 840;

impl ErrorRate {
    /// Computes the table.
    #[must_use]
    pub fn new(modulation: Modulation) -> Self {
        let value = |at: usize| {
            let decibels = LEAST_DB + STEP_DB * at as f64;
            modulation.log_success(10.0_f64.powf(decibels / 10.0))
        };
        Self {
            table: (0..=STEPS).map(value).collect(),
        }
    }

    /// Returns the natural logarithm of the share of bits that are right, at a ratio of signal to
    /// noise and interference.
    #[must_use]
    pub fn log_success(&self, ratio: f64) -> f64 {
        let place = (10.0 * ratio.log10() - LEAST_DB) / STEP_DB;
        if place >= STEPS as f64 {
            return 0.0;
        }
        // Below the table, and for a ratio of nothing, nothing is right.
        let Some(from) = self.table.get(place.max(0.0) as usize) else {
            return f64::NEG_INFINITY;
        };
        if place < 0.0 || place.is_nan() || !from.is_finite() {
            return f64::NEG_INFINITY;
        }
        let to = self.table.get(place as usize + 1).unwrap_or(from);
        from + (to - from) * place.fract()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_function_has_its_known_values() {
        for (x, expected) in [
            (0.0, 1.0),
            (0.5, 0.479_500_122),
            (1.0, 0.157_299_207),
            (2.0, 0.004_677_735),
            (3.0, 2.209_05e-5),
            (-1.0, 1.842_700_793),
        ] {
            let off = (complementary_error(x) / expected - 1.0).abs();
            assert!(off < 2e-6, "{x}: {off}");
        }
    }

    #[test]
    fn frames_survive_above_some_decibels_and_not_below() {
        // At 6 dB 2.30 % of the bits are wrong. With D = 0.2999 the terms 36 D^10, 211 D^12 and so
        // on are 2.1e-4, 1.1e-4, 6.7e-5, 5.0e-5, 3.0e-5 and less: half of the sum is 2.6e-4 or so.
        let bits = 460.0 * 8.0;
        let share = |modulation: Modulation, decibels: f64| {
            let ratio = 10.0_f64.powf(decibels / 10.0);
            (bits * modulation.log_success(ratio)).exp()
        };
        assert!((0.3..0.45).contains(&share(Modulation::QPSK_1_2, 6.0)));
        assert!(share(Modulation::QPSK_1_2, 3.0) < 1e-3);
        assert!(share(Modulation::QPSK_1_2, 8.0) > 0.99);
        // BPSK has the same at half of the ratio.
        let (one, other) = (
            share(Modulation::QPSK_1_2, 6.0),
            share(Modulation::BPSK_1_2, 2.989_7),
        );
        assert!((one - other).abs() < 1e-3, "{one} {other}");
        assert!(
            share(Modulation::QAM64_3_4, 18.0) < 0.01 && share(Modulation::QAM64_3_4, 28.0) > 0.99
        );
    }

    /// The complementary error function once more, by Simpson's rule over its integral.
    fn integrated_error(x: f64) -> f64 {
        let steps = 2_000;
        let width = 10.0 / f64::from(steps);
        let value = |at: i32| (-(x + width * f64::from(at)).powi(2)).exp();
        let weight = |at: i32| match at {
            0 => 1.0,
            _ if at == steps => 1.0,
            _ => f64::from(2 + 2 * (at % 2)),
        };
        let sum: f64 = (0..=steps).map(|at| weight(at) * value(at)).sum();
        sum * width / 3.0 * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn each_rate_loses_as_many_packets_as_the_formulas_of_ns3_say() {
        use crate::radio::DataRate::{self, *};
        /// Bits of a symbol, the distances and counts of error events, and their divisor.
        type Code = (u32, [(i32, f64); 6], f64);
        let half = |bits| -> Code {
            let events = [36.0, 211.0, 1_404.0, 11_633.0, 77_433.0, 502_690.0];
            let at = |n: usize| (10 + 2 * n as i32, events[n]);
            (bits, std::array::from_fn(at), 2.0)
        };
        let quarters = |bits| -> Code {
            let events = [42.0, 201.0, 1_492.0, 10_469.0, 62_935.0, 379_644.0];
            (
                bits,
                std::array::from_fn(|n| (5 + n as i32, events[n])),
                6.0,
            )
        };
        let thirds = |bits| -> Code {
            let events = [3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0];
            (
                bits,
                std::array::from_fn(|n| (6 + n as i32, events[n])),
                4.0,
            )
        };
        // The share of packets of 460 bytes that are lost at so many decibels, from the formulas of
        // ns-3's NistErrorRateModel in Python, with that language's own error function.
        type Known = (DataRate, Code, [(f64, f64); 2]);
        let known: [Known; 8] = [
            (Mbps3, half(1), [(3.1, 0.4721), (4.3, 0.009_25)]),
            (Mbps4_5, quarters(1), [(6.0, 0.4153), (7.2, 0.009_75)]),
            (Mbps6, half(2), [(6.1, 0.4840), (7.3, 0.009_61)]),
            (Mbps9, quarters(2), [(9.0, 0.4260), (10.3, 0.007_10)]),
            (Mbps12, half(4), [(12.6, 0.4260), (13.9, 0.008_56)]),
            (Mbps18, quarters(4), [(15.7, 0.4222), (17.0, 0.008_95)]),
            (Mbps24, thirds(6), [(20.4, 0.4620), (21.8, 0.007_51)]),
            (Mbps27, quarters(6), [(21.6, 0.4800), (23.0, 0.009_78)]),
        ];
        for (rate, (bits, events, divisor), points) in known {
            for (decibels, lost) in points {
                let ratio = 10.0_f64.powf(decibels / 10.0);
                let one = 1.0 - (3_680.0 * rate.modulation().log_success(ratio)).exp();
                assert!((one / lost - 1.0).abs() < 0.01, "{rate} {decibels}: {one}");
                // A second writing, short of the last events: M-QAM has a share of
                // (1 - 1/sqrt(M)) / (log2(M) / 2) wrong bits at sqrt(1.5 ratio / (M - 1)).
                let points = f64::from(1 << bits);
                let wrong = match bits {
                    1 => integrated_error(ratio.sqrt()) / 2.0,
                    _ => {
                        let amplitude = (1.5 * ratio / (points - 1.0)).sqrt();
                        2.0 * (1.0 - points.sqrt().recip()) / f64::from(bits)
                            * integrated_error(amplitude)
                    }
                };
                let distance = 2.0 * (wrong - wrong * wrong).sqrt();
                let terms = events.iter().map(|(at, count)| count * distance.powi(*at));
                let other = 1.0 - (1.0 - terms.sum::<f64>() / divisor).powi(3_680);
                assert!(
                    other < one * 1.001 && other > 0.8 * one,
                    "{rate} {decibels}: {one} {other}"
                );
            }
        }
    }

    #[test]
    fn table_follows_the_formula() {
        let table = ErrorRate::new(Modulation::QPSK_1_2);
        for tenths in -150..320 {
            let ratio = 10.0_f64.powf(f64::from(tenths) / 100.0);
            let (one, other) = (
                table.log_success(ratio),
                Modulation::QPSK_1_2.log_success(ratio),
            );
            // In shares of a frame of 3,680 bits.
            let off = (3_680.0 * one).exp() - (3_680.0 * other).exp();
            assert!(off.abs() < 0.01, "{tenths}: {one} {other}");
        }
        assert_eq!(table.log_success(0.0), f64::NEG_INFINITY);
        assert_eq!(table.log_success(f64::NAN), f64::NEG_INFINITY);
        assert_eq!(table.log_success(1e9), 0.0);
    }
}
