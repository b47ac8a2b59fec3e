//! Attribution of frames: an instance of a stream belongs to its sender or to a declared route,
//! never to an attacker.

use waywarden_can_sim::random::Random;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::{RunOutcome, run};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

/// A stream on bus `a` that a gateway forwards to bus `b`, for a receiver on each.
fn car(period: u64, more: &str) -> String {
    format!(
        "[vehicle]\nname = 'car'\nduration = '2490ms'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n[[bus]]\nname = 'b'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'tx'\nports = ['a']\n[[ecu]]\nname = 'near'\nports = ['a']\n\
         [[ecu]]\nname = 'far'\nports = ['b']\n\
         [[ecu]]\nname = 'gateway'\nports = ['a', 'b']\n\
         [[route]]\ngateway = 'gateway'\nfrom = 'a'\nto = 'b'\nstreams = ['Speed']\n\
         [[stream]]\nname = 'Speed'\nid = 0x100\nsender = 'tx'\nreceivers = ['near', 'far']\n\
         length = 4\nperiod = '{period}ms'\n\
         [require.latency]\nSpeed = '2ms'\n{more}\n"
    )
}

fn outcome(text: &str) -> (VehicleFile, RunOutcome) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    (file, outcome)
}

#[test]
fn replayed_frame_is_no_instance_of_its_stream() {
    for delay in [500, 520, 600] {
        let replay = format!(
            "[[attacker]]\nkind = 'replay'\nstream = 'Speed'\ndelay = '{delay}ms'\nfrom = '1ms'"
        );
        let (file, outcome) = outcome(&car(20, &replay));
        let report = Report::new(&file, file.seed, &outcome);
        let figures = &outcome.measure.streams[0];
        assert_eq!(figures.requested, 125, "replayed after {delay} ms");
        assert_eq!(figures.delivered, 250, "replayed after {delay} ms");
        let verdict = &report.requirements[0];
        assert!(verdict.met, "replayed after {delay} ms: {verdict:?}");
        assert!(report.attacks[0].actions > 80, "{:?}", report.attacks[0]);
    }
}

#[test]
fn frame_of_an_attacker_on_the_senders_ecu_is_no_instance() {
    for (tags, expected) in [
        ("", 125),
        (
            "[[authentication]]\nname = 'tags'\nprotect = ['Speed']\nscheme = 'secoc'\n\
             profile = 'production'\nmaster = 'gateway'\nkey_store = 'software'",
            125,
        ),
    ] {
        let compromise = format!(
            "{tags}\n[[attacker]]\nkind = 'compromise'\necus = ['tx']\nperiod = '7ms'\nfrom = '1s'"
        );
        let (_, outcome) = outcome(&car(20, &compromise));
        let figures = &outcome.measure.streams[0];
        let sent = figures.requested + figures.withheld;
        assert_eq!(sent, expected, "{tags}");
        let worst = figures.latency.greatest().unwrap();
        assert!(worst.as_nanos() < 2_000_000, "{tags}: {worst}");
    }
}

/// Attackers that react to frames, in random combinations of times.
#[test]
fn no_attacker_changes_what_its_streams_sender_sent() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let period = 10 + 10 * random.below(4);
        let delay = match random.below(3) {
            // Multiples of the period fall on the moments at which the attacker hears frames.
            0 => 1 + random.below(900),
            _ => period * (1 + random.below(900 / period)),
        };
        let from = 1 + random.below(200);
        let attacker = match random.below(3) {
            0 => format!("kind = 'replay'\nstream = 'Speed'\nbus = 'b'\ndelay = '{delay}ms'"),
            1 => format!("kind = 'replay'\nbus = 'a'\ndelay = '{delay}ms'\nreorder = 4"),
            _ => "kind = 'forge'\nstream = 'Speed'\ntrick = 'messages'\nburst = 2".to_owned(),
        };
        let attacker = format!("[[attacker]]\n{attacker}\nfrom = '{from}ms'\nuntil = '1200ms'");
        let case = format!("seed {seed}, period {period} ms: {attacker}");
        let (_, peace) = outcome(&car(period, ""));
        let (_, attacked) = outcome(&car(period, &attacker));
        let [peace, attacked] = [peace, attacked].map(|one| one.measure.streams[0].clone());
        assert_eq!(attacked.requested, peace.requested, "{case}");
        assert!(attacked.delivered <= peace.delivered, "{case}");
        let worst = attacked.latency.greatest().unwrap();
        assert!(worst.as_nanos() < 10_000_000, "{case}: {worst}");
    }
}

#[test]
fn requirements_are_not_met_by_a_run_in_which_an_attack_never_ran() {
    let late = "from = '10s'\nuntil = '11s'";
    let attacks = [
        format!("[[attacker]]\nname = 'x'\nkind = 'spoof'\nstream = 'Speed'\n{late}"),
        // Nothing of this identifier is there to be replayed.
        "[[attacker]]\nname = 'x'\nkind = 'replay'\nid = 0x333\nbus = 'a'\ndelay = '5ms'"
            .to_owned(),
        format!("[[interferer]]\nname = 'x'\nkind = 'bit-errors'\nrate = 0.1\nbus = 'a'\n{late}"),
        format!("[[fault]]\nname = 'x'\nkind = 'bus-open'\necu = 'far'\n{late}"),
    ];
    for attack in attacks {
        let met = |text: &str| {
            let (file, outcome) = outcome(text);
            Report::new(&file, file.seed, &outcome)
        };
        let report = met(&car(20, &attack));
        assert_eq!(report.requirements.len(), 2, "{attack}");
        let verdict = &report.requirements[1];
        assert!(!report.is_met() && report.requirements[0].met, "{attack}");
        assert_eq!(verdict.title, "attack x");
        assert_eq!(verdict.measured_text, "never ran");
        assert!(verdict.place.starts_with("car.toml:"), "{verdict:?}");
        let cause = verdict.cause.as_deref().unwrap();
        assert!(cause.contains("optional = true"), "{cause}");
        let allowed = met(&car(20, &format!("{attack}\noptional = true")));
        assert!(allowed.is_met(), "{attack}: {:?}", allowed.requirements);
    }
    // Noise that may spare a run by chance did not spare it by its window.
    let noise = "[[interferer]]\nkind = 'bit-errors'\nrate = 1e-12\nbus = 'a'";
    let (file, outcome) = outcome(&car(20, noise));
    assert!(Report::new(&file, file.seed, &outcome).is_met());
}
