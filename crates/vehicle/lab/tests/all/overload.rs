//! Receivers with more to check than they can: each protected frame that reached one ends in one
//! counted outcome, and a required latency names the ECU and the cause.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::random::Random;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{CheckRow, Report};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::VehicleEvent;

/// Frames that wait in an authenticator, and the one it computes.
const WAITING: u64 = 17;

/// Streams of 10 ms from a fast ECU to one on this board.
fn car(board: &str, streams: u64, profile: &str, more: &str) -> String {
    let names: Vec<String> = (0..streams).map(|at| format!("'S{at}'")).collect();
    let streams: Vec<String> = (0..streams)
        .map(|at| {
            format!(
                "{{ name = 'S{at}', id = {}, length = 4, period = '10ms', receivers = ['rx'] }}",
                0x100 + 2 * at
            )
        })
        .collect();
    format!(
        "[vehicle]\nname = 'car'\nseed = 1\nduration = '2s'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'tx'\nports = ['a']\nsends = [{}]\n\
         [[ecu]]\nname = 'rx'\nports = ['a']\nboard = '{board}'\nreceive_queue = 64\n\
         [[authentication]]\nprotect = [{}]\nscheme = 'secoc'\nprofile = '{profile}'\n\
         {}\n[require.latency]\ndefault = '20ms'\n{more}\n",
        streams.join(", "),
        names.join(", "),
        match profile {
            "autosar-1" => "",
            _ => "master = 'tx'",
        },
    )
}

/// The report, and how many frames of each stream the trace says were delivered.
fn report(text: &str) -> (Report, Vec<u64>) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let mut delivered = vec![0; file.streams.len()];
    let mut sink = |_: Time, event: &VehicleEvent<'_>| {
        if let VehicleEvent::Delivered { ecu, frame, .. } = event {
            let mut streams = file.streams.iter();
            let at = streams.position(|one| one.id.value == frame.id());
            if let Some(at) = at.filter(|_| ecu.0 == 1) {
                delivered[at] += 1;
            }
        }
    };
    let outcome = run(lowered, &mut sink, &mut |_| {}).unwrap();
    (Report::new(&file, file.seed, &outcome), delivered)
}

fn settled(check: &CheckRow) -> u64 {
    check.authentic + check.forged + check.refused() + check.no_room + check.not_ready
}

#[test]
fn overloaded_receiver_names_the_frames_it_had_no_room_for() {
    let (report, delivered) = report(&car("sancus", 6, "jaspar", ""));
    let checks = &report.authentication[0].checks;
    let sum = |of: fn(&CheckRow) -> u64| checks.iter().map(of).sum::<u64>();
    assert_eq!(sum(|one| one.delivered), delivered.iter().sum::<u64>());
    assert!(sum(|one| one.no_room) > 100, "{checks:?}");
    assert!(sum(|one| one.unfinished) <= WAITING, "{checks:?}");
    for check in checks.iter().filter(|check| check.no_room > 0) {
        let name = format!("latency {}", check.stream);
        let mut verdicts = report.requirements.iter();
        let verdict = verdicts.find(|one| one.title == name).unwrap();
        let cause = verdict.cause.as_deref().unwrap_or_default();
        assert!(!verdict.met, "{verdict:?}");
        assert!(cause.contains("rx had no room for them"), "{verdict:?}");
    }
}

#[test]
fn delivered_frames_are_the_sum_of_their_outcomes() {
    let mut crowded = 0;
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let board = ["sancus", "vatican-avr", "tc224", "m4"][random.below(4) as usize];
        let profile = ["production", "jaspar", "autosar-1", "autosar-2"];
        let profile = profile[random.below(4) as usize];
        let mut more = String::new();
        let mut boots = 1;
        if random.below(2) == 0 {
            let from = 300 + random.below(900);
            more += &format!(
                "[[fault]]\nkind = 'reset'\necu = 'rx'\nfrom = '{from}ms'\nuntil = '{}ms'\n",
                from + 20
            );
            boots += 1;
        }
        match random.below(3) {
            0 => {
                more += "[[attacker]]\nkind = 'spoof'\nstream = 'S0'\nperiod = '3ms'\n\
                         from = '50ms'\n";
            }
            1 => {
                more += "[[attacker]]\nkind = 'replay'\nbus = 'a'\ndelay = '40ms'\n\
                         from = '100ms'\nuntil = '900ms'\n";
            }
            _ => {}
        }
        let streams = 1 + random.below(8);
        let case = format!("seed {seed}: {board}, {profile}, {streams} streams, {more}");
        let (report, delivered) = report(&car(board, streams, profile, &more));
        let checks = &report.authentication[0].checks;
        for check in checks {
            let at: usize = check.stream[1..].parse().unwrap();
            assert_eq!(check.delivered, delivered[at], "{case}: {check:?}");
            let sum = settled(check) + check.unfinished;
            assert_eq!(check.delivered, sum, "{case}: {check:?}");
            crowded += check.no_room;
        }
        let unfinished: u64 = checks.iter().map(|check| check.unfinished).sum();
        assert!(unfinished <= boots * WAITING, "{case}: {checks:?}");
        let mut missed = report.requirements.iter().filter(|one| !one.met);
        assert!(
            missed.all(|one| one.cause.as_ref().is_some_and(|cause| !cause.is_empty())),
            "{case}: {:?}",
            report.requirements
        );
    }
    assert!(crowded > 1_000, "no receiver was overloaded");
}
