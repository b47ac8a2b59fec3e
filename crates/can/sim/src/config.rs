//! Configuration of a simulation: buses, ECUs, and their disturbances and faults.

use std::fmt;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::{Boot, Node};
use waywarden_can::timing::BitTiming;

use crate::clock::Time;
use crate::controller::PortConfig;
use crate::cpu::Priorities;
use crate::interferer::{Interferer, InterfererError};
use crate::remarks::{NoRemark, Remarks};

/// Maximum number of controllers on one bus.
pub const PARTIES_MAX: usize = 128;

/// A whole simulation, whose nodes make remarks of type `R`.
pub struct Config<R = NoRemark> {
    /// The seed of every random choice.
    pub seed: u64,
    /// The buses.
    pub buses: Vec<BusConfig>,
    /// The ECUs.
    pub ecus: Vec<EcuConfig<R>>,
}

/// One bus.
pub struct BusConfig {
    /// Its name in messages.
    pub name: String,
    /// Bit rates and sample points.
    pub timing: BitTiming,
    /// The CAN FD frame format of the bus.
    pub variant: FdVariant,
    /// Its interferers, asked in this order.
    pub interferers: Vec<Box<dyn Interferer>>,
}

/// Makes an ECU's node at each boot.
pub type BuildNode = Box<dyn FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send>;

/// One ECU.
pub struct EcuConfig<R = NoRemark> {
    /// Its name in messages.
    pub name: String,
    /// The board, which gives the cost of its work.
    pub board: Arc<Board>,
    /// Number of cores of its processor, at least 1.
    pub cores: u8,
    /// The priorities of its tasks.
    pub priorities: Priorities,
    /// The drift of its clock: nanoseconds gained a second.
    pub drift_ppb: i32,
    /// Its controllers; the first is port 0.
    pub ports: Vec<PortConfig>,
    /// Start time.
    pub start: Time,
    /// Its faults.
    pub faults: Vec<EcuFault>,
    /// The function that makes its node.
    pub build: BuildNode,
    /// The remarks that its node makes for the trace.
    pub remarks: Remarks<R>,
}

impl BusConfig {
    /// A bus without interferers, with frames of ISO CAN FD where it has a data bit rate.
    #[must_use]
    pub fn new(name: impl Into<String>, timing: BitTiming) -> Self {
        BusConfig {
            name: name.into(),
            timing,
            variant: FdVariant::Iso,
            interferers: Vec::new(),
        }
    }
}

impl<R> EcuConfig<R> {
    /// An ECU that starts at once and has no faults: one core, an exact clock, no remarks.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        board: Arc<Board>,
        ports: Vec<PortConfig>,
        build: impl FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send + 'static,
    ) -> Self {
        EcuConfig {
            name: name.into(),
            board,
            cores: 1,
            priorities: Priorities::default(),
            drift_ppb: 0,
            ports,
            start: Time::ZERO,
            faults: Vec::new(),
            build: Box::new(build),
            remarks: Remarks::default(),
        }
    }
}

impl<R> Default for Config<R> {
    fn default() -> Self {
        Config {
            seed: 0,
            buses: Vec::new(),
            ecus: Vec::new(),
        }
    }
}

/// A fault of an ECU for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcuFault {
    /// Time at which it begins.
    pub from: Time,
    /// Time at which it ends; [`Time::NEVER`] if it does not.
    pub until: Time,
    /// The kind of fault.
    pub kind: EcuFaultKind,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcuFaultKind {
    /// The ECU stops at once, and starts again at the end with a new node.
    Reset,
    /// The same, and the ECU that starts is another one, in which nothing is retained.
    Replace,
    /// Its clock gains this many nanoseconds a second instead.
    Drift {
        /// Nanoseconds gained a second.
        ppb: i32,
    },
    /// One of its ports is cut off the bus: it neither sends nor hears.
    Open {
        /// The port.
        port: usize,
    },
}

/// Reason that a configuration is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A port names a bus that does not exist.
    NoSuchBus {
        /// The ECU.
        ecu: String,
        /// The index it names.
        bus: usize,
    },
    /// A transmit or receive queue has no place.
    EmptyQueue {
        /// The ECU.
        ecu: String,
    },
    /// Two ports of one ECU are on one bus.
    TwicePresent {
        /// The ECU.
        ecu: String,
        /// The bus.
        bus: String,
    },
    /// A bus has more than [`PARTIES_MAX`] controllers.
    CrowdedBus {
        /// The bus.
        bus: String,
    },
    /// Resets of one ECU overlap, or a fault ends before it begins.
    FaultOrder {
        /// The ECU.
        ecu: String,
    },
    /// An interferer cannot do what it is configured for.
    Interferer {
        /// The interferer.
        name: String,
        /// The cause.
        error: InterfererError,
    },
    /// A fault names a port the ECU does not have.
    NoSuchPort {
        /// The ECU.
        ecu: String,
        /// The port.
        port: usize,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::NoSuchBus { ecu, bus } => write!(f, "{ecu}: there is no bus {bus}"),
            ConfigError::EmptyQueue { ecu } => {
                write!(
                    f,
                    "{ecu}: a queue holds no frame; give it a length of 1 or more"
                )
            }
            ConfigError::TwicePresent { ecu, bus } => {
                write!(f, "{ecu} has two ports on {bus}; one is enough")
            }
            ConfigError::CrowdedBus { bus } => {
                write!(f, "{bus} has more than {PARTIES_MAX} controllers; split it")
            }
            ConfigError::FaultOrder { ecu } => write!(
                f,
                "{ecu}: a fault must end after it begins, a reset before the next one begins, and \
                 none may begin in the past"
            ),
            ConfigError::Interferer { name, error } => write!(f, "{name}: {error}"),
            ConfigError::NoSuchPort { ecu, port } => {
                write!(
                    f,
                    "{ecu}: a fault names port {port}, which it does not have"
                )
            }
        }
    }
}

impl std::error::Error for ConfigError {}

impl<R> Config<R> {
    /// Checks what the engine relies on.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let names: Vec<&str> = self.buses.iter().map(|bus| bus.name.as_str()).collect();
        let mut crowd = vec![0; self.buses.len()];
        for ecu in &self.ecus {
            ecu.check(&names, Time::ZERO)?;
            for port in &ecu.ports {
                crowd[port.bus] += 1;
                if crowd[port.bus] > PARTIES_MAX {
                    return Err(ConfigError::CrowdedBus {
                        bus: names[port.bus].to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Takes the places for remarks out, by ECU: the engine itself knows none.
    pub(crate) fn split(self) -> (Config, Vec<Remarks<R>>) {
        let (ecus, remarks) = self.ecus.into_iter().map(EcuConfig::split).unzip();
        let config = Config {
            seed: self.seed,
            buses: self.buses,
            ecus,
        };
        (config, remarks)
    }
}

impl<R> EcuConfig<R> {
    pub(crate) fn split(self) -> (EcuConfig, Remarks<R>) {
        let config = EcuConfig {
            name: self.name,
            board: self.board,
            cores: self.cores,
            priorities: self.priorities,
            drift_ppb: self.drift_ppb,
            ports: self.ports,
            start: self.start,
            faults: self.faults,
            build: self.build,
            remarks: Remarks::default(),
        };
        (config, self.remarks)
    }

    /// Checks an ECU for the buses of these names, on which it begins at `now` or later.
    pub(crate) fn check(&self, buses: &[&str], now: Time) -> Result<(), ConfigError> {
        let name = || self.name.clone();
        for (at, port) in self.ports.iter().enumerate() {
            let Some(bus) = buses.get(port.bus) else {
                return Err(ConfigError::NoSuchBus {
                    ecu: name(),
                    bus: port.bus,
                });
            };
            if port.transmit_queue == 0 || port.receive_queue == 0 {
                return Err(ConfigError::EmptyQueue { ecu: name() });
            }
            if self.ports[..at].iter().any(|other| other.bus == port.bus) {
                return Err(ConfigError::TwicePresent {
                    ecu: name(),
                    bus: (*bus).to_owned(),
                });
            }
        }
        self.check_faults(now)
    }

    fn check_faults(&self, now: Time) -> Result<(), ConfigError> {
        let ecu = || self.name.clone();
        let mut resets = Vec::new();
        for fault in &self.faults {
            if fault.until <= fault.from || fault.from < now {
                return Err(ConfigError::FaultOrder { ecu: ecu() });
            }
            match fault.kind {
                EcuFaultKind::Reset | EcuFaultKind::Replace => {
                    resets.push((fault.from, fault.until));
                }
                EcuFaultKind::Open { port } if port >= self.ports.len() => {
                    return Err(ConfigError::NoSuchPort { ecu: ecu(), port });
                }
                EcuFaultKind::Open { .. } | EcuFaultKind::Drift { .. } => {}
            }
        }
        resets.sort_unstable();
        let mut awake = self.start;
        for (from, until) in resets {
            if from < awake {
                return Err(ConfigError::FaultOrder { ecu: ecu() });
            }
            awake = until;
        }
        Ok(())
    }
}
