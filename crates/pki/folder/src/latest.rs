//! The latest lists of a PKI, as its index has them.

use serde::{Deserialize, Serialize};
use waywarden_v2x_wire::ieee1609dot2::Time64;

const SECOND: u64 = 1_000_000;

/// A revocation list by hash, or of a European root, that was made.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatestCrl {
    /// Number of the list.
    pub serial: u32,
    /// Time of issue: seconds of TAI since 2004.
    pub issued: u32,
}

/// A revocation list by linkage values that was made.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatestLinkedCrl {
    /// The first week that it revokes.
    pub period: u16,
    /// Number of lists of this week before it.
    pub index: u8,
    /// Time of issue: seconds of TAI since 2004; 0 in files of earlier versions.
    #[serde(default)]
    pub issued: u32,
    /// Number of vehicles that were revoked by then, of earlier versions: each vehicle says now if
    /// a list has it.
    #[serde(default, rename = "vehicles", skip_serializing)]
    _vehicles: usize,
}

/// A trust list that was made.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatestCtlFile {
    /// Its number, modulo 256.
    pub sequence: u8,
    /// Time of issue: seconds of TAI since 2004.
    pub issued: u32,
    /// The rest of the time in microseconds: receivers compare it, too.
    #[serde(default)]
    pub microseconds: u32,
}

/// A kind of list that is numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberedList {
    /// The revocation list by hash.
    Crl,
    /// The trust list of a European root.
    Ctl,
}

/// Order of lists by linkage values at receivers: time, first period, number of the period.
pub type LinkedOrder = (u32, u16, u8);

impl LatestLinkedCrl {
    /// Keeps the order of a list that is made.
    pub fn new((issued, period, index): LinkedOrder) -> Self {
        Self {
            period,
            index,
            issued,
            _vehicles: 0,
        }
    }

    /// Returns its order at receivers.
    pub fn order(&self) -> LinkedOrder {
        (self.issued, self.period, self.index)
    }
}

impl LatestCtlFile {
    /// Returns the time of issue.
    pub fn made(&self) -> Time64 {
        Time64(u64::from(self.issued) * SECOND + u64::from(self.microseconds))
    }
}
