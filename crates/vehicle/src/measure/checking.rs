//! What is measured of authenticated streams: what came of every check, and what receivers
//! took that the sender did not send.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EcuIndex, Serial};
use waywarden_work::Duration;

use super::span;
use crate::file::{AuthenticationProtocol, StreamIndex, VehicleFile};
use crate::nodes::{Found, Ledger, REMEMBERED, Verdict};

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
    pub bad_tag: u64,
    /// Messages not newer than those before.
    pub replay: u64,
    /// Data whose tag never came.
    pub missing: u64,
    /// Tags without data.
    pub unexpected_tag: u64,
    /// How often the two ends did not fit.
    pub desync: u64,
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
    /// By stream: when the last of its messages were released, and how many were before those.
    origins: Vec<(VecDeque<Time>, u64)>,
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
            let check = |check: crate::file::Check| CheckFigures {
                stream: check.stream.0,
                ecu: EcuIndex(check.ecu.0),
                is_gateway: check.passes_to.is_some(),
                delivered: 0,
                is_one_frame: matches!(table.protocol, AuthenticationProtocol::Secoc(_)),
                authentic: 0,
                forged: 0,
                bad_tag: 0,
                replay: 0,
                missing: 0,
                unexpected_tag: 0,
                desync: 0,
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
        let origins = (0..file.streams.len()).map(|at| match is_tagged(at) {
            true => (VecDeque::with_capacity(REMEMBERED), 0),
            false => (VecDeque::new(), u64::MAX),
        });
        Checking {
            tables: tables.collect(),
            origins: origins.collect(),
            relays: BTreeMap::new(),
        }
    }

    /// Notes when a message was released that leaves its sender now.
    pub(super) fn released(&mut self, stream: usize, origin: Time) {
        let Some((origins, forgotten)) = self.origins.get_mut(stream) else {
            return;
        };
        if *forgotten == u64::MAX {
            return;
        }
        if origins.len() == REMEMBERED {
            origins.pop_front();
            *forgotten += 1;
        }
        origins.push_back(origin);
    }

    /// Whether a stream has tags that are checked.
    pub(super) fn is_tagged(&self, stream: usize) -> bool {
        let origins = self.origins.get(stream);
        origins.is_some_and(|(_, forgotten)| *forgotten != u64::MAX)
    }

    /// Takes a verdict; returns when the message was released that was found authentic and is.
    pub(super) fn checked(
        &mut self,
        at: Time,
        (table, ecu): (usize, EcuIndex),
        verdict: &Verdict,
    ) -> Option<Time> {
        let checks = self.tables.get_mut(table)?;
        let own = |one: &&mut CheckFigures| one.ecu == ecu && one.stream == verdict.stream;
        let figures = checks.iter_mut().find(own)?;
        match verdict.found {
            Found::Authentic(Some(genuine)) => {
                figures.authentic += 1;
                figures.see_gap(at);
                figures.last = Some(at);
                let is_gateway = figures.is_gateway;
                let (origins, forgotten) = self.origins.get(verdict.stream)?;
                let place = genuine.number.checked_sub(*forgotten)?;
                let origin = *origins.get(usize::try_from(place).ok()?)?;
                if is_gateway {
                    let relay = self.relays.entry(verdict.stream).or_default();
                    push(&mut relay.verified, origin);
                }
                return Some(origin);
            }
            Found::Authentic(None) => figures.forged += 1,
            Found::BadTag => figures.bad_tag += 1,
            Found::Replay => figures.replay += 1,
            Found::Missing => figures.missing += 1,
            Found::UnexpectedTag => figures.unexpected_tag += 1,
            Found::Desync => figures.desync += 1,
            Found::Resynced => figures.resynced += 1,
            Found::NoRoom => figures.no_room += 1,
            Found::NotReady => figures.not_ready += 1,
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

    /// Ends all gaps, and takes over what was handed in.
    pub(super) fn finish(&mut self, at: Time, ledger: &Ledger) {
        for figures in self.tables.iter_mut().flatten() {
            figures.delivered = ledger.handed(figures.stream, figures.ecu.0);
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
        self.bad_tag + self.replay + self.missing + self.unexpected_tag + self.desync
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
