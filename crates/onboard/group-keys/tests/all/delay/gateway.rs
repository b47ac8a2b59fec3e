//! The gateway that records and holds back frames, and the group behind it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use waywarden_can::Frame;
use waywarden_can::node::Port;
use waywarden_can_sim::config::EcuFault;
use waywarden_group_keys::{Address, GroupDirectory, GroupHeader, Step};
use waywarden_key_suites::CurveSuite;
use waywarden_key_suites::symmetric::hmac_tag;
use waywarden_work::NoMeter;

use super::REMOVED;
use crate::insider::{Foothold, Pass, frame_of, other_side};
use crate::knowledge::{bound, whole_group};
use crate::network::{Fleet, NetworkConfig, identity_secret};

/// The state of the gateway, under control of the test.
pub(super) struct Gate {
    /// From now on it records what goes to the members, and holds back what `holds` selects.
    pub(super) armed: AtomicBool,
    /// Lets nothing pass any more.
    pub(super) shut: AtomicBool,
    pub(super) passed: Mutex<Vec<Frame>>,
    pub(super) held: Mutex<Vec<Frame>>,
    /// Ends of earlier agreements.
    pub(super) ends: Mutex<Vec<Frame>>,
}

pub(super) struct Delayed<S: CurveSuite> {
    pub(super) fleet: Fleet<S>,
    pub(super) foothold: Foothold,
    pub(super) gate: Arc<Gate>,
}

/// Says what the gateway does with a frame that goes to the members, and whether it shuts then.
pub(super) type Holds = fn(Step, GroupHeader, root: Address) -> (bool, bool);

impl<S: CurveSuite + 'static> Delayed<S> {
    /// All members are behind the gateway; some, by index, suffer a fault.
    pub(super) fn new(
        network_config: &NetworkConfig,
        holds: Holds,
        armed: bool,
        faults: &[(usize, EcuFault)],
    ) -> Self {
        let gate = Arc::new(Gate {
            armed: AtomicBool::new(armed),
            shut: AtomicBool::new(false),
            passed: Mutex::default(),
            held: Mutex::default(),
            ends: Mutex::default(),
        });
        let (at, root) = (gate.clone(), network_config.settings().plan.root());
        let pass: Pass = Box::new(move |port, frame| {
            if at.shut.load(Relaxed) {
                return Vec::new();
            }
            let to_members = port == Port(0);
            if let Some((step, header)) = GroupHeader::of(frame).filter(|_| to_members) {
                if step == Step::End {
                    at.ends.lock().unwrap().push(*frame);
                }
                if at.armed.load(Relaxed) {
                    let (held, shuts) = holds(step, header, root);
                    at.shut.store(shuts, Relaxed);
                    let record = if held { &at.held } else { &at.passed };
                    record.lock().unwrap().push(*frame);
                    if held {
                        return Vec::new();
                    }
                }
            }
            vec![(other_side(port), *frame)]
        });
        let behind: Vec<usize> = (0..usize::from(network_config.ecus)).collect();
        let mut foothold = None;
        let fleet = Fleet::with(network_config, |config| {
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

    pub(super) fn renew(&mut self) {
        self.gate.armed.store(true, Relaxed);
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().renew(false);
        self.foothold.stir();
    }

    pub(super) fn remove(&mut self) {
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().remove(Address(REMOVED));
        self.foothold.stir();
    }

    pub(super) fn say(&self, frame: Frame) {
        let mut injected = self.foothold.injected.lock().unwrap();
        injected.push_back((Port(1), frame));
    }

    /// The key of the group as the removed ECU has it after all.
    pub(super) fn stolen_key(&self) -> [u8; 32] {
        let root = self.fleet.directory.settings().plan.root();
        let role = self.fleet.members[usize::from(REMOVED) - 1].borrow();
        let key = role.as_ref().unwrap().subgroup_key(root);
        *key.expect("it is through with the agreement").as_bytes()
    }

    /// Says what ends an agreement on this key, with all that the attacker has: the tag is right.
    pub(super) fn end(&mut self, key: &[u8; 32], epoch: u64) {
        let directory = self.fleet.directory.clone();
        let settings = directory.settings();
        let (plan, whole) = (&settings.plan, whole_group(&settings.plan));
        let by = [plan.orchestrator().0];
        let parts: [&[u8]; 3] = [b"waywarden-gke-1 proof", &by, &epoch.to_be_bytes()];
        let tag: [u8; 16] = hmac_tag(&mut NoMeter, key, &parts);
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
        let signature = S::sign(&mut NoMeter, &own, &message);
        let mut ends = self.gate.ends.lock().unwrap().clone();
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

    pub(super) fn now(&self) -> u64 {
        (self.fleet.simulation.now().as_seconds() * 1_000.0).round() as u64
    }

    /// The attacker says again what was held back, ends it, and no victim has taken its key into
    /// use.
    pub(super) fn withstands(&mut self, again: &[Frame], epoch: u64, victims: &[usize]) {
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
        self.gate.armed.store(false, Relaxed);
        self.gate.shut.store(false, Relaxed);
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
