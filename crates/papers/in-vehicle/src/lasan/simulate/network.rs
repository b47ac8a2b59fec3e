//! One run: ECUs and a security module on one bus, real messages, real cryptography.
//!
//! All parties start at once on an empty bus. The run ends when every ECU is authenticated and no
//! message is on its way any more. Nothing is measured here: see `record`.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Node, Port, Ports, Slot};
use waywarden_can::timing::BitTiming;
use waywarden_can_sim::config::EcuConfig;
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::observed::ObservedNode;
use waywarden_group_keys::Address;
use waywarden_key_suites::Secret;
use waywarden_lasan::{
    AnyLasanSuite, CertificateStatement, Credentials, EcuStorage, LasanConfiguration, LasanEcu,
    LasanProfile, LasanSuite, LasanTiming, ModuleCapacity, ModuleStorage, Name, NetworkSettings,
    NetworkTime as Millis, Party, PartyIdentity, Permission, SecurityModule, SubjectRole, Validity,
    enrolled_digest, issue, public_key,
};
use waywarden_work::Duration;

use super::super::quantity::LasanRun;
use super::LasanSimulateError;
use super::record::Record;
use crate::bench::Bench;

/// The most ECUs of a run.
pub(super) const ECUS_MAX: usize = 20;

/// Authentications at a time, where the security module gives turns.
pub(super) const HANDSHAKES: usize = 4;

/// Simulated time between two checks of authentication, in milliseconds. A run also goes on this
/// long after the last ECU is authenticated, for the last acknowledgements.
const STRIDE_MS: u64 = 50;

/// Room for a key and for a certificate of any suite.
const KEY_MAX: usize = 4096;
const CREDENTIAL_MAX: usize = 8192;

const AUTHORITY: Name = Name(*b"CAAUTH");

/// Nothing is lost here, so no node has to give up in time; an answer may take a signature.
const TIMING: LasanTiming = LasanTiming {
    authentication: Duration::from_millis(10_000),
    answer: Duration::from_millis(1_000),
    patience: Duration::from_millis(10_000),
    stream_key: Duration::from_millis(60_000),
};

type Known = Arc<LasanConfiguration<Vec<u8>, Vec<Party<Vec<u8>>>, Vec<Permission>>>;
type OneEcu = LasanEcu<'static, AnyLasanSuite, Known>;
type Module = SecurityModule<'static, AnyLasanSuite, Known>;

/// Runs until every ECU is authenticated, with room for so many at a time; none if that does not
/// happen.
pub(super) fn run(
    suite: AnyLasanSuite,
    handshakes: usize,
    run: &LasanRun,
    (board, timing): (&Arc<Board>, BitTiming),
) -> Result<Option<Record>, LasanSimulateError> {
    let directory = directory(suite, run)?;
    let (mut nodes, mut ecus) = (Vec::new(), Vec::new());
    for address in 1..=run.ecus {
        let own: ObservedNode<OneEcu> = ObservedNode::default();
        let (observed, known) = (own.clone(), directory.clone());
        ecus.push((Address(address), own));
        nodes.push(ecu(address, board, move |boot| {
            let storage = EcuStorage::boxed(suite.sizes(), 1);
            let (identity, known) = (identity(address), known.clone());
            observed.boot(Some(LasanEcu::new(boot, suite, identity, known, storage)))
        }));
    }
    let module: ObservedNode<Module> = ObservedNode::default();
    let (observed, address) = (module.clone(), run.ecus + 1);
    let capacity = ModuleCapacity {
        ecus: usize::from(run.ecus),
        handshakes,
        permissions: 0,
    };
    nodes.push(ecu(address, board, move |boot| {
        let storage = ModuleStorage::boxed(suite.sizes(), capacity);
        let (identity, known) = (identity(address), directory.clone());
        let role = SecurityModule::new(boot, suite, identity, known, storage);
        observed.boot(role.ok().map(|mut role| {
            role.start();
            role
        }))
    }));
    let bench = Bench {
        timing,
        ecus: nodes,
        stride_ms: STRIDE_MS,
    };
    let mut record = Record::new(usize::from(run.ecus) + 1);
    let mut is_done = false;
    let is_over = || {
        let was_done = is_done;
        let module = module.borrow();
        is_done = ecus.iter().all(|(address, ecu)| {
            let own = ecu.borrow();
            own.as_ref().is_some_and(LasanEcu::is_authenticated)
                && module
                    .as_ref()
                    .is_some_and(|module| module.is_authenticated(*address))
        });
        // A stride more, for the last acknowledgements.
        Ok(was_done)
    };
    let is_over = bench.run(&mut record, LasanSimulateError::Run, is_over)?;
    Ok(is_over.then_some(record))
}

/// The secret behind a party's key pair: any will do.
fn secret(address: u8) -> Secret {
    let mut bytes = [0x5A; 32];
    bytes[0] = address;
    Secret::from_bytes(bytes)
}

fn identity(address: u8) -> PartyIdentity {
    PartyIdentity {
        address: Address(address),
        ports: Ports::NONE.with(Port(0)),
        secret: secret(address),
        slot: Slot(0),
    }
}

fn name(address: u8) -> Name {
    let [hundreds, tens, ones] = [100, 10, 1].map(|unit| b'0' + address / unit % 10);
    Name([b'E', b'C', b'U', hundreds, tens, ones])
}

fn directory(suite: AnyLasanSuite, run: &LasanRun) -> Result<Known, LasanSimulateError> {
    let signer = suite.signing_key(&Secret::from_bytes([0xCA; 32]));
    let parties = (1..=run.ecus + 1).map(|address| party(suite, run, address, &signer));
    let mut key = vec![0; suite.sizes().public_key];
    suite
        .public_key(&signer, &mut key)
        .ok_or(LasanSimulateError::Setup)?;
    Ok(Arc::new(LasanConfiguration {
        settings: NetworkSettings {
            profile: run.profile,
            credentials: run.credentials,
            transport: run.transport,
            identifiers: waywarden_lasan::IDENTIFIERS,
            pacing: run.pacing,
            gives_way: false,
            security_module: Address(run.ecus + 1),
            time_at_zero: Millis(1_000_000),
            timing: TIMING,
        },
        authority: (AUTHORITY, key),
        parties: parties.collect::<Result<_, _>>()?,
        permissions: Vec::new(),
    }))
}

/// Enrols a party: what the others know of it and what it presents.
fn party(
    suite: AnyLasanSuite,
    run: &LasanRun,
    address: u8,
    signer: &<AnyLasanSuite as LasanSuite>::SigningKey,
) -> Result<Party<Vec<u8>>, LasanSimulateError> {
    let role = match address == run.ecus + 1 {
        true => SubjectRole::SecurityModule,
        false => SubjectRole::Ecu,
    };
    let mut key = vec![0; KEY_MAX];
    let length = public_key(&suite, run.profile, role, &secret(address), &mut key);
    key.truncate(length.ok_or(LasanSimulateError::Setup)?);
    let statement = CertificateStatement {
        subject: name(address),
        role,
        validity: Validity::ALWAYS,
        key: &key,
        authority: AUTHORITY,
    };
    let mut credential = vec![0; CREDENTIAL_MAX];
    let length = issue(&suite, run.profile, &statement, signer, &mut credential);
    credential.truncate(length.map_err(|_| LasanSimulateError::Setup)?);
    let (key, credential) = match (run.profile, run.credentials) {
        (LasanProfile::AsPublished, _) | (_, Credentials::Certificates) => (key, credential),
        (_, Credentials::Digests) => (enrolled_digest(&key).to_vec(), key),
        (_, Credentials::Keys) => (key, Vec::new()),
    };
    Ok(Party {
        address: Address(address),
        name: name(address),
        key,
        credential,
    })
}

fn ecu(
    address: u8,
    board: &Arc<Board>,
    build: impl FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send + 'static,
) -> EcuConfig {
    let port = PortConfig {
        transmit_queue: 64,
        receive_queue: 4096,
        ..PortConfig::on(0)
    };
    EcuConfig::new(
        format!("ecu-{address}"),
        Arc::clone(board),
        vec![port],
        build,
    )
}
