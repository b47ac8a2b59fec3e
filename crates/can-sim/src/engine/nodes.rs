//! Driving the nodes: inputs in, answers out, work paid for.

use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Port, Task, Token};
use waywarden_can::timing::Picoseconds;
use waywarden_can::{Frame, node::Ticket};
use waywarden_work::{Operation, OperationKind};

use super::agenda::Due;
use super::ecu::{Stimulus, Wanted};
use super::{OUTPUTS_MAX, Outcome, Simulation, SimulationError, TIMEOUTS_AT_ONCE_MAX};
use crate::clock::Time;
use crate::controller::Outgoing;
use crate::trace::{BusIndex, EcuIndex, Event, Serial, Sink};

impl Simulation {
    /// Hands a node one input and everything that follows from its answers at once.
    pub(super) fn feed(&mut self, ecu: usize, stimulus: &Stimulus, sink: &mut dyn Sink) -> Outcome {
        let Some(mut node) = self.ecus[ecu].node.take() else {
            return Ok(());
        };
        let cause = self.hand_over(ecu, node.as_mut(), stimulus, sink);
        self.drain(ecu, node, cause, sink)
    }

    /// Hands over one input; returns the received frame that it goes back to.
    fn hand_over(
        &mut self,
        ecu: usize,
        node: &mut dyn Node,
        stimulus: &Stimulus,
        sink: &mut dyn Sink,
    ) -> Option<Serial> {
        let now = self.ecus[ecu].clock.at(self.now);
        let port = |port: usize| Port(port as u8);
        let (input, cause) = match stimulus {
            &Stimulus::Frame {
                port: at,
                serial,
                ref frame,
            } => {
                let bus = BusIndex(self.ecus[ecu].ports[at].config.bus);
                sink.record(
                    self.now,
                    &Event::Delivered {
                        bus,
                        ecu: EcuIndex(ecu),
                        serial,
                        frame,
                    },
                );
                (
                    Input::Frame {
                        port: port(at),
                        frame,
                    },
                    Some(serial),
                )
            }
            &Stimulus::Sent { port: at, token } => (
                Input::Sent {
                    port: port(at),
                    token,
                },
                None,
            ),
            &Stimulus::Withdrawn { port: at, token } => (
                Input::Withdrawn {
                    port: port(at),
                    token,
                },
                None,
            ),
            &Stimulus::Bus { port: at, state } => (
                Input::Bus {
                    port: port(at),
                    state,
                },
                None,
            ),
            &Stimulus::Done { ticket, cause } => (Input::Done(ticket), cause),
            &Stimulus::Retained(slot) => (Input::Retained(slot), None),
            Stimulus::Timeout => (Input::Timeout, None),
        };
        node.handle(now, input);
        cause
    }

    /// Polls a node to rest, and gives it back to its ECU.
    pub(super) fn drain(
        &mut self,
        ecu: usize,
        mut node: Box<dyn Node>,
        mut cause: Option<Serial>,
        sink: &mut dyn Sink,
    ) -> Outcome {
        let mut outputs = 0;
        let now = self.ecus[ecu].clock.at(self.now);
        loop {
            loop {
                let output = node.poll(now, self.ecus[ecu].room());
                if let Output::Idle(wish) = output {
                    self.wish(ecu, wish)?;
                    break;
                }
                outputs += 1;
                if outputs > OUTPUTS_MAX {
                    return Err(self.runaway(ecu, "answers one input without end"));
                }
                self.obey(ecu, output, cause, sink)?;
            }
            let Some(echo) = self.echoes.pop_front() else {
                break;
            };
            cause = self.hand_over(ecu, node.as_mut(), &echo, sink);
        }
        self.ecus[ecu].node = Some(node);
        for note in self.ecus[ecu].notes.take() {
            sink.record(
                self.now,
                &Event::Noted {
                    ecu: EcuIndex(ecu),
                    note: &note,
                },
            );
        }
        Ok(())
    }

    fn runaway(&self, ecu: usize, what: &'static str) -> Box<SimulationError> {
        Box::new(SimulationError::Runaway {
            ecu: self.ecus[ecu].name.clone(),
            what,
        })
    }

    fn wish(&mut self, ecu: usize, wish: Option<waywarden_work::Instant>) -> Outcome {
        let clock = &self.ecus[ecu].clock;
        let due = wish.map_or(Time::NEVER, |instant| clock.when(instant).max(self.now));
        let timer = Due::Timer { ecu };
        if due == self.agenda.at(timer) {
            return Ok(());
        }
        self.timeouts_at_once = if due == self.now {
            self.timeouts_at_once + 1
        } else {
            0
        };
        if self.timeouts_at_once > TIMEOUTS_AT_ONCE_MAX {
            return Err(self.runaway(ecu, "asks for a timeout at the same instant without end"));
        }
        self.agenda.set(timer, due);
        Ok(())
    }

    fn obey(
        &mut self,
        ecu: usize,
        output: Output,
        cause: Option<Serial>,
        sink: &mut dyn Sink,
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
                    &Event::Retained {
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
        sink: &mut dyn Sink,
    ) -> Outcome {
        let cost = self.ecus[ecu].cost(&operation)?;
        if cost == Picoseconds::ZERO {
            self.echoes.push_back(Stimulus::Done { ticket, cause });
            return Ok(());
        }
        self.submit(
            ecu,
            (task, operation),
            cost,
            Wanted::Work { ticket, cause },
            sink,
        )
    }

    fn transmit(
        &mut self,
        ecu: usize,
        port: usize,
        (token, cause): (Token, Option<Serial>),
        frame: &Frame,
        sink: &mut dyn Sink,
    ) -> Outcome {
        let Some(controller) = self.ecus[ecu].ports.get(port).filter(|at| at.has_room()) else {
            let ecu = self.ecus[ecu].name.clone();
            let port = port as u8;
            return Err(Box::new(SimulationError::NoRoom { ecu, port }));
        };
        let bus = BusIndex(controller.config.bus);
        let serial = self.next_serial();
        let event = Event::Requested {
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
            frame: Rc::new(*frame),
            withdrawn: false,
        };
        let (operation, cost) = self.ecus[ecu].driver_call(OperationKind::FrameSend, frame)?;
        if cost == Picoseconds::ZERO {
            self.enqueue(ecu, port, outgoing, sink);
            return Ok(());
        }
        self.ecus[ecu].ports[port].reserved += 1;
        self.submit(
            ecu,
            (Task::Send, operation),
            cost,
            Wanted::Send { port, outgoing },
            sink,
        )
    }

    /// Receives a frame into the controller, if its filter passes it.
    pub(super) fn receive(
        &mut self,
        ecu: usize,
        port: usize,
        received: (Serial, &Rc<Frame>),
        sink: &mut dyn Sink,
    ) -> Outcome {
        let controller = &self.ecus[ecu].ports[port];
        match controller.config.acceptance.accepts(received.1.id()) {
            true => self.take_in(ecu, port, received, sink),
            false => Ok(()),
        }
    }

    /// Receives a frame that has passed the filter, and lets the receive task fetch it.
    pub(super) fn take_in(
        &mut self,
        ecu: usize,
        port: usize,
        (serial, frame): (Serial, &Rc<Frame>),
        sink: &mut dyn Sink,
    ) -> Outcome {
        let controller = &self.ecus[ecu].ports[port];
        let (bus, index) = (BusIndex(controller.config.bus), EcuIndex(ecu));
        if controller.unread >= controller.config.receive_queue {
            sink.record(
                self.now,
                &Event::Overrun {
                    bus,
                    ecu: index,
                    serial,
                },
            );
            return Ok(());
        }
        sink.record(
            self.now,
            &Event::Received {
                bus,
                ecu: index,
                serial,
                frame,
            },
        );
        let (operation, cost) = self.ecus[ecu].driver_call(OperationKind::FrameReceive, frame)?;
        if cost == Picoseconds::ZERO {
            return self.feed(
                ecu,
                &Stimulus::Frame {
                    port,
                    serial,
                    frame: frame.clone(),
                },
                sink,
            );
        }
        self.ecus[ecu].ports[port].unread += 1;
        let wanted = Wanted::Receive {
            port,
            serial,
            frame: frame.clone(),
        };
        self.submit(ecu, (Task::Receive, operation), cost, wanted, sink)
    }

    fn submit(
        &mut self,
        ecu: usize,
        what: (Task, Operation),
        cost: Picoseconds,
        wanted: Wanted,
        sink: &mut dyn Sink,
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

    pub(super) fn finish_jobs(&mut self, ecu: usize, sink: &mut dyn Sink) -> Outcome {
        while let Some(wanted) = self.ecus[ecu].cpu.take_finished(self.now, &mut self.slices) {
            self.report_slices(ecu, sink);
            self.finished(ecu, wanted, sink)?;
        }
        self.reschedule(ecu);
        Ok(())
    }

    fn finished(&mut self, ecu: usize, wanted: Wanted, sink: &mut dyn Sink) -> Outcome {
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

    fn withdraw(&mut self, ecu: usize, port: usize, token: Token, sink: &mut dyn Sink) {
        let Some(controller) = self.ecus[ecu].ports.get(port) else {
            return;
        };
        let bus = controller.config.bus;
        let sending = self.buses[bus].is_sending(controller.seat);
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
            &Event::Withdrawn {
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
        sink: &mut dyn Sink,
    ) -> Outcome {
        let bus = BusIndex(self.ecus[ecu].ports[port].config.bus);
        let serial = Serial(outgoing.serial);
        sink.record(
            self.now,
            &Event::Withdrawn {
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
