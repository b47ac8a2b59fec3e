//! Whole sessions against those of `vectors/lasan.txt`, message by message.

use std::collections::BTreeMap;
use std::vec::Vec;

use waywarden_can::driver::frames_at_once;
use waywarden_can::node::{Boot, Input, Node, Port, Ports, Slot};
use waywarden_can::{Frame, Id};
use waywarden_testkit::bytes_of;
use waywarden_work::{Duration, Instant, NoMeter, RecordedOperations};

use super::super::{
    AddressSet, AuthenticationSuite, CertificateStatement, Credentials, EcdheEcdsa, EcuArrays,
    LasanConfiguration, LasanEcu, LasanHeader, LasanKind, LasanTiming, ModuleArrays,
    ModuleMessages, NetworkSettings, NetworkTime, Party, PartyIdentity, Permission,
    ProtectedOutcome, SecurityModule, StreamId, SubjectRole, Validity, enrolled_digest, issue,
    public_key,
};
use super::*;
use waywarden_key_roles::Transport;
use waywarden_key_suites::SignatureScheme;
use waywarden_testkit::blocks;

mod roles;

use roles::{Roles, roles};

const VECTORS: &str = include_str!("../../../../../vectors/lasan.txt");

type S = EcdheEcdsa;
type Fields<'a> = BTreeMap<&'a str, &'a str>;
type Known = LasanConfiguration<Vec<u8>, Vec<Party<Vec<u8>>>, Vec<Permission>>;

const MODULE: Address = Address(2);
const ECU: Address = Address(1);
const STREAM: StreamId = StreamId(0x101);

fn array(fields: &Fields<'_>, name: &str) -> [u8; 32] {
    bytes_of(fields[name]).try_into().expect("32 bytes")
}

fn secret(fields: &Fields<'_>, name: &str) -> Secret {
    Secret::from_bytes(array(fields, name))
}

fn party(
    fields: &Fields<'_>,
    profile: LasanProfile,
    address: Address,
    role: SubjectRole,
) -> Party<Vec<u8>> {
    let (name, own, validity) = match role {
        SubjectRole::SecurityModule => (Name(*b"SECMOD"), "module", Validity::ALWAYS),
        SubjectRole::Ecu => {
            let (first, last) = (NetworkTime(1_000), NetworkTime(2_000_000));
            (Name(*b"ECUID0"), "ecu", Validity { first, last })
        }
    };
    let mut key = std::vec![0; 64];
    let length = public_key(&S::default(), profile, role, &secret(fields, own), &mut key).unwrap();
    key.truncate(length);
    let statement = CertificateStatement {
        subject: name,
        role,
        validity,
        key: &key,
        authority: Name(*b"CAAUTH"),
    };
    let signer = <S as AuthenticationSuite>::Signature::signing_key(&secret(fields, "signer"));
    let mut credential = std::vec![0; 256];
    let length = issue(&S::default(), profile, &statement, &signer, &mut credential).unwrap();
    credential.truncate(length);
    Party {
        address,
        name,
        key,
        credential,
    }
}

fn known(fields: &Fields<'_>) -> Known {
    let profile = match fields["profile"] {
        "as-published" => LasanProfile::AsPublished,
        "hardened" => LasanProfile::Hardened,
        _ => LasanProfile::Compact,
    };
    let signer = <S as AuthenticationSuite>::Signature::signing_key(&secret(fields, "signer"));
    LasanConfiguration {
        settings: NetworkSettings {
            profile,
            credentials: Credentials::Certificates,
            transport: Transport::Fd,
            identifiers: crate::IDENTIFIERS,
            pacing: None,
            gives_way: false,
            security_module: MODULE,
            time_at_zero: NetworkTime(1_000_000),
            timing: LasanTiming {
                authentication: Duration::from_millis(400),
                answer: Duration::from_millis(50),
                patience: Duration::from_millis(800),
                stream_key: Duration::from_millis(60_000),
            },
        },
        authority: (
            Name(*b"CAAUTH"),
            <S as AuthenticationSuite>::Signature::public_key(&signer).to_vec(),
        ),
        parties: std::vec![
            party(fields, profile, ECU, SubjectRole::Ecu),
            party(fields, profile, MODULE, SubjectRole::SecurityModule),
        ],
        permissions: std::vec![Permission {
            stream: STREAM,
            sender: ECU,
            receivers: AddressSet::NONE,
            from: NetworkTime(0),
            until: NetworkTime::MAX,
        }],
    }
}

/// Everything that two roles say to each other, put together by kind and sender.
fn conversation((module, ecu): &mut Roles<'_>, published: bool) -> Vec<(LasanHeader, Vec<u8>)> {
    module.start();
    assert!(ecu.request(STREAM));
    let port = Port(0);
    let mut under_way: Vec<Frame> = frames_at_once(module, Instant::ZERO, Input::Timeout).unwrap();
    let mut messages: Vec<(LasanHeader, Vec<u8>)> = Vec::new();
    while !under_way.is_empty() {
        let frame = under_way.remove(0);
        let (header, part) = LasanHeader::of(&frame).unwrap();
        // As published parts have no numbers; there all that is alike belongs together.
        let goes_on =
            |last: &&mut (LasanHeader, Vec<u8>)| part > 0 || published && last.0 == header;
        match messages.last_mut().filter(goes_on) {
            Some((_, bytes)) => bytes.extend(frame.data()),
            None => messages.push((header, frame.data().to_vec())),
        }
        let input = Input::Frame {
            port,
            frame: &frame,
        };
        let to: &mut dyn Node = if header.source == MODULE { ecu } else { module };
        under_way.extend(frames_at_once(to, Instant::ZERO, input).unwrap());
        assert!(messages.len() < 50, "there is no end");
    }
    messages
}

#[test]
fn whole_sessions_are_met() {
    let mut count = 0;
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "session") {
        let known = known(&fields);
        let mut roles = roles(&fields, &known);
        let messages = conversation(&mut roles, false);
        let message = |kind, source, nth| -> Vec<u8> {
            let of_kind = |(header, _): &&(LasanHeader, Vec<u8>)| {
                header.kind == kind && header.source == source
            };
            let (_, bytes) = messages.iter().filter(of_kind).nth(nth).unwrap();
            let length = known.settings.lengths(S::SIZES).of(kind).unwrap();
            bytes[..length].to_vec()
        };
        for (kind, source) in [
            (LasanKind::ModuleCertificate, MODULE),
            (LasanKind::Startup, MODULE),
            (LasanKind::Invite, MODULE),
            (LasanKind::Certificate, ECU),
            (LasanKind::Register, ECU),
            (LasanKind::ModuleConfirmation, MODULE),
            (LasanKind::EcuConfirmation, ECU),
            (LasanKind::Acknowledge, MODULE),
            (LasanKind::Request, ECU),
            (LasanKind::Grant, MODULE),
        ] {
            let expected = bytes_of(fields[kind.name()]);
            assert_eq!(message(kind, source, 0), expected, "{kind:?}");
        }
        let expected = bytes_of(fields["grant-acknowledge"]);
        assert_eq!(message(LasanKind::Acknowledge, ECU, 0), expected);
        let (module, mut ecu) = roles;
        let exporter = array(&fields, "exporter");
        assert_eq!(*module.exporter(ECU).unwrap().as_bytes(), exporter);
        assert_eq!(*ecu.exporter().unwrap().as_bytes(), exporter);
        let (_, key) = ecu.stream_key(STREAM).unwrap();
        assert_eq!(*key.as_bytes(), array(&fields, "stream-key"));
        let clear = Frame::fd(Id::standard(0x101).unwrap(), &bytes_of(fields["clear"])).unwrap();
        ecu.send(Port(0), &clear).unwrap();
        let sent = frames_at_once(&mut ecu, Instant::ZERO, Input::Timeout).unwrap();
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0].data(), bytes_of(fields["protected"]));
        assert_eq!(ecu.received(), None::<ProtectedOutcome>);
        count += 1;
    }
    assert_eq!(count, 2, "hardened and compact");
}

/// As published all but answer and confirmations follow from keys and seeds.
#[test]
fn what_is_fixed_as_published_is_met() {
    let mut found = blocks(VECTORS).filter(|fields| fields["kind"] == "published");
    let fields = found.next().unwrap();
    let known = known(&fields);
    let mut roles = roles(&fields, &known);
    let messages = conversation(&mut roles, true);
    let lengths = known.settings.lengths(S::SIZES);
    for kind in [
        LasanKind::ModuleCertificate,
        LasanKind::Startup,
        LasanKind::Certificate,
        LasanKind::Register,
    ] {
        let (_, bytes_said) = messages
            .iter()
            .find(|(header, _)| header.kind == kind)
            .unwrap();
        let length = lengths.of(kind).unwrap();
        assert_eq!(
            bytes_said[..length],
            bytes_of(fields[kind.name()]),
            "{kind:?}"
        );
    }
    let (module, ecu) = roles;
    assert!(module.is_authenticated(ECU) && ecu.stream_key(STREAM).is_some());
    assert!(found.next().is_none());
}

/// The digests and keys of the same sessions, from their messages alone.
#[test]
fn digests_and_keys_are_met() {
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "session") {
        let known = known(&fields);
        let profile = known.settings.profile;
        let meter = &mut RecordedOperations::new();
        let field = |name: &str| bytes_of(fields[name]);
        let digests: Vec<Digest> = [0, 1]
            .map(|at| enrolled_digest(&known.parties[at].key))
            .into();
        let named = |at: usize| Named {
            address: known.parties[at].address,
            name: known.parties[at].name,
            key: &digests[at],
        };
        let message = field("startup");
        let (nonce, offer) = (&message[..16], &message[16..16 + 33]);
        let first = startup(meter, S::IDENTIFIER, profile, named(1), nonce, offer);
        assert_eq!(first[..], field("startup-digest"));
        let nonce = field("invite")[..16].try_into().unwrap();
        let answer = &field("register")[..33];
        let second = register(meter, &first, named(0), &nonce, answer);
        assert_eq!(second[..], field("register-digest"));
        let confirmation = field("module-confirmation");
        let (challenge, proof_of_module) = confirmation.split_at(confirmation.len() - 16);
        let third = agreed(meter, &second, challenge);
        assert_eq!(third[..], field("agreed-digest"));
        let of = field("secret");
        let secrets: Vec<Secret> = of
            .chunks(32)
            .map(|chunk| Secret::from_bytes(chunk.try_into().unwrap()))
            .collect();
        let keys = keys(meter, &third, &secrets[0], secrets.get(1));
        let parts: [&[u8]; 7] = [
            keys.module.key.as_bytes(),
            keys.ecu.key.as_bytes(),
            keys.proofs[0].as_bytes(),
            keys.proofs[1].as_bytes(),
            keys.exporter.as_bytes(),
            &keys.module.initial[..],
            &keys.ecu.initial[..],
        ];
        assert_eq!(parts.concat(), field("keys"));
        let other = field("ecu-confirmation");
        assert_eq!(proof(meter, &keys.proofs[0], &third)[..], *proof_of_module);
        assert_eq!(proof(meter, &keys.proofs[1], &third)[..], other);
        // Neither side proves itself by the other's proof, or by a part of it.
        assert!(verify_proof(meter, &keys.proofs[1], &third, &other).is_ok());
        assert!(verify_proof(meter, &keys.proofs[0], &third, &other).is_err());
        assert!(verify_proof(meter, &keys.proofs[1], &third, &other[..15]).is_err());
        assert!(verify_proof(meter, &keys.proofs[1], &second, &other).is_err());
    }
}

static KEYS: [Digest; 2] = [[1; 32], [2; 32]];

/// A party, and three that differ from it: in address, in name and in key.
fn parties() -> [Named<'static>; 4] {
    let named = |address, name: &[u8; 6], key| Named {
        address: Address(address),
        name: Name(*name),
        key,
    };
    let [key, other_key] = &KEYS;
    [
        named(1, b"ECUID0", key),
        named(2, b"ECUID0", key),
        named(1, b"ECUID1", key),
        named(1, b"ECUID0", other_key),
    ]
}

/// Digests of the start of a session, each with one other field than the first.
fn startup_digests() -> Vec<Digest> {
    let digest = |suite, profile, module, nonce: u8, offer: u8| {
        let meter = &mut RecordedOperations::new();
        startup(meter, suite, profile, module, &[nonce; 16], &[offer; 33])
    };
    let parties = parties();
    let of_parties =
        parties.map(|party| digest(S::IDENTIFIER, LasanProfile::Hardened, party, 0, 3));
    type Other = super::super::FourQSchnorrQ;
    let of_fields = [
        digest(S::IDENTIFIER, LasanProfile::Compact, parties[0], 0, 3),
        digest(S::IDENTIFIER, LasanProfile::Hardened, parties[0], 1, 3),
        digest(S::IDENTIFIER, LasanProfile::Hardened, parties[0], 0, 4),
        digest(Other::IDENTIFIER, LasanProfile::Hardened, parties[0], 0, 3),
    ];
    [of_parties, of_fields].concat()
}

/// Digests of a registration, each with one other field than the first.
fn register_digests() -> Vec<Digest> {
    let digest = |before: u8, ecu, nonce: u8, answer: u8| {
        let meter = &mut RecordedOperations::new();
        register(meter, &[before; 32], ecu, &[nonce; 16], &[answer; 33])
    };
    let parties = parties();
    let of_parties = parties.map(|party| digest(0, party, 4, 5));
    let of_fields = [
        digest(1, parties[0], 4, 5),
        digest(0, parties[0], 5, 5),
        digest(0, parties[0], 4, 6),
    ];
    [&of_parties[..], &of_fields].concat()
}

/// Digests of an agreement, each with one other field than the first.
fn agreed_digests() -> Vec<Digest> {
    let digest = |before: u8, challenge: &[u8]| agreed(&mut NoMeter, &[before; 32], challenge);
    [digest(0, &[]), digest(1, &[]), digest(0, &[0])].into()
}

/// Every field that a digest is over makes another digest.
#[test]
fn everything_is_bound() {
    let mut seen = [startup_digests(), register_digests(), agreed_digests()].concat();
    let total = seen.len();
    assert_eq!(total, 18);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), total);
}
