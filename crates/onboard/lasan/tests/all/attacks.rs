//! Each known weakness of `as-published` in an attack that succeeds there and fails in `hardened`
//! and `compact`.
//!
//! The attacker knows everything that was ever sent and no secret but its own, and plays the roles
//! with that: what it lacks for `hardened` it cannot make up by deviating from them.

mod grants;
mod masquerade;
mod start_up;

use waywarden_key_suites::Secret;
use waywarden_lasan::Address;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, LasanHeader, LasanKind, LasanProfile, PartyIdentity,
};

use crate::lab::Lab;
use crate::network::{NetworkConfig, identity};

const PROFILES: [LasanProfile; 3] = [
    LasanProfile::AsPublished,
    LasanProfile::Hardened,
    LasanProfile::Compact,
];

/// Two ECUs, each of which sends to the other. All keys are shown by certificates, so that the
/// attacker has as much to repeat as can be.
fn network_config(profile: LasanProfile) -> NetworkConfig {
    NetworkConfig::new(profile, Credentials::Certificates, 2).all_send()
}

/// The attacker at an address, with a secret of its own.
fn stranger(address: u8) -> PartyIdentity {
    PartyIdentity {
        secret: Secret::from_bytes([0xEE; 32]),
        ..identity(address)
    }
}

/// A drive in which everything goes well; returns how many frames there were.
fn driven<S: AuthenticationSuite>(network_config: &NetworkConfig) -> (Lab<S>, usize) {
    let mut lab = Lab::new(network_config);
    lab.run(1_500);
    lab.assert_authorized(&[1, 2]);
    let heard = lab.heard.len();
    (lab, heard)
}

fn both(attack: impl Fn(LasanProfile, &str)) {
    for profile in PROFILES {
        for suite in ["fourq", "ml-kem"] {
            println!("{profile:?} {suite}");
            attack(profile, suite);
        }
    }
}

/// The bytes of a message in the recording of one drive.
fn recorded<S: AuthenticationSuite>(lab: &Lab<S>, kind: LasanKind, source: Address) -> Vec<u8> {
    let frames = lab.heard_of(kind, 0);
    let own = frames.iter().filter(|(_, frame)| {
        let header = LasanHeader::of(frame).map(|(header, _)| header);
        header.is_some_and(|header| header.source == source)
    });
    let length = lab.known.settings.lengths(S::SIZES).of(kind).unwrap();
    let bytes: Vec<u8> = own.flat_map(|(_, frame)| frame.data().to_vec()).collect();
    bytes[..length].to_vec()
}
