//! The crate against known answers, others, and hostile values.

mod coding;
mod document;
mod field;
mod layouts;
mod oracle;
mod random;
mod reading;
mod writing;
