//! Bus time by purpose: application data as it would be without authentication, and the additions
//! of security.

use std::collections::BTreeMap;

use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can::{FdFlags, Format, Frame, Id};
use waywarden_can_auth::paired::WireForm;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_vehicle_file::{AuthenticationProtocol, Protection, VehicleFile};
use waywarden_vehicle_trace::Fact;

/// Bus time of frames and their intermissions by purpose, in picoseconds. The sum is the busy time
/// of the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusyByPurpose {
    /// Frames of streams, as long as they would be without freshness and code.
    pub streams: u64,
    /// Additions of freshness and code to these frames, and frames of their own for codes,
    /// questions and answers.
    pub authenticators: u64,
    /// Announcements of freshness.
    pub freshness: u64,
    /// Exchanges of keys.
    pub keys: u64,
    /// Frames of attackers and replays, warnings of gateways.
    pub other: u64,
}

/// Purpose of a frame with a known identifier.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    /// A message of a stream: without authentication it had this identifier and length.
    Stream { id: Id, length: usize },
    /// Only authentication.
    Authenticator,
    /// An announcement of freshness.
    Freshness,
}

/// Tracks the purposes of frames.
#[derive(Debug, Default)]
pub(super) struct Purposes {
    buses: Vec<(BitTiming, FdVariant)>,
    /// Purposes by bus, and identifier as controllers compare it.
    ids: BTreeMap<(usize, u32), Purpose>,
    /// Stream whose messages have the command zero, by the beginning of the 29-bit identifiers of
    /// authentication.
    bases: BTreeMap<u16, Option<Purpose>>,
    /// Replays and attackers that send are the ECUs from this one on.
    outside_from: usize,
    pub(super) busy: Vec<BusyByPurpose>,
}

impl BusyByPurpose {
    /// Returns the bus time that security adds, in picoseconds.
    #[must_use]
    pub const fn security(&self) -> u64 {
        self.authenticators + self.freshness + self.keys
    }
}

impl Purposes {
    pub(super) fn of(file: &VehicleFile, config: &Config<Fact>) -> Self {
        let buses = config.buses.iter().map(|bus| (bus.timing, bus.variant));
        let mut purposes = Purposes {
            buses: buses.collect(),
            outside_from: file.ecus.len(),
            busy: vec![BusyByPurpose::default(); config.buses.len()],
            ..Purposes::default()
        };
        purposes.know_streams(file);
        purposes.know_authentication(file);
        purposes
    }

    fn know(&mut self, bus: usize, id: Id, purpose: Purpose) {
        self.ids.insert((bus, acceptance_key(id)), purpose);
    }

    fn know_streams(&mut self, file: &VehicleFile) {
        for stream in &file.streams {
            let id = stream.id.value;
            let length = usize::from(stream.length);
            for bus in stream.carried.iter().map(|carried| carried.bus.0) {
                self.know(bus, id, Purpose::Stream { id, length });
                match (stream.protection, id) {
                    (Protection::Separate { id, .. }, _) => {
                        self.know(bus, id, Purpose::Authenticator);
                    }
                    // The tag has the identifier above.
                    (Protection::Paired(WireForm::Vatican), Id::Standard(own)) => {
                        if let Ok(tag) = Id::standard(own.raw() | 1) {
                            self.know(bus, tag, Purpose::Authenticator);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn know_authentication(&mut self, file: &VehicleFile) {
        self.bases
            .extend(file.tag_bases().map(|(base, _)| (base, None)));
        for table in &file.authentications {
            for &at in &table.streams {
                let stream = file.stream(at);
                if let Id::Standard(own) = stream.id.value {
                    let (id, length) = (stream.id.value, usize::from(stream.length));
                    let purpose = Purpose::Stream { id, length };
                    self.bases
                        .entry(own.raw())
                        .and_modify(|one| *one = Some(purpose));
                }
            }
            let AuthenticationProtocol::Secoc(secoc) = &table.protocol else {
                continue;
            };
            if let Some(master) = &secoc.master {
                for bus in &master.buses {
                    self.know(bus.0, Id::Standard(master.id), Purpose::Freshness);
                }
            }
        }
    }

    fn purpose(&self, bus: usize, id: Id) -> Option<Purpose> {
        if let Some(purpose) = self.ids.get(&(bus, acceptance_key(id))) {
            return Some(*purpose);
        }
        let Id::Extended(own) = id else {
            return None;
        };
        let stream = *self.bases.get(&own.base())?;
        let is_message = own.raw() >> 16 & 3 == 0;
        Some(
            stream
                .filter(|_| is_message)
                .unwrap_or(Purpose::Authenticator),
        )
    }

    /// Counts a frame that was sent: how long it and its intermission took, and whether it is one
    /// of a key protocol.
    pub(super) fn sent(
        &mut self,
        (bus, ecu): (BusIndex, EcuIndex),
        frame: &Frame,
        (busy, is_key): (u64, bool),
    ) {
        let is_outside = ecu.0 >= self.outside_from;
        let purpose = self.purpose(bus.0, frame.id());
        let plain = match purpose {
            Some(Purpose::Stream { id, length }) => self.plain(bus.0, frame, (id, length), busy),
            _ => busy,
        };
        let Some(sums) = self.busy.get_mut(bus.0) else {
            return;
        };
        match purpose {
            _ if is_outside => sums.other += busy,
            Some(Purpose::Stream { .. }) => {
                sums.streams += plain;
                sums.authenticators += busy - plain;
            }
            Some(Purpose::Authenticator) => sums.authenticators += busy,
            Some(Purpose::Freshness) => sums.freshness += busy,
            None if is_key => sums.keys += busy,
            None => sums.other += busy,
        }
    }

    /// Returns how long a frame and its intermission would have taken without freshness and code:
    /// exactly, bit by bit, of the same payload. Of an encrypted one the payload is taken as it
    /// was sent.
    fn plain(&self, bus: usize, frame: &Frame, (id, length): (Id, usize), busy: u64) -> u64 {
        let data = frame.data();
        if data.len() <= length && frame.id() == id {
            return busy;
        }
        let data = data.get(..length).unwrap_or(data);
        let plain = match frame.format() {
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => Frame::fd_with(
                id,
                data,
                FdFlags {
                    bit_rate_switch,
                    error_state_indicator,
                },
            ),
            _ => Frame::classic(id, data),
        };
        let (Ok(plain), Some((timing, variant))) = (plain, self.buses.get(bus)) else {
            return busy;
        };
        let lasts = duration(&frame_length(&plain, *variant), timing);
        (lasts.get() + timing.intermission().get()).min(busy)
    }
}
