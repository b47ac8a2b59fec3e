//! The positions of all stations of the program, opened.

use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_neighbourhood::virtual_time::Scripted;
use waywarden_v2x_neighbourhood::{PositionAndTime, RingRoad};
use waywarden_v2x_pki::GeographicPoint;
use waywarden_v2x_station::VehicleType;
use waywarden_v2x_time::TimeSource;
use waywarden_v2x_wire::ieee1609dot2::{ThreeDLocation, Time64};

use super::clock::Warnings;
use super::position::PositionSource;
use super::tracks::{RecordingRead, Tracks};
use super::{StationCommand, clock};
use waywarden_command_line::exit::Failure;

/// The positions of all stations.
pub(super) enum Positions {
    Ring(RingRoad),
    Gpsd(Arc<dyn TimeSource>),
    Fixed(ThreeDLocation),
    Tracks(Tracks),
}

impl Positions {
    /// Opens what `--position` says. A source of time and position adds to the warnings.
    pub(super) fn open(options: &StationCommand, warnings: &Warnings) -> Result<Self, Failure> {
        match &options.position {
            PositionSource::Ring => Ok(Self::Ring(road(options))),
            PositionSource::Gpsd(host, port) => Ok(Self::Gpsd(clock::gpsd(host, *port, warnings)?)),
            PositionSource::Fixed(location) => Ok(Self::Fixed(*location)),
            PositionSource::Tracks(path) => Ok(Self::Tracks(Tracks::open(options, path)?)),
        }
    }

    /// The time and the position of a station in virtual time.
    pub(super) fn scripted(&self, station: usize, begin: Time64) -> Box<dyn PositionAndTime> {
        match self {
            Self::Tracks(tracks) => Box::new(clock::OnTrack {
                tracks: tracks.clone(),
                station,
                clock: clock::Clock::Virtual(begin),
            }),
            Self::Ring(road) => {
                let road = *road;
                Box::new(Scripted::new(begin, move |elapsed, time| {
                    Some(road.motion(station, elapsed, time))
                }))
            }
            Self::Gpsd(clock) => Box::new(clock::FromGpsd(Arc::clone(clock))),
            Self::Fixed(location) => {
                let location = *location;
                Box::new(Scripted::new(begin, move |_, time| {
                    Some(clock::standing(location, time))
                }))
            }
        }
    }

    /// The time and the position of a station in real time.
    pub(super) fn real(
        &self,
        station: usize,
        clock: &Arc<dyn TimeSource>,
    ) -> Box<dyn PositionAndTime> {
        let clock = Arc::clone(clock);
        match self {
            Self::Ring(road) => Box::new(clock::OnRing {
                road: *road,
                car: station,
                clock,
            }),
            Self::Gpsd(gpsd) => Box::new(clock::FromGpsd(Arc::clone(gpsd))),
            Self::Fixed(location) => Box::new(clock::AtPlace {
                location: *location,
                clock,
            }),
            Self::Tracks(tracks) => Box::new(clock::OnTrack {
                tracks: tracks.clone(),
                station,
                clock: clock::Clock::Real(clock),
            }),
        }
    }

    /// Returns the type of the stations: roadside units or cars.
    pub(super) fn vehicle(&self) -> VehicleType {
        match self {
            Self::Fixed(_) => VehicleType::ROADSIDE_UNIT,
            Self::Ring(_) | Self::Gpsd(_) | Self::Tracks(_) => VehicleType::CAR,
        }
    }

    /// The middle of where the stations are.
    pub(super) fn centre(&self) -> GeographicPoint {
        let place = |latitude: f64, longitude: f64| GeographicPoint {
            latitude: (latitude * 1e7) as i32,
            longitude: (longitude * 1e7) as i32,
        };
        match self {
            Self::Ring(road) => place(road.latitude, road.longitude),
            Self::Fixed(location) => GeographicPoint {
                latitude: location.latitude.0,
                longitude: location.longitude.0,
            },
            Self::Tracks(tracks) => {
                let (latitude, longitude) = tracks.begin();
                place(latitude, longitude)
            }
            Self::Gpsd(_) => place(0.0, 0.0),
        }
    }

    /// Returns counts of the recording that was read; `None` if the positions are of no file.
    pub(super) fn recording(&self) -> Option<RecordingRead> {
        match self {
            Self::Tracks(tracks) => Some(tracks.read()),
            Self::Ring(_) | Self::Gpsd(_) | Self::Fixed(_) => None,
        }
    }

    /// Returns the duration that the positions cover, if it has an end.
    pub(super) fn duration(&self, stations: usize) -> Option<Duration> {
        match self {
            Self::Tracks(tracks) => Some(tracks.duration(stations)),
            Self::Ring(_) | Self::Gpsd(_) | Self::Fixed(_) => None,
        }
    }
}

/// The road that all stations drive on, hostile ones included.
fn road(options: &StationCommand) -> RingRoad {
    let hostile = usize::from(!options.attack.is_empty());
    RingRoad {
        speed_m_s: options.speed,
        ..RingRoad::new(usize::from(options.stations) + hostile)
    }
}
