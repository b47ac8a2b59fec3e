//! Vehicles that agree on keys while their streams run: no simulated latency exceeds its bound.

use std::fmt::Write as _;

use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_bound::{BoundOptions, bounds, covered};
use waywarden_vehicle_resources::Resources;

use crate::random_vehicles::{compared, options, parsed, summarize, vehicle, with_room};

/// Those whose identifiers leave room for key frames.
const SCHEMES: usize = 3;

#[test]
fn no_simulated_latency_exceeds_its_bound_while_keys_are_exchanged() {
    let ratios = each_seed(12, |seed| {
        let mut text = with_room(seed, &vehicle(seed, false, SCHEMES));
        let mut random = Random::new(seed ^ 0x6E15);
        key_table(&mut text, &mut random);
        println!("{text}");
        println!("{text}");
        println!("{text}");
        let own = covered(&parsed(seed, &text), true);
        assert!(!own.keys.is_empty());
        let options = BoundOptions {
            every_attempt: false,
            keys: own.keys,
            ..options(seed)
        };
        compared(seed, &text, (&own.file, &own.file), &options)
    });
    summarize(&ratios, 0.5);
}

fn key_table(text: &mut String, random: &mut Random) {
    let spans = random.once_in(4) && text.matches("[[bus]]").count() == 2;
    let buses = if spans {
        "\"bus0\", \"bus1\""
    } else {
        "\"bus0\""
    };
    let lasan = random.once_in(4);
    let (scheme, head) = match random.index(3) {
        _ if lasan => ("lasan", "security_module"),
        0 => ("tree-with-orchestrator", "orchestrator"),
        1 => ("tree-without-orchestrator", "orchestrator"),
        _ => ("symmetric-distribution", "orchestrator"),
    };
    let gives_way = !random.once_in(3);
    let _ = write!(
        text,
        "[[keys]]\nname = \"k\"\nscheme = \"{scheme}\"\n{head} = \"E0\"\nbuses = [{buses}]\n\
         suite = \"fourq\"\ngives_way = {gives_way}\n"
    );
    if random.once_in(2) {
        let _ = writeln!(text, "renewal = \"{}ms\"", 300 + random.below(900));
    }
}

fn two_streams(gives_way: bool) -> String {
    format!(
        "[vehicle]\nname = \"keys\"\n[[bus]]\nname = \"b\"\nbitrate = \"500k\"\n\
         [[ecu]]\nname = \"a\"\nports = [\"b\"]\n\
         sends = [{{ name = \"S\", id = 0x300, length = 8, period = \"10ms\", \
         receivers = [\"b\"] }}]\n\
         [[ecu]]\nname = \"b\"\nports = [\"b\"]\n\
         [[keys]]\nname = \"k\"\norchestrator = \"a\"\ngives_way = {gives_way}\n"
    )
}

/// One frame of up to 160 bits if they give way, else all frames of an agreement.
#[test]
fn keys_that_give_way_block_with_one_frame_and_others_interfere_with_all() {
    let bound = |gives_way, with_keys| {
        let own = covered(&parsed(0, &two_streams(gives_way)), with_keys);
        let options = BoundOptions {
            keys: own.keys,
            ..BoundOptions::default()
        };
        let bounds = bounds(&own.file, &Resources::default(), &options).unwrap();
        bounds[0].bound.unwrap()
    };
    const BIT: u64 = 2_000_000;
    let without = bound(true, false);
    let polite = bound(true, true);
    assert!(
        polite > without && polite <= without + 160 * BIT,
        "{without} {polite}"
    );
    // 33 + 12 frames, each up to three times.
    let urgent = bound(false, true);
    assert!(urgent > without + 45 * 130 * BIT, "{without} {urgent}");
}
