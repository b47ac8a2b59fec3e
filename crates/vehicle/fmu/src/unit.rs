//! A unit under way: the buses of the vehicle, and a mailbox for each terminal.

mod node;
mod receive;
mod settings;

use std::fmt;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::live::{LiveError, LiveNetwork};
use waywarden_can_sim::trace::BusIndex;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_sim::lower::{LowerError, lower};
use waywarden_vehicle_trace::Fact;

use self::node::Node;
pub use self::settings::Settings;
use crate::operation::Operation;
use crate::terminals::{Choices, Terminals};

/// The buses of a vehicle as a bus simulation, from time zero.
pub struct Unit {
    network: LiveNetwork<Fact>,
    nodes: Vec<Node>,
    rates: Vec<(u32, u32)>,
    /// True if no ECU is simulated, so that most events are ends of frames.
    only_outside: bool,
    /// Number of events of mailboxes when they were last collected.
    collected: u64,
    warnings: Vec<String>,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The time that was reached: the end of the step, or earlier if there are operations.
    pub at: Time,
    /// True if operations wait for a node.
    pub has_operations: bool,
    /// True if the step ended early.
    pub is_early: bool,
}

/// Answer about a countdown clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Nothing is due.
    Unknown,
    /// As announced earlier.
    Unchanged,
    /// Picoseconds from now to the next tick.
    Changed(u64),
}

/// Reason that a unit does not begin or go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum UnitError {
    /// The vehicle file makes no simulation.
    Lower(LowerError),
    /// The network, by cause.
    Live(LiveError),
    /// A bit rate that the bus cannot have.
    BitRate {
        /// Name of the bus.
        bus: String,
        /// The cause.
        why: String,
    },
}

impl Unit {
    /// Begins a unit at time zero.
    ///
    /// # Errors
    /// [`UnitError`] by cause.
    pub fn new(
        file: &VehicleFile,
        resources: &Resources,
        choices: &Choices,
        terminals: &Terminals,
        settings: &Settings,
    ) -> Result<Self, UnitError> {
        let mut config = lower(file, resources, Some(settings.seed))
            .map_err(UnitError::Lower)?
            .config;
        // An ECU of this name and one that an attack adds to it differ in name.
        config
            .ecus
            .retain(|ecu| !choices.outside.contains(&ecu.name));
        let only_outside = config.ecus.is_empty();
        settings.apply(&mut config.buses)?;
        let mut network = LiveNetwork::new(config)?;
        let mut nodes = Vec::new();
        for terminal in &terminals.terminals {
            nodes.push(Node::join(&mut network, terminal)?);
        }
        Ok(Unit {
            network,
            nodes,
            rates: settings.rates.clone(),
            only_outside,
            collected: 0,
            warnings: Vec::new(),
        })
    }

    /// Returns the time up to which the unit has run.
    #[must_use]
    pub fn now(&self) -> Time {
        self.network.now()
    }

    /// Returns the time of the next event that can make an operation; [`Time::NEVER`] without one.
    #[must_use]
    pub fn next_due(&self) -> Time {
        self.network.next_due()
    }

    /// Runs up to `end`; if `may_be_early`, to the first time before it at which there are
    /// operations for a node.
    ///
    /// # Errors
    /// [`UnitError::Live`]; the unit cannot go on.
    pub fn run(&mut self, end: Time, may_be_early: bool) -> Result<Reached, UnitError> {
        let mut is_early = false;
        while !is_early {
            let due = self.network.next_due();
            if due > end {
                self.network.run_until(end)?;
                break;
            }
            self.network.run_until(due)?;
            if self.collect()? {
                is_early = may_be_early && due < end && self.has_operations();
            }
        }
        Ok(Reached {
            at: self.now(),
            has_operations: self.has_operations(),
            is_early,
        })
    }

    /// Hands the operations of a node in, at the present time; they take effect at
    /// [`Unit::update`].
    pub fn set_operations(&mut self, terminal: usize, operations: &[u8]) {
        if let Some(node) = self.nodes.get_mut(terminal) {
            node.handed_in.clear();
            node.handed_in.extend_from_slice(operations);
        }
    }

    /// Sets the clock of a node's operations.
    pub fn set_rx_clock(&mut self, terminal: usize, is_active: bool) {
        if let Some(node) = self.nodes.get_mut(terminal) {
            node.rx_is_active = is_active;
        }
    }

    /// Sets the clock of the operations for a node: those that wait are then its data, until
    /// [`Unit::update`].
    pub fn set_tx_clock(&mut self, terminal: usize, is_active: bool) {
        let Some(node) = self.nodes.get_mut(terminal) else {
            return;
        };
        if is_active && !node.tx_is_active {
            std::mem::swap(&mut node.data, &mut node.pending);
            node.announced = None;
        }
        node.tx_is_active = is_active;
    }

    /// Returns true if the clock is active, of the operations for a node (`of_tx`) or of its own.
    #[must_use]
    pub fn clock(&self, terminal: usize, of_tx: bool) -> bool {
        self.nodes.get(terminal).is_some_and(|node| match of_tx {
            true => node.tx_is_active,
            false => node.rx_is_active,
        })
    }

    /// Returns the operations for a node, none unless their clock is active.
    #[must_use]
    pub fn data(&self, terminal: usize) -> &[u8] {
        self.nodes.get(terminal).map_or(&[], |node| &node.data)
    }

    /// Returns the operations of a node that were handed in last.
    #[must_use]
    pub fn operations(&self, terminal: usize) -> &[u8] {
        self.nodes.get(terminal).map_or(&[], |node| &node.handed_in)
    }

    /// Takes the operations that were handed in, of all nodes whose clock is active, as of one
    /// time: their frames compete. Clocks become inactive.
    ///
    /// # Errors
    /// [`UnitError::Live`]; the unit cannot go on.
    pub fn update(&mut self) -> Result<(), UnitError> {
        for terminal in 0..self.nodes.len() {
            let node = &mut self.nodes[terminal];
            if node.tx_is_active {
                node.data.clear();
                node.tx_is_active = false;
            }
            let handed_in = std::mem::take(&mut node.handed_in);
            match std::mem::take(&mut node.rx_is_active) {
                true => self.receive(terminal, &handed_in)?,
                false if handed_in.is_empty() => {}
                false => self.warnings.push(format!(
                    "{} bytes for Rx_Data of {} are ignored: activate its Rx_Clock",
                    handed_in.len(),
                    node.name
                )),
            }
        }
        self.network.run_until(self.now())?;
        self.collect()?;
        Ok(())
    }

    /// Returns the time to the next tick of a node's clock, and takes it as announced.
    pub fn interval(&mut self, terminal: usize) -> Interval {
        let (now, due) = (self.now(), self.network.next_due());
        // One clock wakes the importer for events of ECUs, of which few concern a node.
        let is_alarm = terminal == 0;
        let Some(node) = self.nodes.get_mut(terminal) else {
            return Interval::Unknown;
        };
        let hears_end = self.only_outside && self.network.is_busy(node.bus);
        let next = match node.pending.is_empty() {
            false => Some(now),
            true if is_alarm || hears_end => (due != Time::NEVER).then_some(due),
            true => node.announced.filter(|at| *at > now),
        };
        match next {
            None => Interval::Unknown,
            Some(next) if node.announced == Some(next) => Interval::Unchanged,
            Some(next) => {
                node.announced = Some(next);
                Interval::Changed(next.since(now).get())
            }
        }
    }

    /// Returns true if operations wait for a node.
    #[must_use]
    pub fn has_operations(&self) -> bool {
        self.nodes.iter().any(|node| !node.pending.is_empty())
    }

    /// Takes remarks on what nodes did wrong, at most 64 that wait.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Turns the events of mailboxes into operations; returns false if there are no new ones.
    fn collect(&mut self) -> Result<bool, UnitError> {
        let delivered = self.network.delivered();
        if delivered == self.collected {
            return Ok(false);
        }
        // Taking a loser back may deliver more: the next call sees those.
        self.collected = delivered;
        for node in &mut self.nodes {
            node.collect(&mut self.network)?;
        }
        Ok(true)
    }

    fn answer(&mut self, terminal: usize, operation: &Operation) {
        self.nodes[terminal].put(operation);
    }

    fn warn(&mut self, terminal: usize, what: impl fmt::Display) {
        if self.warnings.len() < 64 {
            let name = &self.nodes[terminal].name;
            self.warnings.push(format!("{name}: {what}"));
        }
    }
}

/// Figures of buses and nodes.
impl Unit {
    /// Returns the figures of a bus.
    #[must_use]
    pub fn statistics(&self, bus: usize) -> waywarden_can_sim::live::BusStatistics {
        self.network.statistics(BusIndex(bus))
    }

    /// Returns the state of a node's controller, its transmit and receive error counter, the
    /// arbitrations that it lost, and the operations that were dropped.
    #[must_use]
    pub fn figures(&self, terminal: usize) -> node::Figures {
        let node = self.nodes.get(terminal);
        node.map_or_else(node::Figures::default, |node| node.figures(&self.network))
    }
}

impl From<LiveError> for UnitError {
    fn from(error: LiveError) -> Self {
        UnitError::Live(error)
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnitError::Lower(error) => error.fmt(f),
            UnitError::Live(error) => error.fmt(f),
            UnitError::BitRate { bus, why } => write!(f, "bit rate of bus \"{bus}\": {why}"),
        }
    }
}

impl std::error::Error for UnitError {}
