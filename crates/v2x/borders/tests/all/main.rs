//! Identified regions, on maps and in tables that others have made.

mod codes;
mod covers;
mod places;
mod property;
mod support;
mod towns;
