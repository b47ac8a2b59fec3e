//! The paper's printed numbers, read from `papers/wave-sec.toml`.

use serde::Deserialize;

use waywarden_paper_tables::{PaperError, Printed};

/// The paper's key.
pub(super) const KEY: &str = "wave-sec";

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/wave-sec.toml");

/// The paper's numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Data {
    pub(super) table_1: Table1,
    pub(super) board: Vec<Column>,
    pub(super) figure: NamedFigure,
    pub(super) curve: Vec<Curve>,
    pub(super) certificate: Certificate,
    pub(super) method: Method,
}

/// Caption and row names of Table 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table1 {
    pub(super) caption: String,
    pub(super) rows: Vec<String>,
}

/// The numbers of a computer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    /// The paper's name of the computer.
    pub(super) name: String,
    /// Name of the board's file.
    pub(super) board: String,
    pub(super) p256: Alone,
    pub(super) p224: Alone,
    pub(super) service: Served,
}

/// A row of Table 2: milliseconds, and how many a second.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Alone {
    pub(super) sign: Printed,
    pub(super) signatures: Printed,
    pub(super) verify: Printed,
    pub(super) verifications: Printed,
}

/// Sections 5.2 and 6: milliseconds a CAM, verifications a second, neighbours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Served {
    pub(super) sign: Printed,
    pub(super) verify: Printed,
    pub(super) verifications: Printed,
    pub(super) neighbours: Printed,
}

/// A figure that the text of section 5.2 names for a time, and the figures' captions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedFigure {
    /// Mean time to sign that stands in the sentence, in ms.
    pub(super) sign: Printed,
    /// Number of the figure in the sentence.
    pub(super) named: Printed,
    pub(super) captions: Vec<Caption>,
}

/// A figure's number, and the computer that its caption names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Caption {
    pub(super) figure: u32,
    pub(super) board: String,
}

/// A curve, as the text and as the listing names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curve {
    /// NIST's name.
    pub(super) claimed: String,
    /// The name of SEC 2, as OpenSSL has it.
    pub(super) named: String,
}

/// Sizes of certificates, in bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificate {
    pub(super) x509: Printed,
    pub(super) wave: Printed,
}

/// Method of measurement.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Method {
    /// Rate at which a vehicle sends CAMs, in 1/s.
    pub(super) rate_hz: u32,
}

impl Data {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        toml::from_str(TEXT).map_err(|fault| PaperError::Data {
            key: KEY,
            fault: fault.to_string(),
        })
    }
}
