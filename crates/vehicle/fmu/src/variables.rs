//! The variables of a unit and their value references, which depend on the terminals only.

use crate::terminals::Terminals;

/// Type of a variable in FMI 3.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A 64-bit floating-point number.
    Float64,
    /// An 8-bit unsigned integer.
    UInt8,
    /// A 16-bit unsigned integer.
    UInt16,
    /// A 32-bit unsigned integer.
    UInt32,
    /// A 64-bit unsigned integer.
    UInt64,
    /// A truth value.
    Boolean,
    /// Bytes of any number.
    Binary,
    /// A clock.
    Clock,
}

/// A variable of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Time of the simulation, in seconds.
    Time,
    /// Seed of all random choices.
    Seed,
    /// A variable of a bus, by its index.
    OfBus(usize, BusVariable),
    /// A variable of a terminal, by its index.
    OfTerminal(usize, TerminalVariable),
}

/// A variable of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusVariable {
    /// Nominal bit rate, in bit/s.
    BitRate,
    /// Data bit rate of CAN FD, in bit/s; 0 for a classic bus.
    DataBitRate,
    /// Share of the time that frames took, 0 to 1.
    Load,
    /// Frames that were sent and acknowledged.
    Frames,
    /// Arbitrations that a controller lost.
    ArbitrationsLost,
    /// Error flags that controllers sent.
    ErrorFlags,
}

/// A variable of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalVariable {
    /// Operations of the node.
    RxData,
    /// The clock of these.
    RxClock,
    /// Operations for the node.
    TxData,
    /// The clock of these.
    TxClock,
    /// True: the unit confirms frames and tells of errors and lost arbitrations.
    BusNotifications,
    /// Transmit error counter of the node's controller.
    TransmitErrorCounter,
    /// Receive error counter of the node's controller.
    ReceiveErrorCounter,
    /// State of the node's controller: 1 error-active, 2 error-passive, 3 bus-off.
    State,
    /// Arbitrations that the node lost.
    ArbitrationsLost,
    /// Operations for the node that were that no importer fetched, and were dropped.
    Dropped,
}

const OF_BUS: [BusVariable; 6] = [
    BusVariable::BitRate,
    BusVariable::DataBitRate,
    BusVariable::Load,
    BusVariable::Frames,
    BusVariable::ArbitrationsLost,
    BusVariable::ErrorFlags,
];

const OF_TERMINAL: [TerminalVariable; 10] = [
    TerminalVariable::RxData,
    TerminalVariable::RxClock,
    TerminalVariable::TxData,
    TerminalVariable::TxClock,
    TerminalVariable::BusNotifications,
    TerminalVariable::TransmitErrorCounter,
    TerminalVariable::ReceiveErrorCounter,
    TerminalVariable::State,
    TerminalVariable::ArbitrationsLost,
    TerminalVariable::Dropped,
];

/// The first reference of a bus, and the distance to the next one.
const BUSES: u32 = 1_000;
const BUS_STEP: u32 = 10;
/// The first reference of a terminal, and the distance to the next one.
const TERMINALS: u32 = 1_000_000;
const TERMINAL_STEP: u32 = 10;

impl Variable {
    /// Returns the variable of a value reference.
    #[must_use]
    pub fn of(reference: u32, terminals: &Terminals) -> Option<Self> {
        match reference {
            0 => Some(Variable::Time),
            1 => Some(Variable::Seed),
            BUSES..TERMINALS => {
                let (bus, at) = place(reference - BUSES, BUS_STEP);
                let variable = OF_BUS.get(at)?;
                (bus < terminals.buses.len()).then_some(Variable::OfBus(bus, *variable))
            }
            TERMINALS.. => {
                let (terminal, variable) = Variable::of_terminal(reference, terminals)?;
                Some(Variable::OfTerminal(terminal, variable))
            }
            _ => None,
        }
    }

    /// Returns the terminal and the variable of a value reference, if it is that of a terminal's:
    /// for an importer's most frequent calls.
    #[must_use]
    pub fn of_terminal(reference: u32, terminals: &Terminals) -> Option<(usize, TerminalVariable)> {
        let (terminal, at) = place(reference.checked_sub(TERMINALS)?, TERMINAL_STEP);
        let variable = OF_TERMINAL.get(at)?;
        (terminal < terminals.terminals.len()).then_some((terminal, *variable))
    }

    /// Returns all variables of a unit.
    pub fn all(terminals: &Terminals) -> impl Iterator<Item = Variable> {
        let of_bus = |bus| OF_BUS.map(|variable| Variable::OfBus(bus, variable));
        let of_terminal = |at| OF_TERMINAL.map(|variable| Variable::OfTerminal(at, variable));
        [Variable::Time, Variable::Seed]
            .into_iter()
            .chain((0..terminals.buses.len()).flat_map(of_bus))
            .chain((0..terminals.terminals.len()).flat_map(of_terminal))
    }

    /// Returns the value reference.
    #[must_use]
    pub fn reference(self) -> u32 {
        match self {
            Variable::Time => 0,
            Variable::Seed => 1,
            Variable::OfBus(bus, variable) => BUSES + BUS_STEP * bus as u32 + variable as u32,
            Variable::OfTerminal(terminal, variable) => {
                TERMINALS + TERMINAL_STEP * terminal as u32 + variable as u32
            }
        }
    }

    /// Returns the type.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Variable::Time | Variable::OfBus(_, BusVariable::Load) => Kind::Float64,
            Variable::Seed => Kind::UInt64,
            Variable::OfBus(_, BusVariable::BitRate | BusVariable::DataBitRate) => Kind::UInt32,
            Variable::OfBus(..) => Kind::UInt64,
            Variable::OfTerminal(_, variable) => match variable {
                TerminalVariable::RxData | TerminalVariable::TxData => Kind::Binary,
                TerminalVariable::RxClock | TerminalVariable::TxClock => Kind::Clock,
                TerminalVariable::BusNotifications => Kind::Boolean,
                TerminalVariable::TransmitErrorCounter | TerminalVariable::ReceiveErrorCounter => {
                    Kind::UInt16
                }
                TerminalVariable::State => Kind::UInt8,
                TerminalVariable::ArbitrationsLost | TerminalVariable::Dropped => Kind::UInt64,
            },
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(self, terminals: &Terminals) -> String {
        match self {
            Variable::Time => "time".to_owned(),
            Variable::Seed => "seed".to_owned(),
            Variable::OfBus(bus, variable) => {
                format!("{}.{}", terminals.buses[bus], variable.name())
            }
            Variable::OfTerminal(terminal, variable) => {
                let terminal = &terminals.terminals[terminal];
                format!(
                    "{}.{}.{}",
                    terminal.bus_name,
                    terminal.node,
                    variable.name()
                )
            }
        }
    }
}

impl BusVariable {
    const fn name(self) -> &'static str {
        match self {
            Self::BitRate => "bitRate",
            Self::DataBitRate => "dataBitRate",
            Self::Load => "load",
            Self::Frames => "frames",
            Self::ArbitrationsLost => "arbitrationsLost",
            Self::ErrorFlags => "errorFlags",
        }
    }

    /// Returns a description for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::BitRate => "Nominal bit rate in bit/s",
            Self::DataBitRate => "Data bit rate of CAN FD in bit/s; 0 for a classic bus",
            Self::Load => "Share of the time that frames took, 0 to 1",
            Self::Frames => "Frames that were sent and acknowledged",
            Self::ArbitrationsLost => "Arbitrations that a controller lost",
            Self::ErrorFlags => "Error flags that controllers sent",
        }
    }
}

impl TerminalVariable {
    /// Returns the name, which is that of the member of a bus terminal where the standard has one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RxData => "Rx_Data",
            Self::RxClock => "Rx_Clock",
            Self::TxData => "Tx_Data",
            Self::TxClock => "Tx_Clock",
            Self::BusNotifications => "BusNotifications",
            Self::TransmitErrorCounter => "transmitErrorCounter",
            Self::ReceiveErrorCounter => "receiveErrorCounter",
            Self::State => "state",
            Self::ArbitrationsLost => "arbitrationsLost",
            Self::Dropped => "dropped",
        }
    }

    /// Returns a description for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::RxData => "Bus operations of the node",
            Self::RxClock => "Clock of Rx_Data",
            Self::TxData => "Bus operations for the node",
            Self::TxClock => "Clock of Tx_Data: the next time at which there may be some",
            Self::BusNotifications => "Confirm, Bus Error and Arbitration Lost are sent",
            Self::TransmitErrorCounter => "Transmit error counter of the node's controller",
            Self::ReceiveErrorCounter => "Receive error counter of the node's controller",
            Self::State => "State of the node's controller: 1 error-active, 2 passive, 3 bus-off",
            Self::ArbitrationsLost => "Arbitrations that the node lost",
            Self::Dropped => "Operations for the node that no importer fetched",
        }
    }
}

const fn place(offset: u32, step: u32) -> (usize, usize) {
    ((offset / step) as usize, (offset % step) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminals::Terminal;

    #[test]
    fn each_reference_names_its_variable() {
        let terminal = |node: &str| Terminal {
            node: node.to_owned(),
            bus_name: "a".to_owned(),
            bus: 0,
        };
        let terminals = Terminals {
            buses: vec!["a".to_owned(), "b".to_owned()],
            terminals: vec![terminal("x"), terminal("y")],
        };
        let mut count = 0;
        for variable in Variable::all(&terminals) {
            let found = Variable::of(variable.reference(), &terminals);
            assert_eq!(found, Some(variable));
            count += 1;
        }
        assert_eq!(count, 2 + 2 * 6 + 2 * 10);
        for unknown in [2, 999, 1_006, 1_020, 1_000_020, u32::MAX] {
            assert_eq!(Variable::of(unknown, &terminals), None, "{unknown}");
        }
    }
}
