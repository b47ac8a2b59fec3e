#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`Ecu`] puts its parts behind one [`Node`](waywarden_can::node::Node). A key role is any `Node`,
//! wrapped in an [`EcuRole`] that says where it belongs; an orchestrator on a gateway has one for
//! each bus, and they go on side by side. A role that is a [`Guard`] of streams gets their
//! instances instead of the bus. An [`Authenticator`] is a role, too: it guards streams that must
//! not leave without a tag, and checks those that come in.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod authenticator;
mod ecu;
mod gateway;
mod guard;
mod observer;
mod random;
mod role;
mod stream;

pub use authenticator::{
    Authenticator, AuthenticatorFault, COUNTERS, CheckReport, CountersError, EVENTS, End,
    FreshnessRole, SLOTS, Shield, WAITING,
};
pub use ecu::Ecu;
pub use gateway::{ForwardedFrame, Gateway, GatewayRoute, Matching, Passing};
pub use guard::{Guard, Withheld};
pub use observer::{KeptBack, MessageObserver};
pub use role::{EcuRole, NoRole, ROLES_MAX};
pub use stream::{PayloadContent, PeriodicStream, StreamFormat, StreamState, Streams};
