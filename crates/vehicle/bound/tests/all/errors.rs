//! Vehicles whose buses have errors at a known rate: no simulated latency exceeds its bound, and no
//! sender with a bound goes bus-off.

use std::fmt::Write as _;

use waywarden_response_time::NoBound;
use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_bound::{BoundOptions, StreamBound, bounds, covered};
use waywarden_vehicle_resources::Resources;

use crate::random_vehicles::{SCHEMES, compared, options, parsed, summarize, vehicle, with_room};

const MS: u64 = 1_000_000_000;

/// A sender of one message each 10 ms, and receivers.
fn one_sender(more: &str) -> String {
    format!(
        "[vehicle]\nname = \"errors\"\n[[bus]]\nname = \"b\"\nbitrate = \"500k\"\n\
         [[ecu]]\nname = \"tx\"\nports = [\"b\"]\n\
         sends = [{{ name = \"S\", id = 0x100, length = 8, period = \"10ms\", \
         receivers = [\"rx\"] }}]\n\
         [[ecu]]\nname = \"rx\"\nports = [\"b\"]\n{more}"
    )
}

fn bounds_under(text: &str, errors: (u64, u64)) -> Vec<StreamBound> {
    let own = covered(&parsed(0, text), false).file;
    let options = BoundOptions {
        errors: Some(errors),
        ..BoundOptions::default()
    };
    bounds(&own, &Resources::default(), &options).unwrap()
}

/// An error each 10 ms adds 8 for each frame that takes 1 away.
#[test]
fn errors_that_may_drive_the_sender_bus_off_leave_no_bound() {
    let bound = |errors| bounds_under(&one_sender(""), errors)[0].bound;
    for every in [10, 20, 40, 79] {
        assert_eq!(bound((1, every * MS)), Err(NoBound::BusOff), "{every} ms");
    }
    assert_eq!(bound((32, 10_000 * MS)), Err(NoBound::BusOff));
    for every in [100, 1_000] {
        assert!(bound((1, every * MS)).is_ok(), "{every} ms");
    }
}

/// An error-passive sender suspends its transmissions, in which another frame may begin.
#[test]
fn a_sender_that_may_be_error_passive_has_a_longer_bound() {
    let others = "[[ecu]]\nname = \"other\"\nports = [\"b\"]\n\
        sends = [{ name = \"T\", id = 0x200, length = 8, period = \"10ms\", \
        receivers = [\"rx\"] }]\n";
    let bound = |burst| {
        bounds_under(&one_sender(others), (burst, 10_000 * MS))[0]
            .bound
            .unwrap()
    };
    let (active, passive) = (bound(15), bound(16));
    let each = active - bound(14);
    assert!(
        passive > active + each + 8 * 2_000_000,
        "{active} {passive}"
    );
    assert!(each < 8 * 2_000_000 + 270 * 2_000_000);
}

/// Pulses that are as far apart as errors may be, which meet the same frames again and again.
#[test]
fn no_simulated_latency_exceeds_its_bound_under_errors_at_a_rate() {
    let ratios = each_seed(12, |seed| {
        let mut text = with_room(seed, &vehicle(seed, false, SCHEMES));
        let mut random = Random::new(seed ^ 0xE770);
        let every = [100, 250, 500, 1_000, 1_000][random.index(5)];
        let buses = text.matches("[[bus]]").count();
        for bus in 0..buses {
            let bits = 1 + random.index(6);
            let from = random.below(12_000);
            let _ = write!(
                text,
                "[[interferer]]\nkind = \"babbling\"\nbus = \"bus{bus}\"\nperiod = \"{every}ms\"\n\
                 bits = {bits}\nfrom = \"{from}us\"\n"
            );
        }
        let file = parsed(seed, &text);
        let own = covered(&file, false).file;
        let mut disturbed = own.clone();
        disturbed.interferers = file.interferers;
        let options = BoundOptions {
            every_attempt: false,
            errors: Some((1, every * MS)),
            ..options(seed)
        };
        compared(seed, &text, (&own, &disturbed), &options)
    });
    summarize(&ratios, 0.5);
}
