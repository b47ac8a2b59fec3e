//! V2X codecs: known answers, field messages, other implementations, hostile bytes.

mod allocations;
mod application;
mod bsm;
mod corpus;
mod detect;
mod dot2dot1;
mod etsi;
mod geonet;
mod hostile;
mod link;
mod oracles;
mod pki_messages;
mod support;
mod tshark;
mod udp_links;
mod uper;
mod wsmp;
