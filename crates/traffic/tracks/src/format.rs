//! Which format a file of tracks has.

/// How many bytes of a file say which format it has.
const BEGIN: usize = 4_096;

/// How a file of tracks is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
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

impl Format {
    /// Tells whether it is floating car data of SUMO.
    #[must_use]
    pub fn is_fcd(self) -> bool {
        matches!(self, Self::SumoXml | Self::SumoDelimited)
    }
}

/// Tells the format of a file from its begin; `None` if it is none of them.
#[must_use]
pub fn detect(begin: &[u8]) -> Option<Format> {
    let begin = String::from_utf8_lossy(&begin[..begin.len().min(BEGIN)]);
    let begin = begin.trim_start_matches('\u{feff}').trim_start();
    if begin.starts_with('<') {
        let at = |name: &str| begin.find(name);
        // SUMO's options stand in a comment before the first element.
        return match (at("<fcd-export"), at("<gpx"), at("fcd-output")) {
            (Some(_), _, _) | (None, None, Some(_)) => Some(Format::SumoXml),
            (None, Some(_), _) => Some(Format::Gpx),
            (None, None, None) => None,
        };
    }
    let is_sentence = |line: &str| line.starts_with('$') && line.contains(',');
    if begin.lines().take(20).any(is_sentence) {
        return Some(Format::Nmea);
    }
    let is_comment = |line: &&str| line.starts_with('#') || line.trim().is_empty();
    let names = begin.lines().find(|line| !is_comment(line))?;
    let names = names.to_ascii_lowercase();
    match () {
        () if names.contains("timestep_time") => Some(Format::SumoDelimited),
        () if names.contains("lat") && names.contains([',', ';', '\t']) => Some(Format::Delimited),
        () => None,
    }
}
