//! The sockets of the service, with a service that echoes.

mod access;
mod client;
mod datagram;
mod files;
mod hostile;
mod interleaving;
mod limits;
mod many;
mod memory;
mod refused;
mod served;
mod stop;
mod stream;
