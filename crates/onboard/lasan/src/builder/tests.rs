//! Networks that the builder makes, and those that it refuses.

use waywarden_can::driver::run_bus_at_once;
use waywarden_can::node::{Boot, Node, Port};
use waywarden_work::Instant;

use super::*;
use crate::{AnyLasanSuite, LasanEcu, PartyIdentity, SecurityModule};

const MODULE: Address = Address(9);
const STREAM: StreamId = StreamId(0x120);

fn identity(at: Address) -> PartyIdentity {
    PartyIdentity::new(at, Secret::from_bytes([at.0; 32]))
}

fn key(suite: AnyLasanSuite, profile: LasanProfile, at: Address) -> Vec<u8> {
    let role = match at == MODULE {
        true => SubjectRole::SecurityModule,
        false => SubjectRole::Ecu,
    };
    identity(at).public_key(&suite, profile, role)
}

fn name(at: Address) -> Name {
    Name([b'E', b'C', b'U', b'0', b'0', b'0' + at.0])
}

/// A security module at 9 and ECUs from 1 on; the first sends a stream to the second.
fn builder(suite: AnyLasanSuite, profile: LasanProfile) -> NetworkBuilder<AnyLasanSuite> {
    let of_module = key(suite, profile, MODULE);
    let begun = NetworkBuilder::new(suite, MODULE, name(MODULE), of_module);
    [Address(1), Address(2)]
        .into_iter()
        .fold(begun.with_profile(profile), |network, at| {
            network.with_ecu(at, name(at), key(suite, profile, at))
        })
        .with_stream(STREAM, Address(1), AddressSet::NONE.with(Address(2)))
}

fn boot(at: Address) -> Boot<'static> {
    Boot {
        now: Instant::ZERO,
        seed: [at.0; 32],
        retained: &[],
    }
}

fn suite() -> AnyLasanSuite {
    AnyLasanSuite::named("fourq").unwrap()
}

fn both_have_the_key(suite: AnyLasanSuite, network: &SharedLasanConfiguration) {
    let ecu = |at| LasanEcu::boxed(&boot(at), suite, identity(at), network.clone()).unwrap();
    let (mut sender, mut receiver) = (ecu(Address(1)), ecu(Address(2)));
    let module = SecurityModule::boxed(&boot(MODULE), suite, identity(MODULE), network.clone());
    let mut module = module.unwrap();
    module.start();
    assert!(sender.request(STREAM));
    for millis in 0..200 {
        let nodes: &mut [&mut dyn Node] = &mut [&mut sender, &mut receiver, &mut module];
        let now = Instant::ZERO + Duration::from_millis(millis);
        run_bus_at_once(nodes, Port(0), now).unwrap();
    }
    let (generation, sent) = sender.stream_key(STREAM).unwrap();
    let (of, taken) = receiver.stream_key(STREAM).unwrap();
    assert!(generation == of && sent == taken, "{suite:?}");
}

#[test]
fn built_networks_authenticate_and_grant_with_each_credential_and_profile() {
    for suite in [
        suite(),
        AnyLasanSuite::named("ml-kem-768+ml-dsa-44").unwrap(),
    ] {
        for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
            let built = |network: NetworkBuilder<_>| network.build().unwrap();
            let network = || builder(suite, profile);
            both_have_the_key(suite, &built(network()));
            both_have_the_key(suite, &built(network().with_digests()));
            let secret = Secret::from_bytes([0xCA; 32]);
            let certified =
                network().with_certificates(Name(*b"CAAUTH"), &secret, Validity::ALWAYS);
            both_have_the_key(suite, &built(certified));
            both_have_the_key(suite, &built(network().with_transport(Transport::Classic)));
        }
    }
}

#[test]
fn what_fits_no_network_is_refused() {
    let (suite, profile) = (suite(), LasanProfile::Hardened);
    let refused = |network: NetworkBuilder<_>| network.build().map(|_| ());
    let with_ecu = |at: u8, length: usize| {
        builder(suite, profile).with_ecu(Address(at), Name(*b"ECU000"), alloc::vec![0; length])
    };
    let length = suite.sizes().public_key;
    let error = |error| Err(error);
    assert_eq!(refused(with_ecu(3, length)), Ok(()));
    assert_eq!(
        refused(with_ecu(0, length)),
        error(NetworkError::Address(Address(0)))
    );
    assert_eq!(
        refused(with_ecu(128, length)),
        error(NetworkError::Address(Address(128)))
    );
    assert_eq!(
        refused(with_ecu(2, length)),
        error(NetworkError::Twice(Address(2)))
    );
    assert_eq!(
        refused(with_ecu(3, length - 1)),
        error(NetworkError::KeyLength(Address(3)))
    );
    let stream = |sender, receiver| {
        let receivers = AddressSet::NONE.with(Address(receiver));
        builder(suite, profile).with_stream(StreamId(7), Address(sender), receivers)
    };
    assert_eq!(refused(stream(2, 1)), Ok(()));
    for (sender, receiver) in [(3, 1), (1, 3), (1, MODULE.0), (1, 1), (1, 200)] {
        let unfit = error(NetworkError::Stream(StreamId(7)));
        assert_eq!(
            refused(stream(sender, receiver)),
            unfit,
            "{sender} to {receiver}"
        );
    }
}

#[test]
fn what_fits_no_role_is_refused() {
    let network = builder(suite(), LasanProfile::Hardened)
        .with_digests()
        .build()
        .unwrap();
    let ecu = |who| LasanEcu::boxed(&boot(Address(1)), suite(), who, network.clone()).map(|_| ());
    let module =
        |who| SecurityModule::boxed(&boot(MODULE), suite(), who, network.clone()).map(|_| ());
    let other = |at| PartyIdentity::new(at, Secret::from_bytes([77; 32]));
    assert_eq!(ecu(identity(MODULE)), Err(NetworkError::Role(MODULE)));
    assert_eq!(
        ecu(identity(Address(3))),
        Err(NetworkError::Role(Address(3)))
    );
    assert_eq!(
        module(identity(Address(1))),
        Err(NetworkError::Role(Address(1)))
    );
    assert_eq!(
        ecu(other(Address(1))),
        Err(NetworkError::PublicKey(Address(1)))
    );
    assert_eq!(module(other(MODULE)), Err(NetworkError::PublicKey(MODULE)));
}
