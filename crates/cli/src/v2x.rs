//! What the commands for V2X share: messages in files of any form, times and names.

mod captures;
pub(crate) mod certificates;
pub(crate) mod digits;
pub(crate) mod foreign;
pub(crate) mod lists;
mod members;
pub(crate) mod payloads;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod time;
pub(crate) mod unread;
