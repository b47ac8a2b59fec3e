//! V2X messages, certificates and lists as people bring them: captures, hexadecimal lines, files of
//! any form; and times and names as they write them.
#![forbid(unsafe_code)]

mod captures;
pub mod certificates;
pub mod digits;
pub mod foreign;
mod lines;
pub mod lists;
mod members;
mod ode_log;
pub mod record;
pub mod records;
mod text;
pub mod time;
pub mod unread;
