//! Driving the nodes: an input in, then answers until the node rests.

use waywarden_can::node::{Input, Node, Output, Port};

use super::agenda::Due;
use super::ecu::Stimulus;
use super::{Engine, EngineSink, OUTPUTS_MAX, Outcome, SimulationError, TIMEOUTS_AT_ONCE_MAX};
use crate::clock::Time;
use crate::trace::{BusIndex, EcuIndex, Serial, TraceEvent};

impl Engine {
    /// Hands a node one input and everything that follows from its answers at once.
    pub(super) fn feed(
        &mut self,
        ecu: usize,
        stimulus: &Stimulus,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
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
        sink: &mut dyn EngineSink,
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
                    &TraceEvent::Delivered {
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
        mut node: Box<dyn Node + Send>,
        mut cause: Option<Serial>,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let mut outputs = 0;
        let now = self.ecus[ecu].clock.at(self.now);
        loop {
            loop {
                let output = node.poll(now, self.ecus[ecu].room());
                if let Output::Idle(deadline) = output {
                    self.set_timer(ecu, deadline)?;
                    break;
                }
                outputs += 1;
                if outputs > OUTPUTS_MAX {
                    return Err(self.runaway(ecu, "answers one input without end"));
                }
                self.apply(ecu, output, cause, sink)?;
            }
            let Some(echo) = self.echoes.pop_front() else {
                break;
            };
            cause = self.hand_over(ecu, node.as_mut(), &echo, sink);
        }
        self.ecus[ecu].node = Some(node);
        sink.remarks(self.now, EcuIndex(ecu));
        Ok(())
    }

    pub(super) fn runaway(&self, ecu: usize, what: &'static str) -> Box<SimulationError> {
        Box::new(SimulationError::Runaway {
            ecu: self.ecus[ecu].name.clone(),
            what,
        })
    }

    fn set_timer(&mut self, ecu: usize, deadline: Option<waywarden_work::Instant>) -> Outcome {
        let clock = &self.ecus[ecu].clock;
        let due = deadline.map_or(Time::NEVER, |instant| clock.when(instant).max(self.now));
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
}
