//! `hardened` against a man in the middle: a gateway between two buses that drops, changes,
//! repeats, holds back and invents, alone or with the keys of an ECU that was removed.

mod forgery;
mod modification;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use waywarden_can::node::Port;
use waywarden_group_keys::{Address, GroupDirectory, Step};
use waywarden_key_suites::FourQ;
use waywarden_key_suites::symmetric::hmac_tag;
use waywarden_work::NoMeter;

use crate::insider::{Foothold, Pass, frame_of, other_side};
use crate::knowledge::whole_group;
use crate::network::{Fleet, NetworkConfig};

/// A fleet with some ECUs, by index, behind the attacker's gateway, which can be shut.
struct Divided {
    fleet: Fleet<FourQ>,
    foothold: Foothold,
    shut: Arc<AtomicBool>,
}

impl Divided {
    fn new(network_config: &NetworkConfig, behind: &[usize]) -> Self {
        let shut = Arc::new(AtomicBool::new(false));
        let shuts = shut.clone();
        let pass: Pass = Box::new(move |port, frame| match shuts.load(Relaxed) {
            true => Vec::new(),
            false => vec![(other_side(port), *frame)],
        });
        let mut foothold = None;
        let fleet = Fleet::with(network_config, |config| {
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
        let tag: [u8; 16] = hmac_tag(&mut NoMeter, key, &parts);
        let payload = [&epoch.to_be_bytes()[..], &tag].concat();
        let frame = frame_of(whole_group(plan), Step::Finish, &payload);
        let mut injected = self.foothold.injected.lock().unwrap();
        injected.push_back((Port(1), frame));
    }
}
