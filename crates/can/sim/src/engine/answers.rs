//! The effects of nodes' answers: work to pay for, frames to send and take back, values to keep.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Output, Task, Ticket, Token};
use waywarden_can::timing::Picoseconds;
use waywarden_work::Operation;

use super::ecu::{Stimulus, Wanted, Work};
use super::{Engine, EngineSink, Outcome, SimulationError};
use crate::controller::Outgoing;
use crate::trace::{BusIndex, EcuIndex, Serial, TraceEvent};

impl Engine {
    pub(super) fn apply(
        &mut self,
        ecu: usize,
        output: Output,
        cause: Option<Serial>,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        match output {
            Output::Work {
                ticket,
                task,
                operation,
            } => self.work(ecu, (task, operation), (ticket, cause), sink),
            Output::Transmit { port, token, frame } => {
                self.transmit(ecu, usize::from(port.0), (token, cause), &frame, sink)
            }
            Output::Withdraw { port, token } => {
                self.withdraw(ecu, usize::from(port.0), token, sink);
                Ok(())
            }
            Output::Retain { slot, value } => {
                self.ecus[ecu].retain(slot, value);
                sink.record(
                    self.now,
                    &TraceEvent::Retained {
                        ecu: EcuIndex(ecu),
                        slot,
                    },
                );
                self.echoes.push_back(Stimulus::Retained(slot));
                Ok(())
            }
            // `Output` may grow; an engine that ignored an answer would break the contract.
            _ => Err(self.runaway(ecu, "gives an answer this simulator does not know")),
        }
    }

    fn work(
        &mut self,
        ecu: usize,
        (task, operation): (Task, Operation),
        (ticket, cause): (Ticket, Option<Serial>),
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let (request, wanted) = match self.ecus[ecu].work(task, operation)? {
            Work::OnCore(request) => (request, Wanted::Work { ticket, cause }),
            Work::OnModule {
                call,
                engine,
                command,
            } => {
                let wanted = Wanted::Command {
                    engine,
                    command,
                    ticket,
                    cause,
                };
                (call, wanted)
            }
        };
        if request.cost > Picoseconds::ZERO {
            return self.submit(ecu, request, wanted, sink);
        }
        match wanted {
            Wanted::Command {
                engine, command, ..
            } if command.cost > Picoseconds::ZERO => {
                self.command(ecu, (engine, command), (ticket, cause), sink)
            }
            _ => {
                self.echoes.push_back(Stimulus::Done { ticket, cause });
                Ok(())
            }
        }
    }

    fn transmit(
        &mut self,
        ecu: usize,
        port: usize,
        (token, cause): (Token, Option<Serial>),
        frame: &Frame,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let Some(controller) = self.ecus[ecu].ports.get(port).filter(|at| at.has_room()) else {
            let ecu = self.ecus[ecu].name.clone();
            let port = port as u8;
            return Err(Box::new(SimulationError::NoRoom { ecu, port }));
        };
        let bus = BusIndex(controller.config.bus);
        let serial = self.next_serial();
        sink.remarks_ahead(self.now, EcuIndex(ecu));
        let event = TraceEvent::Requested {
            ecu: EcuIndex(ecu),
            bus,
            serial,
            token,
            cause,
            frame,
        };
        sink.record(self.now, &event);
        let outgoing = Outgoing {
            token,
            serial: serial.0,
            frame: Arc::new(*frame),
            withdrawn: false,
        };
        let call = self.ecus[ecu].driver_call(Task::Send, frame)?;
        if call.cost == Picoseconds::ZERO {
            self.enqueue(ecu, port, outgoing, sink);
            return Ok(());
        }
        self.ecus[ecu].ports[port].reserved += 1;
        self.submit(ecu, call, Wanted::Send { port, outgoing }, sink)
    }

    fn withdraw(&mut self, ecu: usize, port: usize, token: Token, sink: &mut dyn EngineSink) {
        let Some(controller) = self.ecus[ecu].ports.get(port) else {
            return;
        };
        let bus = controller.config.bus;
        let sending = self.buses[bus].is_sending(controller.bus_port);
        // A frame the send task still holds is not in the controller yet: it is marked there.
        let Some(taken) = self.ecus[ecu].ports[port].withdraw(token, sending) else {
            self.ecus[ecu].cpu.for_each_wanted(|wanted| match wanted {
                Wanted::Send { port: at, outgoing } if *at == port && outgoing.token == token => {
                    outgoing.withdrawn = true;
                }
                _ => {}
            });
            return;
        };
        self.refresh(ecu, port);
        let (bus, serial) = (BusIndex(bus), Serial(taken.serial));
        sink.record(
            self.now,
            &TraceEvent::Withdrawn {
                bus,
                ecu: EcuIndex(ecu),
                serial,
            },
        );
        self.echoes.push_back(Stimulus::Withdrawn { port, token });
    }

    /// Tells a node that a frame of its did not go out.
    pub(super) fn give_back(
        &mut self,
        ecu: usize,
        port: usize,
        outgoing: &Outgoing,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let bus = BusIndex(self.ecus[ecu].ports[port].config.bus);
        let serial = Serial(outgoing.serial);
        sink.record(
            self.now,
            &TraceEvent::Withdrawn {
                bus,
                ecu: EcuIndex(ecu),
                serial,
            },
        );
        self.feed(
            ecu,
            &Stimulus::Withdrawn {
                port,
                token: outgoing.token,
            },
            sink,
        )
    }
}
