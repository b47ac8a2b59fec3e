//! Detection of the format of a file of tracks.

use crate::nmea::is_address;
use crate::text;

/// The first bytes of a file, which show its format: a log of a receiver can begin with remarks, or
/// with a binary protocol.
const BEGIN: usize = text::BEGIN as usize;

/// Sentences that a receiver of satellites reports, behind their talker.
const SENTENCES: [&str; 9] = [
    "RMC,", "GGA,", "GLL,", "GNS,", "GSA,", "GSV,", "VTG,", "ZDA,", "TXT,",
];

/// File format of tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackFormat {
    /// GPX 1.0 or 1.1.
    Gpx,
    /// NMEA 0183.
    Nmea,
    /// CSV with a line of names.
    Delimited,
    /// SUMO's floating car data as XML.
    SumoXml,
    /// SUMO's floating car data as CSV.
    SumoDelimited,
}

impl TrackFormat {
    /// Returns what a position of it needs.
    pub(crate) fn position(self) -> &'static str {
        match self {
            Self::Gpx => {
                "a <trkpt> with a <time>; points of routes and waypoints are not of a vehicle"
            }
            Self::Nmea => "an RMC with a fix, or a GGA or GLL with a fix beside a ZDA",
            Self::Delimited => "a line with time, latitude and longitude",
            Self::SumoXml | Self::SumoDelimited => "a time step with a vehicle",
        }
    }

    /// Tells whether it is floating car data of SUMO.
    #[must_use]
    pub fn is_fcd(self) -> bool {
        matches!(self, Self::SumoXml | Self::SumoDelimited)
    }
}

/// Detects the format of a file by its begin; `None` if it is none of them.
#[must_use]
pub fn detect(begin: &[u8]) -> Option<TrackFormat> {
    let begin = String::from_utf8_lossy(&begin[..begin.len().min(BEGIN)]);
    let begin = begin.trim_start_matches('\u{feff}').trim_start();
    if begin.starts_with('<') {
        let at = |name: &str| begin.find(name);
        // The elements of GPX can have a prefix.
        let is_gpx = || begin.contains("<gpx") || begin.contains(":gpx");
        // SUMO's options stand in a comment before the first element.
        return match (at("<fcd-export"), is_gpx(), at("fcd-output")) {
            (Some(_), _, _) | (None, false, Some(_)) => Some(TrackFormat::SumoXml),
            (None, true, _) => Some(TrackFormat::Gpx),
            (None, false, None) => None,
        };
    }
    let is_sentence = |line: &str| {
        let address = line.strip_prefix('$').and_then(|line| line.split_once(','));
        address.is_some_and(|(address, _)| is_address(address.as_bytes()))
    };
    let begins_sentence = |(at, _): (usize, &str)| {
        let kind = begin.get(at + 3..at + 7);
        kind.is_some_and(|kind| SENTENCES.contains(&kind))
    };
    if begin.lines().take(20).any(is_sentence) || begin.match_indices('$').any(begins_sentence) {
        return Some(TrackFormat::Nmea);
    }
    let is_comment = |line: &&str| line.starts_with('#') || line.trim().is_empty();
    let names = begin.lines().find(|line| !is_comment(line))?;
    let names = names.to_ascii_lowercase();
    match () {
        () if names.contains("timestep_time") => Some(TrackFormat::SumoDelimited),
        () if names.contains("lat") && names.contains([',', ';', '\t']) => {
            Some(TrackFormat::Delimited)
        }
        () => None,
    }
}
