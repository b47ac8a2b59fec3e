//! Stories that random bytes do not tell.

use super::super::identifier::{Header, Kind};
use super::network::Known;
use super::*;

const SUITE: AnyLasanSuite = AnyLasanSuite::of::<FourQSchnorrQ>();

fn settings_of(profile: Profile) -> Settings {
    Settings {
        profile,
        ..settings(&mut Source(&[]), 1)
    }
}

fn trouble(directory: &Known) -> Trouble<'_> {
    Trouble {
        world: World::new(SUITE, directory).unwrap(),
        target: 0,
        recorded: [None; RECORDED],
        count: 0,
    }
}

/// Lets the network live for a while; ECU 0 does not hear what `lost` says.
fn run(trouble: &mut Trouble<'_>, millis: u64, lost: impl Fn(&Frame) -> bool) {
    let end = trouble.world.now + Duration::from_millis(millis);
    while trouble.world.now < end {
        let passage = match trouble.world.peek() {
            Some(waiting) if waiting.from != 0 && lost(&waiting.frame) => Passage::Lost,
            _ => Passage::Whole,
        };
        trouble.deliver(passage, &mut Source(&[]));
        trouble.world.settle();
    }
}

/// The security module begins a new epoch, and ECU 0 does not hear of it at first.
fn start_unheard(trouble: &mut Trouble<'_>) {
    trouble.world.module.start();
    trouble.world.drain(ECUS);
    trouble.world.settle();
    run(trouble, 20, is_of(Kind::Startup));
}

fn is_of(kind: Kind) -> impl Fn(&Frame) -> bool {
    move |frame| Header::of(frame).is_some_and(|(header, _)| header.kind == kind)
}

/// Everybody shares a secret with the security module.
#[track_caller]
fn assert_authenticated(trouble: &Trouble<'_>) {
    for (at, ecu) in trouble.world.ecus.iter().enumerate() {
        let address = trouble.world.directory.parties[at].address;
        let own = ecu.exporter().map(|exporter| *exporter.as_bytes());
        let other = trouble.world.module.exporter(address);
        assert!(own.is_some(), "ECU {at}");
        assert_eq!(own, other.map(|exporter| *exporter.as_bytes()), "ECU {at}");
    }
}

#[test]
fn an_ecu_that_waits_for_its_turn_learns_of_a_new_start() {
    for profile in [Profile::Hardened, Profile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut trouble = trouble(&directory);
        // It has the start-up message, and no invitation gives it its turn.
        run(&mut trouble, 200, is_of(Kind::Invite));
        start_unheard(&mut trouble);
        run(&mut trouble, 1_000, |_| false);
        assert_authenticated(&trouble);
    }
}

#[test]
fn an_ecu_with_a_session_learns_of_a_new_start() {
    for profile in [Profile::Hardened, Profile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut trouble = trouble(&directory);
        run(&mut trouble, 500, |_| false);
        assert_authenticated(&trouble);
        start_unheard(&mut trouble);
        assert_eq!(trouble.world.seen.lost, ECUS - 1, "{profile:?}");
        run(&mut trouble, 1_000, |_| false);
        assert_eq!(trouble.world.seen.lost, ECUS, "{profile:?}");
        assert_authenticated(&trouble);
    }
}

#[test]
fn a_proof_that_was_not_acknowledged_is_acknowledged_when_it_comes_again() {
    for profile in [Profile::Hardened, Profile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut trouble = trouble(&directory);
        // Long enough for two repetitions.
        run(&mut trouble, 50, |frame| {
            is_of(Kind::Acknowledge)(frame) || is_of(Kind::Grant)(frame)
        });
        run(&mut trouble, 2_000, |_| false);
        assert_eq!(trouble.world.seen.lost, 0, "{profile:?}");
        assert_authenticated(&trouble);
    }
}

/// No time is so far off that it means never: a role that waits for that has its driver wait, and
/// at the end of time everything is due.
#[test]
fn a_network_at_rest_waits_for_nothing_or_for_something_that_comes() {
    for profile in [Profile::AsPublished, Profile::Hardened, Profile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut trouble = trouble(&directory);
        // Streams are keyed again for as long as there is time.
        run(&mut trouble, 20_000, |_| false);
        assert!(
            trouble.world.now < waywarden_work::Instant::MAX,
            "{profile:?}"
        );
    }
}
