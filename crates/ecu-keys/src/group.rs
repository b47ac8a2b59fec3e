//! Group keys on the bus: two parties, then a tree of logical ECUs, under a security orchestrator
//! \[GKE\].
//!
//! [`Orchestrator`] and [`Member`] are [`Node`](waywarden_can::node::Node)s, generic over the
//! [suite](crate::suite); [`Plan`] says who merges with whom, [`Settings`] what everybody agrees on
//! beforehand. Messages, choices and the security argument are in `docs/protocols/gke.md`.

mod distribution;
mod event;
mod exchange;
pub mod fuzz;
mod identifier;
mod inbox;
mod member;
mod merges;
mod orchestrator;
mod outbox;
mod party;
mod plan;
mod secrets;
mod settings;
mod transcript;

pub use event::{EVENTS_MAX, Event};
pub use exchange::Failure;
pub use identifier::{Address, Header, Step};
pub use member::{Identity, Member};
pub use orchestrator::{ATTEMPTS_MAX, Orchestrator, OrchestratorError};
pub use plan::{
    ADDRESSES, DEPTH_MAX, EXCHANGES, Excluded, OddLevel, Place, Plan, PlanError, Scheme,
};
pub use settings::{Directory, Network, Orchestration, Pace, Profile, Settings, Timing, Transport};
