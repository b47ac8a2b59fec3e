//! Software of ECUs beyond periodic messages: the test bench of \[VULCAN\], module by module.
//!
//! A program gives its ECU's streams their payloads, takes those that arrive, and shows something.
//! It is made of the modules that the paper names. Modules call each other through doors that admit
//! the module they are linked with; where an ECU has no protected modules, they admit all callers.

mod central;
mod cluster;
mod keypad;
mod supplied;
mod wheel;

use waywarden_vehicle_file::KeypadKey;
use waywarden_vehicle_trace::ValueSource;
use waywarden_work::Instant;

pub use central::{CentralStreams, CentralUnit};
pub use cluster::InstrumentCluster;
pub use keypad::Stroke;
pub use supplied::SuppliedPayloads;
pub use wheel::Wheel;

/// A key of a keypad goes down or up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPress {
    /// The module that owns the keypad.
    pub module: &'static str,
    /// Number of the stroke, counted from 1.
    pub number: u64,
    /// Key of the keypad.
    pub key: KeypadKey,
    /// True if it goes down.
    pub is_down: bool,
}

/// A change of a display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The module that shows it.
    pub by: &'static str,
    /// Text on the display.
    pub text: String,
    /// Source of the value; none for a state of the display itself.
    pub source: Option<ValueSource>,
}

/// Caller of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Another module of the same ECU.
    Module(&'static str),
    /// Code that is in no module.
    Unprotected,
}

/// The way into a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// The module that it is linked with; none if the ECU protects no modules.
    linked: Option<&'static str>,
}

/// A door that did not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedDoor;

impl Door {
    /// A door for one module, if modules are protected.
    #[must_use]
    pub fn linked_with(module: &'static str, is_protected: bool) -> Self {
        Door {
            linked: is_protected.then_some(module),
        }
    }

    /// Lets a caller in.
    ///
    /// # Errors
    /// [`RefusedDoor`] for any caller but the module it is linked with.
    pub fn enter(self, caller: Caller) -> Result<(), RefusedDoor> {
        match self.linked {
            Some(module) if caller != Caller::Module(module) => Err(RefusedDoor),
            _ => Ok(()),
        }
    }
}

/// The software of one ECU.
pub trait EcuProgram: Send {
    /// Does what is due; returns what people did.
    fn tick(&mut self, now: Instant) -> Vec<KeyPress> {
        let _ = now;
        Vec::new()
    }

    /// Returns the time at which something is due next.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Returns what a stream of this ECU carries now; none for one that it does not fill.
    fn payload(&self, stream: usize) -> Option<[u8; 64]> {
        let _ = stream;
        None
    }

    /// Returns which of its inputs, from 1, the payloads follow from; none before the first.
    fn cause(&self) -> Option<u64> {
        None
    }

    /// Takes a message that the ECU accepted.
    fn take(&mut self, stream: usize, payload: &[u8], source: ValueSource) -> Vec<Shown> {
        let _ = (stream, payload, source);
        Vec::new()
    }

    /// Hears that a message was refused.
    fn refuse(&mut self, stream: usize) -> Vec<Shown> {
        let _ = stream;
        Vec::new()
    }

    /// Returns what a display shows that ends something by now.
    fn expire(&mut self, now: Instant) -> Vec<Shown> {
        let _ = now;
        Vec::new()
    }

    /// Hears a gateway's warning.
    fn warn(&mut self) -> Vec<Shown> {
        Vec::new()
    }

    /// Lets an intruder that runs code on this ECU call its modules, one after the other; returns
    /// the changes of displays and the number of refused calls.
    fn intrude(&mut self, caller: Caller, choice: u64) -> (Vec<Shown>, u64) {
        let _ = (caller, choice);
        (Vec::new(), 0)
    }
}
