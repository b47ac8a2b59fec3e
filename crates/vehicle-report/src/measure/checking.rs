//! What is measured of authenticated streams: what came of every check, and what receivers
//! took that the sender did not send.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EcuIndex, Serial};
use waywarden_work::Duration;

use super::span;
use waywarden_vehicle_file::{AuthenticationProtocol, StreamIndex, VehicleFile};
use waywarden_vehicle_trace::{CheckOutcome, Genuine, REMEMBERED};

/// What came of the messages of one stream at one ECU that checks them.
#[derive(Clone, Copy, Debug)]
pub struct CheckFigures {
    /// The stream, by its place in the vehicle file.
    pub stream: usize,
    /// The ECU.
    pub ecu: EcuIndex,
    /// Whether it is a gateway that verifies for those behind it.
    pub is_gateway: bool,
    /// Protected frames that were handed to its check, tags in frames of their own among them.
    pub delivered: u64,
    /// Whether a message is one frame, so that each frame has one outcome.
    pub is_one_frame: bool,
    /// Messages found authentic which their sender had sent.
    pub authentic: u64,
    /// Messages found authentic which their sender had not sent, or only before: forgeries that
    /// worked.
    pub forged: u64,
    /// Wrong tags.
    pub wrong_tag: u64,
    /// Messages not newer than those before.
    pub replay: u64,
    /// Data whose tag never came.
    pub missing: u64,
    /// Tags without data.
    pub tag_without_data: u64,
    /// How often the two ends did not fit.
    pub out_of_step: u64,
    /// How often they came to fit again.
    pub resynced: u64,
    /// Frames for which there was no room, for as many as there is room for waited to be checked.
    pub no_room: u64,
    /// Frames that came while what the ECU had retained was damaged or exhausted.
    pub not_ready: u64,
    /// The longest time from one authentic message to the next, or to the end of the run.
    pub longest_gap: Duration,
    last: Option<Time>,
}

/// All checks of a run.
#[derive(Debug, Default)]
pub(super) struct Checking {
    /// By authentication, in the vehicle file's order.
    pub(super) tables: Vec<Vec<CheckFigures>>,
    /// By stream: whether it has tags that are checked.
    is_tagged: Vec<bool>,
    /// By stream: what a gateway verified, and what it sent on of that. The one is told a little
    /// before or after the other.
    relays: BTreeMap<usize, Relay>,
}

/// What a gateway does with a stream.
#[derive(Debug, Default)]
struct Relay {
    /// When the messages were released that it verified.
    verified: VecDeque<Time>,
    /// Those that it sent on.
    sent_on: VecDeque<Serial>,
}

/// Adds to a queue that forgets what is too old.
fn push<T>(queue: &mut VecDeque<T>, new: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(new);
}

impl Checking {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let tables = file.authentications.iter().map(|table| {
            let check = |check: waywarden_vehicle_file::Check| CheckFigures {
                stream: check.stream.0,
                ecu: EcuIndex(check.ecu.0),
                is_gateway: check.passes_to.is_some(),
                delivered: 0,
                is_one_frame: matches!(table.protocol, AuthenticationProtocol::Secoc(_)),
                authentic: 0,
                forged: 0,
                wrong_tag: 0,
                replay: 0,
                missing: 0,
                tag_without_data: 0,
                out_of_step: 0,
                resynced: 0,
                no_room: 0,
                not_ready: 0,
                longest_gap: Duration::ZERO,
                last: None,
            };
            let mut checks: Vec<CheckFigures> = file.checks(table).map(check).collect();
            checks.dedup_by_key(|one| (one.stream, one.ecu));
            checks
        });
        let is_tagged = |at| file.authentication_of(StreamIndex(at)).is_some();
        Checking {
            tables: tables.collect(),
            is_tagged: (0..file.streams.len()).map(is_tagged).collect(),
            relays: BTreeMap::new(),
        }
    }

    /// Whether a stream has tags that are checked.
    pub(super) fn is_tagged(&self, stream: usize) -> bool {
        self.is_tagged.get(stream) == Some(&true)
    }

    /// Counts a frame that was handed to the role of an ECU that checks it.
    pub(super) fn handed_in(&mut self, stream: usize, ecu: EcuIndex) {
        for figures in self.tables.iter_mut().flatten() {
            if figures.stream == stream && figures.ecu == ecu {
                figures.delivered += 1;
            }
        }
    }

    /// Takes what came of a message; returns when it was released, if it was found authentic and
    /// is.
    pub(super) fn checked(
        &mut self,
        at: Time,
        (table, stream, ecu): (usize, usize, EcuIndex),
        outcome: &CheckOutcome,
        genuine: Option<Genuine>,
    ) -> Option<Time> {
        let checks = self.tables.get_mut(table)?;
        let own = |one: &&mut CheckFigures| one.ecu == ecu && one.stream == stream;
        let figures = checks.iter_mut().find(own)?;
        match outcome {
            CheckOutcome::Authentic(_) => {
                let Some(genuine) = genuine else {
                    figures.forged += 1;
                    return None;
                };
                figures.authentic += 1;
                figures.see_gap(at);
                figures.last = Some(at);
                let origin = genuine.released;
                if figures.is_gateway {
                    let relay = self.relays.entry(stream).or_default();
                    push(&mut relay.verified, origin);
                }
                return Some(origin);
            }
            CheckOutcome::WrongTag => figures.wrong_tag += 1,
            CheckOutcome::Replay => figures.replay += 1,
            CheckOutcome::Missing => figures.missing += 1,
            CheckOutcome::TagWithoutData => figures.tag_without_data += 1,
            CheckOutcome::OutOfStep => figures.out_of_step += 1,
            CheckOutcome::Resynced => figures.resynced += 1,
            CheckOutcome::NoRoom => figures.no_room += 1,
            CheckOutcome::NotReady => figures.not_ready += 1,
        }
        None
    }

    /// Notes that a gateway sends a message on that it verified.
    pub(super) fn sent_on(&mut self, stream: usize, serial: Serial) {
        push(&mut self.relays.entry(stream).or_default().sent_on, serial);
    }

    /// Takes a message that a gateway verified and sent on, with the time of its release.
    pub(super) fn relayed(&mut self, stream: usize) -> Option<(Serial, Time)> {
        let relay = self.relays.get_mut(&stream)?;
        if relay.verified.is_empty() {
            return None;
        }
        let serial = relay.sent_on.pop_front()?;
        Some((serial, relay.verified.pop_front()?))
    }

    /// Ends all gaps.
    pub(super) fn finish(&mut self, at: Time) {
        for figures in self.tables.iter_mut().flatten() {
            figures.see_gap(at);
        }
    }
}

impl CheckFigures {
    fn see_gap(&mut self, at: Time) {
        if let Some(last) = self.last {
            self.longest_gap = self.longest_gap.max(span(last, at));
        }
    }

    /// Returns how many messages were refused, for whatever reason.
    #[must_use]
    pub const fn refused(&self) -> u64 {
        self.wrong_tag + self.replay + self.missing + self.tag_without_data + self.out_of_step
    }

    /// Returns how many frames waited to be checked when the ECU was reset or the run ended. Where
    /// a message is two frames, a frame has no outcome of its own and this is zero.
    #[must_use]
    pub const fn unfinished(&self) -> u64 {
        let lost = self.no_room + self.not_ready;
        let settled = self.authentic + self.forged + self.refused() + lost;
        match self.is_one_frame {
            true => self.delivered.saturating_sub(settled),
            false => 0,
        }
    }
}
