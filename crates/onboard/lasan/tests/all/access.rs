//! Permissions, windows and lifetimes: what is refused, what is taken away and when, and what
//! becomes of protected frames.

mod frames;
mod lifetimes;
mod windows;

use waywarden_lasan::Address;
use waywarden_lasan::{
    Credentials, DenialReason, EcuEvent, FourQSchnorrQ, LasanProfile, ModuleEvent,
};

use crate::lab::Lab;
use crate::network::{NetworkConfig, stream_of};

type Suite = FourQSchnorrQ;

const PROFILES: [LasanProfile; 3] = [
    LasanProfile::AsPublished,
    LasanProfile::Hardened,
    LasanProfile::Compact,
];

const SAFE: [LasanProfile; 2] = [LasanProfile::Hardened, LasanProfile::Compact];

/// The time when the clocks of the tests show zero.
const ZERO: u64 = 1_000_000;

fn network_config(profile: LasanProfile, ecus: u8) -> NetworkConfig {
    println!("{profile:?}");
    NetworkConfig::new(profile, Credentials::Certificates, ecus).all_send()
}

fn authorized(network_config: &NetworkConfig) -> Lab<Suite> {
    let mut lab = Lab::new(network_config);
    lab.run(1_000);
    let all: Vec<u8> = (1..=network_config.ecus).collect();
    lab.assert_authorized(&all);
    let _ = lab.module_events();
    for ecu in all {
        let _ = lab.ecu_events(ecu);
    }
    lab
}

fn denied(stream: u8, reason: DenialReason) -> EcuEvent {
    let stream = stream_of(stream);
    EcuEvent::Denied { stream, reason }
}

fn refused(stream: u8, ecu: u8, reason: DenialReason) -> ModuleEvent {
    let (stream, ecu) = (stream_of(stream), Address(ecu));
    ModuleEvent::Refused {
        stream,
        ecu,
        reason,
    }
}
