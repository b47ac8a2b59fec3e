//! Group keys on the exact bus: whole vehicles of members and an orchestrator; hostile bytes,
//! sizes.

mod any_suite;
mod attacks;
mod counts;
mod delay;
mod fire;
mod hand;
mod insider;
mod knowledge;
mod late;
mod merging;
mod middle;
mod network;
mod once;
mod oracle;
mod randomness;
mod removal;
mod renewal;
mod schemes;
mod size;
