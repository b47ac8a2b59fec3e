//! The commands for V2X messages: what they print, their exit codes, and what they leave behind.

mod captures;
mod encode;
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
