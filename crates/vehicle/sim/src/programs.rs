//! Software of ECUs beyond periodic messages: the test bench of \[VULCAN\], module by module.
//!
//! A program gives its ECU's streams their payloads, takes those that arrive, and shows something.
//! It is made of the modules that the paper names. Modules call each other through doors that let
//! in whom they are linked with; where an ECU has no protected modules, they let in everybody.

mod central;
mod cluster;
mod keypad;
mod wheel;

use waywarden_vehicle_file::Key;
use waywarden_vehicle_trace::Source;
use waywarden_work::Instant;

pub use central::{CentralStreams, CentralUnit};
pub use cluster::InstrumentCluster;
pub use keypad::Stroke;
pub use wheel::Wheel;

/// A key of a keypad goes down or up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPress {
    /// The module that owns the keypad.
    pub module: &'static str,
    /// Counted from 1.
    pub number: u64,
    /// Which key.
    pub key: Key,
    /// Whether it goes down.
    pub is_down: bool,
}

/// Something that people see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The module that shows it.
    pub by: &'static str,
    /// What.
    pub text: String,
    /// Where it comes from; none for what says how things are.
    pub source: Option<Source>,
}

/// Who calls a module.
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
pub struct Refused;

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
    /// [`Refused`] for anybody but the module it is linked with.
    pub fn enter(self, caller: Caller) -> Result<(), Refused> {
        match self.linked {
            Some(module) if caller != Caller::Module(module) => Err(Refused),
            _ => Ok(()),
        }
    }
}

/// The software of one ECU.
pub trait Program {
    /// Does what is due; returns what people did.
    fn tick(&mut self, now: Instant) -> Vec<KeyPress> {
        let _ = now;
        Vec::new()
    }

    /// When something is due next.
    fn wish(&self) -> Option<Instant> {
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
    fn take(&mut self, stream: usize, payload: &[u8], source: Source) -> Vec<Shown> {
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
    /// what came of it and how many calls were refused.
    fn intrude(&mut self, caller: Caller, choice: u64) -> (Vec<Shown>, u64) {
        let _ = (caller, choice);
        (Vec::new(), 0)
    }
}
