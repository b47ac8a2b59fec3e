//! Boards and their figures: papers' tables, coverage, plausibility, faulty files.

mod coverage;
mod faults;
mod paper_tables;
mod plausibility;
mod security_modules;
