//! Settings of a receiver.

use std::thread;

use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_input::time::At;
use waywarden_v2x_security::profile::AcceptedNonceForm;
use waywarden_v2x_security::{Capacity, Limits, Profiles, Verifier};

/// Settings of a receiver, by default those of `waywarden verify`.
#[derive(Clone, Debug)]
pub struct ReceiverSettings {
    /// Bounds of its memory; the tables are those of all threads together.
    pub capacity: Capacity,
    /// The form in which a message must give the r of its signature; `None`: as the profiles say.
    pub nonce_form: Option<AcceptedNonceForm>,
    /// True if messages pass that deviate from ETSI TS 103 097.
    pub is_lenient: bool,
    /// True if an unknown implicit certificate may be the issuer of another.
    pub unknown_implicit_issuers: bool,
    /// True if payloads are compared with the certificate of their signer.
    pub checks_payloads: bool,
    /// Time at which messages are judged.
    pub at: At,
    /// UDP ports of captures that have messages; none: any may.
    pub udp_ports: Vec<u16>,
    /// Threads that verify at a time with tables of known keys of their own.
    pub threads: usize,
}

impl Default for ReceiverSettings {
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self {
            capacity: Capacity {
                table_bytes: threads * Capacity::DEFAULT.table_bytes,
                ..Capacity::DEFAULT
            },
            nonce_form: None,
            is_lenient: false,
            unknown_implicit_issuers: false,
            checks_payloads: true,
            at: At::Now,
            udp_ports: Vec::new(),
            threads,
        }
    }
}

impl ReceiverSettings {
    /// Creates the verifier of such a receiver, which trusts no certificate yet.
    #[must_use]
    pub fn verifier(&self) -> Verifier {
        let mut profiles = Profiles::default();
        if let Some(form) = self.nonce_form {
            profiles = profiles.with_nonce_form(form);
        }
        if self.is_lenient {
            profiles = profiles.lenient();
        }
        // Tables are with the threads.
        let verifier = Verifier::new(Capacity {
            table_bytes: 0,
            ..self.capacity
        });
        let verifier = verifier.with_borders(CountryBorders::new());
        verifier.with_profiles(profiles).with_limits(Limits {
            unknown_implicit_issuers: self.unknown_implicit_issuers,
            ..Limits::DEFAULT
        })
    }
}
