//! Tests of DBC import: the result of each part, the refusals with their lines, and that written
//! text reads back.

mod import;
mod mistakes;
mod timing;
mod written;
