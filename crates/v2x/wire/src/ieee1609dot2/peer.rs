//! Certificates distributed between stations \[1609.2 §8.4\].

use super::{Certificate, Version1};
use crate::coer::{SequenceOf, choice, sequence};

choice! {
    /// Contents of an answer from one station to others \[1609.2 §8.4\].
    pub enum Peer2PeerContent<'a> = "content", open {
        /// Certificates of authorities.
        0 CaCerts(SequenceOf<'a, Certificate<'a>>) = "caCerts";
    }
    additions {}
}

sequence! {
    /// An answer to a request for certificates \[1609.2 §8.4\].
    pub struct Ieee1609Dot2Peer2PeerPdu<'a> = "Ieee1609dot2Peer2PeerPDU" {
        /// Version of the structure.
        required version: Version1 = "version";
        /// Contents of the answer.
        required content: Peer2PeerContent<'a> = "content";
    }
}
