//! The JSON Schemas of the files that this crate reads, for editors.
//!
//! A schema says what one table may have, by its kind: keys, types, words, ranges. What depends on
//! another table, such as the name of an ECU, is only seen when the file is read.

/// The JSON Schema (draft 2020-12) of vehicle files.
pub const VEHICLE: &str = include_str!("../schemas/vehicle.json");

/// The JSON Schema (draft 2020-12) of files with tables of authentication for a log.
pub const AUTHENTICATION: &str = include_str!("../schemas/authentication.json");
