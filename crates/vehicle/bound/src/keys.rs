//! Frames of key exchanges as the analysis of a bus and of the processors counts them.
//!
//! The frames of one agreement count as if all came at once, so that no order and no pause of the
//! protocol matters. ECUs hold some of them in their transmit queues beside their streams' frames.

use std::collections::BTreeMap;

use waywarden_response_time::{AnalysedMessage, Limit, PortQueue, Priority};
use waywarden_vehicle_file::{Accept, BusIndex, EcuIndex, FrameFormat};

use crate::key_traffic::{KeyPace, KeyTraffic};
use waywarden_work::{Algorithm, Duration};

use crate::cpu::{self, Cost, Job, Task};
use crate::hops::{Hops, priority};
use crate::timing::{FrameTimes, at_least, at_most};

/// The least time that a key protocol waits for an answer.
const ANSWER: Duration = Duration::from_millis(10);
/// A time longer than any simulation, for what comes once: 53 days in picoseconds.
const ONCE: u64 = u64::MAX / 4;
/// Greatest input of a symmetric operation in a key exchange, in bytes.
const SEALED: u32 = 128;

/// Frames of a key table on the buses of a vehicle.
pub(crate) struct KeyMessages<'a> {
    pub(crate) traffic: &'a KeyTraffic,
    /// By bus, where it carries them.
    pub(crate) frames: Vec<Option<FrameTimes>>,
    period: u64,
    jitter: u64,
}

impl<'a> KeyMessages<'a> {
    pub(crate) fn of(hops: &Hops<'_>, traffic: &'a KeyTraffic) -> Self {
        let frame = |bus: usize| {
            let carried = traffic.buses.contains(&BusIndex(bus));
            carried.then(|| hops.buses[bus].key_frame(traffic.is_fd, traffic.bytes))
        };
        let frames: Vec<_> = (0..hops.buses.len()).map(frame).collect();
        let fastest = traffic.ecus.iter().map(|&ecu| hops.file.ecu(ecu).clock_ppm);
        let ppm = fastest.max().unwrap_or(0);
        let slowest = frames.iter().flatten().map(|one| one.shortest).max();
        let (period, jitter) = match traffic.pace {
            KeyPace::Once => (ONCE, 0),
            // The end of one agreement may stand before the beginning of the next.
            KeyPace::Each(period) => (at_least(period, ppm), at_most(period, ppm)),
            KeyPace::Answer(frames) => {
                let waits = slowest.unwrap_or(0).saturating_mul(2 * frames);
                let period = at_least(ANSWER, ppm).max(waits);
                // As late on the bus as the next one comes.
                (period, period)
            }
        };
        KeyMessages {
            traffic,
            frames,
            period: period.max(1),
            jitter,
        }
    }

    /// Returns them as a message of a bus, if it carries them.
    pub(crate) fn message(&self, bus: BusIndex, suspension: u64) -> Option<AnalysedMessage> {
        let frame = self.frames[bus.0]?;
        let key = |raw| waywarden_can::Id::extended(raw).map_or(u32::MAX, |id| priority(id).first);
        Some(AnalysedMessage {
            priority: Priority {
                first: key(self.traffic.first),
                last: key(self.traffic.last),
            },
            queue: PortQueue::Priority,
            period: Some(self.period),
            jitter: self.jitter,
            uncounted: 0,
            frame: frame.longest,
            burst: self.traffic.frames,
            suspension,
            phase: None,
        })
    }

    /// Returns true if an ECU sends or forwards these frames on a bus.
    pub(crate) fn are_in(&self, hops: &Hops<'_>, (ecu, bus): (EcuIndex, BusIndex)) -> bool {
        let is_carried = self.traffic.buses.contains(&bus);
        let is_party = self.traffic.ecus.contains(&ecu);
        is_carried && is_party && hops.file.ecu(ecu).ports.contains(&bus)
    }

    /// Returns the symmetric operations of an ECU for them. All other computing of key exchanges is
    /// less urgent than that of messages.
    fn operations(&self, hops: &Hops<'_>, ecu: EcuIndex) -> Option<Job> {
        let number = self.traffic.operations_of(ecu);
        if number == 0 {
            return None;
        }
        let ciphers = [Algorithm::Aes128Ctr, Algorithm::Aes256Gcm];
        let each = cpu::symmetric(hops.board(ecu), &ciphers, SEALED);
        Some(Job {
            task: Task::Mac,
            period: self.period,
            jitter: self.jitter,
            cost: Cost::on_core(each.saturating_mul(number)),
            limits: Vec::new(),
        })
    }
}

/// Returns how many key frames a port's queue holds at most, if it has room.
pub(crate) fn in_hand(
    all: &[KeyMessages<'_>],
    hops: &Hops<'_>,
    place: (EcuIndex, BusIndex),
) -> u64 {
    let mut tables: BTreeMap<&str, u64> = BTreeMap::new();
    for keys in all.iter().filter(|keys| keys.are_in(hops, place)) {
        let in_hand = keys.traffic.in_hand_of(place.0).unwrap_or(u64::MAX);
        let most = tables.entry(&keys.traffic.keys).or_default();
        *most = in_hand.max(*most);
    }
    tables.into_values().fold(0, u64::saturating_add)
}

/// Returns what key frames cost an ECU: driver calls as fast as its buses bring frames, and
/// symmetric operations.
pub(crate) fn jobs(all: &[KeyMessages<'_>], hops: &Hops<'_>, ecu: EcuIndex) -> Vec<Job> {
    let mut jobs: Vec<Job> = all
        .iter()
        .filter_map(|one| one.operations(hops, ecu))
        .collect();
    let own = hops.file.ecu(ecu);
    for &bus in &own.ports {
        let is_party = |one: &KeyMessages<'_>| one.traffic.ecus.contains(&ecu);
        let in_hand = in_hand(all, hops, (ecu, bus)).min(own.queue.length as u64);
        for (task, at_once) in [(Task::Receive, 1), (Task::Send, in_hand)] {
            let takes = |one: &&KeyMessages<'_>| {
                is_party(one) || (task == Task::Receive && own.accept == Accept::All)
            };
            let here: Vec<_> = all.iter().filter(takes).collect();
            let calls = here
                .iter()
                .filter_map(|one| one.call(hops, (ecu, bus), task));
            let carried = here.iter().filter(|one| one.frames[bus.0].is_some());
            let longest = carried.clone().filter_map(|one| one.frames[bus.0]);
            let longest = longest.map(|frame| frame.longest).max().unwrap_or(0);
            let cost = calls.clone().map(|(cost, _)| cost).max().unwrap_or(0);
            let fastest = calls.map(|(_, time)| time).min();
            jobs.extend(fastest.map(|period| Job {
                task,
                period,
                jitter: longest.saturating_mul(at_once + 1),
                cost: Cost::on_core(cost),
                limits: carried.map(|one| one.limit()).collect(),
            }));
        }
    }
    jobs
}

impl KeyMessages<'_> {
    const fn limit(&self) -> Limit {
        Limit {
            period: self.period,
            jitter: self.jitter,
            number: self.traffic.frames,
        }
    }

    /// Returns the cost of a driver call for such a frame, and the shortest time of the frame.
    fn call(
        &self,
        hops: &Hops<'_>,
        (ecu, bus): (EcuIndex, BusIndex),
        task: Task,
    ) -> Option<(u64, u64)> {
        let format = match self.traffic.is_fd {
            false => FrameFormat::Classic,
            true => FrameFormat::Fd {
                bit_rate_switch: true,
            },
        };
        let time = self.frames[bus.0]?.shortest.max(1);
        let bytes = self.traffic.bytes;
        Some((
            cpu::driver(hops.board(ecu), task, format, true, bytes),
            time,
        ))
    }
}
