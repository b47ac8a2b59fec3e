//! Verification of messages by a car, one after the other, and what they ask for.

use std::collections::BTreeMap;

use waywarden_traffic_stations::{CertificateSource, NoCertificate, station_time};
use waywarden_v2x_security::{Capacity, ReceptionContext, Verifier};
use waywarden_v2x_signing::{MessageSigner, Seed};
use waywarden_v2x_station::Motion;
use waywarden_v2x_station::content::{MessageContent, StationMessageKind};
use waywarden_v2x_wire::ieee1609dot2::TwoDLocation;
use waywarden_vehicle_file::V2x;

use crate::outcome::CarOutcome;
use crate::station::DANGEROUS_SITUATION;

/// Messages that wait for verification at most.
const WAITING_MOST: u64 = 64;
/// Speeds of one station are compared over at most this time, in microseconds.
const COMPARED_MOST_US: u64 = 1_100_000;
/// Greatest difference of headings of vehicles in one direction, in tenths of a degree.
const TURNED_MOST: u16 = 450;
/// Metres of 1e-7 degrees of latitude.
const METRES_OF_UNIT: f64 = 0.011_132;

/// The verifier of a car and what it has heard.
pub(crate) struct Judge {
    verifier: Verifier,
    verification_ns: u64,
    /// End of the last verification.
    busy_until_ns: u64,
    /// By station: generation of its last CAM in microseconds, and its speed in cm/s.
    speeds: BTreeMap<u32, (u64, u16)>,
}

impl Judge {
    pub(crate) fn new(
        certificates: &impl CertificateSource,
        verification_ns: u64,
    ) -> Result<Self, NoCertificate> {
        let mut verifier = Verifier::new(Capacity::DEFAULT);
        certificates.trust(&mut verifier)?;
        Ok(Self {
            verifier,
            verification_ns,
            busy_until_ns: 0,
            speeds: BTreeMap::new(),
        })
    }

    /// Takes a message into the queue; returns the end of its verification, or `None` if too many
    /// wait.
    pub(crate) fn queue(&mut self, time_ns: u64) -> Option<u64> {
        let begin = self.busy_until_ns.max(time_ns);
        if begin - time_ns > WAITING_MOST * self.verification_ns {
            return None;
        }
        self.busy_until_ns = begin + self.verification_ns;
        Some(self.busy_until_ns)
    }

    /// Verifies a message, which ends at this time. Returns true if it asks for braking, `None` if
    /// it is refused.
    pub(crate) fn verify(
        &mut self,
        spdu: &[u8],
        signer: &mut MessageSigner,
        (own, v2x): (&Motion, &V2x),
        (time_ns, outcome): (u64, &mut CarOutcome),
    ) -> Option<bool> {
        let now = station_time(time_ns);
        let verdict = self.verifier.verify(spdu, &ReceptionContext::at(now));
        let read = match &verdict {
            Ok(accepted) => {
                outcome.verified += 1;
                let header = &accepted.data.tbs_data.header_info;
                let data = accepted.data.tbs_data.payload.data.as_ref();
                let content = data.and_then(|data| data.view().ok());
                let content = content.and_then(|data| match data.content {
                    waywarden_v2x_wire::ieee1609dot2::Ieee1609Dot2Content::Unsecured(payload) => {
                        Some(MessageContent::of(header.psid, payload))
                    }
                    _ => None,
                });
                Some((content, header.generation_time.map_or(now.0, |time| time.0)))
            }
            Err(refusal) => {
                let code = format!("{:?}", refusal.code);
                *outcome.refused.entry(code).or_default() += 1;
                None
            }
        };
        let seed = Seed::new([0; 32]);
        let _ = signer.observe(&mut self.verifier, spdu, verdict.as_ref(), (now, &seed));
        let (content, generated_us) = read?;
        Some(content.is_some_and(|content| self.asks(&content, generated_us, (own, v2x))))
    }

    /// Returns true if a verified message says that a vehicle ahead brakes hard.
    fn asks(
        &mut self,
        content: &MessageContent,
        generated_us: u64,
        (own, v2x): (&Motion, &V2x),
    ) -> bool {
        let is_hard = match content.kind {
            StationMessageKind::Cam => self.has_slowed(content, generated_us, v2x),
            StationMessageKind::Denm(notice) => {
                notice.cause == Some(DANGEROUS_SITUATION) && !notice.is_over
            }
            _ => false,
        };
        let turned = own.heading_decidegrees.zip(content.heading_decidegrees);
        let is_opposed = turned.is_some_and(|(one, other)| {
            let turned = one.abs_diff(other) % 3_600;
            turned.min(3_600 - turned) > TURNED_MOST
        });
        let place = content.place;
        is_hard && !is_opposed && place.is_some_and(|place| is_ahead(own, &place, v2x.within_m))
    }

    /// Compares the speed of a CAM with that of the station's CAM before.
    fn has_slowed(&mut self, content: &MessageContent, generated_us: u64, v2x: &V2x) -> bool {
        let Some((station, speed)) = content.station.zip(content.speed_cm_s) else {
            return false;
        };
        let Some((before_us, before)) = self.speeds.insert(station, (generated_us, speed)) else {
            return false;
        };
        let passed_us = generated_us.saturating_sub(before_us);
        let slower = f64::from(before) - f64::from(speed);
        let hard_cm_s2 = f64::from(v2x.hard_braking_m_s2) * 100.0;
        passed_us > 0
            && passed_us <= COMPARED_MOST_US
            && slower / (passed_us as f64 / 1e6) >= hard_cm_s2
    }
}

/// Returns true if a place is ahead of a vehicle, within this distance.
fn is_ahead(own: &Motion, place: &TwoDLocation, within_m: u32) -> bool {
    let latitude = f64::from(own.location.latitude.0) / 1e7;
    let north = f64::from(place.latitude.0 - own.location.latitude.0) * METRES_OF_UNIT;
    let east = f64::from(place.longitude.0 - own.location.longitude.0)
        * METRES_OF_UNIT
        * latitude.to_radians().cos();
    let heading = own.heading_decidegrees.map(|one| f64::from(one) / 10.0);
    let is_ahead = heading.is_none_or(|degrees| {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        east * sine + north * cosine > 0.0
    });
    is_ahead && east.hypot(north) <= f64::from(within_m)
}
