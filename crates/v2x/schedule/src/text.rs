//! Policies as text, such as `class,circle:150m`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::area::ReceiverArea;
use super::policy::{CRITERIA_MAX, Criterion, Policy};

const FIFO: &str = "fifo";
const CLASS: &str = "class";
const DEADLINE: &str = "deadline";
const SAFETY: &str = "safety";
const EXCLUSIVE: &str = "exclusive";

/// Reason why a text is no policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// A word that names no criterion.
    Unknown(String),
    /// More criteria than [`CRITERIA_MAX`].
    TooMany,
    /// `exclusive` without an area.
    NoArea,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(word) => write!(
                formatter,
                "unknown policy {word:?}; policies: fifo, class, deadline, safety, \
                 circle:150m, ellipse:25x300m, sector:300m:90deg; several are separated by commas, the most \
                 important first; exclusive at the end verifies nothing from outside"
            ),
            Self::TooMany => write!(
                formatter,
                "more than {CRITERIA_MAX} criteria; leave out the last ones"
            ),
            Self::NoArea => {
                formatter.write_str("exclusive needs an area, such as circle:150m,exclusive")
            }
        }
    }
}

impl core::error::Error for PolicyError {}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let (list, is_exclusive) = match text.rsplit_once(',') {
            _ if text == EXCLUSIVE => return Err(PolicyError::NoArea),
            Some((list, EXCLUSIVE)) => (list, true),
            _ => (text, false),
        };
        let criteria: Vec<Criterion> = match list {
            FIFO => Vec::new(),
            _ => list.split(',').map(criterion).collect::<Result<_, _>>()?,
        };
        let has_area = criteria.iter().any(|one| matches!(one, Criterion::Area(_)));
        let policy = Self::new(&criteria).ok_or(PolicyError::TooMany)?;
        match (is_exclusive, has_area) {
            (false, _) => Ok(policy),
            (true, true) => Ok(policy.exclusive()),
            (true, false) => Err(PolicyError::NoArea),
        }
    }
}

fn criterion(word: &str) -> Result<Criterion, PolicyError> {
    match word {
        CLASS => Some(Criterion::Class),
        DEADLINE => Some(Criterion::Deadline),
        SAFETY => Some(Criterion::Safety),
        _ => area(word).map(Criterion::Area),
    }
    .ok_or_else(|| PolicyError::Unknown(word.to_string()))
}

fn area(word: &str) -> Option<ReceiverArea> {
    let (name, size) = word.split_once(':')?;
    match name {
        "circle" => Some(ReceiverArea::Circle {
            radius_m: metres(size)?,
        }),
        "ellipse" => {
            let (side, ahead) = size.split_once('x')?;
            Some(ReceiverArea::Ellipse {
                side_m: number(side)?,
                ahead_m: metres(ahead)?,
            })
        }
        "sector" => {
            let (radius, aperture) = size.split_once(':')?;
            Some(ReceiverArea::Sector {
                radius_m: metres(radius)?,
                aperture_degrees: number(aperture.strip_suffix("deg")?)?,
            })
        }
        _ => None,
    }
}

fn metres(text: &str) -> Option<u16> {
    number(text.strip_suffix('m')?)
}

/// Takes digits only: no sign, no point.
fn number(text: &str) -> Option<u16> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Criterion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class => formatter.write_str(CLASS),
            Self::Deadline => formatter.write_str(DEADLINE),
            Self::Safety => formatter.write_str(SAFETY),
            Self::Area(area) => area.fmt(formatter),
        }
    }
}

impl fmt::Display for ReceiverArea {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Circle { radius_m } => write!(formatter, "circle:{radius_m}m"),
            Self::Ellipse { side_m, ahead_m } => write!(formatter, "ellipse:{side_m}x{ahead_m}m"),
            Self::Sector {
                radius_m,
                aperture_degrees,
            } => write!(formatter, "sector:{radius_m}m:{aperture_degrees}deg"),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.criteria().next().is_none() {
            formatter.write_str(FIFO)?;
        }
        for (at, criterion) in self.criteria().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(formatter, "{comma}{criterion}")?;
        }
        match self.is_exclusive() {
            true => write!(formatter, ",{EXCLUSIVE}"),
            false => Ok(()),
        }
    }
}
