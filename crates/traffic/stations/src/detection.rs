//! Detection of misbehaviour by one vehicle.

use std::collections::HashMap;

use waywarden_traffic_lab::MessageReception;
use waywarden_traffic_lab::radio::PlanePoint;
use waywarden_v2x_misbehaviour::{Claim, Detector, Observer, SenderId, Thresholds};

use crate::figures::DetectionFigures;
use crate::messages::SentMessage;
use crate::motion::BEGIN_US;

/// Senders that a vehicle remembers: more than there are in reach of a radio on full roads.
const SENDERS_MOST: usize = 1_024;

/// The detector of a vehicle, and since when it has heard each vehicle.
#[derive(Clone, Debug)]
pub(crate) struct Detection {
    detector: Detector,
    /// By vehicle: time of the first message in ns, and true if one was suspicious since.
    heard: HashMap<usize, (u64, bool)>,
}

impl Detection {
    pub(crate) fn new(thresholds: Thresholds) -> Self {
        Self {
            detector: Detector::new(thresholds, SENDERS_MOST),
            heard: HashMap::new(),
        }
    }

    /// Assesses an accepted message; returns true if its sender is suspicious.
    pub(crate) fn observe(
        &mut self,
        own: &PlanePoint,
        reception: &MessageReception,
        message: &SentMessage,
        figures: &mut DetectionFigures,
    ) -> bool {
        let Some(claimed) = &message.claimed else {
            return false;
        };
        let observer = Observer {
            x_m: own.x_m,
            y_m: own.y_m,
        };
        let claim = Claim {
            received_us: reception.time_ns / 1_000,
            generated_us: message.generated_us.saturating_sub(BEGIN_US),
            x_m: claimed.place.x_m,
            y_m: claimed.place.y_m,
            position_confidence_m: message.position_error_m,
            speed_m_s: claimed.speed_m_s,
            acceleration_m_s2: claimed.acceleration_m_s2,
            heading_degrees: claimed.heading_degrees,
            yaw_rate_degrees_s: claimed.turn_degrees_s,
            ..Claim::default()
        };
        let sender = SenderId::from(message.id.0);
        let found = self.detector.observe(&observer, sender, &claim);
        figures.assessed += 1;
        for finding in found.iter() {
            *figures.findings.entry(finding.class).or_default() += 1;
        }
        let is_suspicious = found.is_suspicious();
        figures.suspicious += u64::from(is_suspicious);
        let now_ns = reception.time_ns;
        let (since_ns, was) = self.heard.entry(reception.sender).or_insert_with(|| {
            figures.pairs += 1;
            (now_ns, false)
        });
        if is_suspicious && !*was {
            *was = true;
            let delay = now_ns.saturating_sub(*since_ns);
            figures.pairs_suspicious += 1;
            figures.delay_ns.0 += delay;
            figures.delay_ns.1 = figures.delay_ns.1.max(delay);
        }
        is_suspicious
    }
}
