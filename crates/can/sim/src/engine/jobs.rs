//! Work of ECUs: queued on the processor or the security module, and what follows when it is done.

use waywarden_can::node::Ticket;
use waywarden_can::timing::Picoseconds;

use super::agenda::Due;
use super::ecu::{Stimulus, Wanted};
use super::{Engine, EngineSink, Outcome};
use crate::clock::Time;
use crate::cpu::{Cpu, Request};
use crate::trace::Serial;

impl Engine {
    pub(super) fn submit(
        &mut self,
        ecu: usize,
        request: Request,
        wanted: Wanted,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        if self.ecus[ecu]
            .cpu
            .submit(self.now, request, wanted, &mut self.slices)
            .is_err()
        {
            return Err(self.runaway(ecu, "asks for more work than its processor can queue"));
        }
        self.report_slices(ecu, sink);
        self.reschedule(ecu);
        Ok(())
    }

    /// Queues a command for an engine of the security module.
    pub(super) fn command(
        &mut self,
        ecu: usize,
        (engine, command): (u8, Request),
        (ticket, cause): (Ticket, Option<Serial>),
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let wanted = Wanted::Work { ticket, cause };
        if command.cost == Picoseconds::ZERO {
            return self.finished(ecu, wanted, sink);
        }
        // A module in use has at least one engine.
        if self.ecus[ecu].module[usize::from(engine)]
            .submit(self.now, command, wanted, &mut self.slices)
            .is_err()
        {
            return Err(self.runaway(ecu, "asks for more work than its module can queue"));
        }
        self.reschedule(ecu);
        Ok(())
    }

    fn reschedule(&mut self, ecu: usize) {
        let own = &self.ecus[ecu];
        let engines = own.module.iter().filter_map(Cpu::next_completion);
        let next = own.cpu.next_completion().into_iter().chain(engines).min();
        self.agenda
            .set(Due::Cpu { ecu }, next.unwrap_or(Time::NEVER));
    }

    pub(super) fn finish_jobs(&mut self, ecu: usize, sink: &mut dyn EngineSink) -> Outcome {
        while let Some(wanted) = self.take_finished(ecu) {
            self.report_slices(ecu, sink);
            self.finished(ecu, wanted, sink)?;
        }
        self.reschedule(ecu);
        Ok(())
    }

    /// Takes one job that is done now; those on cores come first.
    fn take_finished(&mut self, ecu: usize) -> Option<Wanted> {
        let (own, slices) = (&mut self.ecus[ecu], &mut self.slices);
        let on_core = own.cpu.take_finished(self.now, slices);
        let mut engines = own.module.iter_mut();
        on_core.or_else(|| engines.find_map(|engine| engine.take_finished(self.now, slices)))
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
            Wanted::Command {
                engine,
                command,
                ticket,
                cause,
            } => self.command(ecu, (engine, command), (ticket, cause), sink),
        }
    }
}
