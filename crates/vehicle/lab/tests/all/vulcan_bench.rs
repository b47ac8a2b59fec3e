//! The test bench of [VULCAN]: what displays show goes back to the keypad, whichever attacker acts,
//! and does not where a part of what protects them is taken away.

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_can_sim::clock::Time;
use waywarden_testkit::{corpus_bytes, workspace};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_report::report::{AttackRow, DisplayRow, Report};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{Fact, TraceSink, VehicleEvent};

const SHIELDED: [&str; 5] = [
    "wheel-front-left",
    "wheel-front-right",
    "wheel-rear-left",
    "wheel-rear-right",
    "cluster-shielded",
];

/// All unprotected software of all ECUs, from power-on to the end. The clusters have nothing else:
/// they are the displays.
const ALL_THE_TIME: &str = "[[attacker]]\nname = \"all-the-time\"\nkind = \"compromise\"\n\
                            ecus = [\"central\", \"wheel-front-left\", \"wheel-front-right\", \"wheel-rear-left\", \
                            \"wheel-rear-right\", \"gateway\"]\nperiod = \"17ms\"\n";

fn bench() -> String {
    let path = workspace().join("examples/vulcan-bench.toml");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Trace of a run: keypad events and display changes, in order, and frames by identifier.
#[derive(Default)]
struct Traced {
    events: Vec<(Time, u64)>,
    shown: Vec<(Time, usize, String)>,
    frames: BTreeMap<u32, Frame>,
}

impl TraceSink for Traced {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        match event {
            VehicleEvent::Noted { ecu, remark } => match remark.fact {
                Fact::KeyPressed { number, .. } => self.events.push((at, *number)),
                Fact::Displayed { .. } => {
                    let text = Prose::default().text(remark).unwrap();
                    self.shown.push((at, ecu.0, text));
                }
                _ => {}
            },
            VehicleEvent::Sent { frame, ecu, .. } if ecu.0 == 0 => {
                let id = frame.id().raw();
                self.frames.insert(id, **frame);
            }
            _ => {}
        }
    }
}

fn runs(text: &str) -> (Report, Traced) {
    let file = VehicleFile::parse("bench.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let mut traced = Traced::default();
    let outcome = run(lowered, &mut traced, &mut |_| {}).unwrap();
    (Report::new(&file, 0, &outcome), traced)
}

fn display<'a>(report: &'a Report, ecu: &str) -> &'a DisplayRow {
    report.displays.iter().find(|row| row.ecu == ecu).unwrap()
}

fn attack<'a>(report: &'a Report, name: &str) -> &'a AttackRow {
    report.attacks.iter().find(|row| row.name == name).unwrap()
}

/// Every value that a wheel or the shielded cluster shows goes back to one event of the keypad that
/// came before it, and never to an older one than the value before.
fn goes_back_to_the_keypad(report: &Report, traced: &Traced) {
    assert!(traced.events.len() >= 12, "{:?}", traced.events);
    for name in SHIELDED {
        let row = display(report, name);
        assert_eq!(row.not_sent, 0, "{name}: {:?}", row.changes);
        assert!(row.from_input >= 5, "{name} shows something: {row:?}");
        let mut last = 0;
        for change in &row.changes {
            let Some((_, event)) = change.shows.split_once("(event ") else {
                continue;
            };
            let number: u64 = event.trim_end_matches(')').parse().unwrap();
            let pressed = traced.events.iter().find(|(_, one)| *one == number);
            let (pressed, _) = pressed.unwrap_or_else(|| panic!("no event {number}"));
            let pressed_ms = pressed.as_picos() as f64 * 1e-9;
            assert!(
                pressed_ms <= change.at_ms,
                "{name}: {} before event",
                change.shows
            );
            assert!(
                change.at_ms <= pressed_ms + 400.0,
                "{name}: {} late",
                change.shows
            );
            assert!(
                number >= last,
                "{name}: {} behind event {last}",
                change.shows
            );
            last = number;
        }
    }
}

#[test]
fn attacks_reach_the_plain_cluster_and_no_other_display() {
    let (report, traced) = runs(&bench());
    assert!(report.is_met(), "{:?}", report.requirements);
    goes_back_to_the_keypad(&report, &traced);
    let plain = display(&report, "cluster-plain");
    assert!(plain.not_sent > 50, "{plain:?}");
    for name in ["red-keypad", "injector", "recorder", "everybody"] {
        let row = attack(&report, name);
        assert!(row.actions > 20 && row.taken > 0, "{name}: {row:?}");
        let only_plain = row.taken_by.iter().all(|one| one.ecu == "cluster-plain");
        assert!(only_plain, "{name}: {:?}", row.taken_by);
    }
    assert!(display(&report, "wheel-front-left").signs > 0, "bAd");
}

/// Returns the times at which a display showed `what`, in milliseconds.
fn shown(report: &Report, ecu: &str, what: &str) -> Vec<f64> {
    let changes = display(report, ecu).changes.iter();
    let shown = changes.filter(|one| one.shows.contains(what));
    shown.map(|one| one.at_ms).collect()
}

fn in_peace() -> String {
    let text = bench();
    let (before, after) = text.split_once("# ---- Attackers").unwrap();
    let (_, requirements) = after.split_once("[require]").unwrap();
    format!("{before}[require]{requirements}")
}

#[test]
fn warning_lamp_is_off_in_peace_on_under_attack_and_off_after() {
    let (report, _) = runs(&in_peace());
    assert!(report.attacks.is_empty() && report.is_met());
    for lamp in ["warning lamp on", "warning lamp off"] {
        assert!(
            shown(&report, "cluster-shielded", lamp).is_empty(),
            "{lamp}"
        );
    }
    for wheel in SHIELDED.iter().filter(|name| name.starts_with("wheel")) {
        let bad = shown(&report, wheel, "bAd");
        assert!(bad.is_empty(), "{wheel} shows bAd at {bad:?} ms");
    }

    let (report, _) = runs(&bench());
    let on = shown(&report, "cluster-shielded", "warning lamp on");
    let off = shown(&report, "cluster-shielded", "warning lamp off");
    assert_eq!(on.len(), off.len(), "on at {on:?} ms, off at {off:?} ms");
    for attack in &report.attacks {
        let (from, until) = (attack.from_ms, attack.until_ms);
        let mut lit = on.iter().zip(&off);
        assert!(
            lit.any(|(on, off)| *on < until && *off > from),
            "{}: on at {on:?} ms, off at {off:?} ms",
            attack.name
        );
    }
    for (on, off) in on.iter().zip(&off) {
        // A tag that does not come is missed a little later, and the lamp stays on for 500 ms.
        let mut attacks = report.attacks.iter();
        let attacked = attacks.any(|one| {
            one.from_ms <= *on && *on <= one.until_ms + 100.0 && *off <= one.until_ms + 900.0
        });
        assert!(attacked, "on from {on} to {off} ms without an attack");
    }
}

#[test]
fn with_all_unprotected_software_compromised_displays_go_back_to_the_keypad() {
    for scheme in ["vatican", "leia"] {
        let text = bench() + ALL_THE_TIME;
        // No ECU without keys reads LeiA's frames.
        let text = match scheme {
            "leia" => text
                .replace("scheme = \"vatican\"", "scheme = \"leia\"")
                .replace("unchecked = [\"cluster-plain\"]", "")
                .replace("receivers = [\"cluster-plain\", ", "receivers = ["),
            _ => text,
        };
        let text = match scheme {
            "leia" => without_the_plain_cluster(&text),
            _ => text,
        };
        let (report, traced) = runs(&text);
        goes_back_to_the_keypad(&report, &traced);
        let row = attack(&report, "all-the-time");
        assert!(row.actions > 1_000, "{row:?}");
        let forged: u64 = report.authentication.iter().map(|one| one.forged).sum();
        assert_eq!(forged, 0, "{scheme}");
    }
}

fn without_the_plain_cluster(text: &str) -> String {
    let text = text.replace(
        "[[ecu]]\nname = \"cluster-plain\"\nports = [\"public\"]\nstart = \"10ms\"\n",
        "",
    );
    text.replace(
        "[[software]]\necu = \"cluster-plain\"\nprogram = \"instrument-cluster\"\n\
         rpm = \"Rpm\"\nindicators = \"Indicators\"\n",
        "",
    )
}

#[test]
fn with_keys_in_unprotected_memory_intruders_reach_every_display() {
    let text = bench().replace("key_store = \"module\"", "key_store = \"software\"");
    let (report, _) = runs(&text);
    for name in SHIELDED {
        let row = display(&report, name);
        assert!(row.not_sent > 5, "{name}: {:?}", row.changes);
    }
    assert!(attack(&report, "red-keypad").taken > 50);
    assert!(!report.is_met());
    // Attackers that only have the bus still reach no ECU that checks.
    for name in ["injector", "recorder"] {
        let row = attack(&report, name);
        let only_plain = row.taken_by.iter().all(|one| one.ecu == "cluster-plain");
        assert!(only_plain, "{name}: {:?}", row.taken_by);
    }
}

#[test]
fn without_verification_the_shielded_cluster_is_deceived_like_the_other() {
    let text = bench().replace("verify = true\n", "");
    let text = text.replace(
        "warning = { id = 0x470, data = \"00 01 01 00 00 00 00 00\", pace = \"200ms\" }\n",
        "",
    );
    let text = text.replace(
        "unchecked = [\"cluster-plain\"]",
        "unchecked = [\"cluster-plain\", \"cluster-shielded\"]",
    );
    let (report, _) = runs(&text);
    assert!(display(&report, "cluster-shielded").not_sent > 20);
    assert!(
        attack(&report, "injector")
            .taken_by
            .iter()
            .any(|one| one.ecu == "cluster-shielded")
    );
}

#[test]
fn as_published_vatican_loses_its_streams_for_good_under_the_injector() {
    let published = bench().replace("profile = \"hardened\"", "profile = \"as-published\"");
    let (report, _) = runs(&published);
    let gateway = &report.authentication[0].checks;
    let rpm = gateway
        .iter()
        .find(|one| one.stream == "Rpm" && one.gateway)
        .unwrap();
    // From the first injected frame at 6.5 s until the end.
    assert!(rpm.longest_gap_ms > 5_000.0, "{rpm:?}");
    let (hardened, _) = runs(&bench());
    let checks = &hardened.authentication[0].checks;
    let rpm = checks
        .iter()
        .find(|one| one.stream == "Rpm" && one.gateway)
        .unwrap();
    assert!(rpm.longest_gap_ms < 400.0, "{rpm:?}");
}

/// Reads `length` bits from bit `start` on, the least significant first, as DBC files count them.
fn little_endian(frame: &Frame, start: usize, length: usize) -> u64 {
    let bit = |at: usize| u64::from(frame.data()[at / 8] >> (at % 8) & 1);
    (0..length).map(|at| bit(start + at) << at).sum()
}

#[test]
fn frames_decode_with_the_cars_dbc_file() {
    let Some(dbc) = corpus_bytes("can/dbc/vw_pq.dbc") else {
        return;
    };
    let dbc = String::from_utf8_lossy(&dbc).into_owned();
    let has = |line: &str| assert!(dbc.contains(line), "{line}");
    has("BO_ 640 Motor_1: 8");
    has("SG_ Motordrehzahl : 16|16@1+ (0.25,0)");
    has("BO_ 1136 BSG_Kombi: 5");
    let (_, traced) = runs(&bench());
    let rpm = &traced.frames[&0x280];
    assert_eq!(
        little_endian(rpm, 16, 16) as f64 * 0.25,
        3_000.0,
        "as the last key left it"
    );
    let lamps = &traced.frames[&0x470];
    assert_eq!(little_endian(lamps, 0, 2), 0, "no arrow at the end");
}
