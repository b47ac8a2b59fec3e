//! Frames into ECUs: past the filter, into the receive queue, and by the receive task to the node.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::Task;
use waywarden_can::timing::Picoseconds;

use super::ecu::{Stimulus, Wanted};
use super::{Engine, EngineSink, Outcome};
use crate::trace::{BusIndex, EcuIndex, Serial, TraceEvent};

impl Engine {
    /// Receives a frame into the controller, if its filter passes it.
    pub(super) fn receive(
        &mut self,
        ecu: usize,
        port: usize,
        received: (Serial, &Arc<Frame>),
        sink: &mut dyn EngineSink,
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
        (serial, frame): (Serial, &Arc<Frame>),
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let controller = &self.ecus[ecu].ports[port];
        let (bus, index) = (BusIndex(controller.config.bus), EcuIndex(ecu));
        if controller.unread >= controller.config.receive_queue {
            sink.record(
                self.now,
                &TraceEvent::Overrun {
                    bus,
                    ecu: index,
                    serial,
                },
            );
            return Ok(());
        }
        sink.record(
            self.now,
            &TraceEvent::Received {
                bus,
                ecu: index,
                serial,
                frame,
            },
        );
        let call = self.ecus[ecu].driver_call(Task::Receive, frame)?;
        if call.cost == Picoseconds::ZERO {
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
        self.submit(ecu, call, wanted, sink)
    }
}
