//! Events while a call runs that its caller may want to show.

/// An event of a call that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Allowed, and probably a mistake.
    Warning(String),
    /// Good to know.
    Status(String),
    /// Certificates that are there so far, of all that the call makes sure of.
    Progress {
        /// Number that is there.
        done: usize,
        /// Number of all.
        all: usize,
    },
}

/// The caller's function for notes. It is called between steps, and holds the call up.
pub type Notes<'n> = &'n mut dyn FnMut(Note);

/// Ignores all notes.
pub fn ignore(_: Note) {}
