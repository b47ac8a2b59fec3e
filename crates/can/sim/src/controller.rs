//! One CAN controller of an ECU: its transmit queue, its acceptance filter, its receive queue.

use std::collections::VecDeque;
use std::sync::Arc;

use waywarden_can::node::Token;
use waywarden_can::{Frame, Id};

use crate::confinement::Recovery;

/// The order in which waiting frames compete for the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitOrder {
    /// First in, first out: an urgent frame waits behind an idle one (priority inversion).
    Fifo,
    /// The frame that would win arbitration first; among equals the oldest.
    Priority,
}

/// The frames that a controller takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Every frame.
    All,
    /// Frames with one of these identifiers, sorted by [`acceptance_key`].
    Only(Vec<u32>),
    /// The same, and 29-bit identifiers that pass a mask.
    Masked {
        /// Identifiers one by one, sorted by [`acceptance_key`].
        only: Vec<u32>,
        /// Values and masks: the bits of the value count where the mask has ones.
        extended: Vec<(u32, u32)>,
    },
}

/// Settings of one port of an ECU.
#[derive(Clone, Debug)]
pub struct PortConfig {
    /// The bus it is on, as an index into the configuration's buses.
    pub bus: usize,
    /// The order of the transmit queue.
    pub order: TransmitOrder,
    /// Capacity of the transmit queue in frames, at least 1.
    pub transmit_queue: usize,
    /// Capacity of the receive queue in frames, at least 1; a frame that finds it full is lost.
    pub receive_queue: usize,
    /// The frames that are received.
    pub acceptance: Acceptance,
}

impl PortConfig {
    /// A port on `bus` with a priority queue of 32 frames that receives everything.
    #[must_use]
    pub const fn on(bus: usize) -> Self {
        PortConfig {
            bus,
            order: TransmitOrder::Priority,
            transmit_queue: 32,
            receive_queue: 64,
            acceptance: Acceptance::All,
        }
    }
}

/// Returns a number that tells 11- and 29-bit identifiers apart, for [`Acceptance::Only`].
#[must_use]
pub const fn acceptance_key(id: Id) -> u32 {
    id.raw() | ((id.is_extended() as u32) << 31)
}

impl Acceptance {
    /// Makes a filter that takes these identifiers.
    #[must_use]
    pub fn only(ids: impl IntoIterator<Item = Id>) -> Self {
        let mut keys: Vec<u32> = ids.into_iter().map(acceptance_key).collect();
        keys.sort_unstable();
        keys.dedup();
        Acceptance::Only(keys)
    }

    /// Returns true if a frame with this identifier passes.
    #[must_use]
    pub fn accepts(&self, id: Id) -> bool {
        match self {
            Acceptance::All => true,
            Acceptance::Only(keys) => keys.binary_search(&acceptance_key(id)).is_ok(),
            Acceptance::Masked { only, extended } => {
                let passes = |&(value, mask): &(u32, u32)| (id.raw() ^ value) & mask == 0;
                only.binary_search(&acceptance_key(id)).is_ok()
                    || (id.is_extended() && extended.iter().any(passes))
            }
        }
    }

    /// Lets 29-bit identifiers through that pass one of these values and masks, besides.
    #[must_use]
    pub fn or_extended(self, masks: &[(u32, u32)]) -> Self {
        match self {
            Acceptance::All => Acceptance::All,
            Acceptance::Only(only) => Acceptance::Masked {
                only,
                extended: masks.to_vec(),
            },
            Acceptance::Masked { only, mut extended } => {
                extended.extend_from_slice(masks);
                Acceptance::Masked { only, extended }
            }
        }
    }
}

/// A frame on its way out.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) token: Token,
    /// Names this transmission in the trace, unique in a run.
    pub(crate) serial: u64,
    /// The bits that are sent; the controller sets ESI itself.
    pub(crate) frame: Arc<Frame>,
    /// Taken back by the node while on the wire: gone if this attempt fails.
    pub(crate) withdrawn: bool,
}

/// The controller's state.
#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) config: PortConfig,
    /// The place among the bus's parties.
    pub(crate) bus_port: usize,
    /// In bus-off: takes no frame from the node.
    pub(crate) off: bool,
    pub(crate) recovery: Recovery,
    waiting: VecDeque<Outgoing>,
    /// Index of the waiting frame that competes next; kept while that frame is on the wire.
    next: usize,
    /// Frames the send task has not yet handed over; they have a place in the queue already.
    pub(crate) reserved: usize,
    /// Frames the receive task has not yet taken out.
    pub(crate) unread: usize,
}

impl Controller {
    pub(crate) fn new(config: PortConfig, bus_port: usize) -> Self {
        Controller {
            waiting: VecDeque::with_capacity(config.transmit_queue.min(256)),
            config,
            bus_port,
            off: false,
            recovery: Recovery::new(),
            next: 0,
            reserved: 0,
            unread: 0,
        }
    }

    /// Forgets everything but its setup, as a reset does.
    pub(crate) fn restart(&mut self) {
        self.waiting.clear();
        self.off = false;
        self.recovery = Recovery::new();
        (self.next, self.reserved, self.unread) = (0, 0, 0);
    }

    /// Returns true if the node may hand over another frame.
    pub(crate) fn has_room(&self) -> bool {
        !self.off && self.waiting.len() + self.reserved < self.config.transmit_queue
    }

    /// Adds a frame; while one is on the wire (`sending`), that one stays next.
    pub(crate) fn push(&mut self, outgoing: Outgoing, sending: bool) {
        self.waiting.push_back(outgoing);
        let last = self.waiting.len() - 1;
        if !sending && self.config.order == TransmitOrder::Priority {
            let key = |at: usize| self.waiting[at].frame.arbitration_key();
            if key(last) < key(self.next) {
                self.next = last;
            }
        }
    }

    /// Returns the frame that competes, or is on the wire.
    pub(crate) fn next(&self) -> Option<&Outgoing> {
        self.waiting.get(self.next)
    }

    /// Returns how many frames wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the frame that was sent out of the queue.
    pub(crate) fn take_next(&mut self) -> Option<Outgoing> {
        let taken = self.waiting.remove(self.next);
        self.choose();
        taken
    }

    /// Takes back a waiting frame, or marks the one that is on the wire.
    pub(crate) fn withdraw(&mut self, token: Token, sending: bool) -> Option<Outgoing> {
        let at = self
            .waiting
            .iter()
            .position(|outgoing| outgoing.token == token)?;
        if sending && at == self.next {
            self.waiting[at].withdrawn = true;
            return None;
        }
        let taken = self.waiting.remove(at);
        if !sending {
            self.choose();
        } else if at < self.next {
            self.next -= 1;
        }
        taken
    }

    /// Chooses which frame competes next; called whenever none of this port's is on the wire.
    pub(crate) fn choose(&mut self) {
        self.next = match self.config.order {
            TransmitOrder::Fifo => 0,
            TransmitOrder::Priority => self
                .waiting
                .iter()
                .enumerate()
                .min_by_key(|(_, outgoing)| outgoing.frame.arbitration_key())
                .map_or(0, |(at, _)| at),
        };
    }

    /// Empties the queue, as bus-off and reset do.
    pub(crate) fn clear(&mut self) -> VecDeque<Outgoing> {
        self.next = 0;
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outgoing(id: u16, token: u32) -> Outgoing {
        let frame = Frame::classic(Id::standard(id).unwrap(), &[]).unwrap();
        Outgoing {
            token: Token(token),
            serial: 0,
            frame: Arc::new(frame),
            withdrawn: false,
        }
    }

    fn controller(order: TransmitOrder) -> Controller {
        Controller::new(
            PortConfig {
                order,
                ..PortConfig::on(0)
            },
            0,
        )
    }

    fn drain(controller: &mut Controller) -> Vec<u32> {
        std::iter::from_fn(|| controller.take_next().map(|sent| sent.token.0)).collect()
    }

    #[test]
    fn a_priority_queue_sends_the_lowest_identifier_first_and_equals_in_order() {
        let mut port = controller(TransmitOrder::Priority);
        for (id, token) in [(0x300, 0), (0x100, 1), (0x200, 2), (0x100, 3)] {
            port.push(outgoing(id, token), false);
        }
        assert_eq!(drain(&mut port), [1, 3, 2, 0]);
    }

    #[test]
    fn a_fifo_sends_in_order_of_arrival() {
        let mut port = controller(TransmitOrder::Fifo);
        for (id, token) in [(0x300, 0), (0x100, 1)] {
            port.push(outgoing(id, token), false);
        }
        assert_eq!(drain(&mut port), [0, 1]);
    }

    #[test]
    fn a_frame_on_the_wire_is_neither_overtaken_nor_taken_back() {
        let mut port = controller(TransmitOrder::Priority);
        port.push(outgoing(0x300, 0), false);
        port.push(outgoing(0x100, 1), true);
        port.push(outgoing(0x200, 2), true);
        assert!(port.withdraw(Token(0), true).is_none());
        assert_eq!(
            port.withdraw(Token(2), true).map(|back| back.token),
            Some(Token(2))
        );
        let sent = port.take_next().unwrap();
        assert!(sent.token == Token(0) && sent.withdrawn);
        assert_eq!(drain(&mut port), [1]);
    }

    #[test]
    fn acceptance_tells_identifier_lengths_apart() {
        let filter = Acceptance::only([Id::standard(0x123).unwrap()]);
        assert!(filter.accepts(Id::standard(0x123).unwrap()));
        assert!(!filter.accepts(Id::extended(0x123).unwrap()));
    }

    #[test]
    fn a_mask_lets_29_bit_identifiers_through_that_have_its_bits() {
        let filter = Acceptance::only([Id::standard(0x123).unwrap()]);
        let filter = filter.or_extended(&[(0x0100_0000, 0x0F00_0000), (0x7, 0x1FFF_FFFF)]);
        for (raw, passes) in [
            (0x1123_4567, true),
            (0x0200_0000, false),
            (7, true),
            (0x123, false),
        ] {
            assert_eq!(
                filter.accepts(Id::extended(raw).unwrap()),
                passes,
                "{raw:x}"
            );
        }
        assert!(filter.accepts(Id::standard(0x123).unwrap()));
        assert!(!filter.accepts(Id::standard(0x7).unwrap()));
    }
}
