//! Sockets: how requests come in and responses go out.

pub mod http;
