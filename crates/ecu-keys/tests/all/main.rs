//! Key exchanges on the exact bus: group keys, LASAN, hostile bytes, sizes.

mod any_suite;
mod faults;
mod fuzz;
mod group;
mod lasan;
mod oracle;
mod size;
