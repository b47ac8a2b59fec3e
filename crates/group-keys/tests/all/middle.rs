//! `hardened` against a man in the middle: a gateway between two buses that drops, changes,
//! repeats, holds back and invents, alone or with the keys of an ECU that was removed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use waywarden_can::node::Port;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{Fault, FaultKind};
use waywarden_can_sim::random::Random;
use waywarden_group_keys::{Address, Directory, Event, Header, Orchestration, Scheme, Step};
use waywarden_key_suites::symmetric::hmac_tag;
use waywarden_key_suites::{FourQ, Meter, P256, Suite};

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

/// Any ECU that was in the group can prove the key that it was in the group with. That must not
/// make an ECU that is cut off believe that it is the key of a later epoch.
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

/// Signatures cost time to check, so only three wrong ones are checked for one key.
#[test]
fn a_flood_of_wrong_ends_is_not_checked_without_end() {
    for scheme in SCHEMES {
        let on = Rc::new(Cell::new(true));
        let floods = on.clone();
        let pass: Pass = Box::new(move |port, frame| match Header::of(frame) {
            Some((Step::End, header)) if floods.get() => {
                let wrong = |at| frame_of(header, Step::End, &[at; 64]);
                (0..40).map(|at| (other_side(port), wrong(at))).collect()
            }
            _ => vec![(other_side(port), *frame)],
        });
        let recipe = Recipe {
            board: "tc297",
            ..Recipe::new(scheme, 4)
        };
        let mut foothold = None;
        let fleet = &mut Fleet::<FourQ>::with(&recipe, |config| {
            foothold = Some(Foothold::between(config, &[3], pass));
        });
        let _foothold = foothold.unwrap();
        let (mut now, mut failed) = (0, 0);
        while fleet.frames(&[Step::End]) == 0 {
            now += 1;
            fleet.run(now);
        }
        // Before the proof is repeated.
        fleet.run(now + 150);
        assert!(fleet.frames(&[Step::End]) >= 40);
        let role = fleet.members[3].clone();
        while let Some(event) = role.borrow_mut().as_mut().unwrap().event() {
            failed += usize::from(matches!(event, Event::Failed { .. }));
        }
        // On either side of the gateway, for each key; not all of the last one's may have come.
        let keys = fleet.frames(&[Step::Finish]).div_ceil(2);
        assert!((1..=3 * keys).contains(&failed), "{scheme:?} {failed}");
        assert_eq!(fleet.key(3), None);
        on.set(false);
        fleet.run(8_000);
        fleet.assert_agreed();
    }
}

/// What the gateway does to frames of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meddling {
    Drop,
    Flip,
    Repeat,
    /// Lets the next frame pass first.
    Delay,
    /// Puts the payload before it with this step in its place, of whatever exchange; of reports,
    /// the whole frame.
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

/// What is sent on the way to a key, whatever the scheme and what starts it.
const STEPS: [Step; 9] = [
    Step::Freshness,
    Step::ShareA,
    Step::ShareB,
    Step::ConfirmationA,
    Step::ConfirmationB,
    Step::Finish,
    Step::End,
    Step::Acknowledge,
    Step::Report,
];

/// Whether the gateway meddles, and how often it did.
#[derive(Default)]
struct Switch {
    on: Cell<bool>,
    applied: Cell<usize>,
}

/// Meddles with every frame of a step while it is on.
fn meddle(with: Step, how: Meddling, switch: &Rc<Switch>) -> Pass {
    let (switch, mut held, mut last) = (switch.clone(), None, None);
    Box::new(move |port, frame| {
        let to = other_side(port);
        let mut out = Vec::new();
        let (step, header) = Header::of(frame).unwrap_or((Step::Start, UNKNOWN));
        if Header::of(frame).is_none() || step != with || !switch.on.get() {
            out.push((to, *frame));
            out.extend(held.take());
            return out;
        }
        match how {
            Meddling::Drop => {}
            Meddling::Flip => {
                let mut data = frame.data().to_vec();
                data[0] ^= 1;
                out.push((to, frame_of(header, step, &data)));
            }
            Meddling::Repeat => out.extend([(to, *frame), (to, *frame)]),
            Meddling::Delay => out.extend(held.replace((to, *frame))),
            Meddling::Replace => {
                let earlier: waywarden_can::Frame = last.replace(*frame).unwrap_or(*frame);
                let replaced = match step {
                    Step::Report => earlier,
                    _ => frame_of(header, step, earlier.data()),
                };
                out.push((to, replaced));
            }
            Meddling::Rename => out.push((to, frame_of(header, other(step), frame.data()))),
            Meddling::Swap => {
                let (first, second) = (header.second, header.first);
                let header = Header {
                    first,
                    second,
                    ..header
                };
                out.push((to, frame_of(header, step, frame.data())));
            }
        }
        if out != [(to, *frame)] {
            switch.applied.set(switch.applied.get() + 1);
        }
        out
    })
}

/// Returns a step whose name another one may be given.
fn other(step: Step) -> Step {
    match step {
        Step::ShareA => Step::ShareB,
        Step::ShareB => Step::ShareA,
        Step::ConfirmationA => Step::ConfirmationB,
        Step::ConfirmationB | Step::Start => Step::ConfirmationA,
        Step::MasterSignature => Step::Orchestration,
        Step::Orchestration => Step::Start,
        Step::MasterSecret => Step::ShareA,
        Step::Finish => Step::End,
        _ => Step::Finish,
    }
}

const UNKNOWN: Header = Header {
    gives_way: false,
    first: Address::NONE,
    second: Address::NONE,
    result: Address::NONE,
};

/// Notes who was on which key, and fails if two were on different ones in the same epoch.
fn compare<S: Suite + 'static>(fleet: &Fleet<S>, keys: &mut BTreeMap<u64, [u8; 32]>) {
    let members = (0..fleet.members.len()).map(|member| fleet.key(member));
    for (epoch, key) in members.chain([fleet.orchestrators_key()]).flatten() {
        let known = keys.entry(epoch).or_insert(key);
        assert_eq!(*known, key, "two keys for epoch {epoch}");
    }
}

fn withstands<S: Suite + 'static>(recipe: &Recipe, with: Step, how: Meddling) {
    let what = format!("{recipe:?} {} {with:?} {how:?}", S::NAME);
    println!("{what}");
    let switch = Rc::new(Switch::default());
    switch.on.set(true);
    let mut foothold = None;
    let fleet = &mut Fleet::<S>::with(recipe, |config| {
        // ECU 2 acts for itself alone, ECU 3 for a logical one too.
        let pass = meddle(with, how, &switch);
        foothold = Some(Foothold::between(config, &[1, 2], pass));
        if with == Step::Report {
            // Otherwise there is nothing to report.
            for ecu in [1, 2] {
                config.ecus[ecu].faults.push(Fault {
                    from: Time::from_nanos(400_000_000),
                    until: Time::from_nanos(401_000_000),
                    kind: FaultKind::Reset,
                });
            }
        }
    });
    let foothold = foothold.unwrap();
    let mut keys = BTreeMap::new();
    for at in 1..=30 {
        fleet.run(at * 50);
        compare(fleet, &mut keys);
        // A second time, so that there is something of before to be said again.
        if at == 12 && with != Step::Report {
            let role = fleet.orchestrator.clone();
            role.borrow_mut().as_mut().unwrap().renew(false);
            foothold.stir();
        }
    }
    switch.on.set(false);
    assert!(switch.applied.get() > 0, "{what}: nothing was done");
    for at in 1..=60 {
        fleet.run(1_500 + at * 100);
        compare(fleet, &mut keys);
    }
    fleet.assert_agreed();
}

/// Does everything to every step of a scheme; returns how many manipulations that were.
fn withstands_all<S: Suite + 'static>(recipe: &Recipe) -> usize {
    let order = match recipe.orchestration {
        Orchestration::Once => Step::Start,
        _ => Step::Orchestration,
    };
    let distribution: &[Step] = match recipe.scheme {
        Scheme::SymmetricDistribution => &[Step::MasterSignature, Step::MasterSecret],
        _ => &[],
    };
    let steps = STEPS.iter().chain([&order]).chain(distribution);
    let steps: Vec<Step> = steps.copied().collect();
    for &with in &steps {
        for how in MEDDLING {
            withstands::<S>(recipe, with, how);
        }
    }
    steps.len() * MEDDLING.len()
}

fn once() -> Recipe {
    Recipe {
        orchestration: Orchestration::Once,
        ..Recipe::new(Scheme::TreeWithoutOrchestrator, 4)
    }
}

/// Each is done at least once, or its run fails. `ASSURANCE.md` has the number.
#[test]
fn whatever_is_done_to_any_message_nobody_is_on_a_wrong_key() {
    let recipes = SCHEMES.map(|scheme| Recipe::new(scheme, 4));
    let mut done: usize = recipes.iter().map(withstands_all::<FourQ>).sum();
    done += withstands_all::<FourQ>(&once());
    assert_eq!(done, 294);
}

#[test]
fn the_same_with_p256() {
    let recipe = Recipe::new(Scheme::TreeWithoutOrchestrator, 4);
    let done = withstands_all::<P256>(&recipe);
    assert_eq!(done, 70);
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

/// Reports are not signed. A node that sends them without end costs exchanges, but must not keep
/// the group from a key.
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
