//! The operations of nodes, and what the bus does about each [FMI-LS-BUS §4.4.1].

use waywarden_can::Frame;
use waywarden_can::node::BusState;
use waywarden_can_sim::live::LiveError;

use super::{Unit, UnitError};
use crate::operation::{Configuration, Operation, Operations};

impl Unit {
    /// Takes the operations of a node. One that cannot be read, or that only a bus simulation
    /// sends, is answered with a Format Error.
    pub(super) fn receive(&mut self, terminal: usize, bytes: &[u8]) -> Result<(), UnitError> {
        for operation in Operations::new(bytes) {
            match operation {
                Ok(operation) => self.take(terminal, operation)?,
                Err(bytes) => self.refuse(terminal, bytes.to_vec(), "no operation of CAN"),
            }
        }
        Ok(())
    }

    fn take(&mut self, terminal: usize, operation: Operation) -> Result<(), UnitError> {
        match operation {
            Operation::Transmit(frame) => return self.transmit(terminal, frame),
            Operation::Configuration(setting) => self.configure(terminal, setting),
            Operation::Status(state) => return self.report(terminal, state),
            Operation::WakeUp => {
                let bus = self.nodes[terminal].bus;
                for (at, node) in self.nodes.iter_mut().enumerate() {
                    if at != terminal && node.bus == bus {
                        node.put(&Operation::WakeUp);
                    }
                }
            }
            Operation::FormatError(data) => {
                self.warn(
                    terminal,
                    format_args!("could not read an operation of {} bytes", data.len()),
                );
            }
            other => {
                let bytes = other.to_bytes();
                self.refuse(
                    terminal,
                    bytes,
                    "only a bus simulation sends this operation",
                );
            }
        }
        Ok(())
    }

    fn transmit(&mut self, terminal: usize, frame: Frame) -> Result<(), UnitError> {
        let node = &self.nodes[terminal];
        let is_fd = self.rates.get(node.bus.0).is_some_and(|rates| rates.1 > 0);
        let why = match node.mailbox {
            None => "the node reports bus-off and sends a frame",
            Some(_) if frame.is_fd() && !is_fd => "a CAN FD frame on a classic bus",
            Some(mailbox) => match self.network.send(mailbox, frame) {
                Ok(()) => return Ok(()),
                Err(LiveError::Full { .. }) => {
                    // The bus has no room for it: it is discarded as after a lost arbitration.
                    self.answer(terminal, &Operation::ArbitrationLost(frame.id().raw()));
                    self.warn(terminal, "too many frames wait for the bus");
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            },
        };
        self.refuse(terminal, Operation::Transmit(frame).to_bytes(), why);
        Ok(())
    }

    /// Choice: the vehicle file and the unit's parameters set the bit rates. A controller with
    /// another one would destroy each frame, so a node that states another one is refused.
    fn configure(&mut self, terminal: usize, setting: Configuration) {
        let bus = self.nodes[terminal].bus.0;
        let (nominal, data) = self.rates.get(bus).copied().unwrap_or_default();
        let wrong = match setting {
            Configuration::DiscardsLosers(discards) => {
                self.nodes[terminal].discards_losers = discards;
                return;
            }
            Configuration::BitRate(rate) if rate == nominal => return,
            Configuration::FdBitRate(rate) if rate == data => return,
            Configuration::BitRate(rate) => {
                format!("{rate} bit/s, and the bus has {nominal}; set bitRate, or the node's rate")
            }
            Configuration::FdBitRate(rate) if data == 0 => {
                format!("{rate} bit/s for CAN FD, and the bus is classic CAN")
            }
            Configuration::FdBitRate(rate) => {
                format!("{rate} bit/s, and the bus has {data}; set dataBitRate, or the node's rate")
            }
            Configuration::XlBitRate(_) => "a bit rate of CAN XL, which the bus has not".to_owned(),
        };
        let bytes = Operation::Configuration(setting).to_bytes();
        self.refuse(terminal, bytes, &wrong);
    }

    /// Choice: the error counters of the node's controller on this bus decide over error-active
    /// and error-passive. Of what a node reports, only bus-off takes it off the bus, and a later
    /// report brings it back.
    fn report(&mut self, terminal: usize, state: BusState) -> Result<(), UnitError> {
        let node = &mut self.nodes[terminal];
        match (state, node.mailbox) {
            (BusState::Off, Some(mailbox)) => {
                self.network.leave(mailbox);
                node.mailbox = None;
            }
            (BusState::Active | BusState::Passive, None) => node.enter(&mut self.network)?,
            _ => {}
        }
        Ok(())
    }

    fn refuse(&mut self, terminal: usize, bytes: Vec<u8>, why: &str) {
        self.answer(terminal, &Operation::FormatError(bytes));
        self.warn(terminal, why);
    }
}
