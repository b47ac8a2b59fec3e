//! Figures of authenticated streams: the outcome of every check, and the messages that receivers
//! accepted although the sender did not send them.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_work::Duration;

use super::span;
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, Protection, StreamIndex, VehicleFile,
};
use waywarden_vehicle_trace::{CheckOutcome, CheckRefusal, Genuine};

/// Outcomes of the checks of one stream at one ECU.
#[derive(Clone, Copy, Debug)]
pub struct CheckFigures {
    /// The stream, by its place in the vehicle file.
    pub stream: usize,
    /// The ECU.
    pub ecu: EcuIndex,
    /// True if it is a gateway that verifies for the ECUs behind it.
    pub is_gateway: bool,
    /// Protected frames that were handed to its check, tags in frames of their own among them.
    pub delivered: u64,
    /// True if a message is one frame, so that each frame has one outcome.
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
    /// Times that the states of sender and receiver did not match.
    pub out_of_step: u64,
    /// Times that they matched again.
    pub resynced: u64,
    /// Frames dropped because the queue of frames that wait for a check was full.
    pub no_room: u64,
    /// Frames that came while the ECU's retained state was damaged or exhausted.
    pub not_ready: u64,
    /// The longest time from one authentic message to the next, or to the end of the run.
    pub longest_gap: Duration,
    last: Option<Time>,
}

/// All checks of a run.
#[derive(Debug, Default)]
pub(super) struct Checking {
    /// Figures by authentication, in the vehicle file's order.
    pub(super) tables: Vec<Vec<CheckFigures>>,
}

impl Checking {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let tables = file.authentications.iter().map(|table| {
            let check = |check: waywarden_vehicle_file::TagCheck| CheckFigures {
                stream: check.stream.0,
                ecu: EcuIndex(check.ecu.0),
                is_gateway: check.passes_to.is_some(),
                delivered: 0,
                is_one_frame: is_one_frame(file, table, check.stream),
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
        Checking {
            tables: tables.collect(),
        }
    }

    /// Counts a frame that was handed to the role of an ECU that checks it.
    pub(super) fn handed_in(&mut self, stream: usize, ecu: EcuIndex) {
        for figures in self.tables.iter_mut().flatten() {
            if figures.stream == stream && figures.ecu == ecu {
                figures.delivered += 1;
            }
        }
    }

    /// Counts the outcome of a message's check.
    pub(super) fn checked(
        &mut self,
        at: Time,
        (table, stream, ecu): (usize, usize, EcuIndex),
        outcome: &CheckOutcome,
        genuine: Option<Genuine>,
    ) {
        let own = |one: &&mut CheckFigures| one.ecu == ecu && one.stream == stream;
        let checks = self.tables.get_mut(table);
        let Some(figures) = checks.and_then(|checks| checks.iter_mut().find(own)) else {
            return;
        };
        match outcome {
            CheckOutcome::Authentic(_) => {
                if genuine.is_none() {
                    figures.forged += 1;
                    return;
                }
                figures.authentic += 1;
                figures.see_gap(at);
                figures.last = Some(at);
            }
            CheckOutcome::Refused(why) => *figures.of_refusal(*why) += 1,
            CheckOutcome::Resynced => figures.resynced += 1,
        }
    }

    /// Ends all gaps.
    pub(super) fn finish(&mut self, at: Time) {
        for figures in self.tables.iter_mut().flatten() {
            figures.see_gap(at);
        }
    }
}

/// Returns true if a message of a stream is one frame: its code is not in a frame of its own.
fn is_one_frame(file: &VehicleFile, table: &Authentication, stream: StreamIndex) -> bool {
    let is_separate = matches!(file.stream(stream).protection, Protection::Separate { .. });
    matches!(table.protocol, AuthenticationProtocol::Secoc(_)) && !is_separate
}

impl CheckFigures {
    /// Returns the count of a refusal.
    const fn of_refusal(&mut self, why: CheckRefusal) -> &mut u64 {
        match why {
            CheckRefusal::WrongTag => &mut self.wrong_tag,
            CheckRefusal::Replay => &mut self.replay,
            CheckRefusal::Missing => &mut self.missing,
            CheckRefusal::TagWithoutData => &mut self.tag_without_data,
            CheckRefusal::OutOfStep => &mut self.out_of_step,
            CheckRefusal::NoRoom => &mut self.no_room,
            // Keys of an authentication have no names on the bus.
            CheckRefusal::NotReady | CheckRefusal::UnknownKey => &mut self.not_ready,
        }
    }

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
