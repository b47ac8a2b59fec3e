//! Every lost or doubled frame has its cause in the trace.

use super::{END, under_fire};
use crate::clock::Time;
use crate::engine::tests::recording::{Delivery, Recording};

#[test]
fn no_frame_is_lost_or_doubled_without_a_cause_in_the_trace() {
    under_fire(|name, seed, recording| {
        for (serial, delivery) in &recording.deliveries {
            let at = format!("{name}, seed {seed}, serial {serial}");
            assert!(delivery.sent.len() <= 1, "{at}: sent twice");
            check_sender(&at, delivery, recording);
            if let Some(&(_, sent)) = delivery.sent.first() {
                (0..5)
                    .filter(|ecu| *ecu != delivery.ecu)
                    .for_each(|ecu| check_receiver(&at, ecu, delivery, sent, recording));
            }
        }
    });
}

/// A frame that was not sent was taken back in bus-off, or still waits at the end.
fn check_sender(at: &str, delivery: &Delivery, recording: &Recording) {
    match (delivery.sent.first(), delivery.withdrawn) {
        (Some(_), None) => {}
        (None, Some(when)) => {
            let off = |&(time, ecu, state): &(Time, usize, &str)| {
                ecu == delivery.ecu && state == "bus-off" && time <= when
            };
            assert!(
                recording.states.iter().any(off),
                "{at}: taken back without bus-off"
            );
        }
        (None, None) => {
            let age = END.since(delivery.queued.unwrap_or(END)).get();
            assert!(age < 10_000_000_000, "{at}: forgotten");
        }
        (Some(_), Some(_)) => panic!("{at}: both sent and taken back"),
    }
}

/// A receiver has a frame once, unless it had an error of its own or was off, or the frame was
/// repeated after an error.
fn check_receiver(at: &str, ecu: usize, delivery: &Delivery, sent: Time, recording: &Recording) {
    let begun = delivery.started[0];
    let count = delivery.received.get(&ecu).copied().unwrap_or(0);
    let error = recording
        .errors
        .iter()
        .any(|&(time, _)| time >= begun && time <= sent);
    let own_error = recording
        .errors
        .iter()
        .any(|&(time, who)| who == ecu && time >= begun && time <= sent);
    let disturbed = recording
        .states
        .iter()
        .any(|&(time, who, state)| who == ecu && state != "error-active" && time <= sent);
    assert!(
        count > 0 || own_error || disturbed,
        "{at}: ecu {ecu} misses it without a cause"
    );
    assert!(
        count < 2 || (error && delivery.started.len() > 1),
        "{at}: ecu {ecu} has it twice"
    );
}
