//! The PKI as a service: what its database keeps, and what its server and client refuse.

mod copies;
mod damaged;
mod database;
mod killed;
mod secrets;
mod support;
