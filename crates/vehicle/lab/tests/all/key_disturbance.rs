//! Keys under real conditions: a bus without a receiver, a flood, ECUs that are slow or absent, and
//! renewals that come too fast. What the others take is held against the same network without it.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{GroupRow, Report};
use waywarden_vehicle_resources::Resources;

/// Five ECUs on three buses of one gateway; the only ECU of bus `c` is absent if asked for.
fn three_buses(with_c1: bool) -> String {
    let mut car = "[vehicle]\nname = \"car\"\nduration = \"5s\"\n".to_owned();
    for bus in ["a", "b", "c"] {
        car += &format!("[[bus]]\nname = \"{bus}\"\nbitrate = \"500k\"\ndata_bitrate = \"2M\"\n");
    }
    car += "[[ecu]]\nname = \"gateway\"\nboard = \"tc297\"\nports = [\"a\", \"b\", \"c\"]\n";
    for name in ["a1", "a2", "b1", "b2", "c1"] {
        let start = if name == "c1" && !with_c1 {
            "4999ms"
        } else {
            "0s"
        };
        car += &format!(
            "[[ecu]]\nname = \"{name}\"\nboard = \"tc297\"\nports = [\"{}\"]\n\
             start = \"{start}\"\n",
            &name[..1]
        );
    }
    car
}

const BUSES: &str = "buses = [\"a\", \"b\", \"c\"]\ngateway = \"gateway\"\nstart = \"10ms\"\n";
const FLOOD: &str = "[[attacker]]\nname = \"storm\"\nkind = \"flood\"\nbus = \"c\"\n";

fn group_of(words: &str) -> String {
    format!("[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\n{BUSES}{words}")
}

fn module_of(words: &str) -> String {
    format!(
        "[[keys]]\nname = \"all\"\nscheme = \"lasan\"\nsecurity_module = \"gateway\"\n\
         {BUSES}{words}"
    )
}

/// A group of members on these boards, on one bus.
fn one_bus(boards: &[&str], duration: &str, starts: &[&str], keys: &str) -> String {
    let mut car = format!(
        "[vehicle]\nname = \"car\"\nduration = \"{duration}\"\n[[bus]]\nname = \"one\"\n\
         bitrate = \"500k\"\ndata_bitrate = \"2M\"\n\
         [[ecu]]\nname = \"head\"\nboard = \"tc297\"\nports = [\"one\"]\n"
    );
    for (at, board) in boards.iter().enumerate() {
        let start = starts.get(at).unwrap_or(&"0s");
        car += &format!(
            "[[ecu]]\nname = \"e{}\"\nboard = \"{board}\"\nports = [\"one\"]\n\
             start = \"{start}\"\n",
            at + 1
        );
    }
    car + "[[keys]]\nname = \"all\"\norchestrator = \"head\"\n" + keys
}

fn simulate(text: &str) -> (Report, Vec<String>) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let warnings = lowered
        .warnings
        .iter()
        .map(|(_, text)| text.clone())
        .collect();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    (Report::new(&file, 0, &outcome), warnings)
}

fn report(text: &str) -> Report {
    simulate(text).0
}

/// Returns the time at which an ECU had its first key or session, in ms; infinity if never.
fn first(report: &Report, ecu: &str) -> f64 {
    let group = report.groups.iter().flat_map(|group| &group.ecus);
    let key = group
        .filter(|one| one.ecu == ecu)
        .map(|one| one.first_key_ms);
    let network = report
        .security_modules
        .iter()
        .flat_map(|network| &network.ecus);
    let session = network
        .filter(|one| one.ecu == ecu)
        .map(|one| one.authenticated_ms);
    let at = key.chain(session).flatten().next();
    at.unwrap_or(f64::INFINITY)
}

fn epoch(group: &GroupRow, ecu: &str) -> u64 {
    let mut ecus = group.ecus.iter();
    ecus.find(|one| one.ecu == ecu).map_or(0, |one| one.epoch)
}

fn last_of(report: &Report, ecus: &[&str]) -> f64 {
    ecus.iter()
        .map(|ecu| first(report, ecu))
        .fold(0.0, f64::max)
}

#[test]
fn a_bus_without_a_receiver_holds_up_no_other_bus() {
    let live = ["a1", "a2", "b1", "b2"];
    for keys in [group_of(""), module_of("")] {
        let calm = last_of(&report(&(three_buses(true) + &keys)), &live);
        for car in [
            three_buses(false) + &keys,
            three_buses(true) + &keys + FLOOD,
        ] {
            let report = report(&car);
            let last = last_of(&report, &live);
            println!("{calm:.0} ms without trouble, {last:.0} ms with it");
            // Three times as long, and what waits for an ECU that does not answer.
            assert!(last < 3.0 * calm + 600.0, "{calm} {last}");
            assert!(first(&report, "c1").is_infinite());
        }
    }
}

#[test]
fn an_ecu_behind_a_flooded_bus_comes_back_when_the_flood_ends() {
    for keys in [group_of(""), module_of("")] {
        let until = FLOOD.to_owned() + "until = \"2s\"\n";
        let report = report(&(three_buses(true) + &keys + &until));
        let (b2, c1) = (first(&report, "b2"), first(&report, "c1"));
        println!("b2 after {b2:.0} ms, c1 after {c1:.0} ms");
        assert!(b2 < 2_000.0 && (2_000.0..4_000.0).contains(&c1));
    }
}

#[test]
fn a_removed_ecu_that_floods_its_bus_does_not_delay_its_removal() {
    let remove = group_of("remove = [{ ecu = \"c1\", at = \"1s\" }]\n");
    let flood = FLOOD.to_owned() + "from = \"1s\"\n";
    let report = report(&(three_buses(true) + &remove + &flood));
    let group = &report.groups[0];
    println!(
        "epochs: b1 {}, c1 {}",
        epoch(group, "b1"),
        epoch(group, "c1")
    );
    assert!(epoch(group, "b1") > epoch(group, "c1") && group.agreed_at_end);
}

#[test]
fn one_start_for_all_recovers_as_fast_as_single_orders() {
    let time = |orchestration: &str| {
        let keys = format!(
            "scheme = \"tree-without-orchestrator\"\nsuite = \"p256\"\nstart = \"10ms\"\n\
             orchestration = \"{orchestration}\"\n"
        );
        let starts = ["0s", "29s"];
        let report = report(&one_bus(&["tc297"; 4], "30s", &starts, &keys));
        last_of(&report, &["e1", "e3", "e4"])
    };
    let (once, each) = (time("once"), time("each"));
    println!("once {once:.0} ms, each {each:.0} ms");
    assert!(once < 1.5 * each, "{once} {each}");
}

#[test]
fn a_group_waits_until_the_last_controller_listens() {
    let keys = "scheme = \"tree-without-orchestrator\"\norchestration = \"once\"\n";
    let starts = ["0s", "0s", "0s", "100ms"];
    let text = one_bus(&["tc297"; 4], "2s", &starts, keys);
    let file = VehicleFile::parse("car.toml", &text).unwrap();
    // 200 bits at 500 kbit/s after the last has booted.
    assert_eq!(file.groups[0].start.as_nanos(), 100_400_000);
    let report = report(&text);
    assert_eq!(report.groups[0].retries, 0);
}

#[test]
fn a_renewal_starves_no_slow_ecu() {
    let slow = ["tc297", "m3", "tc297", "tc297"];
    let paper = ["tc297", "tc277", "tc224", "sam-v71", "tc297", "tc297"];
    for (boards, suite, renewal, who) in [
        (&slow[..], "p256", "1500ms", "e2"),
        (&paper[..], "fourq", "700ms", "e4"),
    ] {
        let keys = |renewal: &str| {
            format!("scheme = \"tree-without-orchestrator\"\nsuite = \"{suite}\"\n{renewal}")
        };
        let calm = first(&report(&one_bus(boards, "20s", &[], &keys(""))), who);
        let renewal = format!("renewal = \"{renewal}\"\n");
        let (report, warnings) = simulate(&one_bus(boards, "60s", &[], &keys(&renewal)));
        let group = &report.groups[0];
        let (own, others) = (epoch(group, who), epoch(group, "e1"));
        let at = first(&report, who);
        println!("{who}: {calm:.0} ms alone, {at:.0} ms; epoch {own}, others {others}");
        println!("{} keys, warnings {warnings:?}", group.agreements);
        assert!(at < 1.1 * calm, "{at} {calm}");
        assert!(others - own <= 8 && group.agreements > 15, "{own} {others}");
        assert!(group.ecus.iter().all(|ecu| ecu.starved == 0));
        let expected = format!("ECU {who} computes");
        assert!(
            warnings.iter().any(|one| one.contains(&expected)),
            "{warnings:?}"
        );
    }
}

/// An orchestrator that is reset again and again has keys begun at a fixed pace, and waits for no
/// ECU.
#[test]
fn an_ecu_that_is_slower_than_new_agreements_reports_that_it_starves() {
    for (pace, starves) in [(1_500, true), (4_000, false)] {
        let scheme = "scheme = \"tree-without-orchestrator\"\nsuite = \"p256\"\n";
        let mut car = one_bus(&["tc297", "m3", "tc297", "tc297"], "60s", &[], scheme);
        for round in 1..=12 {
            let (from, until) = (round * pace, round * pace + 1);
            car += &format!(
                "[[fault]]\nkind = \"reset\"\necu = \"head\"\nfrom = \"{from}ms\"\n\
                 until = \"{until}ms\"\n"
            );
        }
        let report = report(&car);
        let ecus = &report.groups[0].ecus;
        let starved: Vec<u32> = ecus.iter().map(|ecu| ecu.starved).collect();
        println!("a new key every {pace} ms: {starved:?}");
        assert_eq!(starved, [0, 0, if starves { 8 } else { 0 }, 0, 0]);
        // When the pace ends it comes to its key.
        assert!(report.groups[0].agreed_at_end);
    }
}

/// Returns the warnings about a security module with protected streams of this period.
fn warned(board: &str, period: &str, words: &str) -> Vec<String> {
    let text = format!(
        "[vehicle]\nname = \"car\"\nduration = \"10ms\"\n[[bus]]\nname = \"one\"\n\
         bitrate = \"500k\"\ndata_bitrate = \"2M\"\n\
         [[ecu]]\nname = \"safe\"\nboard = \"{board}\"\nports = [\"one\"]\n\
         [[ecu]]\nname = \"e1\"\nboard = \"{board}\"\nports = [\"one\"]\n\
         sends = [{{ name = \"S\", id = 0x100, length = 32, period = \"{period}\", \
         receivers = [\"e2\"] }}]\n\
         [[ecu]]\nname = \"e2\"\nboard = \"{board}\"\nports = [\"one\"]\n\
         [[keys]]\nname = \"core\"\nscheme = \"lasan\"\nsecurity_module = \"safe\"\n\
         protect = [\"S\"]\n{words}"
    );
    let file = VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    lowered.warnings.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn what_a_board_cannot_keep_is_warned_of_before_the_run() {
    assert_eq!(warned("tc297", "10ms", ""), [""; 0]);
    for (board, period, words, expected) in [
        (
            "tc297",
            "10ms",
            "renewal = \"50ms\"\n",
            "renewal 50 ms is shorter than the ",
        ),
        (
            "tc297",
            "10us",
            "",
            "% of the time for its protected streams and loses frames",
        ),
        ("m3", "100us", "", "the next one is sure to be there after "),
    ] {
        let found = warned(board, period, words);
        println!("{found:#?}");
        assert!(
            found.iter().any(|one| one.contains(expected)),
            "{board} {period}: {found:?}"
        );
    }
}
