//! `hardened` against a man in the middle: a gateway between two buses that drops, changes,
//! repeats, holds back and invents, alone or with the keys of an ECU that was removed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use waywarden_can::node::Port;
use waywarden_can_sim::random::Random;
use waywarden_ecu_keys::group::{Address, Directory, Header, Orchestration, Scheme, Step};
use waywarden_ecu_keys::suite::FourQ;
use waywarden_ecu_keys::suite::Meter;
use waywarden_ecu_keys::suite::symmetric::hmac_tag;

use crate::insider::{Foothold, Pass, frame_of, other_side};
use crate::knowledge::whole_group;
use crate::network::{Fleet, Recipe};
use crate::schemes::SCHEMES;

/// A fleet with some ECUs, by index, behind the attacker's gateway, which can be shut.
struct Divided {
    fleet: Fleet<FourQ>,
    foothold: Foothold,
    shut: Rc<Cell<bool>>,
}

impl Divided {
    fn new(recipe: &Recipe, behind: &[usize]) -> Self {
        let shut = Rc::new(Cell::new(false));
        let shuts = shut.clone();
        let pass: Pass = Box::new(move |port, frame| match shuts.get() {
            true => Vec::new(),
            false => vec![(other_side(port), *frame)],
        });
        let mut foothold = None;
        let fleet = Fleet::with(recipe, |config| {
            foothold = Some(Foothold::between(config, behind, pass));
        });
        Divided {
            fleet,
            foothold: foothold.unwrap(),
            shut,
        }
    }

    fn remove(&self, ecu: u8) {
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().remove(Address(ecu));
        self.foothold.stir();
    }

    /// Sends the ECUs behind the gateway a proof in the orchestrator's name.
    fn forge_proof(&self, key: &[u8; 32], epoch: u64) {
        let plan = &self.fleet.directory.settings().plan;
        let parts: [&[u8]; 3] = [
            b"waywarden-gke-1 proof",
            &[plan.orchestrator().0],
            &epoch.to_be_bytes(),
        ];
        let tag: [u8; 16] = hmac_tag(&mut Meter::new(), key, &parts);
        let payload = [&epoch.to_be_bytes()[..], &tag].concat();
        let frame = frame_of(whole_group(plan), Step::Finish, &payload);
        let mut injected = self.foothold.injected.borrow_mut();
        injected.push_back((Port(1), frame));
    }
}

/// Whoever was in the group can prove the key that it was in the group with. That must not make an
/// ECU that is cut off believe that it is the key of a later epoch.
#[test]
fn a_removed_ecu_has_no_old_key_confirmed_for_a_new_epoch() {
    for scheme in SCHEMES {
        let mut at = Divided::new(&Recipe::new(scheme, 4), &[3]);
        at.fleet.run(600);
        at.fleet.assert_agreed();
        let (_, old) = at.fleet.key(0).expect("ECU 1 is still a member");
        at.shut.set(true);
        at.remove(1);
        at.fleet.run(3_000);
        let (epoch, new) = at.fleet.orchestrators_key().unwrap();
        assert_ne!(old, new);
        at.forge_proof(&old, epoch);
        at.fleet.run(3_100);
        let own = at.fleet.key(3).expect("it keeps the key that it has");
        assert!(own.0 < epoch && own.1 == old, "{scheme:?} {own:?}");
    }
}

#[test]
fn a_forged_proof_shuts_nobody_out_for_good() {
    for scheme in SCHEMES {
        let mut at = Divided::new(&Recipe::new(scheme, 4), &[3]);
        at.fleet.run(600);
        let (_, old) = at.fleet.key(0).expect("ECU 1 is still a member");
        at.forge_proof(&old, u64::MAX);
        at.fleet.run(700);
        at.remove(1);
        at.fleet.run(8_000);
        assert_eq!(at.fleet.key(3), at.fleet.orchestrators_key(), "{scheme:?}");
    }
}

/// An order that was held back is not fresh any more once a later one was obeyed.
#[test]
fn a_start_that_was_held_back_does_not_turn_back_the_freshness() {
    let recipe = Recipe {
        orchestration: Orchestration::Once,
        ..Recipe::new(Scheme::TreeWithoutOrchestrator, 3)
    };
    let (held, holding) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(true)));
    let (holds, keeps) = (holding.clone(), held.clone());
    let pass: Pass = Box::new(move |port, frame| {
        let is_start = matches!(Header::of(frame), Some((Step::Start, _)));
        if is_start && holds.replace(false) {
            keeps.borrow_mut().push((other_side(port), *frame));
            return Vec::new();
        }
        vec![(other_side(port), *frame)]
    });
    let mut foothold = None;
    let mut fleet = Fleet::<FourQ>::with(&recipe, |config| {
        foothold = Some(Foothold::between(config, &[0, 1, 2], pass));
    });
    let foothold = foothold.unwrap();
    fleet.run(8_000);
    fleet.assert_agreed();
    assert_eq!(held.borrow().len(), 1);
    let before = fleet.frames(&[Step::ShareA, Step::ShareB]);
    foothold.injected.borrow_mut().extend(held.borrow().iter());
    fleet.run(8_100);
    assert_eq!(fleet.frames(&[Step::ShareA, Step::ShareB]), before);
    fleet.assert_agreed();
}

/// A delivery that is refused has alleged its freshness and proven none.
#[test]
fn a_forged_delivery_makes_nobody_deaf() {
    let mut at = Divided::new(&Recipe::new(Scheme::SymmetricDistribution, 4), &[3]);
    at.fleet.run(600);
    at.fleet.assert_agreed();
    let directory = at.fleet.directory.clone();
    let plan = &directory.settings().plan;
    let to_two = Header {
        second: Address(2),
        result: plan.parent(Address(2)),
        ..whole_group(plan)
    };
    for (header, step, payload) in [
        (whole_group(plan), Step::Freshness, &[0x7F; 8][..]),
        (to_two, Step::MasterSignature, &[0x11; 64]),
        (to_two, Step::MasterSecret, &[0x22; 32]),
    ] {
        at.foothold.inject(frame_of(header, step, payload));
    }
    at.fleet.run(700);
    at.remove(1);
    at.fleet.run(4_000);
    assert_eq!(at.fleet.key(1), at.fleet.orchestrators_key());
    assert_ne!(at.fleet.key(0), at.fleet.orchestrators_key());
}

/// What the gateway does to frames of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meddling {
    Drop,
    Flip,
    Repeat,
    /// Lets the next frame pass first.
    Delay,
    /// Puts the frame before it with this step in its place, of whatever exchange.
    Replace,
    /// Gives it the name of another step.
    Rename,
    /// Says it in the name of the other participant.
    Swap,
}

const MEDDLING: [Meddling; 7] = [
    Meddling::Drop,
    Meddling::Flip,
    Meddling::Repeat,
    Meddling::Delay,
    Meddling::Replace,
    Meddling::Rename,
    Meddling::Swap,
];

const STEPS: [Step; 11] = [
    Step::Freshness,
    Step::Orchestration,
    Step::ShareA,
    Step::ShareB,
    Step::ConfirmationA,
    Step::ConfirmationB,
    Step::MasterSignature,
    Step::MasterSecret,
    Step::Finish,
    Step::Acknowledge,
    Step::Report,
];

/// Meddles with every frame of a step while it is on.
fn meddle(with: Step, how: Meddling, on: &Rc<Cell<bool>>) -> Pass {
    let (on, mut held, mut last) = (on.clone(), None, None);
    Box::new(move |port, frame| {
        let to = other_side(port);
        let mut out = Vec::new();
        let (step, header) = Header::of(frame).unwrap_or((Step::Start, UNKNOWN));
        if step != with || !on.get() {
            out.push((to, *frame));
            out.extend(held.take());
            return out;
        }
        let mut data = frame.data().to_vec();
        match how {
            Meddling::Drop => {}
            Meddling::Flip => {
                data[0] ^= 1;
                out.push((to, frame_of(header, step, &data)));
            }
            Meddling::Repeat => out.extend([(to, *frame), (to, *frame)]),
            Meddling::Delay => out.extend(held.replace((to, *frame))),
            Meddling::Replace => {
                let earlier: Option<Vec<u8>> = last.replace(data.clone());
                let data = earlier.unwrap_or(data);
                out.push((to, frame_of(header, step, &data)));
            }
            Meddling::Rename => {
                let other = match step {
                    Step::ShareA => Step::ShareB,
                    Step::ShareB => Step::ShareA,
                    Step::ConfirmationA => Step::ConfirmationB,
                    Step::ConfirmationB => Step::ConfirmationA,
                    Step::MasterSignature => Step::Orchestration,
                    Step::Orchestration => Step::ConfirmationA,
                    Step::MasterSecret => Step::ShareA,
                    _ => Step::Finish,
                };
                out.push((to, frame_of(header, other, &data)));
            }
            Meddling::Swap => {
                let (first, second) = (header.second, header.first);
                let header = Header {
                    first,
                    second,
                    ..header
                };
                out.push((to, frame_of(header, step, &data)));
            }
        }
        out
    })
}

const UNKNOWN: Header = Header {
    gives_way: false,
    first: Address::NONE,
    second: Address::NONE,
    result: Address::NONE,
};

/// Notes who was on which key, and fails if two were on different ones in the same epoch.
fn compare(fleet: &Fleet<FourQ>, keys: &mut BTreeMap<u64, [u8; 32]>) {
    let members = (0..fleet.members.len()).map(|member| fleet.key(member));
    for (epoch, key) in members.chain([fleet.orchestrators_key()]).flatten() {
        let known = keys.entry(epoch).or_insert(key);
        assert_eq!(*known, key, "two keys for epoch {epoch}");
    }
}

fn withstands(scheme: Scheme, with: Step, how: Meddling) {
    println!("{scheme:?} {with:?} {how:?}");
    let on = Rc::new(Cell::new(true));
    let fleet = &mut Fleet::<FourQ>::with(&Recipe::new(scheme, 4), |config| {
        // ECU 2 acts for itself alone, ECU 3 for a logical one too.
        let _: Foothold = Foothold::between(config, &[1, 2], meddle(with, how, &on));
    });
    let mut keys = BTreeMap::new();
    for at in 1..=30 {
        fleet.run(at * 50);
        compare(fleet, &mut keys);
    }
    on.set(false);
    for at in 1..=60 {
        fleet.run(1_500 + at * 100);
        compare(fleet, &mut keys);
    }
    fleet.assert_agreed();
}

#[test]
fn whatever_is_done_to_any_message_nobody_is_on_a_wrong_key() {
    for scheme in SCHEMES {
        for with in STEPS {
            for how in MEDDLING {
                withstands(scheme, with, how);
            }
        }
    }
}

/// Says again what was heard, whenever and changed or not, and asks in others' names.
fn says_anything_again(scheme: Scheme, seed: u64) {
    println!("{scheme:?} seed {seed}");
    let mut random = Random::new(seed);
    let mut foothold = None;
    let fleet = &mut Fleet::<FourQ>::with(&Recipe::new(scheme, 4), |config| {
        foothold = Some(Foothold::on_the_bus(config));
    });
    let foothold = foothold.unwrap();
    let mut keys = BTreeMap::new();
    for at in 1..=60 {
        fleet.run(at * 25);
        compare(fleet, &mut keys);
        let heard = foothold.heard.borrow();
        for _ in 0..8 {
            let Some(frame) = heard.get(random.below(heard.len().max(1) as u64) as usize) else {
                continue;
            };
            let (step, header) = Header::of(frame).expect("only the protocol's are heard");
            let mut data = frame.data().to_vec();
            if random.chance(0.3) {
                data[random.below(frame.data().len() as u64) as usize] ^= 0x10;
            }
            foothold.inject(frame_of(header, step, &data));
        }
        if random.chance(0.2) {
            let first = Address(1 + random.below(5) as u8);
            let result = Address(random.below(14) as u8);
            let header = Header {
                first,
                result,
                ..UNKNOWN
            };
            foothold.inject(frame_of(header, Step::Report, &[0]));
        }
    }
    for at in 1..=60 {
        fleet.run(1_500 + at * 100);
        compare(fleet, &mut keys);
    }
    fleet.assert_agreed();
}

#[test]
fn whatever_is_said_again_nobody_is_on_a_wrong_key() {
    for scheme in SCHEMES {
        for seed in 0..10 {
            says_anything_again(scheme, seed);
        }
    }
}

/// Reports are not signed. Whoever sends them without end costs exchanges, but must not keep the
/// group from a key.
#[test]
fn reports_without_end_do_not_keep_the_group_from_a_key() {
    for scheme in SCHEMES {
        let recipe = Recipe {
            board: "tc297",
            ..Recipe::new(scheme, 4)
        };
        let plan = recipe.settings().plan;
        let mut foothold = None;
        let fleet = &mut Fleet::<FourQ>::with(&recipe, |config| {
            foothold = Some(Foothold::on_the_bus(config));
        });
        let header = Header {
            first: Address(2),
            result: plan.parent(Address(2)),
            ..UNKNOWN
        };
        let foothold = foothold.unwrap();
        for at in 0..800 {
            foothold.inject(frame_of(header, Step::Report, &[0]));
            fleet.run(at * 5);
        }
        // They go on having keys renewed, but there are keys.
        assert!(fleet.orchestrators_key().is_some(), "{scheme:?}");
        assert!(
            (0..4).all(|member| fleet.key(member).is_some()),
            "{scheme:?}"
        );
        fleet.run(6_000);
        fleet.assert_agreed();
    }
}
