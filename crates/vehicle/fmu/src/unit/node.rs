//! A node of another simulation: its mailbox, and the operations that wait for it.

use waywarden_can::Id;
use waywarden_can::node::BusState;
use waywarden_can_sim::bitwise::ErrorKind;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::live::{LiveError, LiveEvent, LiveNetwork, MailboxConfig, MailboxId};
use waywarden_can_sim::trace::BusIndex;
use waywarden_vehicle_trace::Fact;

use crate::operation::{BusErrorCode, Operation};
use crate::terminals::Terminal;

/// Most bytes of operations that wait for a node. An importer that never fetches them loses them.
const PENDING_MAX: usize = 1 << 20;

pub(super) struct Node {
    pub(super) name: String,
    ecu: String,
    pub(super) bus: BusIndex,
    /// None while the node reports bus-off.
    pub(super) mailbox: Option<MailboxId>,
    pub(super) discards_losers: bool,
    pub(super) handed_in: Vec<u8>,
    pub(super) rx_is_active: bool,
    pub(super) tx_is_active: bool,
    /// Operations for the node while its clock is active.
    pub(super) data: Vec<u8>,
    /// Operations for the node that its clock has not ticked for.
    pub(super) pending: Vec<u8>,
    pending_count: u64,
    dropped: u64,
    /// The last tick that the importer was told of.
    pub(super) announced: Option<Time>,
}

/// Figures of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// State of its controller.
    pub state: BusState,
    /// Transmit error counter.
    pub tec: u16,
    /// Receive error counter.
    pub rec: u16,
    /// Arbitrations that it lost since it joined.
    pub arbitrations_lost: u64,
    /// Operations for it that were dropped.
    pub dropped: u64,
}

impl Default for Figures {
    fn default() -> Self {
        Figures {
            state: BusState::Active,
            tec: 0,
            rec: 0,
            arbitrations_lost: 0,
            dropped: 0,
        }
    }
}

impl Node {
    pub(super) fn join(
        network: &mut LiveNetwork<Fact>,
        terminal: &Terminal,
    ) -> Result<Self, LiveError> {
        let mut node = Node {
            name: terminal.name(),
            ecu: terminal.node.clone(),
            bus: BusIndex(terminal.bus),
            mailbox: None,
            discards_losers: false,
            handed_in: Vec::new(),
            rx_is_active: false,
            tx_is_active: false,
            data: Vec::new(),
            pending: Vec::new(),
            pending_count: 0,
            dropped: 0,
            announced: None,
        };
        node.enter(network)?;
        Ok(node)
    }

    /// Puts its controller on the bus.
    pub(super) fn enter(&mut self, network: &mut LiveNetwork<Fact>) -> Result<(), LiveError> {
        let config = MailboxConfig {
            name: self.ecu.clone(),
            hears_itself: true,
            hears_errors: true,
            hears_arbitration: true,
            ..MailboxConfig::default()
        };
        self.mailbox = Some(network.join(self.bus, config)?);
        Ok(())
    }

    /// Appends an operation for the node.
    pub(super) fn put(&mut self, operation: &Operation) {
        if self.pending.is_empty() {
            self.pending_count = 0;
        }
        if self.pending.len() >= PENDING_MAX {
            self.dropped += self.pending_count;
            self.pending_count = 0;
            self.pending.clear();
        }
        operation.write(&mut self.pending);
        self.pending_count += 1;
    }

    /// Turns the events of its mailbox into operations.
    pub(super) fn collect(&mut self, network: &mut LiveNetwork<Fact>) -> Result<(), LiveError> {
        let Some(mailbox) = self.mailbox else {
            return Ok(());
        };
        while let Some((at, event)) = network.take(mailbox)? {
            match event {
                LiveEvent::Received(frame) => self.put(&Operation::Transmit(frame)),
                LiveEvent::Sent(frame) => self.put(&Operation::Confirm(frame.id().raw())),
                LiveEvent::ArbitrationLost { frame, token } if self.discards_losers => {
                    network.withdraw(mailbox, token)?;
                    self.put(&Operation::ArbitrationLost(frame.id().raw()));
                }
                LiveEvent::Error { kind, sending, .. } => {
                    let wire = network.wire(self.bus);
                    self.put(&Operation::BusError {
                        id: wire.frame.map_or(0, Id::raw),
                        error: code(kind),
                        primary: wire.first_error.is_none_or(|first| first == at),
                        is_sender: sending,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn figures(&self, network: &LiveNetwork<Fact>) -> Figures {
        let dropped = self.dropped;
        let Some(mailbox) = self.mailbox else {
            return Figures {
                state: BusState::Off,
                dropped,
                ..Figures::default()
            };
        };
        let state = network.state(mailbox);
        let (state, tec, rec) = state.unwrap_or((BusState::Active, 0, 0));
        Figures {
            state,
            tec,
            rec,
            arbitrations_lost: network.arbitrations_lost(mailbox).unwrap_or_default(),
            dropped,
        }
    }
}

const fn code(kind: ErrorKind) -> BusErrorCode {
    match kind {
        ErrorKind::Bit => BusErrorCode::Bit,
        ErrorKind::Stuff => BusErrorCode::Stuff,
        ErrorKind::Crc => BusErrorCode::Crc,
        ErrorKind::Form => BusErrorCode::Form,
        ErrorKind::Acknowledgement => BusErrorCode::Acknowledgement,
    }
}
