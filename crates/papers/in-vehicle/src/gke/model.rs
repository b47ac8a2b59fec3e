//! The closed formulas of [GKE §V]: two-party exchange, three group schemes, orchestration, frames.
//!
//! The formulas do not depend on boards or papers: costs and frame times are inputs. They ignore
//! arbitration and other traffic on the bus, and all computation except cryptography. All times are
//! whole nanoseconds.

use serde::Deserialize;
use waywarden_work::Duration;

/// Computing time of each step of a two-party exchange on one ECU, in order of the protocol.
///
/// [GKE §V-B] has one T_ver; its Tables VI and VII measure two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// T_ver of the orchestrator's request.
    pub verify_request: Duration,
    /// T_shr.
    pub share: Duration,
    /// T_key.
    pub extract: Duration,
    /// T_sig.
    pub sign: Duration,
    /// T_enc of a 64-byte signature.
    pub encrypt: Duration,
    /// T_dec of a 64-byte signature.
    pub decrypt: Duration,
    /// T_ver of the peer's confirmation.
    pub verify_confirmation: Duration,
}

/// Time from sender to receiver of a message of 32 and of 64 bytes: T_snd32 and T_snd64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTimes {
    /// T_snd32.
    pub snd32: Duration,
    /// T_snd64.
    pub snd64: Duration,
}

/// Group key scheme [GKE §III].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GkeScheme {
    /// A tree with the orchestrator in each logical ECU of the last level.
    Main,
    /// A tree without the orchestrator: the ECUs exchange keys among themselves.
    Without,
    /// The orchestrator distributes one key to all ECUs.
    Symmetric,
    /// No group: one exchange between two ECUs.
    TwoParty,
}

/// Kind of frames that carry the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GkeBus {
    /// Classic frames of 8 bytes.
    Can,
    /// FD frames of up to 64 bytes.
    CanFd,
}

/// Components of the time of a group key exchange. T_gkex is the sum of the first two, T_SoECU that
/// of the last two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTime {
    /// Cryptography of the exchanges; work in parallel counts once.
    pub exchange_computation: Duration,
    /// Frames of the exchanges.
    pub exchange_bus: Duration,
    /// The orchestrator's signatures.
    pub orchestration_computation: Duration,
    /// The orchestrator's messages.
    pub orchestration_bus: Duration,
}

impl Costs {
    /// Returns the slower cost of each step: the T of a heterogeneous network.
    #[must_use]
    pub fn slower(&self, other: &Costs) -> Costs {
        Costs {
            verify_request: self.verify_request.max(other.verify_request),
            share: self.share.max(other.share),
            extract: self.extract.max(other.extract),
            sign: self.sign.max(other.sign),
            encrypt: self.encrypt.max(other.encrypt),
            decrypt: self.decrypt.max(other.decrypt),
            verify_confirmation: self.verify_confirmation.max(other.verify_confirmation),
        }
    }

    /// Returns T_ECU of the first stage: request checked, share computed.
    #[must_use]
    pub fn first_stage(&self) -> Duration {
        self.verify_request + self.share
    }

    /// Returns T_ECU of the second stage: key extracted, confirmation signed and encrypted.
    #[must_use]
    pub fn second_stage(&self) -> Duration {
        self.extract + self.sign + self.encrypt
    }

    /// Returns T_ECU of the third stage: the peer's confirmation decrypted and verified.
    #[must_use]
    pub fn third_stage(&self) -> Duration {
        self.decrypt + self.verify_confirmation
    }

    /// Returns T_ECU of all three stages.
    #[must_use]
    pub fn all_stages(&self) -> Duration {
        self.first_stage() + self.second_stage() + self.third_stage()
    }
}

impl FrameTimes {
    /// Returns the times at another bit rate, both in bit/s.
    pub(super) fn at(self, stated: u64, rate: u64) -> Self {
        let scaled = |time: Duration| Duration::from_nanos(time.as_nanos() * stated / rate.max(1));
        FrameTimes {
            snd32: scaled(self.snd32),
            snd64: scaled(self.snd64),
        }
    }

    /// Returns the slower time of each message length.
    #[must_use]
    pub fn slower(&self, other: &FrameTimes) -> FrameTimes {
        FrameTimes {
            snd32: self.snd32.max(other.snd32),
            snd64: self.snd64.max(other.snd64),
        }
    }

    /// Returns T_BUS of one exchange: two shares, two confirmations.
    #[must_use]
    pub fn exchange(&self) -> Duration {
        (self.snd32 + self.snd64).times(2)
    }
}

/// Returns T_kex as seen by one of two ECUs: stages 1 and 2 take as long as the slower of the two,
/// stage 3 is its own. For \[GKE\]'s upper bound, pass [`Costs::slower`] for both ECUs.
#[must_use]
pub fn two_party(own: &Costs, peer: &Costs, frames: &FrameTimes) -> Duration {
    let slower = own.slower(peer);
    slower.first_stage() + slower.second_stage() + own.third_stage() + frames.exchange()
}

/// Returns the time of a group key exchange among the orchestrator and `n` other ECUs. The costs
/// are those of the slowest, the orchestrator included.
#[must_use]
pub fn group(scheme: GkeScheme, n: u32, costs: &Costs, frames: &FrameTimes) -> GroupTime {
    let (all, n) = (costs.all_stages(), u64::from(n));
    let (computation, bus) = match scheme {
        // (n + log2 n) T_ECU + (2n - 1) T_BUS
        GkeScheme::Main => (
            all.times(n + u64::from(log2_up(n))),
            frames.exchange().times(merges(scheme, n)),
        ),
        // log2(n + 1) T_ECU + n T_BUS
        GkeScheme::Without => (
            all.times(u64::from(log2_up(n + 1))),
            frames.exchange().times(n),
        ),
        // n (T_ECU + T_BUS) + T_sig + n T_enc + n T_BUS / 2 + T_ECU of stage 3
        GkeScheme::Symmetric => (
            all.times(n) + costs.sign + costs.encrypt.times(n) + costs.third_stage(),
            frames.exchange().times(n) + (frames.snd32 + frames.snd64).times(n),
        ),
        GkeScheme::TwoParty => (all, frames.exchange()),
    };
    GroupTime {
        exchange_computation: computation,
        exchange_bus: bus,
        orchestration_computation: costs.sign.times(merges(scheme, n)),
        orchestration_bus: frames.snd64.times(merges(scheme, n)),
    }
}

impl GroupTime {
    /// Returns T_gkex.
    #[must_use]
    pub fn exchanges(&self) -> Duration {
        self.exchange_computation + self.exchange_bus
    }

    /// Returns T_SoECU.
    #[must_use]
    pub fn orchestration(&self) -> Duration {
        self.orchestration_computation + self.orchestration_bus
    }

    /// Returns the sum of T_gkex and T_SoECU.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.exchanges() + self.orchestration()
    }

    /// Returns the bus time of all frames.
    #[must_use]
    pub fn bus(&self) -> Duration {
        self.exchange_bus + self.orchestration_bus
    }

    /// Returns the computing time of all cryptography.
    #[must_use]
    pub fn computation(&self) -> Duration {
        self.exchange_computation + self.orchestration_computation
    }
}

/// Returns the number of two-party exchanges of a scheme, which equals that of its orchestration
/// messages.
fn merges(scheme: GkeScheme, n: u64) -> u64 {
    match scheme {
        // n leaves with the orchestrator, n - 1 inner nodes.
        GkeScheme::Main => (2 * n).saturating_sub(1),
        GkeScheme::Without | GkeScheme::Symmetric => n,
        GkeScheme::TwoParty => 1,
    }
}

/// Returns the number of frames that carry a message of `bytes` bytes.
#[must_use]
pub fn frames_of(bus: GkeBus, bytes: u32) -> u64 {
    u64::from(match bus {
        GkeBus::Can => bytes.div_ceil(8),
        GkeBus::CanFd => bytes.div_ceil(64),
    })
}

/// Returns the exact number of frames of a scheme, orchestration included.
#[must_use]
pub fn frames(scheme: GkeScheme, n: u32, bus: GkeBus) -> u64 {
    let n = u64::from(n);
    // The orchestrator's signature, two shares, two confirmations.
    let exchange = frames_of(bus, 64) + 2 * frames_of(bus, 32) + 2 * frames_of(bus, 64);
    let exchanges = exchange * merges(scheme, n);
    match scheme {
        // Each ECU receives a signature and the group secret, both encrypted.
        GkeScheme::Symmetric => exchanges + n * (frames_of(bus, 64) + frames_of(bus, 32)),
        _ => exchanges,
    }
}

/// Returns the logarithm of base 2, rounded up; 0 for 0.
#[must_use]
pub fn log2_up(number: u64) -> u32 {
    match number {
        0 => 0,
        _ => u64::BITS - (number - 1).leading_zeros(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_rounded_up() {
        let cases = [
            (0, 0),
            (1, 0),
            (2, 1),
            (3, 2),
            (4, 2),
            (5, 3),
            (32, 5),
            (33, 6),
        ];
        for (number, log) in cases {
            assert_eq!(log2_up(number), log, "{number}");
        }
    }

    #[test]
    fn frames_are_counted_exactly() {
        for n in 2..=32 {
            let wide = u64::from(n);
            let rows = [
                (GkeScheme::Main, 5 * (2 * wide - 1), 32 * (2 * wide - 1)),
                (GkeScheme::Without, 5 * wide, 32 * wide),
                (GkeScheme::Symmetric, 7 * wide, 44 * wide),
                (GkeScheme::TwoParty, 5, 32),
            ];
            for (scheme, fd, classic) in rows {
                assert_eq!(frames(scheme, n, GkeBus::CanFd), fd, "{scheme:?} {n}");
                assert_eq!(frames(scheme, n, GkeBus::Can), classic, "{scheme:?} {n}");
            }
        }
    }

    #[test]
    fn no_ecu_needs_nothing() {
        let zero = Duration::ZERO;
        let costs = Costs {
            verify_request: zero,
            share: zero,
            extract: zero,
            sign: Duration::from_millis(1),
            encrypt: zero,
            decrypt: zero,
            verify_confirmation: zero,
        };
        let frames = FrameTimes {
            snd32: zero,
            snd64: zero,
        };
        let time = group(GkeScheme::Main, 0, &costs, &frames);
        assert_eq!(time.total(), zero);
    }
}
