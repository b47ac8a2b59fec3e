//! The reports of an image, as facts.

use waywarden_ecu::CheckReport;
use waywarden_firmware_link::LasanReport;
use waywarden_vehicle_resources::ImageFault;
use waywarden_vehicle_trace::{AuthorizationEvent, CheckRefusal, Fact, GroupKeyEvent};
use waywarden_work::Instant;

use super::FirmwareEcu;
use crate::nodes::CheckedMessage;

impl FirmwareEcu {
    /// Takes what it has checked.
    pub(super) fn take_check(&mut self, report: CheckReport) {
        let checks = self.context.checks.as_ref();
        match checks.and_then(|checks| checks.context.judge(report)) {
            Some(CheckedMessage::Accepted(stream, payload)) => {
                self.context.application.accept(stream, &payload);
            }
            Some(CheckedMessage::Refused(stream)) => self.context.application.refuse(stream),
            None => {}
        }
    }

    /// Takes that it could not check the frame that it received last.
    pub(super) fn take_refusal(&mut self, is_full: bool) {
        let why = match is_full {
            true => CheckRefusal::NoRoom,
            false => CheckRefusal::NotReady,
        };
        if let (Some(checks), Some((stream, frame))) = (&self.context.checks, self.handed_in) {
            let context = &checks.context;
            context.report_unchecked(stream, why, frame.message());
        }
    }

    /// Reports an event of its role in a group.
    pub(super) fn report_group(&mut self, now: Instant, event: GroupKeyEvent) {
        let Some(group) = self.context.group else {
            let why = "an event of a group, in which it is not";
            return self.fail(&ImageFault::Malformed(why.to_owned()));
        };
        self.context.facts.push(Fact::GroupKey { group, event });
        self.answer_status(now);
    }

    /// Reports what has happened under its security module.
    ///
    /// # Errors
    /// [`ImageFault::Malformed`] for bytes that are no report.
    pub(super) fn report_authorized(&self, report: &[u8]) -> Result<(), ImageFault> {
        let report = LasanReport::decode(report);
        let report = report.map_err(|error| ImageFault::Malformed(error.to_string()))?;
        let Some(network) = self.context.network else {
            return Ok(());
        };
        let event = match report {
            LasanReport::Ecu(event) => AuthorizationEvent::Ecu(event),
            LasanReport::Module(event) => AuthorizationEvent::Module(event),
        };
        let fact = Fact::Authorization { network, event };
        self.context.facts.push(fact);
        Ok(())
    }

    /// Reports how much it has executed since the last report.
    pub(super) fn report_executed(&mut self, now: Instant, instructions: u64, waits: bool) {
        let (before, _) = self.reported;
        let executed = instructions.saturating_sub(before);
        self.reported = (instructions.max(before), now);
        self.context.facts.push(Fact::Executed {
            instructions: executed,
            time: self.boot.duration(executed),
            waits,
        });
    }

    /// Reports a part of a long computation, so that a reset or the end of the run in the middle of
    /// it leaves no more than a part unreported.
    pub(super) fn report_part(&mut self, now: Instant) {
        let (before, since) = self.reported;
        let nanos = now.since(since).as_nanos();
        let executed = u128::from(nanos) * 1_000 / u128::from(self.boot.picoseconds);
        self.report_executed(now, before + executed as u64, false);
    }
}
