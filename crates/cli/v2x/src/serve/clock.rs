//! The service's time source, as configured in `[time]`.

use std::sync::Arc;

use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_service::config::{FixedPosition, TimeSection, TimeSourceName};
use waywarden_v2x_service::leap_file;
use waywarden_v2x_time::clock::ClockSettings;
use waywarden_v2x_time::gpsd::{Gpsd, GpsdSettings};
use waywarden_v2x_time::system::{SystemClock, SystemSettings};
use waywarden_v2x_time::{StationPosition, TimeSource};
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::time;

/// A time source, which logs its own events.
pub(super) enum Source {
    System(Arc<SystemClock>),
    Gpsd(Arc<Gpsd>),
}

impl Source {
    /// Creates the time source and starts its threads.
    pub(super) fn start(section: &TimeSection) -> Result<Self, Failure> {
        let leap_seconds = leap_seconds(section)?;
        report(&leap_seconds);
        // The sources log their events themselves, and metrics poll the state.
        let observe = |_: &_| ();
        match section.source {
            TimeSourceName::System => {
                let clock = SystemClock::new(system(section), leap_seconds, observe);
                Ok(Self::System(Arc::new(clock)))
            }
            TimeSourceName::Gpsd => {
                let started = Gpsd::start(gpsd(section), leap_seconds, observe);
                let failed = |error| Failure::new(format_args!("[time] gpsd: {error}"));
                Ok(Self::Gpsd(Arc::new(started.map_err(failed)?)))
            }
        }
    }

    /// Returns the source as a trait object, for everything that reads the time.
    pub(super) fn time(&self) -> Arc<dyn TimeSource> {
        match self {
            Self::System(clock) => Arc::<SystemClock>::clone(clock),
            Self::Gpsd(gpsd) => Arc::<Gpsd>::clone(gpsd),
        }
    }

    /// Replaces the table of leap seconds.
    pub(super) fn set_leap_seconds(&self, leap_seconds: LeapSeconds) {
        match self {
            Self::System(clock) => clock.set_leap_seconds(leap_seconds),
            Self::Gpsd(gpsd) => gpsd.set_leap_seconds(leap_seconds),
        }
    }
}

/// Reads the table of leap seconds that a configuration names, or returns the built-in one.
pub(super) fn leap_seconds(section: &TimeSection) -> Result<LeapSeconds, Failure> {
    match &section.leap_seconds {
        None => Ok(LeapSeconds::built_in()),
        Some(path) => leap_file::load(path)
            .map_err(|error| Failure::new(format_args!("[time] leap_seconds: {error}"))),
    }
}

/// Returns a warning if the table of leap seconds has expired or is about to expire.
pub(super) fn expiry_note(leap_seconds: &LeapSeconds, now: Time64) -> Option<String> {
    let expiry = leap_file::expires_soon(leap_seconds, now)?;
    let verb = if now < expiry { "expires" } else { "expired" };
    Some(format!(
        "[time] leap_seconds: the table {verb} at {}; install a new leap-seconds.list",
        time::show(expiry)
    ))
}

/// Logs a warning if the table of leap seconds has expired or is about to expire.
pub(super) fn report(leap_seconds: &LeapSeconds) {
    if let Some(note) = expiry_note(leap_seconds, time::now()) {
        tracing::warn!("{note}");
    }
}

fn system(section: &TimeSection) -> SystemSettings {
    SystemSettings {
        synchronized_file: section.synchronized_file.clone(),
        max_backward_step: section.max_backward_step,
        max_step: section.max_system_step,
        require_leap_seconds: section.require_leap_seconds,
        position: section.position.map(position),
    }
}

fn gpsd(section: &TimeSection) -> GpsdSettings {
    // The configuration parser has checked that there is a port.
    let (host, port) = section.gpsd.rsplit_once(':').unwrap_or_default();
    GpsdSettings {
        host: host.trim_matches(['[', ']']).to_owned(),
        port: port.parse().unwrap_or_default(),
        device: section.device.clone(),
        max_silence: section.max_silence,
        clock: ClockSettings {
            max_age: section.max_age,
            max_extrapolation: section.max_extrapolation,
            max_speed: f64::from(section.max_speed),
            max_time_step: section.max_step,
            recovery: section.recovery,
            max_system_difference: Some(section.max_system_difference),
            require_system_agreement: section.require_system_agreement,
            max_system_step: section.max_system_step,
            require_leap_seconds: section.require_leap_seconds,
        },
    }
}

fn position(fixed: FixedPosition) -> StationPosition {
    // The configuration parser has checked the ranges.
    let tenths_of_microdegrees = |degrees: f64| (degrees * 1e7).round() as i32;
    let elevation = Elevation::from_decimetres((fixed.elevation * 10.0).round() as i32);
    StationPosition::at(ThreeDLocation {
        latitude: Latitude(tenths_of_microdegrees(fixed.latitude)),
        longitude: Longitude(tenths_of_microdegrees(fixed.longitude)),
        elevation: elevation.unwrap_or(Elevation(0)),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use waywarden_v2x_service::config::Config;

    use super::*;

    fn section(keys: &str) -> TimeSection {
        let text = format!("[sockets]\nstream = \"s\"\n[time]\n{keys}");
        Config::parse(&text, Path::new("s.toml")).unwrap().time
    }

    #[test]
    fn an_empty_section_has_the_defaults_of_the_library() {
        assert_eq!(system(&section("")), SystemSettings::default());
        assert_eq!(gpsd(&section("")), GpsdSettings::default());
    }

    #[test]
    fn keys_arrive_in_the_settings_of_their_name() {
        let section = section(
            "max_backward_step = \"7ms\"\nmax_system_step = \"8ms\"\nmax_silence = \"9s\"\n\
             device = \"/dev/ttyACM0\"\n",
        );
        let milliseconds = Duration::from_millis;
        let system = system(&section);
        assert_eq!(system.max_backward_step, milliseconds(7));
        assert_eq!(system.max_step, milliseconds(8));
        let gpsd = gpsd(&section);
        assert_eq!(gpsd.clock.max_system_step, milliseconds(8));
        assert_eq!(gpsd.max_silence, milliseconds(9_000));
        assert_eq!(gpsd.device.as_deref(), Some("/dev/ttyACM0"));
    }
}
