//! Congestion control of a station \[TS 102 687\], by the frames that it sees.

use std::time::Duration;

use waywarden_v2x_congestion::{
    Algorithm, BusyMeter, BusyRatio, ChannelControl, DccMcoField, MEASUREMENT_US, NeighbourRatios,
    airtime_us,
};
use waywarden_v2x_station::Station;
use waywarden_v2x_wire::coer;
use waywarden_v2x_wire::geonet::{ExtendedHeader, NetworkPacket};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::channel_summary::ChannelSummary;
use crate::frame::EthernetFrame;

use super::Participant;

/// MAC header, header of the logical link and check sequence of a frame on the air, less the header
/// of Ethernet that is not \[802.11 §9.3.2\].
const LONGER_ON_AIR: usize = 26 + 8 + 4 - 14;

/// Congestion control of a station. The channel counts as busy while a frame lasts that the station
/// sends or hears: links carry frames and no power, so what it cannot read is not counted.
pub(super) struct Congestion {
    control: ChannelControl,
    meter: BusyMeter,
    heard: NeighbourRatios,
    /// Time of the last measurement; `None` before the first step.
    measured: Option<Duration>,
    /// Time of the last own frame on the air, in microseconds.
    airtime_us: u64,
    pub(super) summary: ChannelSummary,
}

impl Congestion {
    fn new(algorithm: Algorithm) -> Self {
        Self {
            control: ChannelControl::new(algorithm),
            meter: BusyMeter::new(0),
            heard: NeighbourRatios::default(),
            measured: None,
            airtime_us: 0,
            summary: ChannelSummary::default(),
        }
    }

    /// A frame is on the air; returns for how long, in microseconds.
    pub(super) fn saw(&mut self, frame: &EthernetFrame) -> u64 {
        let airtime = airtime_us(frame.bytes.len() + LONGER_ON_AIR);
        self.meter.add(airtime);
        airtime
    }

    /// An own frame is on the air.
    pub(super) fn sent(&mut self, frame: &EthernetFrame, now: Duration) {
        self.airtime_us = self.saw(frame);
        self.control.sent(micros(now), self.airtime_us);
    }

    /// A message was accepted: its packet may have the ratios of its sender. Those of a message
    /// that did not verify would let a stranger silence the station.
    pub(super) fn accepted(&mut self, signer: HashedId8, payload: &[u8]) {
        let packet = coer::parse::<NetworkPacket<'_>>(payload);
        if let Ok(NetworkPacket {
            extended:
                ExtendedHeader::SingleHopBroadcast {
                    media_dependent, ..
                },
            ..
        }) = packet
        {
            let field = DccMcoField::from_bytes(media_dependent);
            self.heard.add(u64::from_be_bytes(signer.0), &field);
        }
    }

    /// Measures, once a measurement is over, and sets the times of the station. Returns whether a
    /// frame may be made now.
    pub(super) fn step(&mut self, station: &mut Station, now: Duration) -> bool {
        let begun = *self.measured.get_or_insert(now);
        if micros(now.saturating_sub(begun)) >= MEASUREMENT_US {
            self.measured = Some(now);
            // Frames that overlap, or come from several links, can last longer than the time.
            let ratio = self.meter.take(micros(now));
            let heard = std::mem::take(&mut self.heard);
            self.control.measured(heard.global(ratio), micros(now));
            self.count(ratio);
            let field = DccMcoField {
                own: ratio,
                neighbours: heard.one_hop(),
                power_dbm: 0,
            };
            station.set_media_dependent(field.to_bytes());
            let interval = self.control.interval_us(self.airtime_us);
            station.set_channel_limit(interval);
            station.set_safety_period(interval);
        }
        micros(now) >= self.control.opens_at_us()
    }

    fn count(&mut self, ratio: BusyRatio) {
        let summary = &mut self.summary;
        summary.measurements += 1;
        summary.sum += ratio.share();
        summary.greatest = summary.greatest.max(ratio.share());
        let interval = self.control.interval_us(self.airtime_us);
        summary.interval_us = summary.interval_us.max(interval);
    }
}

/// Returns a time in microseconds; it saturates after half a million years.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Participant {
    /// Has the station control how often it sends by how busy its channel is. Each packet to all in
    /// range tells its busy ratios.
    #[must_use]
    pub fn with_congestion_control(mut self, algorithm: Algorithm) -> Self {
        self.congestion = Some(Congestion::new(algorithm));
        self
    }
}
