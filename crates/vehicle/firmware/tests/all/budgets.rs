//! The budgets of `firmware/budgets.toml`: memory and instructions of each image, by measurement.
//!
//! An image of the same source and compiler executes the same instructions everywhere, so a change
//! is one of the code. One of more than 2 % is to be seen in the table.

use std::fs;

use toml::{Table, Value};
use waywarden_can::{Frame, Id};
use waywarden_testkit::workspace;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_work::{Duration, Instant};

use crate::image::{OTHERS, dashboard, image, run, sensor};
use crate::world::World;

const TABLE: &str = "firmware/budgets.toml";
/// The change that is allowed, in parts of a thousand.
const CHANGE_MAX: u64 = 20;
/// The end of a run of twenty messages.
pub(crate) const END: Instant = Instant::from_nanos(205_000_000);

/// Returns the instructions of rounds: from each wait to the next request `to`, if there was one
/// `with`. A round that stores something is left out, as few do.
pub(crate) fn rounds(world: &World, to: &str, with: &str) -> Vec<u64> {
    let mut rounds = Vec::new();
    let (mut sum, mut has, mut stores) = (0, false, false);
    let begun = world.costs.iter().skip_while(|(name, _)| name != "Wait");
    for (name, cost) in begun.skip(1) {
        sum += cost;
        has |= name == with;
        stores |= name == "Store";
        if name == to && has && !stores {
            rounds.push(sum);
        }
        if name == "Wait" {
            (sum, has, stores) = (0, false, false);
        }
    }
    rounds
}

/// Returns the middle of several values.
pub(crate) fn median(mut values: Vec<u64>) -> u64 {
    assert!(values.len() >= 3, "{values:?}");
    values.sort_unstable();
    values[values.len() / 2]
}

/// Instructions until the first wait.
pub(crate) fn boot(world: &World) -> u64 {
    let until = world.costs.iter().position(|(name, _)| name == "Wait");
    let costs = &world.costs[..=until.expect("a wait")];
    costs.iter().map(|(_, cost)| cost).sum()
}

/// Measures an image: names and values, in the order of the table.
pub(crate) fn measure(image: &QemuImage) -> Vec<(&'static str, u64)> {
    let mut sending = World::new(&sensor(), END);
    run(image, &mut sending).expect("a run");
    let foreign = Frame::classic(Id::standard(0x555).expect("11 bits"), &[0; 8]).expect("a frame");
    let times =
        |first: u64| (0..9).map(move |at| Instant::from_nanos((first + 10 * at) * 1_000_000));
    let mut checking = World::new(&dashboard(), END);
    checking.arrivals = times(1).zip(sending.sent.iter().copied()).collect();
    run(image, &mut checking).expect("a run");
    let mut ignoring = World::new(&dashboard(), END);
    ignoring.arrivals = times(5).map(|at| (at, foreign)).collect();
    run(image, &mut ignoring).expect("a run");
    let mut idling = World::new(&dashboard(), END);
    idling.wakes_every = Some(Duration::from_millis(10));
    run(image, &mut idling).expect("a run");
    let stacks = [&sending, &checking, &ignoring, &idling].map(|world| world.stack);
    let footprint = image.footprint();
    vec![
        ("flash_bytes", footprint.flash.into()),
        ("ram_bytes", footprint.ram.into()),
        (
            "stack_bytes",
            stacks.into_iter().flatten().max().expect("a stack").into(),
        ),
        ("boot", boot(&sending)),
        ("send", median(rounds(&sending, "Send", "Send"))),
        ("check", median(rounds(&checking, "Wait", "Checked"))),
        ("ignore", median(rounds(&ignoring, "Wait", "Receive"))),
        ("idle", median(rounds(&idling, "Wait", "Wait"))),
    ]
}

#[test]
fn images_keep_their_budgets() {
    let Some(image) = image() else { return };
    hold("secoc", &measure(&image), &image);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn images_on_the_other_cores_keep_their_budgets() {
    for (core, row) in OTHERS.iter().zip(["secoc-m33", "secoc-r5f"]) {
        let Some(image) = core.secoc() else { return };
        hold(row, &measure(&image), &image);
    }
}

/// Compares values with a row of the table.
///
/// # Panics
/// If one of them is more than 2 % off.
pub(crate) fn hold(name: &str, measured: &[(&str, u64)], image: &QemuImage) {
    let off = off(name, measured, image);
    hold_all(&off.into_iter().collect::<Vec<_>>());
}

/// Demands that no row is off.
///
/// # Panics
/// If one is; with all of them, as they were measured.
pub(crate) fn hold_all(off: &[String]) {
    assert!(
        off.is_empty(),
        "{TABLE}: more than 2 % off; the rows that were measured:\n{}\n",
        off.join("\n")
    );
}

/// Compares values with a row of the table; returns the row as it was measured if one of them is
/// more than 2 % off.
pub(crate) fn off(name: &str, measured: &[(&str, u64)], image: &QemuImage) -> Option<String> {
    let text = fs::read_to_string(workspace().join(TABLE)).expect(TABLE);
    let table: Table = text.parse().expect(TABLE);
    let of_images = image.file().with_file_name("compiler");
    let compiler = fs::read_to_string(of_images).expect("the compiler of the images");
    if table.get("compiler").and_then(Value::as_str) != Some(compiler.trim()) {
        println!(
            "skipped: {TABLE} is not for the compiler {}",
            compiler.trim()
        );
        return None;
    }
    let budget = |value: &str| {
        let value = table.get(name).and_then(|row| row.get(value));
        value
            .and_then(Value::as_integer)
            .unwrap_or(0)
            .unsigned_abs()
    };
    let is_off = |(name, value): &(&str, u64)| {
        value.abs_diff(budget(name)) * 1_000 > budget(name) * CHANGE_MAX
    };
    let row: Vec<String> = measured
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let row = format!("[{name}]\n{}\n", row.join("\n"));
    println!("{row}");
    measured.iter().any(is_off).then_some(row)
}
