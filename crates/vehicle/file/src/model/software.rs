//! Software of ECUs beyond periodic messages: programs, and images for a microcontroller.

use waywarden_work::Duration;

use crate::place::Located;

use super::{EcuIndex, KeyStoreKind, StreamIndex, VehicleFile};

/// The program of an ECU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Software {
    /// The ECU.
    pub ecu: EcuIndex,
    /// Its program.
    pub program: ProgramKind,
}

/// A program of the test bench of \[VULCAN\].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// Reads a keypad and sends the state to wheels and clusters.
    CentralUnit {
        /// The stream of the left wheels.
        left: StreamIndex,
        /// The stream of the right wheels.
        right: StreamIndex,
        /// The engine speed.
        rpm: StreamIndex,
        /// The indicators.
        indicators: StreamIndex,
        /// The pressed keys.
        keypad: Vec<Press>,
    },
    /// Shows a speed.
    Wheel {
        /// The stream that it shows.
        shows: StreamIndex,
    },
    /// Shows engine speed, indicators and warnings.
    InstrumentCluster {
        /// The engine speed.
        rpm: StreamIndex,
        /// The indicators.
        indicators: StreamIndex,
    },
}

/// A key that a person presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// Time of the press, from power-on.
    pub at: Duration,
    /// The key.
    pub key: KeypadKey,
    /// Duration of the press.
    pub held: Duration,
}

impl VehicleFile {
    /// Returns true if an ECU keeps its keys, and what works with them, in protected modules: all
    /// that it has, and at least one.
    #[must_use]
    pub fn has_modules(&self, ecu: EcuIndex) -> bool {
        let mut own = self.authentications.iter().filter(|table| {
            let sends = table
                .streams
                .iter()
                .any(|one| self.stream(*one).sender == ecu);
            sends || self.checks(table).any(|check| check.ecu == ecu)
        });
        let mut found = false;
        own.all(|table| {
            found = true;
            table.key_store == KeyStoreKind::Module
        }) && found
    }

    /// Returns true if an ECU is a gateway whose modules alone reach the bus: what it verifies, it
    /// verifies in modules, and the driver is one of them.
    #[must_use]
    pub fn has_driver_in_module(&self, ecu: EcuIndex) -> bool {
        let verifies = |table| {
            let mut checks = self.checks(table);
            checks.any(|check| check.ecu == ecu && check.passes_to.is_some())
        };
        self.has_modules(ecu) && self.authentications.iter().any(verifies)
    }
}

/// A key of a keypad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeypadKey {
    /// `2`: slower.
    Slower,
    /// `3`: faster.
    Faster,
    /// `5`: left, as long as it is held.
    Left,
    /// `6`: right, as long as it is held.
    Right,
    /// `D`: hazard lights on and off.
    Hazard,
}

impl KeypadKey {
    /// All keys, with their labels.
    pub const ALL: [(&'static str, KeypadKey); 5] = [
        ("2", KeypadKey::Slower),
        ("3", KeypadKey::Faster),
        ("5", KeypadKey::Left),
        ("6", KeypadKey::Right),
        ("D", KeypadKey::Hazard),
    ];

    /// Returns its label.
    #[must_use]
    pub fn label(self) -> &'static str {
        let same = KeypadKey::ALL.iter().find(|(_, key)| *key == self);
        same.map_or("", |(label, _)| label)
    }

    /// Returns true if its release has a meaning.
    #[must_use]
    pub const fn is_held(self) -> bool {
        matches!(self, KeypadKey::Left | KeypadKey::Right)
    }
}

/// An image on an emulated microcontroller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// The path of its ELF file, relative to the vehicle file.
    pub image: Located<String>,
    /// The emulated board.
    pub machine: &'static str,
    /// Clock rate of the microcontroller in hertz, from
    /// [`CLOCK_MIN`](waywarden_vehicle_grammar::CLOCK_MIN) on.
    pub clock: u32,
    /// Number of received frames that wait while it computes, at least 1.
    pub receive_mailbox: usize,
}

impl VehicleFile {
    /// Replaces ECU images by simulated software, on the boards of their ECUs: for analyses, and
    /// for comparisons that compose vehicles.
    pub fn simulate_images(&mut self) {
        self.ecus.iter_mut().for_each(|ecu| ecu.firmware = None);
    }
}
