//! Codes in frames of their own: where a receiver may refuse a message, there is no bound.

use waywarden_can_sim::trace::Discard;
use waywarden_response_time::NoBound;
use waywarden_vehicle_bound::{BoundOptions, bounds, covered};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::{lower::lower, run::run};
use waywarden_vehicle_resources::Resources;

use crate::random_vehicles::{SCHEMES, compared, options, parsed, refused, vehicle};

/// `S` with its code in a frame of its own, and as many messages more urgent than that frame.
fn car(bit_rate: &str, period: &str, table: &str, others: usize) -> String {
    let other = |at: usize| {
        let id = 0x310 + at;
        format!(
            "  {{ name = 'O{at}', id = {id}, length = 8, period = '100ms', receivers = ['rx'] }},\n"
        )
    };
    let others: String = (0..others).map(other).collect();
    format!(
        "[vehicle]\nname = 'car'\nduration = '2s'\n[[bus]]\nname = 'a'\nbitrate = '{bit_rate}'\n\
         [[ecu]]\nname = 'tx'\nports = ['a']\nsends = [\n  {{ name = 'S', id = 0x300, length = 4, \
         period = '{period}', deadline = '100ms', receivers = ['rx'] }},\n]\n\
         [[ecu]]\nname = 'ty'\nports = ['a']\nsends = [\n{others}]\n\
         [[ecu]]\nname = 'rx'\nports = ['a']\n[[authentication]]\nprotect = ['S']\n{table}\n"
    )
}

fn secoc(id: u32) -> String {
    format!(
        "scheme = 'secoc'\nprofile = 'autosar-1'\ncryptographic_pdus = [{{ stream = 'S', \
         id = {id} }}]\n"
    )
}

/// Returns the bound of `S`, and how many of its messages were refused for their code.
fn of(text: &str) -> (Result<u64, NoBound>, u64) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let own = covered(&file, true).file;
    let resources = Resources::default();
    let all = bounds(&own, &resources, &BoundOptions::default()).unwrap();
    let outcome = run(
        lower(&own, &resources, None).unwrap(),
        &mut Discard,
        &mut |_| {},
    )
    .unwrap();
    (all[0].bound, refused(&outcome.measure.streams[0]))
}

#[test]
fn a_code_that_comes_after_20_ms_has_no_bound() {
    // Four frames of 7 ms go before the frame of the code.
    let slow = car("20k", "100ms", &secoc(0x700), 4);
    let (bound, refused) = of(&slow);
    assert_eq!(bound, Err(NoBound::LateCode));
    assert!(refused >= 19, "{refused}");
    let (bound, refused) = of(&car("125k", "100ms", &secoc(0x700), 4));
    assert!(bound.is_ok() && refused == 0, "{bound:?} {refused}");
    // Directly behind its message it waits for no other.
    let (bound, refused) = of(&car("20k", "100ms", &secoc(0x301), 4));
    assert!(bound.is_ok() && refused == 0, "{bound:?} {refused}");
}

#[test]
fn a_code_that_comes_after_four_further_messages_has_no_bound() {
    // A message each 4 ms, and its code behind 17 frames of 0.9 ms.
    let (bound, refused) = of(&car("125k", "4ms", &secoc(0x700), 17));
    assert_eq!(bound, Err(NoBound::LateCode));
    assert!(refused > 0);
    let (bound, refused) = of(&car("125k", "4ms", &secoc(0x301), 17));
    assert!(bound.is_ok() && refused == 0, "{bound:?} {refused}");
}

#[test]
fn a_code_that_overtakes_its_message_has_no_bound() {
    let text = car("125k", "100ms", &secoc(0x2FF), 4);
    let (bound, refused) = of(&text);
    assert_eq!(bound, Err(NoBound::EarlyCode));
    assert!(refused > 0);
    // A FIFO queue keeps them in order.
    let fifo = text.replace(
        "[[ecu]]\nname = 'tx'\n",
        "[[ecu]]\nname = 'tx'\nqueue = { order = 'fifo', length = 32 }\n",
    );
    let (bound, refused) = of(&fifo);
    assert!(bound.is_ok() && refused == 0, "{bound:?} {refused}");
}

#[test]
fn no_message_with_a_bound_is_refused_for_its_code_on_slow_buses() {
    // On overloaded buses a bound leaves out what waits for a full queue: see docs/bus-bound.md. So
    // these vehicles are the same in soak.
    const SEEDS: u64 = 24;
    let mut without = 0;
    let all = (0..SEEDS).map(|seed| {
        let text = vehicle(seed, false, SCHEMES)
            .replace("\"125k\"", "\"33k\"")
            .replace("\"250k\"", "\"83k\"");
        let own = covered(&parsed(seed, &text), false).file;
        compared(seed, &text, (&own, &own), &options(seed))
    });
    let all: Vec<_> = all.collect();
    for ratio in all.iter().flatten() {
        without += usize::from(*ratio == Err(NoBound::LateCode));
    }
    println!("{without} messages have codes that may come too late");
}
