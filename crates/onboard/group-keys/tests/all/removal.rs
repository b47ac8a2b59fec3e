//! Removal and readmission [GKE §III-D]: the holders of each key afterwards, the cost, and that
//! neither a removed ECU computes later keys nor a readmitted one those of its absence.

use waywarden_can::Frame;
use waywarden_can_sim::Config;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuFault, EcuFaultKind};
use waywarden_group_keys::{
    Address, GroupDirectory, GroupHeader, GroupPlan, GroupProfile, Scheme, Step,
};
use waywarden_key_suites::{CurveSuite, FourQ};

use crate::insider::{Foothold, reseed};
use crate::knowledge::Knowledge;
use crate::network::{Fleet, NetworkConfig};
use crate::schemes::SCHEMES;

const PROFILES: [GroupProfile; 2] = [GroupProfile::AsPublished, GroupProfile::Hardened];

/// The seed of the ECU that comes to be removed.
const SEED: [u8; 32] = [0xA7; 32];

/// Returns true if the distributions of a private channel share one key stream: then a node that
/// knows one master secret computes all others. `hardened` has a counter block for each.
fn one_key_stream(scheme: Scheme, profile: GroupProfile) -> bool {
    scheme == Scheme::SymmetricDistribution && profile == GroupProfile::AsPublished
}

/// A fleet with an attacker's ear on the bus.
struct Tapped<S: CurveSuite> {
    fleet: Fleet<S>,
    foothold: Foothold,
    until: u64,
}

impl<S: CurveSuite + 'static> Tapped<S> {
    fn new(network_config: &NetworkConfig, insider: u8) -> Self {
        Self::with(network_config, |config| {
            reseed(config, usize::from(insider) - 1, SEED);
        })
    }

    fn with(network_config: &NetworkConfig, change: impl FnOnce(&mut Config)) -> Self {
        let mut foothold = None;
        let fleet = Fleet::with(network_config, |config| {
            change(config);
            foothold = Some(Foothold::on_the_bus(config));
        });
        Tapped {
            fleet,
            foothold: foothold.unwrap(),
            until: 0,
        }
    }

    /// Runs on, and returns the frames that were heard.
    fn run(&mut self, millis: u64) -> Vec<Frame> {
        let before = self.foothold.heard.lock().unwrap().len();
        self.foothold.stir();
        self.until += millis;
        self.fleet.run(self.until);
        self.foothold.heard.lock().unwrap()[before..].to_vec()
    }

    fn remove(&mut self, ecu: u8) {
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().remove(Address(ecu));
    }

    fn readmit(&mut self, ecu: u8) {
        let mut role = self.fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().readmit(Address(ecu));
    }

    fn group_key(&self) -> [u8; 32] {
        self.fleet.orchestrators_key().expect("there is a key").1
    }

    /// Asserts that all ECUs but these have the orchestrator's key.
    fn assert_all_but(&self, without: &[u8]) {
        let expected = self.fleet.orchestrators_key();
        assert!(expected.is_some());
        for member in 0..self.fleet.members.len() {
            let outside = without.contains(&(member as u8 + 1));
            let key = self.fleet.key(member);
            let agrees = key.map(|(_, key)| key) == expected.map(|(_, key)| key);
            assert_eq!(agrees, !outside, "ECU {}", member + 1);
        }
    }

    fn knowledge(&self) -> Knowledge<S> {
        Knowledge::of_recording(&self.fleet.directory, &self.foothold.heard.lock().unwrap())
    }
}

#[test]
fn a_removed_ecu_computes_no_key_that_comes_after() {
    for scheme in SCHEMES {
        for profile in PROFILES {
            for (ecus, removed) in [(2, 1), (5, 5), (6, 3)] {
                println!("{scheme:?} {profile:?} {removed} of {ecus}");
                let network_config = NetworkConfig {
                    profile,
                    ..NetworkConfig::new(scheme, ecus)
                };
                let mut tapped = Tapped::<FourQ>::new(&network_config, removed);
                tapped.run(600);
                tapped.fleet.assert_agreed();
                let old = tapped.group_key();
                tapped.remove(removed);
                tapped.run(2_000);
                let new = tapped.group_key();
                assert_ne!(old, new);
                tapped.assert_all_but(&[removed]);
                let known = tapped.knowledge().with_seed(SEED).group_keys();
                assert!(known.contains(&old), "the test's own reckoning is wrong");
                assert_eq!(known.contains(&new), one_key_stream(scheme, profile));
            }
        }
    }
}

#[test]
fn a_readmitted_ecu_computes_no_key_that_was_used_without_it() {
    for scheme in SCHEMES {
        for profile in PROFILES {
            for (ecus, removed) in [(2, 2), (5, 1), (6, 4)] {
                println!("{scheme:?} {profile:?} {removed} of {ecus}");
                let network_config = NetworkConfig {
                    profile,
                    ..NetworkConfig::new(scheme, ecus)
                };
                let mut tapped = Tapped::<FourQ>::new(&network_config, removed);
                tapped.run(600);
                let first = tapped.group_key();
                tapped.remove(removed);
                tapped.run(1_000);
                let meanwhile = tapped.group_key();
                tapped.readmit(removed);
                tapped.run(1_000);
                tapped.assert_all_but(&[]);
                let last = tapped.group_key();
                assert!(first != meanwhile && meanwhile != last && last != first);
                let known = tapped.knowledge().with_seed(SEED).group_keys();
                assert!(known.contains(&first) && known.contains(&last));
                assert_eq!(known.contains(&meanwhile), one_key_stream(scheme, profile));
            }
        }
    }
}

#[test]
fn a_removed_ecu_gets_no_answer() {
    for scheme in SCHEMES {
        let mut tapped = Tapped::<FourQ>::new(&NetworkConfig::new(scheme, 4), 2);
        tapped.run(600);
        tapped.remove(2);
        let frames = tapped.run(4_000);
        let reports = frames.iter().filter_map(GroupHeader::of);
        let own = reports.filter(|(step, at)| *step == Step::Report && at.first == Address(2));
        assert!(own.count() > 1, "it does not even ask");
        tapped.assert_all_but(&[2]);
    }
}

#[test]
fn two_ecus_are_removed_and_come_back_in_the_other_order() {
    for scheme in SCHEMES {
        for profile in PROFILES {
            println!("{scheme:?} {profile:?}");
            let network_config = NetworkConfig {
                profile,
                ..NetworkConfig::new(scheme, 6)
            };
            let mut tapped = Tapped::<FourQ>::new(&network_config, 1);
            tapped.run(600);
            // Both of one logical ECU, so that the orchestrator is alone in it.
            tapped.remove(1);
            tapped.run(600);
            tapped.remove(2);
            tapped.run(600);
            tapped.assert_all_but(&[1, 2]);
            tapped.readmit(1);
            tapped.run(600);
            tapped.assert_all_but(&[2]);
            tapped.readmit(2);
            tapped.run(600);
            tapped.assert_all_but(&[]);
        }
    }
}

/// Returns the logical ECUs that were ordered again, in order.
fn ordered(frames: &[Frame]) -> Vec<Address> {
    let headers = frames.iter().filter_map(GroupHeader::of);
    let orders = headers.filter(|(step, _)| *step == Step::Orchestration);
    orders.map(|(_, header)| header.result).collect()
}

fn count(frames: &[Frame], steps: &[Step]) -> usize {
    let headers = frames.iter().filter_map(GroupHeader::of);
    headers.filter(|(step, _)| steps.contains(step)).count()
}

#[test]
fn removal_renews_the_path_and_nothing_else() {
    for scheme in SCHEMES {
        for profile in PROFILES {
            // With the orchestrator in it the tree without it in each logical ECU has 8 leaves too.
            let ecus = match scheme {
                Scheme::TreeWithoutOrchestrator => 7,
                _ => 8,
            };
            let network_config = NetworkConfig {
                profile,
                ..NetworkConfig::new(scheme, ecus)
            };
            let mut tapped = Tapped::<FourQ>::new(&network_config, 3);
            tapped.run(600);
            tapped.remove(3);
            let frames = tapped.run(150);
            let directory = tapped.fleet.directory.clone();
            let plan = &directory.settings().plan;
            let path: Vec<Address> = plan.path(Address(3)).collect();
            assert_eq!(ordered(&frames), path, "{scheme:?} {profile:?}");
            let parts = [
                Step::ShareA,
                Step::ShareB,
                Step::ConfirmationA,
                Step::ConfirmationB,
            ];
            let distribution = [Step::MasterSignature, Step::MasterSecret];
            let (merges, exchanged, distributed) = match scheme {
                // 1 + log2 n, of which the leaf takes no frame but the order.
                Scheme::TreeWithOrchestrator => (4, 4 * 3, 0),
                Scheme::TreeWithoutOrchestrator => (3, 4 * 3, 0),
                Scheme::SymmetricDistribution => (1, 0, 2 * 7),
            };
            assert_eq!(path.len(), merges);
            assert_eq!(count(&frames, &parts), exchanged);
            assert_eq!(count(&frames, &distribution), distributed);
            let all = frames.iter().filter_map(GroupHeader::of).count();
            let hardened = match profile {
                GroupProfile::AsPublished => 0,
                // A freshness for each order, a proof and its signature, an acknowledgement of each
                // member.
                _ => merges + distributed.min(1) + 2 + usize::from(ecus) - 1,
            };
            let reports = count(&frames, &[Step::Report]);
            assert_eq!(all - reports, merges + exchanged + distributed + hardened);
        }
    }
}

/// A tree as the algorithms of the paper have it: logical ECUs with the addresses of two children.
struct Printed {
    nodes: Vec<(Address, [Address; 2])>,
    root: Address,
    orchestrator: Address,
    merged: Vec<Address>,
}

impl Printed {
    fn new(plan: &GroupPlan) -> Self {
        let children = |at| {
            let (first, second) = plan.children(at).unwrap();
            (at, [first, second])
        };
        Printed {
            nodes: plan.merges().map(children).collect(),
            root: plan.root(),
            orchestrator: plan.orchestrator(),
            merged: Vec::new(),
        }
    }

    /// GET-PARENT: searches by address, and so finds the first of several.
    fn parent(&self, address: Address) -> Option<Address> {
        let mut nodes = self.nodes.iter();
        let found = nodes.find(|(_, children)| children.contains(&address));
        found.map(|(at, _)| *at)
    }

    fn overwrite(&mut self, removed: Address) {
        for (_, children) in &mut self.nodes {
            for child in children.iter_mut().filter(|child| **child == removed) {
                *child = self.orchestrator;
            }
        }
    }

    /// The loop of Algorithm 2 [GKE §III-D]: do, and while the parent is not the root, again.
    fn climb(&mut self, from: Option<Address>) {
        let Some(mut at) = from else { return };
        loop {
            self.merged.push(at);
            match self.parent(at) {
                Some(parent) if parent != self.root => at = parent,
                _ => return,
            }
        }
    }
}

#[test]
fn the_printed_algorithm_2_leaves_the_group_key_as_it_was() {
    let network_config = NetworkConfig::new(Scheme::TreeWithOrchestrator, 8);
    let plan = network_config.settings().plan;
    for removed in plan.ecus() {
        // As printed: the address is overwritten first, and so its parent is never found.
        let mut printed = Printed::new(&plan);
        printed.overwrite(removed);
        let parent = printed.parent(removed);
        assert_eq!(parent, None);
        printed.climb(parent);
        assert_eq!(printed.merged, []);
        // With the orchestrator's address instead: whose leaf that is, is a matter of luck.
        let anybodys = printed.parent(plan.orchestrator()).unwrap();
        assert_eq!(anybodys, plan.parent(Address(1)));
        // With the order of the two put right the loop still ends below the root.
        let mut printed = Printed::new(&plan);
        let parent = printed.parent(removed);
        printed.overwrite(removed);
        printed.climb(parent);
        let mut path: Vec<Address> = plan.path(removed).collect();
        assert_eq!(path.pop(), Some(plan.root()));
        assert_eq!(printed.merged, path);
    }
    // Ours, on the bus: the root as well.
    let mut tapped = Tapped::<FourQ>::new(&network_config, 5);
    tapped.run(600);
    let before = tapped.group_key();
    tapped.remove(5);
    let frames = tapped.run(600);
    assert_eq!(ordered(&frames).last(), Some(&plan.root()));
    assert_ne!(tapped.group_key(), before);
    tapped.assert_all_but(&[5]);
}

/// A fleet in which one ECU, by its place, is in reset from 1.5 s to 1.6 s.
fn restarting(network_config: &NetworkConfig, place: usize) -> Tapped<FourQ> {
    Tapped::with(network_config, |config| {
        config.ecus[place].faults.push(EcuFault {
            from: Time::from_nanos(1_500_000_000),
            until: Time::from_nanos(1_600_000_000),
            kind: EcuFaultKind::Reset,
        });
    })
}

#[test]
fn who_restarts_after_a_removal_comes_to_the_key_without_the_removed_one() {
    for scheme in SCHEMES {
        // The sibling of the removed one, its cousin, the last.
        for restarted in [2, 3, 4, 6] {
            println!("{scheme:?} {restarted}");
            let mut tapped = restarting(&NetworkConfig::new(scheme, 6), restarted - 1);
            tapped.run(600);
            tapped.remove(1);
            tapped.run(600);
            tapped.assert_all_but(&[1]);
            tapped.run(6_000);
            tapped.fleet.tell();
            tapped.assert_all_but(&[1]);
        }
    }
}

/// An orchestrator that starts again must not take back whom it removed.
#[test]
fn a_removal_outlives_a_restart_of_the_orchestrator() {
    for scheme in SCHEMES {
        let mut tapped = restarting(&NetworkConfig::new(scheme, 4), 4);
        tapped.run(600);
        tapped.remove(1);
        tapped.run(600);
        tapped.assert_all_but(&[1]);
        tapped.run(6_000);
        tapped.assert_all_but(&[1]);
    }
}
