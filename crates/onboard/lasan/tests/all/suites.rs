//! Every suite in every profile: ECUs are authenticated, streams are keyed, and the bus carries
//! exactly the bytes that were counted beforehand.

use waywarden_lasan::Transport;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, EcdheEcdsa, FourQSchnorrQ, HybridMlDsa65, LasanKind,
    LasanProfile, Lengths, MlKem512FnDsa512, MlKem768FnDsa1024, MlKem768MlDsa44, MlKem768MlDsa65,
};
use waywarden_work::Duration;

use crate::network::{Fleet, NetworkConfig};

/// Runs one ECU, then three with streams.
fn runs<S: AuthenticationSuite>() {
    for profile in [
        LasanProfile::AsPublished,
        LasanProfile::Hardened,
        LasanProfile::Compact,
    ] {
        for credentials in [
            Credentials::Certificates,
            Credentials::Digests,
            Credentials::Keys,
        ] {
            if profile == LasanProfile::AsPublished && credentials != Credentials::Certificates {
                continue;
            }
            for transport in [Transport::Fd, Transport::Classic] {
                println!("{} {profile:?} {credentials:?} {transport:?}", S::NAME);
                let mut network_config = NetworkConfig::new(profile, credentials, 1);
                network_config.transport = transport;
                // The longest certificates take their time in frames of 8 bytes.
                network_config.timing.authentication = Duration::from_millis(4_000);
                counts::<S>(&network_config);
                network_config = NetworkConfig {
                    ecus: 3,
                    ..network_config
                };
                let mut fleet = Fleet::<S>::new(&network_config.all_send());
                fleet.run(5_000);
                fleet.assert_authorized();
            }
        }
    }
}

/// The frames of one authentication are those of its messages, cut into full frames.
fn counts<S: AuthenticationSuite>(network_config: &NetworkConfig) {
    let mut fleet = Fleet::<S>::new(network_config);
    fleet.run(1_500);
    fleet.assert_authorized();
    let capacity = match network_config.transport {
        Transport::Fd => 64,
        Transport::Classic => 8,
    };
    let lengths = Lengths::new(network_config.profile, network_config.credentials, S::SIZES);
    for (kind, length) in lengths.authentication() {
        let (frames, _) = fleet.sent.get(&kind).copied().unwrap_or_default();
        assert_eq!(frames, length.div_ceil(capacity), "{kind:?} of {length}");
    }
    for &kind in fleet.sent.keys() {
        let expected = lengths.authentication().any(|(one, _)| one == kind);
        // In hardened the security module shows that it has the session.
        assert!(expected || kind == LasanKind::Acknowledge, "{kind:?}");
    }
}

#[test]
fn p256() {
    runs::<EcdheEcdsa>();
}

#[test]
fn fourq() {
    runs::<FourQSchnorrQ>();
}

#[test]
fn ml_kem_768_ml_dsa_44() {
    runs::<MlKem768MlDsa44>();
}

#[test]
fn ml_kem_768_ml_dsa_65() {
    runs::<MlKem768MlDsa65>();
}

#[test]
fn ml_kem_512_fn_dsa_512() {
    runs::<MlKem512FnDsa512>();
}

#[test]
fn ml_kem_768_fn_dsa_1024() {
    runs::<MlKem768FnDsa1024>();
}

#[test]
fn hybrid_ml_dsa_65() {
    runs::<HybridMlDsa65>();
}
