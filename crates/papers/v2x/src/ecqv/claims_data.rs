//! The paper's claims about what boards can do and cannot, read from
//! `papers/ecqv-cits-claims.toml`.

use serde::Deserialize;

use super::data::KEY;
use waywarden_paper_tables::PaperError;

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/ecqv-cits-claims.toml");

/// The claims of sections V-C to VII.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claims {
    pub(super) claim: Vec<Claim>,
}

/// One sentence.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) place: String,
    pub(super) claim: String,
    /// The plain one first.
    pub(super) reading: Vec<Reading>,
}

/// One way to understand it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    pub(super) name: String,
    pub(super) expect: Vec<Expectation>,
}

/// Share of some boards' times that is expected within the latency.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Expectation {
    pub(super) table: String,
    pub(super) boards: Vec<String>,
    #[serde(default)]
    pub(super) rows: Vec<String>,
    #[serde(default)]
    pub(super) columns: Vec<String>,
    #[serde(default)]
    pub(super) except: Vec<String>,
    pub(super) limit_ms: Option<u32>,
    #[serde(default)]
    pub(super) all_cores: bool,
    pub(super) within: Within,
}

/// Share of some cells that is within a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Within {
    #[serde(rename = "all")]
    All,
    #[serde(rename = "none")]
    None,
    #[serde(rename = "not all")]
    NotAll,
    #[serde(rename = "some")]
    Some,
    /// Less than half.
    #[serde(rename = "few")]
    Few,
    /// More than half.
    #[serde(rename = "most")]
    Most,
}

impl Claims {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        toml::from_str(TEXT).map_err(|fault| PaperError::Data {
            key: KEY,
            fault: fault.to_string(),
        })
    }
}
