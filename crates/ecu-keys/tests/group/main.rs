//! Group keys on the exact bus: whole vehicles of members and an orchestrator.

mod counts;
mod fire;
mod network;
mod schemes;
