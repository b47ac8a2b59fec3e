//! Orders that a gateway holds back until an ECU that they name has been removed: with the rest of
//! that ECU's keys the attacker goes through the agreement that the orchestrator gave up, and ends
//! it. No ECU may take that key into use.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_can::node::Port;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{Fault, FaultKind};
use waywarden_group_keys::{Address, Directory, Header, Orchestration, Scheme, Step};
use waywarden_key_suites::symmetric::hmac_tag;
use waywarden_key_suites::{FourQ, Meter, P256, Suite};

use crate::insider::{Foothold, Pass, frame_of, other_side};
use crate::knowledge::{bound, whole_group};
use crate::network::{Fleet, Recipe, identity_secret};
use crate::schemes::SCHEMES;

/// The ECU that is removed; the attacker has all its keys. It runs on as it was, cut off.
const REMOVED: u8 = 3;

/// What the gateway does.
struct Gate {
    /// From now on it records what goes to the members, and holds back what it is told to.
    armed: Cell<bool>,
    /// Lets nothing pass any more.
    shut: Cell<bool>,
    passed: RefCell<Vec<Frame>>,
    held: RefCell<Vec<Frame>>,
    /// Ends of earlier agreements.
    ends: RefCell<Vec<Frame>>,
}

struct Delayed<S: Suite> {
    fleet: Fleet<S>,
    foothold: Foothold,
    gate: Rc<Gate>,
}

const fn milli(at: u64) -> Time {
    Time::from_nanos(at * 1_000_000)
}

/// Says what the gateway does with a frame that goes to the members, and whether it shuts then.
type Holds = fn(Step, Header, root: Address) -> (bool, bool);

impl<S: Suite + 'static> Delayed<S> {
    /// All members are behind the gateway; some, by index, suffer a fault.
    fn new(recipe: &Recipe, holds: Holds, armed: bool, faults: &[(usize, Fault)]) -> Self {
        let gate = Rc::new(Gate {
            armed: Cell::new(armed),
            shut: Cell::new(false),
            passed: RefCell::default(),
            held: RefCell::default(),
            ends: RefCell::default(),
        });
        let (at, root) = (gate.clone(), recipe.settings().plan.root());
        let pass: Pass = Box::new(move |port, frame| {
            if at.shut.get() {
                return Vec::new();
            }
            let to_members = port == Port(0);
            if let Some((step, header)) = Header::of(frame).filter(|_| to_members) {
                if step == Step::End {
                    at.ends.borrow_mut().push(*frame);
                }
                if at.armed.get() {
                    let (held, shuts) = holds(step, header, root);
                    at.shut.set(shuts);
                    let record = if held { &at.held } else { &at.passed };
                    record.borrow_mut().push(*frame);
                    if held {
                        return Vec::new();
                    }
                }
            }
            vec![(other_side(port), *frame)]
        });
        let behind: Vec<usize> = (0..usize::from(recipe.ecus)).collect();
        let mut foothold = None;
        let fleet = Fleet::with(recipe, |config| {
            foothold = Some(Foothold::between(config, &behind, pass));
            for &(ecu, fault) in faults {
                config.ecus[ecu].faults.push(fault);
            }
        });
        Delayed {
            fleet,
            foothold: foothold.unwrap(),
            gate,
        }
    }

    fn renew(&mut self) {
        self.gate.armed.set(true);
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().renew(false);
        self.foothold.stir();
    }

    fn remove(&mut self) {
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().remove(Address(REMOVED));
        self.foothold.stir();
    }

    fn say(&self, frame: Frame) {
        let mut injected = self.foothold.injected.borrow_mut();
        injected.push_back((Port(1), frame));
    }

    /// The key of the group as the removed ECU has it after all.
    fn stolen_key(&self) -> [u8; 32] {
        let root = self.fleet.directory.settings().plan.root();
        let role = self.fleet.members[usize::from(REMOVED) - 1].borrow();
        let key = role.as_ref().unwrap().subgroup_key(root);
        *key.expect("it is through with the agreement").as_bytes()
    }

    /// Says what ends an agreement on this key, with all that the attacker has: the tag is right.
    fn end(&mut self, key: &[u8; 32], epoch: u64) {
        let directory = self.fleet.directory.clone();
        let settings = directory.settings();
        let (plan, whole) = (&settings.plan, whole_group(&settings.plan));
        let by = [plan.orchestrator().0];
        let parts: [&[u8]; 3] = [b"waywarden-gke-1 proof", &by, &epoch.to_be_bytes()];
        let tag: [u8; 16] = hmac_tag(&mut Meter::new(), key, &parts);
        let finish = frame_of(
            whole,
            Step::Finish,
            &[&epoch.to_be_bytes()[..], &tag].concat(),
        );
        let message = [
            &bound::<S>(plan.scheme(), Step::End, whole, epoch)[..],
            &tag,
        ]
        .concat();
        let own = S::signing_key(&identity_secret(REMOVED));
        let signature = S::sign(&mut Meter::new(), &own, &message);
        let mut ends = self.gate.ends.borrow().clone();
        ends.push(frame_of(whole, Step::End, &signature));
        self.say(finish);
        let mut now = self.now();
        for end in ends {
            self.say(finish);
            self.say(end);
            now += 20;
            self.fleet.run(now);
        }
    }

    fn now(&self) -> u64 {
        (self.fleet.simulation.now().as_seconds() * 1_000.0).round() as u64
    }

    /// The attacker says again what was held back, ends it, and no victim has taken its key into
    /// use.
    fn withstands(&mut self, again: &[Frame], epoch: u64, victims: &[usize]) {
        let before: Vec<_> = victims.iter().map(|&at| self.fleet.key(at)).collect();
        for frame in again {
            // One after the other, or the most urgent would be first.
            self.say(*frame);
            self.fleet.run(self.now() + 2);
        }
        self.fleet.run(self.now() + 200);
        let stolen = self.stolen_key();
        let root = self.fleet.directory.settings().plan.root();
        for &victim in victims {
            let role = self.fleet.members[victim].borrow();
            let formed = role.as_ref().unwrap().subgroup_key(root);
            let formed = formed.map(|key| *key.as_bytes());
            assert_eq!(formed, Some(stolen), "the attack came this far");
        }
        self.end(&stolen, epoch);
        for (&victim, before) in victims.iter().zip(before) {
            assert_eq!(self.fleet.key(victim), before, "ECU {}", victim + 1);
        }
        // The gateway opens, and all but the removed one come to the common key.
        self.gate.armed.set(false);
        self.gate.shut.set(false);
        // With a start, an exchange is given up after 4 s, and the ECUs after three of them.
        self.fleet.run(self.now() + 40_000);
        let expected = self.fleet.orchestrators_key();
        self.fleet.tell();
        assert!(
            expected.is_some_and(|(current, _)| current > epoch),
            "{expected:?}"
        );
        for member in 0..self.fleet.members.len() {
            let same = self.fleet.key(member) == expected;
            assert_eq!(same, member + 1 != usize::from(REMOVED), "{member}");
        }
    }
}

/// The freshness among held frames.
fn freshness_of(frames: &[Frame]) -> u64 {
    let of = |frame: &&Frame| matches!(Header::of(frame), Some((Step::Freshness, _)));
    let last = frames.iter().rev().find(of);
    u64::from_be_bytes(last.unwrap().data().try_into().unwrap())
}

fn is_order(step: Step) -> bool {
    matches!(step, Step::Freshness | Step::Orchestration)
}

/// Holds back the root's order.
fn holds_root(step: Step, header: Header, root: Address) -> (bool, bool) {
    let of_root = header.result == root && is_order(step);
    (of_root, of_root && step == Step::Orchestration)
}

/// Resets ECUs 1 and 2, between the removal and what was held back.
fn resets() -> Vec<(usize, Fault)> {
    let fault = Fault {
        from: milli(10_000),
        until: milli(10_001),
        kind: FaultKind::Reset,
    };
    vec![(0, fault), (1, fault)]
}

fn held_back_root<S: Suite + 'static>(scheme: Scheme, ecus: u8, with_a_key: bool, reset: bool) {
    println!("{scheme:?} with a key: {with_a_key}, reset: {reset}");
    let faults = if reset { resets() } else { Vec::new() };
    let recipe = Recipe::new(scheme, ecus);
    let mut at = Delayed::<S>::new(&recipe, holds_root, !with_a_key, &faults);
    at.fleet.run(600);
    if with_a_key {
        at.fleet.assert_agreed();
        at.renew();
        at.fleet.run(1_200);
    }
    let held = at.gate.held.borrow().clone();
    assert_eq!(held.len(), 2);
    at.remove();
    at.fleet.run(12_000);
    let epoch = freshness_of(&held);
    let mut again = held;
    if reset {
        // They have lost the secret of their half, and are to agree on it once more.
        let plan = &at.fleet.directory.settings().plan;
        let half = plan.parent(Address(1));
        let passed = at.gate.passed.borrow();
        let of_half = |frame: &&Frame| {
            Header::of(frame).is_some_and(|(step, header)| is_order(step) && header.result == half)
        };
        let orders: Vec<Frame> = passed.iter().filter(of_half).copied().collect();
        assert_eq!(orders.len(), 2);
        drop(passed);
        orders.iter().for_each(|frame| at.say(*frame));
        at.fleet.run(12_100);
        again.truncate(2);
    }
    at.withstands(&again, epoch, &[0, 1]);
}

#[test]
fn a_roots_order_held_back_until_a_removal_gives_nobody_a_key() {
    for with_a_key in [false, true] {
        held_back_root::<FourQ>(Scheme::TreeWithOrchestrator, 4, with_a_key, false);
        held_back_root::<FourQ>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, false);
        held_back_root::<P256>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, false);
    }
}

/// With the orchestrator in every leaf nothing can be said again to who has lost its secrets.
#[test]
fn nor_does_it_after_a_reset() {
    for with_a_key in [false, true] {
        held_back_root::<FourQ>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, true);
        held_back_root::<P256>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, true);
    }
}

/// Holds back what the others than the removed one are to be given.
fn holds_deliveries(step: Step, header: Header, root: Address) -> (bool, bool) {
    let delivery = matches!(step, Step::MasterSignature | Step::MasterSecret);
    let announced = step == Step::Freshness && header.result == root;
    let others = delivery && header.second != Address(REMOVED);
    let last = step == Step::MasterSecret && header.second == Address(4);
    (others || announced, last)
}

/// The orchestrator has distributed, and removes a member before it has proven the key.
#[test]
fn a_master_secret_held_back_until_a_removal_gives_nobody_a_key() {
    for with_a_key in [false, true] {
        let recipe = Recipe {
            board: "tc297",
            ..Recipe::new(Scheme::SymmetricDistribution, 4)
        };
        let mut at = Delayed::<FourQ>::new(&recipe, holds_deliveries, !with_a_key, &[]);
        if with_a_key {
            at.fleet.run(600);
            at.fleet.assert_agreed();
            at.renew();
        }
        let mut now = at.now();
        while !at.gate.shut.get() {
            now += 1;
            at.fleet.run(now);
            assert!(now < 1_200, "nothing was distributed");
        }
        let ends = at.fleet.frames(&[Step::End]);
        at.remove();
        at.fleet.run(12_000);
        let held = at.gate.held.borrow().clone();
        let epoch = freshness_of(&held);
        // The removed one gets its own, with the announcement that belongs to it.
        let mut again = held;
        let passed = at.gate.passed.borrow().clone();
        let own = |frame: &&Frame| {
            Header::of(frame)
                .is_some_and(|(step, _)| matches!(step, Step::MasterSignature | Step::MasterSecret))
        };
        again.extend(passed.iter().filter(own));
        // On either side of the gateway, that of the key before.
        assert_eq!(ends, 2 * usize::from(with_a_key), "it was never ended");
        at.withstands(&again, epoch, &[0, 1, 3]);
    }
}

/// Holds back nothing: ECUs 1 and 2 are cut off when the start comes.
fn holds_nothing(_: Step, _: Header, _: Address) -> (bool, bool) {
    (false, false)
}

/// One start for the whole tree: the half of the removed ECU is through, the others hear of it when
/// that one is removed, and have been reset or not.
#[test]
fn a_start_held_back_until_a_removal_gives_nobody_a_key() {
    for (with_a_key, reset) in [(false, false), (true, false), (true, true)] {
        println!("with a key: {with_a_key}, reset: {reset}");
        let begin = if with_a_key { 1_000 } else { 0 };
        let cut = Fault {
            from: milli(begin).max(Time::from_nanos(1_000)),
            until: milli(begin + 150),
            kind: FaultKind::Open { port: 0 },
        };
        let again = Fault {
            from: milli(begin + 120),
            until: milli(begin + 121),
            kind: FaultKind::Reset,
        };
        let mut faults = vec![(0, cut), (1, cut)];
        if reset {
            faults.extend([(0, again), (1, again)]);
        }
        let recipe = Recipe {
            orchestration: Orchestration::Once,
            ..Recipe::new(Scheme::TreeWithoutOrchestrator, 3)
        };
        let mut at = Delayed::<FourQ>::new(&recipe, holds_nothing, !with_a_key, &faults);
        if with_a_key {
            at.fleet.run(begin);
            at.fleet.assert_agreed();
            at.fleet.run(begin + 2);
            at.renew();
        }
        at.fleet.run(begin + 50);
        at.gate.shut.set(true);
        at.remove();
        at.fleet.run(begin + 200);
        let passed = at.gate.passed.borrow().clone();
        let of_start = |frame: &&Frame| {
            let root = at.fleet.directory.settings().plan.root();
            Header::of(frame).is_some_and(|(step, header)| {
                matches!(step, Step::Freshness | Step::Start) && header.result == root
            })
        };
        let mut again: Vec<Frame> = passed.iter().filter(of_start).copied().collect();
        assert_eq!(again.len(), 2);
        let epoch = freshness_of(&again);
        // The share of the other half was on the bus while they were cut off.
        let heard = at.foothold.heard.borrow().clone();
        let root = at.fleet.directory.settings().plan.root();
        let of_half = |frame: &&Frame| {
            let (step, header) = Header::of(frame).expect("only the protocol's are heard");
            step == Step::ShareB && header.result == root
        };
        again.extend(heard.iter().rfind(of_half));
        at.withstands(&again, epoch, &[0, 1]);
    }
}

/// The freshness of the key that was in use is kept over a reset: what was ordered on the way to it
/// is not obeyed again.
#[test]
fn a_member_that_was_reset_obeys_no_earlier_order() {
    for scheme in SCHEMES {
        let mut foothold = None;
        let mut fleet = Fleet::<FourQ>::with(&Recipe::new(scheme, 4), |config| {
            foothold = Some(Foothold::on_the_bus(config));
            config.ecus[0].faults.push(Fault {
                from: milli(700),
                until: milli(701),
                kind: FaultKind::Reset,
            });
        });
        let foothold = foothold.unwrap();
        fleet.run(600);
        fleet.assert_agreed();
        fleet.run(720);
        assert_eq!(fleet.key(0), None, "it was reset");
        let leaf = fleet.directory.settings().plan.parent(Address(1));
        let recorded = foothold.heard.borrow().clone();
        let of_leaf = |frame: &&Frame| {
            Header::of(frame).is_some_and(|(step, header)| is_order(step) && header.result == leaf)
        };
        let orders: Vec<Frame> = recorded.iter().filter(of_leaf).copied().collect();
        assert_eq!(orders.len(), 2);
        let said = fleet.frames(&[Step::ShareA]);
        for (order, until) in orders.into_iter().zip([725, 760]) {
            foothold.inject(order);
            fleet.run(until);
        }
        assert_eq!(fleet.frames(&[Step::ShareA]), said, "{scheme:?}");
    }
}
