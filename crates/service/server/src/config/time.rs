//! `[time]`: where time and position come from.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::quantity::{number_between, time_between};

/// Source of time and position, and conditions for trusting it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimeSection {
    /// The source: by default `system`.
    pub source: TimeSourceName,
    /// The host and port of gpsd: by default `127.0.0.1:2947`.
    pub gpsd: String,
    /// Greatest age of a fix: 10 ms to 1 h, by default 2 s.
    #[serde(deserialize_with = "time_between::<10_000, 3_600_000_000, _>")]
    pub max_age: Duration,
    /// Longest time after a fix for which a position is extrapolated: 100 ms to 10 s, by default
    /// 1.5 s.
    #[serde(deserialize_with = "time_between::<100_000, 10_000_000, _>")]
    pub max_extrapolation: Duration,
    /// Greatest jump of the time between fixes: 1 ms to 1 h, by default 200 ms.
    #[serde(deserialize_with = "time_between::<1_000, 3_600_000_000, _>")]
    pub max_step: Duration,
    /// Greatest speed of the station in m/s: 1 to 1,000, by default 100.
    #[serde(deserialize_with = "number_between::<1, 1_000, _, _>")]
    pub max_speed: u32,
    /// Number of consistent fixes after which a jump is over: 1 to 1,000, by default 10.
    #[serde(deserialize_with = "number_between::<1, 1_000, _, _>")]
    pub recovery: u32,
    /// Greatest difference between the time of gpsd and the system's clock without a report: 1 ms
    /// to 24 h, by default 5 s.
    #[serde(deserialize_with = "time_between::<1_000, 86_400_000_000, _>")]
    pub max_system_difference: Duration,
    /// True if nothing is signed while they differ more: by default false.
    pub require_system_agreement: bool,
    /// Greatest step of the system's clock without a report: 1 ms to 1 h, by default 500 ms.
    #[serde(deserialize_with = "time_between::<1_000, 3_600_000_000, _>")]
    pub max_system_step: Duration,
    /// Greatest backward step of the system's clock without distrust, as the source: 0 to 1 s, by
    /// default 50 ms.
    #[serde(deserialize_with = "time_between::<0, 1_000_000, _>")]
    pub max_backward_step: Duration,
    /// The receiver of gpsd that is listened to, as gpsd names it; by default all.
    pub device: Option<String>,
    /// Silence of gpsd after which the connection is closed: 1 s to 10 min, by default 10 s.
    #[serde(deserialize_with = "time_between::<1_000_000, 600_000_000, _>")]
    pub max_silence: Duration,
    /// A file that is there once the system's clock is synchronised, such as
    /// `/run/systemd/timesync/synchronized`; without it the clock is trusted.
    pub synchronized_file: Option<PathBuf>,
    /// A table of leap seconds (`leap-seconds.list` of IERS); by default the one that is built in.
    pub leap_seconds: Option<PathBuf>,
    /// True if nothing is signed once the table has expired: by default false.
    pub require_leap_seconds: bool,
    /// Position of a station that does not move.
    pub position: Option<FixedPosition>,
}

impl Default for TimeSection {
    fn default() -> Self {
        Self {
            source: TimeSourceName::System,
            gpsd: "127.0.0.1:2947".to_owned(),
            max_age: Duration::from_secs(2),
            max_extrapolation: Duration::from_millis(1_500),
            max_step: Duration::from_millis(200),
            max_speed: 100,
            recovery: 10,
            max_system_difference: Duration::from_secs(5),
            require_system_agreement: false,
            max_system_step: Duration::from_millis(500),
            max_backward_step: Duration::from_millis(50),
            device: None,
            max_silence: Duration::from_secs(10),
            synchronized_file: None,
            leap_seconds: None,
            require_leap_seconds: false,
            position: None,
        }
    }
}

/// A source of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeSourceName {
    /// The system's clock.
    #[default]
    System,
    /// gpsd.
    Gpsd,
}

/// The position of a station that does not move.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedPosition {
    /// Degrees north, -90 to 90.
    pub latitude: f64,
    /// Degrees east, -180 to 180.
    pub longitude: f64,
    /// Metres above the ellipsoid: -409.5 to 6,143.9, by default 0.
    #[serde(default)]
    pub elevation: f64,
}

impl TimeSection {
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(position) = &self.position {
            position.check()?;
        }
        let is_gpsd = self.source == TimeSourceName::Gpsd;
        if is_gpsd && self.position.is_some() {
            return Err(
                "[time] position: gpsd gives the position; leave it out, or give source = \
                 \"system\""
                    .to_owned(),
            );
        }
        if self.device.as_deref().is_some_and(str::is_empty) {
            return Err(
                "[time] device: is empty; give the name that gpsd has for the receiver, such as \
                 \"/dev/ttyACM0\", or leave it out"
                    .to_owned(),
            );
        }
        let is_address = self.gpsd.rsplit_once(':').is_some_and(|(host, port)| {
            let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
            let are_digits = port.bytes().all(|byte| byte.is_ascii_digit());
            is_host && are_digits && port.parse::<u16>().is_ok_and(|port| port != 0)
        });
        match is_address {
            true => Ok(()),
            false => Err(format!(
                "[time] gpsd: {:?} is no HOST:PORT, such as 127.0.0.1:2947",
                self.gpsd
            )),
        }
    }
}

impl FixedPosition {
    fn check(&self) -> Result<(), String> {
        let within = [
            ("latitude", self.latitude, -90.0, 90.0),
            ("longitude", self.longitude, -180.0, 180.0),
            ("elevation", self.elevation, -409.5, 6_143.9),
        ];
        for (name, value, least, most) in within {
            if !(least..=most).contains(&value) {
                return Err(format!(
                    "[time] position.{name}: {value} is out of range; {least} to {most}"
                ));
            }
        }
        Ok(())
    }
}
