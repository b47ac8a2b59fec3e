//! Boards and their figures: papers' tables, counts, coverage, plausibility, faulty files.

mod counted;
mod coverage;
mod faults;
mod memory;
mod paper_tables;
mod plausibility;
mod security_modules;
