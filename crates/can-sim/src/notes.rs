//! What a node says of itself, for the trace: a handle that the node and the engine share.
//!
//! A node's contract has no place for remarks, and on a microcontroller no reader would see them.
//! In the simulator, the code that builds a node can give it a clone of its ECU's [`Notes`].

use std::cell::RefCell;
use std::rc::Rc;

/// How many notes are kept between two looks of the engine, which looks after each input. Further
/// ones are lost.
pub const NOTES_MAX: usize = 256;

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What kind of thing it is about: one word that programs can select by.
    pub kind: &'static str,
    /// Who is responsible: the name of an attacker, a role, a module.
    pub by: String,
    /// What happened, for people.
    pub text: String,
}

/// A place for remarks. Clones are the same place.
#[derive(Clone, Debug, Default)]
pub struct Notes(Rc<RefCell<Vec<Note>>>);

impl Notes {
    /// Adds a remark; it appears in the trace at the time of the input that is being handled.
    pub fn push(&self, kind: &'static str, by: &str, text: String) {
        let mut notes = self.0.borrow_mut();
        if notes.len() < NOTES_MAX {
            notes.push(Note {
                kind,
                by: by.to_owned(),
                text,
            });
        }
    }

    /// Takes all remarks.
    pub(crate) fn take(&self) -> Vec<Note> {
        let mut notes = self.0.borrow_mut();
        if notes.is_empty() {
            Vec::new()
        } else {
            std::mem::take(&mut *notes)
        }
    }
}
