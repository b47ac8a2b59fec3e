//! Results of checks in all orders.

use waywarden_can_sim::clock::Time;

use super::*;
use crate::tracker::way::{Leg, Taker};

/// Three released instances of a stream with one receiver, all of them at its check.
fn checked(is_paired: bool) -> Instances {
    let way = Way {
        legs: vec![Leg {
            ecu: 0,
            bus: 0,
            from: None,
        }],
        takers: vec![Taker {
            ecu: 1,
            bus: 0,
            is_plain: false,
            is_paired,
            passes_to: None,
        }],
    };
    let mut stream = Instances::new(way);
    for number in 0..3 {
        stream.release(Time::ZERO);
        stream.request((number, 0), u64::from(number) + 1, Time::ZERO);
        stream.received(number, 1, 0);
        stream.sent((number, 0), Time::ZERO, &Conditions::new(2, 1));
        stream.checking(number, 0, Time::ZERO);
    }
    stream
}

fn outcomes(stream: &Instances) -> Vec<DeliveryOutcome> {
    stream.takers[0].outcomes().collect()
}

#[test]
fn frames_with_codes_keep_their_results_whatever_their_order() {
    let mut stream = checked(false);
    stream.deliver((2, 0), false, Time::ZERO).unwrap();
    assert_eq!(outcomes(&stream)[0], DeliveryOutcome::UnderWay);
    stream.refuse(0, 0, CheckRefusal::Replay);
    stream.refuse(1, 0, CheckRefusal::Replay);
    let replay = DeliveryOutcome::Refused(CheckRefusal::Replay);
    assert_eq!(
        outcomes(&stream),
        [replay, replay, DeliveryOutcome::Delivered]
    );
}

#[test]
fn data_that_newer_ones_overtake_miss_their_codes_unless_these_come() {
    let mut stream = checked(true);
    stream.deliver((2, 0), false, Time::ZERO).unwrap();
    let missing = DeliveryOutcome::Refused(CheckRefusal::Missing);
    assert_eq!(
        outcomes(&stream),
        [missing, missing, DeliveryOutcome::Delivered]
    );
    stream.refuse(1, 0, CheckRefusal::TagWithoutData);
    stream.refuse(1, 0, CheckRefusal::Missing);
    let late = DeliveryOutcome::Refused(CheckRefusal::TagWithoutData);
    assert_eq!(
        outcomes(&stream),
        [missing, late, DeliveryOutcome::Delivered]
    );
}

#[test]
fn codes_in_computation_have_the_last_word_when_newer_data_wait_too_long() {
    let mut stream = checked(true);
    stream.refuse(2, 0, CheckRefusal::Missing);
    let missing = DeliveryOutcome::Refused(CheckRefusal::Missing);
    assert_eq!(outcomes(&stream), [missing; 3]);
    stream.refuse(0, 0, CheckRefusal::WrongTag);
    stream.deliver((1, 0), false, Time::ZERO).unwrap();
    let wrong = DeliveryOutcome::Refused(CheckRefusal::WrongTag);
    assert_eq!(
        outcomes(&stream),
        [wrong, DeliveryOutcome::Delivered, missing]
    );
}

#[test]
fn a_wrong_code_ends_no_other_message() {
    let mut stream = checked(true);
    stream.refuse(2, 0, CheckRefusal::WrongTag);
    assert_eq!(outcomes(&stream)[..2], [DeliveryOutcome::UnderWay; 2]);
}

#[test]
fn data_without_codes_end_when_no_receiver_waits_any_more() {
    let mut stream = checked(true);
    // The code of the second one came, and is being computed.
    stream.checking(1, 0, Time::from_nanos(1));
    stream.release(Time::from_nanos(26_000_000));
    let missing = DeliveryOutcome::Refused(CheckRefusal::Missing);
    assert_eq!(outcomes(&stream)[..2], [missing, DeliveryOutcome::UnderWay]);
}
