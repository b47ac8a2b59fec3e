//! The commands for V2X messages: what they print, their exit codes, and what they leave behind.

mod captures;
#[path = "../../../../v2x/security/tests/all/linked_lists/lists.rs"]
#[allow(dead_code, reason = "one list needs a part of it")]
mod linked_lists;
mod neighbourhood;
#[cfg(unix)]
mod serve;
mod sign;
mod support;
mod verify;
mod verify_chains;
mod verify_crl;
mod verify_files;
mod verify_jobs;
mod verify_long;
mod verify_policy;
mod verify_regions;
mod verify_rules;
#[path = "../../../../v2x/security/tests/all/world.rs"]
#[allow(dead_code, reason = "chains need a part of it")]
mod world;
