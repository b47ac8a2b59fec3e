//! Whole agreements against those of `vectors/gke.txt`: what roles send, and each byte string.

use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;

use waywarden_can::Frame;
use waywarden_can::driver::frames_at_once;
use waywarden_can::node::{Boot, Input, Node, Port, Ports, Slot};
use waywarden_testkit::{bytes_of, hex_of};
use waywarden_work::{Duration, NoMeter, RecordedOperations};

use super::super::settings::{GroupConfiguration, GroupTiming, MergeOrder, Orchestration};
use super::super::{
    GroupPlan, Member, MemberArrays, MemberIdentity, OddLevel, Orchestrator, OrchestratorArrays,
    PlannedEcu,
};
use super::*;
use waywarden_key_roles::Transport;
use waywarden_key_suites::{
    CurveSuite, DiffieHellman, FourQ, P256, PublicKey, Share, SignatureScheme,
};
use waywarden_testkit::blocks;

mod exchange;

use exchange::exchange_is_met;

const VECTORS: &str = include_str!("../../../../../vectors/gke.txt");

type Fields<'a> = BTreeMap<&'a str, &'a str>;
type Known = GroupConfiguration<Vec<(Address, PublicKey)>>;

/// A suite of the vectors, with the share of a scalar as they write it.
trait Listed: CurveSuite<PublicKey = PublicKey, Signature = [u8; 64]> {
    fn share_of(scalar: [u8; 32]) -> Share;
}

impl Listed for FourQ {
    fn share_of(mut scalar: [u8; 32]) -> Share {
        scalar.reverse();
        let scalar = FourQ::scalar(&Secret::from_bytes(scalar));
        FourQ::share(&mut NoMeter, &scalar)
    }
}

impl Listed for P256 {
    fn share_of(scalar: [u8; 32]) -> Share {
        let key = P256::signing_key(&Secret::from_bytes(scalar));
        *P256::public_key(&key).as_bytes().first_chunk().unwrap()
    }
}

fn field(fields: &Fields<'_>, name: &str) -> Vec<u8> {
    bytes_of(
        fields
            .get(name)
            .unwrap_or_else(|| panic!("{name}: {fields:?}")),
    )
}

fn array<const LENGTH: usize>(fields: &Fields<'_>, name: &str) -> [u8; LENGTH] {
    field(fields, name).try_into().unwrap()
}

fn secret(fields: &Fields<'_>, name: &str) -> Secret {
    Secret::from_bytes(array(fields, name))
}

fn number(fields: &Fields<'_>, name: &str) -> u64 {
    u64::from_be_bytes(array(fields, name))
}

/// The payload of a line `sent`, which has the identifier before it.
fn payload(fields: &Fields<'_>, name: &str) -> Vec<u8> {
    bytes_of(fields[name].split_once(' ').unwrap().1)
}

/// The blocks of each agreement, that of its network first.
fn agreements() -> Vec<Vec<Fields<'static>>> {
    let mut agreements: Vec<Vec<Fields<'_>>> = Vec::new();
    for block in blocks(VECTORS) {
        match block["kind"] {
            "network" => agreements.push([block].into()),
            _ => agreements.last_mut().unwrap().push(block),
        }
    }
    agreements
}

fn known<S: Listed>(network: &Fields<'_>) -> Known {
    let profile = match network["profile"] {
        "hardened" => GroupProfile::Hardened,
        _ => GroupProfile::AsPublished,
    };
    let scheme = match network["scheme"] {
        "symmetric-distribution" => Scheme::SymmetricDistribution,
        _ => Scheme::TreeWithoutOrchestrator,
    };
    let orchestrator = Address(field(network, "orchestrator")[0]);
    let ecus: Vec<Address> = field(network, "ecus").into_iter().map(Address).collect();
    let place = |&address: &Address| PlannedEcu { address, rank: 0 };
    let places: Vec<PlannedEcu> = ecus.iter().map(place).collect();
    let keys = ecus.iter().chain([&orchestrator]).map(|&at| {
        let key = <S as SignatureScheme>::public_key(&signing_key::<S>(network, at));
        let expected = field(network, &std::format!("public-{:02x}", at.0));
        assert_eq!(key.as_bytes(), expected);
        (at, key)
    });
    GroupConfiguration {
        keys: keys.collect(),
        settings: GroupSettings {
            plan: GroupPlan::new(scheme, OddLevel::Skipped, orchestrator, &places).unwrap(),
            profile,
            transport: Transport::Fd,
            identifiers: crate::IDENTIFIERS,
            merge_order: MergeOrder::AsReady,
            orchestration: Orchestration::Each,
            timing: GroupTiming {
                exchange: Duration::from_millis(500),
                answer: Duration::from_millis(200),
                beacon: Duration::from_millis(1_000),
            },
        },
    }
}

fn signing_key<S: Listed>(network: &Fields<'_>, at: Address) -> S::SigningKey {
    S::signing_key(&secret(network, &std::format!("signing-{:02x}", at.0)))
}

/// Has roles agree from the seeds: every frame is in the vectors, and all of those are sent.
fn roles_agree<S: Listed>(agreement: &[Fields<'_>]) {
    let (network, end) = (&agreement[0], agreement.last().unwrap());
    let known = known::<S>(network);
    let boot = |at: Address| Boot {
        now: waywarden_work::Instant::ZERO,
        seed: array(network, &std::format!("seed-{:02x}", at.0)),
        retained: &[],
    };
    let identity = |address| MemberIdentity::<S> {
        address,
        ports: Ports::NONE.with(Port(0)),
        suite: S::default(),
        signing_key: signing_key::<S>(network, address),
        slot: Slot(0),
    };
    let at = known.settings.plan.orchestrator();
    let mut memory = OrchestratorArrays::<S, 2, 4>::new();
    let mut orchestrator =
        Orchestrator::new(&boot(at), identity(at), &known, memory.storage()).unwrap();
    let ecus = known.settings.plan.ecus();
    let mut memory = [const { MemberArrays::<S, 2>::new() }; 2];
    let mut members: Vec<Member<'_, S, &Known>> = ecus
        .zip(&mut memory)
        .map(|(at, memory)| Member::new(&boot(at), identity(at), &known, memory.storage()))
        .collect();
    orchestrator.renew(false);
    let mut nodes: Vec<&mut dyn Node> = std::vec![&mut orchestrator];
    nodes.extend(members.iter_mut().map(|member| member as &mut dyn Node));
    let mut said = exchanged_frames(&mut nodes);
    let blocks = agreement.iter().flatten();
    let sent = blocks.filter(|(name, _)| name.starts_with("sent-"));
    let mut expected: Vec<String> = sent.map(|(_, value)| String::from(*value)).collect();
    said.sort();
    expected.sort();
    assert_eq!(said, expected);
    let key = array(end, "traffic-key");
    let epoch = end.get("epoch").map_or(1, |_| number(end, "epoch"));
    let (at, own) = orchestrator.group_key().unwrap();
    assert_eq!((at, *own.as_bytes()), (epoch, key));
    for member in &members {
        let (at, own) = member.group_key().unwrap();
        assert_eq!((at, *own.as_bytes()), (epoch, key));
    }
}

/// All frames that the roles send to one another, identifier and payload as in the vectors.
fn exchanged_frames(nodes: &mut [&mut dyn Node]) -> Vec<String> {
    let (now, mut said) = (waywarden_work::Instant::ZERO, Vec::new());
    let first = frames_at_once(nodes[0], now, Input::Timeout)
        .unwrap()
        .into_iter();
    let mut under_way: Vec<(usize, Frame)> = first.map(|frame| (0, frame)).collect();
    while !under_way.is_empty() {
        let (from, frame) = under_way.remove(0);
        let waywarden_can::Id::Extended(id) = frame.id() else {
            panic!("all identifiers of the protocol are extended");
        };
        said.push(std::format!("{:08x} {}", id.raw(), hex_of(frame.data())));
        assert!(said.len() < 100, "the roles do not stop");
        for (at, node) in nodes.iter_mut().enumerate().filter(|(at, _)| *at != from) {
            let (port, frame) = (Port(0), &frame);
            let input = Input::Frame { port, frame };
            let answers = frames_at_once(*node, now, input).unwrap().into_iter();
            under_way.extend(answers.map(|answer| (at, answer)));
        }
    }
    said
}

/// Computes each byte string of an agreement from the values above it.
fn bytes_are_met<S: Listed>(agreement: &[Fields<'_>]) {
    let known = known::<S>(&agreement[0]);
    let settings = &known.settings;
    for block in &agreement[1..] {
        match block["kind"] {
            "exchange" => exchange_is_met::<S>(&known, block),
            "distribution" => distribution_is_met::<S>(&known, block),
            _ => end_is_met::<S>(settings, block),
        }
    }
    // The hash over all shares is that of the last leaf.
    let shares = agreement.iter().filter_map(|block| block.get("d"));
    let shares: Vec<&&str> = shares.collect();
    if let [first, rest @ ..] = &shares[..] {
        assert!(*first != rest[0] && rest[0] == rest[1], "{shares:?}");
    }
}

fn header(block: &Fields<'_>) -> GroupHeader {
    let [first, second] = array(block, "participants").map(Address);
    let [result] = array(block, "result").map(Address);
    GroupHeader {
        gives_way: false,
        first,
        second,
        result,
    }
}

fn distribution_is_met<S: Listed>(known: &Known, block: &Fields<'_>) {
    let (settings, meter) = (&known.settings, &mut RecordedOperations::new());
    let (freshness, shares) = (number(block, "freshness"), array(block, "d"));
    let secret_of_all = secret(block, "msk");
    let message = master(S::IDENTIFIER, settings, freshness, &secret_of_all, &shares);
    assert_eq!(message.as_bytes(), field(block, "signed-master"));
    for (step, name) in [
        (Step::MasterSignature, "counter-master-signature"),
        (Step::MasterSecret, "counter-master-secret"),
    ] {
        let counter = counter_block(settings.profile, step, freshness);
        assert_eq!(counter, array(block, name));
    }
    let group = symmetric_secret(&secret_of_all, &shares, meter);
    assert!(group == secret(block, "secret"));
}

fn end_is_met<S: Listed>(settings: &GroupSettings, block: &Fields<'_>) {
    let root = settings.plan.root();
    assert_eq!([root.0], array(block, "root"));
    let key = traffic_key(settings, root, &secret(block, "secret"));
    assert!(key == secret(block, "traffic-key"));
    if settings.profile == GroupProfile::AsPublished {
        return;
    }
    let epoch = number(block, "epoch");
    let tag = proof::<16>(&key, settings.plan.orchestrator(), epoch);
    assert_eq!(tag, payload(block, "sent-finish")[8..]);
    let message = end(S::IDENTIFIER, settings, epoch, &tag);
    assert_eq!(message.as_bytes(), field(block, "signed-end"));
    for ecu in settings.plan.ecus() {
        let name = std::format!("sent-acknowledge-{:02x}", ecu.0);
        assert_eq!(proof::<8>(&key, ecu, epoch)[..], payload(block, &name));
    }
    if block.contains_key("signed-start") {
        let (header, none) = (whole_group(settings), Excluded::default());
        let message = orchestration(S::IDENTIFIER, settings, Step::Start, header, 1, &none);
        assert_eq!(message.as_bytes(), field(block, "signed-start"));
    }
}

fn with_suite(agreement: &[Fields<'_>], fourq: fn(&[Fields<'_>]), p256: fn(&[Fields<'_>])) {
    match agreement[0]["suite"] {
        "fourq" => fourq(agreement),
        _ => p256(agreement),
    }
}

#[test]
fn roles_send_the_frames_of_the_vectors_and_come_to_their_keys() {
    let agreements = agreements();
    assert_eq!(agreements.len(), 8, "suites, profiles and schemes");
    for agreement in &agreements {
        with_suite(agreement, roles_agree::<FourQ>, roles_agree::<P256>);
    }
}

#[test]
fn every_byte_string_of_the_vectors_is_met() {
    for agreement in &agreements() {
        with_suite(agreement, bytes_are_met::<FourQ>, bytes_are_met::<P256>);
    }
}

/// Address a has bit a mod 8, of which 0 is the least significant, of byte a / 8.
#[test]
fn each_address_has_its_bit_in_who_is_in_the_result() {
    for address in 1..=u8::MAX {
        let mut present = Excluded::default();
        present.set(Address(address), true);
        let mut expected = [0; 32];
        expected[usize::from(address) / 8] = 1 << (address % 8);
        assert_eq!(present.as_bytes(), &expected);
    }
}
