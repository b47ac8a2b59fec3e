//! Options of `[[keys]]`: each changes what its table says, in frames or in time, and nothing else.

use std::collections::BTreeMap;

use waywarden_boards::Board;
use waywarden_can_sim::clock::Time;
use waywarden_group_keys::{GroupHeader, Step};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{GroupRow, Report};
use waywarden_vehicle_resources::{LoadedLog, Resources};
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};
use waywarden_work::{Algorithm, Operation, OperationKind};

const BUSES: &str = r#"
[vehicle]
name = "car"
duration = "2s"
[[bus]]
name = "fd"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "classic"
bitrate = "500k"
[[ecu]]
name = "gateway"
board = "tc297"
ports = ["fd", "classic"]
"#;

/// Seven ECUs as fast as the orchestrator, and six of which two are three times as slow.
const ALIKE: [&str; 7] = ["tc297"; 7];
const UNLIKE: [&str; 6] = ["tc297", "tc297", "tc297", "tc297", "tc224", "tc224"];

/// The log of a drive that comes with the examples: 0.25 s, 600 frames on one channel.
const DRIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/drive.log");

/// Results of a run.
struct Ran {
    report: Report,
    /// Time of the first order, or the one that stands for all, on the bus, in milliseconds.
    first_order_ms: f64,
    /// Frames on the buses that are no key frames.
    others: u64,
    /// The worst latency of those, from their time stamp, in milliseconds.
    worst_ms: f64,
}

#[derive(Default)]
struct Watch {
    first_order: Option<u64>,
    others: u64,
    requested: BTreeMap<u64, u64>,
    worst: u64,
}

impl TraceSink for Watch {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let at = at.as_picos();
        match *event {
            VehicleEvent::Requested { serial, .. } => {
                self.requested.insert(serial.0, at);
            }
            VehicleEvent::Sent { serial, frame, .. } => {
                let waited = at - self.requested.remove(&serial.0).unwrap_or(at);
                match GroupHeader::of(frame) {
                    Some((Step::Orchestration | Step::Start, _)) => {
                        self.first_order.get_or_insert(at);
                    }
                    Some(_) => {}
                    None => {
                        self.others += 1;
                        self.worst = self.worst.max(waited);
                    }
                }
            }
            _ => {}
        }
    }
}

fn drive(boards: &[&str], tables: &str, resources: &Resources) -> Ran {
    let ecu = |(at, board): (usize, &&str)| {
        format!("[[ecu]]\nname = \"e{at}\"\nboard = \"{board}\"\nports = [\"fd\", \"classic\"]\n")
    };
    let ecus: String = boards.iter().enumerate().map(ecu).collect();
    let text = format!("{BUSES}{ecus}{tables}");
    let file = VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let mut watch = Watch::default();
    let lowered = lower(&file, resources, None).unwrap();
    let outcome = run(lowered, &mut watch, &mut |_| {}).unwrap();
    Ran {
        report: Report::new(&file, 0, &outcome),
        first_order_ms: watch.first_order.unwrap_or(0) as f64 / 1e9,
        others: watch.others,
        worst_ms: watch.worst as f64 / 1e9,
    }
}

/// Runs a group with these options; all have one key at the end, and nothing was tried twice.
fn agreed(boards: &[&str], options: &str) -> Ran {
    let table = format!("[[keys]]\nname = \"drive\"\norchestrator = \"gateway\"\n{options}\n");
    let ran = drive(boards, &table, &Resources::default());
    assert_agreed(&ran);
    ran
}

fn assert_agreed(ran: &Ran) {
    let group = group(ran);
    assert!(group.agreed_at_end && group.retries == 0, "{group:#?}");
}

fn group(ran: &Ran) -> &GroupRow {
    &ran.report.groups[0]
}

fn agreement_ms(ran: &Ran) -> f64 {
    group(ran).agreement_ms.unwrap()
}

fn steps(ran: &Ran) -> BTreeMap<&'static str, u64> {
    let steps = group(ran).steps.iter();
    steps.map(|row| (row.step, row.frames)).collect()
}

/// Returns the cost of an operation on the orchestrator's board, in milliseconds.
fn cost_ms(kind: OperationKind, algorithm: Algorithm) -> f64 {
    let board = Board::builtin("tc297").unwrap();
    let cost = board.cost(&Operation::new(kind, algorithm, 128)).unwrap();
    cost.duration.as_nanos() as f64 / 1e6
}

/// With equal boards no pair waits for another of its level; with two slow boards the quick ones of
/// the next level wait for them.
#[test]
fn by_level_a_slow_pair_holds_up_its_level() {
    let by_level = "buses = [\"fd\"]\npace = \"by-level\"";
    let ready = agreed(&UNLIKE, "buses = [\"fd\"]");
    let level = agreed(&UNLIKE, by_level);
    assert_eq!(steps(&ready), steps(&level));
    let exchange = cost_ms(OperationKind::Share, Algorithm::FourQ)
        + cost_ms(OperationKind::Extract, Algorithm::FourQ)
        + cost_ms(OperationKind::Sign, Algorithm::FourQ)
        + cost_ms(OperationKind::Verify, Algorithm::FourQ);
    let (ready, level) = (agreement_ms(&ready), agreement_ms(&level));
    assert!(level > ready + exchange, "{level} {ready} {exchange}");
    let (ready, level) = (
        agreement_ms(&agreed(&ALIKE, "buses = [\"fd\"]")),
        agreement_ms(&agreed(&ALIKE, by_level)),
    );
    assert!((level - ready).abs() < 0.1, "{level} {ready}");
}

/// The same frames, but the first of them waits for all signatures and not for its own alone.
#[test]
fn signed_ahead_the_first_order_waits_for_all_signatures() {
    for (scheme, orders) in [
        ("tree-with-orchestrator", 13),
        ("tree-without-orchestrator", 7),
        ("symmetric-distribution", 7),
    ] {
        let options = format!("buses = [\"fd\"]\nscheme = \"{scheme}\"\n");
        let each = agreed(&ALIKE, &options);
        let ahead = agreed(
            &ALIKE,
            &format!("{options}orchestration = \"signed-ahead\""),
        );
        assert_eq!(steps(&each), steps(&ahead), "{scheme}");
        assert_eq!(steps(&each)["orchestration"], orders, "{scheme}");
        let waited = ahead.first_order_ms - each.first_order_ms;
        let signatures = (orders - 1) as f64 * cost_ms(OperationKind::Sign, Algorithm::FourQ);
        // Freshness frames of the orders ahead go while the next is signed.
        assert!(
            (waited - signatures).abs() < 0.2,
            "{scheme}: {waited} {signatures}"
        );
    }
}

#[test]
fn once_one_message_stands_for_all_orders() {
    let options = "buses = [\"fd\"]\nscheme = \"tree-without-orchestrator\"\n";
    let each = agreed(&ALIKE, options);
    let once = agreed(&ALIKE, &format!("{options}orchestration = \"once\""));
    let (mut expected, found) = (steps(&each), steps(&once));
    assert_eq!(expected.remove("orchestration"), Some(7));
    expected.insert("start", 1);
    expected.insert("freshness", 1);
    assert_eq!(found, expected);
    // No level above the first waits for a signature of the orchestrator.
    let saved = agreement_ms(&each) - agreement_ms(&once);
    let signatures = 2.0 * cost_ms(OperationKind::Sign, Algorithm::FourQ);
    assert!(saved > signatures, "{saved} {signatures}");
}

/// Here one half of the tree is at the root while the other is still at its leaves: the first share
/// for the root comes to ECUs that are two levels below.
#[test]
fn once_unlike_boards_miss_nothing_of_each_other() {
    let options = "buses = [\"fd\"]\nscheme = \"tree-without-orchestrator\"\n";
    let each = agreed(&UNLIKE, options);
    let once = agreed(&UNLIKE, &format!("{options}orchestration = \"once\""));
    assert!(!steps(&once).contains_key("report"));
    assert!(agreement_ms(&once) < agreement_ms(&each));
}

/// 32-byte shares and 64-byte signatures are 4 and 8 frames whatever the curve; it computes longer.
#[test]
fn p256_on_classic_can_takes_the_same_frames_and_its_own_time() {
    let options = "buses = [\"classic\"]\nscheme = \"tree-without-orchestrator\"\n";
    let fourq = agreed(&ALIKE, options);
    let p256 = agreed(&ALIKE, &format!("{options}suite = \"p256\""));
    assert_eq!(
        (group(&p256).transport, group(&p256).suite),
        ("classic", "p256")
    );
    assert_eq!(steps(&fourq), steps(&p256));
    for (step, frames) in [
        ("freshness", 7),
        ("orchestration", 7 * 8),
        ("share-a", 7 * 4),
        ("share-b", 7 * 4),
        ("confirmation-a", 7 * 8),
        ("confirmation-b", 7 * 8),
        ("end", 8),
        ("acknowledge", 7),
    ] {
        assert_eq!(steps(&p256)[step], frames, "{step}");
    }
    // Three levels of the tree, in each of which both sides go through the four operations.
    let operations = |algorithm| {
        let kinds = [
            OperationKind::Share,
            OperationKind::Extract,
            OperationKind::Sign,
            OperationKind::Verify,
        ];
        kinds
            .map(|kind| cost_ms(kind, algorithm))
            .iter()
            .sum::<f64>()
    };
    let longer = 3.0 * (operations(Algorithm::P256) - operations(Algorithm::FourQ));
    let found = agreement_ms(&p256) - agreement_ms(&fourq);
    assert!(found > longer, "{found} {longer}");
    let (ours, theirs) = (group(&p256).bus_ms, group(&fourq).bus_ms);
    assert!((ours - theirs).abs() < 0.02 * theirs, "{ours} {theirs}");
}

fn log() -> LoadedLog {
    let text = std::fs::read(DRIVE).unwrap();
    let mut reader = waywarden_can_log::open(text.as_slice()).unwrap();
    let mut frames = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.unwrap();
        let channel = reader.channels().name(record.channel).to_owned();
        frames.extend(
            record
                .entry
                .frame()
                .map(|frame| (channel, record.at_ns, *frame)),
        );
    }
    LoadedLog::gather(frames)
}

/// Frames that give way lose arbitration to every frame of the log: each of those waits for one
/// key frame at most, the one that was on the bus.
#[test]
fn keys_are_renewed_beside_a_log() {
    let log = log();
    let released: u64 = log.channels["can0"]
        .iter()
        .map(|(at, _)| (1_900_000_000 - 1 - at.as_nanos()) / log.length.as_nanos() + 1)
        .sum();
    let mut resources = Resources::default();
    resources.logs.insert("drive.log".to_owned(), log);
    let keys = "[[keys]]\nname = \"drive\"\norchestrator = \"gateway\"\nbuses = [\"fd\"]\n\
                start = \"100ms\"\ngives_way = true\nrenewal = \"600ms\"\n";
    let replay = "[[replay]]\nlog = \"drive.log\"\nchannels = { can0 = \"fd\" }\nloop = true\n\
                  until = \"1.9s\"\n";
    let quiet = drive(&ALIKE, keys, &resources);
    let silent = drive(&ALIKE, replay, &resources);
    let beside = drive(&ALIKE, &format!("{keys}{replay}"), &resources);
    for ran in [&quiet, &beside] {
        assert_agreed(ran);
        // At 0.1, 0.7 and 1.3 s.
        assert_eq!(group(ran).agreements, 3);
    }
    assert_eq!((silent.others, beside.others), (released, released));
    // 64 bytes at 500 kbit/s and 2 Mbit/s, stuffed throughout.
    let key_frame = 0.5;
    let blocked = beside.worst_ms - silent.worst_ms;
    assert!((0.0..key_frame).contains(&blocked), "{blocked}");
    let renewal = |ran: &Ran| group(ran).longest_renewal_ms.unwrap();
    let (alone, loaded) = (renewal(&quiet), renewal(&beside));
    assert!(alone < loaded && loaded < 1.2 * alone, "{alone} {loaded}");
    let first = keys.replace("gives_way = true\n", "");
    let first = drive(&ALIKE, &format!("{first}{replay}"), &resources);
    assert_agreed(&first);
    // One that does not give way goes first, several frames in a row.
    let blocked = first.worst_ms - silent.worst_ms;
    assert!(blocked > key_frame, "{blocked}");
    assert!(agreement_ms(&first) < agreement_ms(&beside));
}
