//! One event of a station as a line of JSON.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_input::records::show;
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, Reception, ReceptionVerdict, drop_name};
use waywarden_v2x_station::content::StationMessageKind;

use super::super::identifiers::{id, link};

/// A line of JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct Line {
    /// Microseconds since 2004, TAI.
    pub(super) time_us: u64,
    pub(super) station: usize,
    #[serde(flatten)]
    pub(super) event: Fields,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Fields {
    Sent {
        origin: &'static str,
        psid: u64,
        bytes: usize,
        frame: String,
    },
    Heard(Box<Heard>),
    Dropped {
        origin: &'static str,
        cause: &'static str,
    },
    Unreadable {
        origin: &'static str,
        reason: String,
    },
    OwnAddress {
        origin: &'static str,
    },
    PseudonymChanged {
        certificate: String,
        silent_until_us: u64,
    },
    NotSigned {
        psid: u64,
        reason: String,
    },
    CommandRefused {
        reason: String,
    },
    /// The station stopped sending or receiving.
    Impaired {
        /// Name of the cause.
        code: &'static str,
        reason: String,
    },
    /// The cause is over.
    Recovered {
        code: &'static str,
        reason: String,
    },
    /// The source of time and position reports a fault that does not stop the station.
    ClockWarning {
        /// Name of the fault.
        code: &'static str,
        reason: String,
    },
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Heard {
    pub(super) origin: &'static str,
    pub(super) link: String,
    pub(super) result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// Result of the comparison of payload and certificate: `passed`, `failed` or `not-checked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payload_check: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Kind of an accepted message, as `cam`, `spatem` or `tim`; `other` if it is not known.
    pub(super) kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) station_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latitude_degrees: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) longitude_degrees: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) speed_metres_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heading_degrees: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) road_event: Option<RoadEvent>,
    pub(super) is_new_neighbour: bool,
    pub(super) latency_us: u64,
    pub(super) frame: String,
}

/// Event that a DENM reports.
#[derive(Serialize, JsonSchema)]
pub(super) struct RoadEvent {
    originating_station_id: u32,
    sequence_number: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause_code: Option<u8>,
    is_over: bool,
}

impl Fields {
    pub(super) fn of(event: &NeighbourhoodEvent) -> Self {
        match event {
            NeighbourhoodEvent::Sent { psid, frame } => Self::Sent {
                origin: frame.origin.name(),
                psid: psid.0,
                bytes: frame.bytes.len(),
                frame: show(&frame.bytes),
            },
            NeighbourhoodEvent::Heard(reception) => Self::Heard(Box::new(Heard::of(reception))),
            NeighbourhoodEvent::Dropped { origin, cause, .. } => Self::Dropped {
                origin: origin.name(),
                cause: drop_name(*cause),
            },
            NeighbourhoodEvent::Unreadable { origin, reason } => Self::Unreadable {
                origin: origin.name(),
                reason: reason.clone(),
            },
            NeighbourhoodEvent::OwnAddress { origin } => Self::OwnAddress {
                origin: origin.name(),
            },
            NeighbourhoodEvent::PseudonymChanged {
                certificate,
                silent_until,
            } => Self::PseudonymChanged {
                certificate: id(certificate),
                silent_until_us: silent_until.0,
            },
            NeighbourhoodEvent::NotSigned { psid, reason } => Self::NotSigned {
                psid: psid.0,
                reason: reason.clone(),
            },
            NeighbourhoodEvent::CommandRefused { reason } => Self::CommandRefused {
                reason: reason.clone(),
            },
            NeighbourhoodEvent::ClockWarning { code, reason } => Self::ClockWarning {
                code,
                reason: reason.clone(),
            },
            NeighbourhoodEvent::Impaired(cause) => Self::Impaired {
                code: cause.code(),
                reason: cause.to_string(),
            },
            NeighbourhoodEvent::Recovered(cause) => Self::Recovered {
                code: cause.code(),
                reason: cause.to_string(),
            },
        }
    }
}

impl Heard {
    pub(super) fn of(reception: &Reception) -> Self {
        let content = reception.content;
        let place = content.and_then(|one| one.place);
        let degrees = |value: i32| f64::from(value) / 1e7;
        let kind = content.map(|one| match one.kind.name() {
            Some(name) => name.to_lowercase(),
            None => "other".to_owned(),
        });
        Self {
            origin: reception.frame.origin.name(),
            link: link(reception.link),
            result: reception.verdict.name(),
            reason: match &reception.verdict {
                ReceptionVerdict::Accepted { .. } => None,
                ReceptionVerdict::Refused { reason, .. }
                | ReceptionVerdict::PayloadRefused { reason }
                | ReceptionVerdict::Unanswered(reason) => Some(reason.clone()),
            },
            payload_check: match &reception.verdict {
                ReceptionVerdict::Accepted { payload_check, .. } => *payload_check,
                ReceptionVerdict::PayloadRefused { .. } => Some("failed"),
                ReceptionVerdict::Refused { .. } | ReceptionVerdict::Unanswered(_) => None,
            },
            signer: match &reception.verdict {
                ReceptionVerdict::Accepted { signer, .. } => Some(id(signer)),
                _ => None,
            },
            kind,
            station_id: content.and_then(|one| one.station),
            latitude_degrees: place.map(|place| degrees(place.latitude.0)),
            longitude_degrees: place.map(|place| degrees(place.longitude.0)),
            speed_metres_per_second: content
                .and_then(|one| one.speed_cm_s)
                .map(|speed| f64::from(speed) / 100.0),
            heading_degrees: content
                .and_then(|one| one.heading_decidegrees)
                .map(|heading| f64::from(heading) / 10.0),
            road_event: content.and_then(|one| match one.kind {
                StationMessageKind::Denm(notice) => Some(RoadEvent {
                    originating_station_id: notice.action.station_id,
                    sequence_number: notice.action.number,
                    cause_code: notice.cause,
                    is_over: notice.is_over,
                }),
                _ => None,
            }),
            is_new_neighbour: reception.is_new,
            latency_us: u64::try_from(reception.latency.as_micros()).unwrap_or(u64::MAX),
            frame: show(&reception.frame.bytes),
        }
    }
}
