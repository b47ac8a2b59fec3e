//! The crate against known answers, others, and hostile values.

mod coding;
mod field;
mod layouts;
mod oracle;
mod random;
mod reading;
mod writing;
