//! Recordings: what is in the files, which files there are, and what happens when they cannot be
//! written.

mod disk;
mod events;
mod files;
mod json_lines;
mod killed;
mod mcap;
mod mqtt;
