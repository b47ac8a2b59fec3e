//! Each known weakness of `as-published` in an attack that succeeds there and fails in `hardened`.
//! The attacker is on the bus or in a gateway between two of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use waywarden_can::Frame;
use waywarden_group_keys::{
    Address, ExchangeFailure, GroupDirectory, GroupHeader, GroupProfile, GroupRoleEvent,
    GroupSettings, Scheme, Step,
};
use waywarden_key_suites::symmetric::encrypt_ctr;
use waywarden_key_suites::{
    CurveSuite, DiffieHellman, FourQ, RecordedOperations, Secret, SignatureScheme,
};
use waywarden_work::NoMeter;

use crate::hand::{Hand, ORCHESTRATOR, order, pair, pair_of};
use crate::insider::{Foothold, Pass, frame_of, other_side, reseed};
use crate::knowledge::{Knowledge, Session, bound, counter_block, derive, salt, xor};
use crate::network::{Fleet, NetworkConfig, TestMember, identity_secret};

const SEED: [u8; 32] = [0x5E; 32];

/// Profiles, and true for that which has the weakness.
const WEAK_AND_SOUND: [(GroupProfile, bool); 2] = [
    (GroupProfile::AsPublished, true),
    (GroupProfile::Hardened, false),
];

fn network_config(profile: GroupProfile, ecus: u8) -> NetworkConfig {
    NetworkConfig {
        profile,
        ..NetworkConfig::new(Scheme::TreeWithOrchestrator, ecus)
    }
}

fn tapped(network_config: &NetworkConfig, seeded: usize) -> (Fleet<FourQ>, Foothold) {
    let mut foothold = None;
    let mut fleet = Fleet::with(network_config, |config| {
        reseed(config, seeded, SEED);
        foothold = Some(Foothold::on_the_bus(config));
    });
    fleet.run(600);
    fleet.assert_agreed();
    (fleet, foothold.unwrap())
}

fn behind(network_config: &NetworkConfig, ecus: &[usize], pass: Pass) -> (Fleet<FourQ>, Foothold) {
    let mut foothold = None;
    let fleet = Fleet::with(network_config, |config| {
        foothold = Some(Foothold::between(config, ecus, pass));
    });
    (fleet, foothold.unwrap())
}

fn events(fleet: &Fleet<FourQ>, member: usize) -> Vec<GroupRoleEvent> {
    let mut role = fleet.members[member].borrow_mut();
    let role: &mut TestMember<FourQ> = role.as_mut().unwrap();
    core::iter::from_fn(|| role.event()).collect()
}

fn subgroup_key(fleet: &Fleet<FourQ>, member: usize, logical: Address) -> Option<[u8; 32]> {
    let role = fleet.members[member].borrow();
    let key = role.as_ref().unwrap().subgroup_key(logical)?;
    Some(*key.as_bytes())
}

/// Returns the last complete exchange with this result.
fn last_session(fleet: &Fleet<FourQ>, foothold: &Foothold, result: Address) -> Session {
    let heard = foothold.heard.lock().unwrap();
    let knowledge = Knowledge::<FourQ>::of_recording(&fleet.directory, &heard);
    let mut sessions = knowledge.sessions.iter().rev();
    let found = sessions.find(|at| at.header.result == result);
    found.unwrap().clone()
}

/// An orchestration sent again within the unit of the time stamp is obeyed again: the member throws
/// away its secrets and answers.
#[test]
fn a_replayed_orchestration_is_obeyed_again() {
    for (profile, obeyed) in WEAK_AND_SOUND {
        let (mut fleet, foothold) = tapped(&network_config(profile, 2), 0);
        let leaf = fleet.directory.settings().plan.parent(Address(1));
        let recorded = foothold.heard.lock().unwrap().clone();
        let order = recorded.iter().filter(|frame| {
            let (step, header) = GroupHeader::of(frame).unwrap();
            header.result == leaf && [Step::Freshness, Step::Orchestration].contains(&step)
        });
        order.for_each(|frame| foothold.inject(*frame));
        fleet.run(700);
        let heard = foothold.heard.lock().unwrap();
        let news = heard[recorded.len()..].iter().filter_map(GroupHeader::of);
        let shares = news.filter(|(step, _)| *step == Step::ShareA).count();
        assert_eq!(shares, usize::from(obeyed), "{profile:?}");
        assert_eq!(subgroup_key(&fleet, 0, leaf).is_none(), obeyed);
    }
}

/// An order names no tree: one for the leaf of ECU 1 in another scheme has the same identifier, and
/// the same orchestrator signed it.
#[test]
fn an_order_is_obeyed_in_another_tree() {
    for (profile, obeyed) in WEAK_AND_SOUND {
        let trees = [Scheme::TreeWithOrchestrator, Scheme::SymmetricDistribution];
        let [tree, other] = trees.map(|scheme| pair_of(scheme, profile, [(1, 1), (2, 2)]));
        let (header, frames) = order(&tree, ORCHESTRATOR);
        assert_eq!(header, order(&other, ORCHESTRATOR).0);
        let mut member = Hand::new(1, &other);
        assert_eq!(!member.give(&frames).is_empty(), obeyed, "{profile:?}");
        assert_eq!(
            member.failures() == [ExchangeFailure::Orchestration],
            !obeyed
        );
    }
}

/// Returns the bytes that a participant signs in an exchange.
fn signed<S: CurveSuite>(settings: &GroupSettings, session: &Session, side: usize) -> Vec<u8> {
    let shares = session.shares.map(Option::unwrap);
    let own = [shares[side], shares[1 - side]].concat();
    if settings.profile == GroupProfile::AsPublished {
        return own;
    }
    let step = [Step::ConfirmationA, Step::ConfirmationB][side];
    let scheme = settings.plan.scheme();
    let begin = bound::<S>(scheme, step, session.header, session.freshness);
    let who = [session.actors[side].0, session.actors[1 - side].0];
    [begin, who.to_vec(), own].concat()
}

/// Both confirmations are encrypted with one key stream: a node that knows one signature reads the
/// other from the bus.
#[test]
fn both_confirmations_share_one_key_stream() {
    for (profile, shared) in WEAK_AND_SOUND {
        let (fleet, foothold) = tapped(&network_config(profile, 2), 0);
        let settings = fleet.directory.settings();
        let session = last_session(&fleet, &foothold, settings.plan.root());
        let [a, b] = session.confirmations.map(Option::unwrap);
        let signature = |side: usize| {
            let key = FourQ::signing_key(&identity_secret(session.actors[side].0));
            let message = signed::<FourQ>(settings, &session, side);
            FourQ::sign(&mut NoMeter, &key, &message)
        };
        let recovered = xor(xor(a, b), signature(0));
        let message = signed::<FourQ>(settings, &session, 1);
        let public = fleet.directory.public_key(session.actors[1]).unwrap();
        let verified = FourQ::verify(&mut NoMeter, public, &message, &recovered);
        assert_eq!(verified.is_ok(), shared, "{profile:?}");
        assert_eq!(recovered == signature(1), shared);
    }
}

/// A passive member takes a share that no ECU has signed, and uses the attacker's key.
#[test]
fn a_passive_member_takes_an_injected_share() {
    for (profile, taken) in WEAK_AND_SOUND {
        let network_config = network_config(profile, 4);
        let root = network_config.settings().plan.root();
        let scalar = FourQ::scalar(&Secret::from_bytes([0xEE; 32]));
        let own = FourQ::share(&mut NoMeter, &scalar);
        let replaced: Arc<Mutex<Vec<[u8; 32]>>> = Arc::default();
        let (seen, attacks) = (replaced.clone(), AtomicUsize::new(2));
        let pass: Pass = Box::new(move |port, frame| {
            let frame = match GroupHeader::of(frame) {
                Some((Step::ShareA, header)) if header.result == root => {
                    seen.lock().unwrap().push(frame.data().try_into().unwrap());
                    *frame
                }
                Some((Step::ShareB, header))
                    if header.result == root && attacks.load(Relaxed) > 0 =>
                {
                    attacks.store(attacks.load(Relaxed) - 1, Relaxed);
                    frame_of(header, Step::ShareB, &own)
                }
                _ => *frame,
            };
            vec![(other_side(port), frame)]
        });
        // ECU 2 acts for no ECU at the root.
        let (mut fleet, _foothold) = behind(&network_config, &[1], pass);
        fleet.run(8_000);
        let attackers: Vec<[u8; 32]> = replaced
            .lock()
            .unwrap()
            .iter()
            .map(|share| {
                let agreed = FourQ::extract(&mut NoMeter, &scalar, share).unwrap();
                let mut key = derive(&[0; 32], agreed.as_bytes(), b"secret");
                key[16..].fill(0);
                key
            })
            .collect();
        let key = fleet.key(1).expect("ECU 2 has a key").1;
        let others = fleet.orchestrators_key().unwrap().1;
        assert_eq!(attackers.contains(&key), taken, "{profile:?}");
        assert_eq!(key == others, !taken);
        if taken {
            let events = events(&fleet, 1);
            assert!(
                !events
                    .iter()
                    .any(|at| matches!(at, GroupRoleEvent::Failed { .. }))
            );
            assert!(
                events
                    .iter()
                    .any(|at| matches!(at, GroupRoleEvent::Confirmed { .. }))
            );
        }
    }
}

/// The signatures name no ECU: ECU 1 shares a key with ECU 2, which believes that it shares it with
/// ECU 3, an attacker who had the public key of ECU 1 registered as its own and knows no secret.
#[test]
fn signatures_carry_no_identities() {
    for (profile, confused) in WEAK_AND_SOUND {
        let (of_one, of_two) = (
            pair(profile, [(1, 1), (2, 2)]),
            pair(profile, [(2, 2), (3, 1)]),
        );
        let (mut one, mut two) = (Hand::new(1, &of_one), Hand::new(2, &of_two));
        let ((header_one, order_one), (header_two, order_two)) =
            (order(&of_one, ORCHESTRATOR), order(&of_two, ORCHESTRATOR));
        let share_one = one.give(&order_one)[0];
        let share_two = two.give(&order_two)[0];
        // The attacker changes the names and nothing else.
        let renamed = |frame: Frame, header, step| frame_of(header, step, frame.data());
        let confirmation_one = one.give(&[renamed(share_two, header_one, Step::ShareB)])[0];
        let confirmation_two = two.give(&[renamed(share_one, header_two, Step::ShareB)])[0];
        let step = Step::ConfirmationB;
        let _ = one.give(&[renamed(confirmation_two, header_one, step)]);
        let _ = two.give(&[renamed(confirmation_one, header_two, step)]);
        let keys = [(&one, header_one), (&two, header_two)].map(|(hand, header)| {
            hand.0
                .subgroup_key(header.result)
                .map(|key| *key.as_bytes())
        });
        let failures = [one.failures(), two.failures()];
        if confused {
            assert!(keys[0].is_some() && keys[0] == keys[1]);
            assert_eq!(failures, [vec![], vec![]]);
        } else {
            assert_eq!(keys, [None, None]);
            assert_eq!(
                failures,
                [
                    [ExchangeFailure::Confirmation],
                    [ExchangeFailure::Confirmation]
                ]
            );
        }
    }
}

/// An ECU that was removed, or a stranger, answers in the place of another: it knows the protocol
/// and its own share's scalar, and signs with the key that it has.
#[test]
fn no_other_signing_key_serves() {
    for profile in [GroupProfile::AsPublished, GroupProfile::Hardened] {
        for (signer, accepted) in [(2, true), (3, false), (ORCHESTRATOR, false), (1, false)] {
            let network = pair(profile, [(1, 1), (2, 2)]);
            let mut victim = Hand::new(1, &network);
            let (header, frames) = order(&network, ORCHESTRATOR);
            let share: [u8; 32] = victim.give(&frames)[0].data().try_into().unwrap();
            let scalar = FourQ::scalar(&Secret::from_bytes([0xEE; 32]));
            let own = FourQ::share(&mut NoMeter, &scalar);
            let _ = victim.give(&[frame_of(header, Step::ShareB, &own)]);
            let session = Session {
                header,
                freshness: u64::from(profile == GroupProfile::Hardened),
                actors: [Address(1), Address(2)],
                shares: [Some(share), Some(own)],
                confirmations: [None; 2],
            };
            let settings = network.settings();
            let agreed = FourQ::extract(&mut NoMeter, &scalar, &share).unwrap();
            let bound_to = salt::<FourQ>(settings, &session);
            let key = derive(&bound_to, agreed.as_bytes(), b"confirmation");
            let message = signed::<FourQ>(settings, &session, 1);
            let signing_key = FourQ::signing_key(&identity_secret(signer));
            let mut payload = FourQ::sign(&mut NoMeter, &signing_key, &message);
            let step = Step::ConfirmationB;
            let block = counter_block(profile, step, session.freshness);
            let key = key.first_chunk().unwrap();
            encrypt_ctr(&mut NoMeter, key, &block, &mut payload);
            let _ = victim.give(&[frame_of(header, step, &payload)]);
            let formed = victim.0.subgroup_key(header.result).is_some();
            assert_eq!(formed, accepted, "{profile:?} key of {signer}");
            let failures = victim.failures();
            assert_eq!(failures == [ExchangeFailure::Confirmation], !accepted);
        }
    }
}

#[test]
fn no_one_else_gives_orders() {
    for profile in [GroupProfile::AsPublished, GroupProfile::Hardened] {
        for (signer, obeyed) in [(ORCHESTRATOR, true), (1, false), (2, false), (3, false)] {
            let network = pair(profile, [(1, 1), (2, 2)]);
            let mut victim = Hand::new(1, &network);
            let (_, frames) = order(&network, signer);
            assert_eq!(victim.give(&frames).is_empty(), !obeyed, "key of {signer}");
            assert_eq!(
                victim.failures() == [ExchangeFailure::Orchestration],
                !obeyed
            );
        }
    }
}

/// Bits that the test leaves to be searched for: each doubles the time.
const SEARCHED: u32 = 12;

/// The scalar of a logical ECU has 128 bits: known all but a few, it is found from its share.
#[test]
fn the_scalar_of_an_upper_share_has_128_bits() {
    for (profile, short) in WEAK_AND_SOUND {
        let (fleet, foothold) = tapped(&network_config(profile, 2), 0);
        let root = fleet.directory.settings().plan.root();
        let session = last_session(&fleet, &foothold, root);
        let share = session.shares[0].unwrap();
        let heard = foothold.heard.lock().unwrap();
        let mut knowledge =
            Knowledge::<FourQ>::of_recording(&fleet.directory, &heard).with_seed(SEED);
        let _ = knowledge.group_keys();
        let mut scalars = knowledge.secrets.iter().filter(|secret| {
            let half = secret.first_chunk::<16>().unwrap();
            let whole = FourQ::scalar(&Secret::from_bytes(**secret));
            let scalars = [FourQ::scalar_as_published(half), whole];
            let mut meter = RecordedOperations::new();
            scalars
                .iter()
                .any(|scalar| FourQ::share(&mut meter, scalar) == share)
        });
        let secret = scalars.next().expect("the acting ECU knows its scalar");
        assert_eq!(secret[16..] == [0; 16], short, "{profile:?}");
        let half = u128::from_le_bytes(*secret.first_chunk().unwrap());
        let fixed = half & !((1 << SEARCHED) - 1);
        let found = (0..1 << SEARCHED).find(|low| {
            let guess = FourQ::scalar_as_published(&(fixed | low).to_le_bytes());
            FourQ::share(&mut NoMeter, &guess) == share
        });
        assert_eq!(found, short.then_some(half - fixed));
    }
}

fn is_harmless(event: &GroupRoleEvent) -> bool {
    !matches!(
        event,
        GroupRoleEvent::Missed { .. } | GroupRoleEvent::Failed { .. }
    )
}

/// Nothing tells a member that the others have come to a key and it has not.
#[test]
fn no_one_confirms_the_end() {
    for (profile, unnoticed) in WEAK_AND_SOUND {
        let network_config = network_config(profile, 4);
        let root = network_config.settings().plan.root();
        let cut = Arc::new(AtomicBool::new(true));
        let cutting = cut.clone();
        let pass: Pass = Box::new(move |port, frame| {
            let header = GroupHeader::of(frame).map(|(_, header)| header);
            let of_root = header.is_some_and(|header| header.result == root);
            match cutting.load(Relaxed) && of_root {
                true => Vec::new(),
                false => vec![(other_side(port), *frame)],
            }
        });
        let (mut fleet, foothold) = behind(&network_config, &[1], pass);
        fleet.run(500);
        cut.store(false, Relaxed);
        fleet.run(9_000);
        let heard = foothold.heard.lock().unwrap();
        let own =
            |at: &(Step, GroupHeader)| *at == (Step::Report, at.1) && at.1.first == Address(2);
        let reports = heard.iter().filter_map(GroupHeader::of).filter(own).count();
        assert!(fleet.orchestrators_key().is_some());
        assert_eq!(
            reports == 0 && events(&fleet, 1).iter().all(is_harmless),
            unnoticed
        );
        assert_eq!(fleet.key(1).is_none(), unnoticed);
        if !unnoticed {
            fleet.assert_agreed();
        }
    }
}
