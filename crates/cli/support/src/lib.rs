//! Parts that all commands of waywarden share: exit codes, files, tables, quantities, terminals.
#![forbid(unsafe_code)]

pub mod answers;
pub mod csv_table;
pub mod exit;
pub mod files;
pub mod interruption;
pub mod junit;
pub mod messages;
pub mod places;
pub mod program;
pub mod progress;
pub mod quantity;
pub mod signals;
pub mod table;
pub mod terminal;

pub use waywarden_documents::document;
