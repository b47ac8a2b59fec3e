//! Fifty ECUs that all register at once on a bus with other traffic.

use waywarden_can::node::Boot;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, EcdheEcdsa, FourQSchnorrQ, LasanProfile, MlKem512FnDsa512,
    ModuleEvent,
};
use waywarden_testkit_can::Chatter;
use waywarden_work::Duration;

use crate::network::{Fleet, NetworkConfig, node};

const ECUS: u8 = 50;

/// Other traffic: a classic frame of 8 bytes each 0.4 to 0.7 ms, two fifths of the bus.
const PAUSE_US: (u64, u64) = (400, 300);

/// Lets them register, and returns after how many milliseconds each had done so, in order. All ask
/// from the beginning, so that is also how long each has waited.
fn waits<S: AuthenticationSuite>(network_config: &NetworkConfig, most: u64) -> Vec<u64> {
    let mut fleet = Fleet::<S>::with(network_config, |config| {
        let build = |boot: &Boot<'_>| Chatter::with_pause(boot, 1, PAUSE_US);
        let chatter = node("chatter".to_owned(), "ideal", Vec::new(), build);
        config.ecus.push(chatter);
    });
    let mut waits: Vec<Option<u64>> = vec![None; usize::from(ECUS)];
    for now in 1..=most {
        fleet.run(now);
        for (at, wait) in waits.iter_mut().enumerate() {
            if wait.is_none() && fleet.is_authenticated(at as u8 + 1) {
                *wait = Some(now);
            }
        }
        if waits.iter().all(Option::is_some) {
            break;
        }
    }
    let failed = |event: &&ModuleEvent| matches!(event, ModuleEvent::Failed { .. });
    let failures: Vec<_> = fleet.module_events.iter().filter(failed).collect();
    assert!(failures.is_empty(), "{failures:?}");
    let mut waits: Vec<u64> = waits.into_iter().flatten().collect();
    assert_eq!(waits.len(), usize::from(ECUS), "after {most} ms");
    waits.sort_unstable();
    waits
}

fn fifty<S: AuthenticationSuite>(
    profile: LasanProfile,
    credentials: Credentials,
    board: &'static str,
    most: u64,
) {
    let mut network_config = NetworkConfig::new(profile, credentials, ECUS);
    network_config.board = board;
    // Four at a time keep one such processor busy for long.
    network_config.timing.authentication = Duration::from_millis(1_000);
    let waits = waits::<S>(&network_config, most);
    let gaps = waits.windows(2).map(|pair| pair[1] - pair[0]);
    println!(
        "{} {profile:?} {credentials:?} on {board}: {ECUS} ECUs, first after {} ms, half after \
         {} ms, the last, who waited longest, after {} ms; at most {} ms from one to the next",
        S::NAME,
        waits[0],
        waits[waits.len() / 2],
        waits[waits.len() - 1],
        gaps.max().unwrap_or(0),
    );
}

#[test]
fn fifty_ecus_register_at_once_on_a_loaded_bus() {
    let hardened = LasanProfile::Hardened;
    fifty::<EcdheEcdsa>(hardened, Credentials::Certificates, "tc297", 7_000);
    fifty::<EcdheEcdsa>(hardened, Credentials::Keys, "tc297", 5_000);
    fifty::<FourQSchnorrQ>(hardened, Credentials::Certificates, "ideal", 1_500);
    fifty::<MlKem512FnDsa512>(
        LasanProfile::Compact,
        Credentials::Certificates,
        "ideal",
        1_500,
    );
    fifty::<MlKem512FnDsa512>(LasanProfile::Compact, Credentials::Keys, "ideal", 1_500);
}
