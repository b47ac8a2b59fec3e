//! The identities of the nodes, and the directory that all of them know.

use std::sync::Arc;

use waywarden_can::node::{Port, Ports, Slot};
use waywarden_key_suites::{Secret, SignatureScheme};
use waywarden_lasan::{
    Address, AuthenticationSuite, CertificateStatement, Credentials, LasanConfiguration,
    LasanProfile, Name, Party, PartyIdentity, SubjectRole, enrolled_digest, issue, public_key,
};

use super::{Known, NetworkConfig};

/// The secret behind a party's key pair; variant 1 is a replaced part's.
pub(crate) fn identity_secret(address: u8, variant: u8) -> Secret {
    let mut bytes = [0x5A; 32];
    (bytes[0], bytes[1]) = (address, variant);
    Secret::from_bytes(bytes)
}

pub(crate) fn identity(address: u8) -> PartyIdentity {
    PartyIdentity {
        address: Address(address),
        ports: Ports::NONE.with(Port(0)),
        secret: identity_secret(address, 0),
        slot: Slot(0),
    }
}

pub(crate) fn name(address: u8) -> Name {
    let text = format!("ECU{address:03}");
    Name(text.as_bytes().try_into().unwrap())
}

pub(crate) const AUTHORITY: Name = Name(*b"CAAUTH");

/// Returns the authority's signing key.
pub(crate) fn authority<S: AuthenticationSuite>() -> <S::Signature as SignatureScheme>::SigningKey {
    S::Signature::signing_key(&Secret::from_bytes([0xCA; 32]))
}

/// Returns the entry of a party with this secret.
pub(crate) fn party<S: AuthenticationSuite>(
    network_config: &NetworkConfig,
    address: u8,
    secret: &Secret,
) -> Party<Vec<u8>> {
    let role = match Address(address) == network_config.module() {
        true => SubjectRole::SecurityModule,
        false => SubjectRole::Ecu,
    };
    let mut key = vec![0; 4096];
    let length = public_key(
        &S::default(),
        network_config.profile,
        role,
        secret,
        &mut key,
    )
    .unwrap();
    key.truncate(length);
    let mut credential = vec![0; 8192];
    let statement = CertificateStatement {
        subject: name(address),
        role,
        validity: network_config.validity,
        key: &key,
        authority: AUTHORITY,
    };
    let signer = authority::<S>();
    let length = issue(
        &S::default(),
        network_config.profile,
        &statement,
        &signer,
        &mut credential,
    )
    .unwrap();
    credential.truncate(length);
    let published = network_config.profile == LasanProfile::AsPublished;
    let (key, credential) = match network_config.credentials {
        Credentials::Digests if !published => (enrolled_digest(&key).to_vec(), key),
        Credentials::Keys if !published => (key, Vec::new()),
        _ => (key, credential),
    };
    Party {
        address: Address(address),
        name: name(address),
        key,
        credential,
    }
}

pub(crate) fn directory<S: AuthenticationSuite>(network_config: &NetworkConfig) -> Known {
    let parties = 1..=network_config.ecus + 1;
    let parties = parties.map(|at| party::<S>(network_config, at, &identity_secret(at, 0)));
    Arc::new(LasanConfiguration {
        settings: network_config.settings(),
        authority: (
            AUTHORITY,
            S::Signature::public_key(&authority::<S>())
                .as_ref()
                .to_vec(),
        ),
        parties: parties.collect(),
        permissions: network_config.streams.clone(),
    })
}
