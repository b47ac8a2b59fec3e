//! The PKI as a service: what its database keeps, and what its server and client refuse.

mod client;
mod clock;
mod copies;
mod damaged;
mod database;
mod killed;
mod rate;
mod registry;
mod renewal;
mod secrets;
mod server;
mod support;
