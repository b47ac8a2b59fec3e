//! Work of ECUs: queued on the processor, and what follows when it is done.

use waywarden_can::node::Task;
use waywarden_can::timing::Picoseconds;
use waywarden_work::Operation;

use super::agenda::Due;
use super::ecu::{Stimulus, Wanted};
use super::{Engine, EngineSink, Outcome};
use crate::clock::Time;

impl Engine {
    pub(super) fn submit(
        &mut self,
        ecu: usize,
        what: (Task, Operation),
        cost: Picoseconds,
        wanted: Wanted,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        if self.ecus[ecu]
            .cpu
            .submit(self.now, what, cost, wanted, &mut self.slices)
            .is_err()
        {
            return Err(self.runaway(ecu, "asks for more work than its processor can queue"));
        }
        self.report_slices(ecu, sink);
        self.reschedule(ecu);
        Ok(())
    }

    fn reschedule(&mut self, ecu: usize) {
        let completion = self.ecus[ecu].cpu.next_completion().unwrap_or(Time::NEVER);
        self.agenda.set(Due::Cpu { ecu }, completion);
    }

    pub(super) fn finish_jobs(&mut self, ecu: usize, sink: &mut dyn EngineSink) -> Outcome {
        while let Some(wanted) = self.ecus[ecu].cpu.take_finished(self.now, &mut self.slices) {
            self.report_slices(ecu, sink);
            self.finished(ecu, wanted, sink)?;
        }
        self.reschedule(ecu);
        Ok(())
    }

    fn finished(&mut self, ecu: usize, wanted: Wanted, sink: &mut dyn EngineSink) -> Outcome {
        match wanted {
            Wanted::Receive {
                port,
                serial,
                frame,
            } => {
                self.ecus[ecu].ports[port].unread -= 1;
                self.feed(
                    ecu,
                    &Stimulus::Frame {
                        port,
                        serial,
                        frame,
                    },
                    sink,
                )
            }
            Wanted::Send { port, outgoing } => {
                self.ecus[ecu].ports[port].reserved -= 1;
                if outgoing.withdrawn || self.is_off(ecu, port) {
                    return self.give_back(ecu, port, &outgoing, sink);
                }
                self.enqueue(ecu, port, outgoing, sink);
                Ok(())
            }
            Wanted::Work { ticket, cause } => {
                self.feed(ecu, &Stimulus::Done { ticket, cause }, sink)
            }
        }
    }
}
