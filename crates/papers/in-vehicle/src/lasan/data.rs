//! The paper's numbers and the published code's messages, read from `papers/lasan.toml`.

use serde::Deserialize;
use waywarden_lasan::Sizes;

use super::quantity::State;
use waywarden_paper_tables::{PaperError, Printed, Unit};

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/lasan.toml");

/// The paper's numbers, and those of the published code.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Data {
    pub(super) curve: Curve,
    pub(super) kyber: Kyber,
    pub(super) dilithium: Dilithium,
    pub(super) code: [Code; 2],
    pub(super) sent: Vec<Sent>,
    pub(super) sum: Vec<Sum>,
    pub(super) size: Vec<Size>,
    pub(super) testbed: Testbed,
    pub(super) time: Vec<Time>,
    pub(super) total: Vec<Total>,
    pub(super) overhead: Overhead,
}

/// An elliptic curve: bytes of a coordinate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curve {
    pub(super) coordinate: usize,
}

/// Kyber as first submitted: its parameters, from which sizes follow.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Kyber {
    degree: usize,
    rank: usize,
    key_bits: usize,
    first_bits: usize,
    second_bits: usize,
    seed: usize,
}

/// Dilithium as first submitted, likewise.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Dilithium {
    degree: usize,
    rows: usize,
    columns: usize,
    key_bits: usize,
    response_bits: usize,
    hints: usize,
    challenge: usize,
    seed: usize,
}

/// A suite of the published code.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Code {
    pub(super) suite: String,
    /// The paper's name of the suite.
    pub(super) label: String,
    public_key: usize,
    signature: usize,
    offer: usize,
    answer: usize,
    contributory: bool,
}

/// One message of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    pub(super) suite: String,
    pub(super) message: String,
    pub(super) bytes: Printed,
    pub(super) frames: Printed,
}

/// All messages of a run of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Sum {
    pub(super) suite: String,
    pub(super) bytes: Printed,
    pub(super) bytes_once: Printed,
    pub(super) frames: Printed,
    pub(super) frames_once: Printed,
}

/// A number of the bandwidth table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Size {
    pub(super) cell: String,
    pub(super) unit: Unit,
    pub(super) of: SizeOf,
    pub(super) printed: Printed,
}

/// Object that a size of the bandwidth table belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SizeOf {
    /// A claim that sizes do not decide.
    Security,
    Point,
    PointSignature,
    KyberKey,
    KyberCiphertext,
    DilithiumKey,
    DilithiumSignature,
}

/// The paper's testbed.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Testbed {
    pub(super) board: String,
    pub(super) pacing_us: u64,
    pub(super) bit_rate: u32,
}

/// A row of the timing table, in seconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Time {
    pub(super) suite: String,
    pub(super) state: State,
    pub(super) once: Printed,
    pub(super) each: Printed,
}

/// Totals printed below the timing table.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Total {
    pub(super) suite: String,
    pub(super) seconds: Printed,
    pub(super) bytes: Printed,
    pub(super) bytes_once: Printed,
}

/// Post-quantum over pre-quantum.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Overhead {
    pub(super) all: Printed,
    pub(super) each: Printed,
}

impl Data {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        toml::from_str(TEXT).map_err(|fault| PaperError::Data {
            key: "lasan",
            fault: fault.to_string(),
        })
    }

    /// Returns a size by the scheme's parameters, and how it comes about.
    pub(super) fn size(&self, of: SizeOf) -> Option<(usize, String)> {
        let Data {
            curve,
            kyber: k,
            dilithium: d,
            ..
        } = self;
        Some(match of {
            SizeOf::Security => return None,
            SizeOf::Point => (
                1 + curve.coordinate,
                format!(
                    "a coordinate of {} and a byte for the sign",
                    curve.coordinate
                ),
            ),
            SizeOf::PointSignature => (
                2 * curve.coordinate,
                format!("two numbers of {}", curve.coordinate),
            ),
            SizeOf::KyberKey => {
                let vector = k.rank * bytes(k.degree, k.key_bits);
                let words = format!("{vector} of {} polynomials, a seed of {}", k.rank, k.seed);
                (vector + k.seed, words)
            }
            SizeOf::KyberCiphertext => {
                let first = k.rank * bytes(k.degree, k.first_bits);
                let second = bytes(k.degree, k.second_bits);
                let words = format!("{first} of {} polynomials, {second} of one", k.rank);
                (first + second, words)
            }
            SizeOf::DilithiumKey => {
                let vector = d.rows * bytes(d.degree, d.key_bits);
                let words = format!("{vector} of {} polynomials, a seed of {}", d.rows, d.seed);
                (vector + d.seed, words)
            }
            SizeOf::DilithiumSignature => {
                let vector = d.columns * bytes(d.degree, d.response_bits);
                let (hints, challenge) = (d.hints, d.challenge);
                let words = format!(
                    "{vector} of {} polynomials, {hints} of hints, {challenge} of the challenge",
                    d.columns
                );
                (vector + hints + challenge, words)
            }
        })
    }
}

/// Returns the bytes of a polynomial with so many bits a coefficient.
const fn bytes(degree: usize, bits: usize) -> usize {
    degree * bits / 8
}

impl Code {
    /// Returns the sizes, for [`Lengths`](waywarden_lasan::Lengths).
    pub(super) const fn sizes(&self) -> Sizes {
        Sizes {
            public_key: self.public_key,
            signature: self.signature,
            offer: self.offer,
            answer: self.answer,
            contributory: self.contributory,
        }
    }
}
