//! The board of the images: its counter of instructions, and the ends that an image does not plan.

use std::time::Duration;

use waywarden_firmware_link::{Answer, MESSAGE_MAX, Request, TimedRequest, VERSION};
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};
use waywarden_work::Instant;

use crate::image::{Core, M4F, OTHERS, exchanged, sensor};
use crate::world::World;

/// Starts the image that does what the byte asks for.
fn asked(core: &Core, byte: u8) -> Option<(Box<dyn RunningImage>, World)> {
    let mut world = World::new(&sensor(), Instant::MAX);
    world.record = vec![byte];
    // Longer than a watchdog of any board takes, and short for a board that has none.
    let image = core.probe()?.silent_for_at_most(Duration::from_secs(10));
    Some((image.start().expect("a start"), world))
}

/// Exchanges once; returns the instructions of the request.
fn exchange(running: &mut dyn RunningImage, answer: Option<&[u8]>) -> Result<u64, ImageFault> {
    let request = running.exchange(answer)?;
    Ok(TimedRequest::decode(request)
        .expect("a request")
        .instructions)
}

/// Returns the end of an image that was asked for this.
fn end(core: &Core, byte: u8) -> Option<ImageFault> {
    let (mut running, mut world) = asked(core, byte)?;
    let timed = TimedRequest {
        instructions: 0,
        request: Request::Boot { version: VERSION },
    };
    let boot = world.answer(&timed);
    exchange(&mut *running, None).expect("a request");
    let end = exchanged(&mut *running, boot.as_deref());
    Some(end.expect_err("it does not end"))
}

/// Instructions are counted exactly: two for each turn, and as many in each round of as many turns.
fn counts_exactly(core: &Core) {
    let Some((mut running, mut world)) = asked(core, b'c') else {
        return;
    };
    let mut counts = Vec::new();
    let mut answer: Option<Vec<u8>> = None;
    for _ in 0..8 {
        let request = running.exchange(answer.as_deref()).expect("a request");
        let timed = TimedRequest::decode(request).expect("a request");
        counts.push(timed.instructions);
        // Something else to read and write each time: it must not count.
        answer = match timed.request {
            Request::Boot { .. } => world.answer(&timed),
            _ => {
                let mut buffer = vec![0; MESSAGE_MAX];
                let frame = world.sent.pop();
                let status = world.status();
                let answer = match counts.len() % 2 {
                    0 => Answer::Status(status),
                    _ => Answer::Received { status, frame },
                };
                let length = answer.encode(&mut buffer).expect("an answer that fits");
                buffer.truncate(length);
                Some(buffer)
            }
        };
    }
    // From the second round on: 2000, 3000, 1000 turns again and again, of two instructions each.
    let rounds: Vec<u64> = counts
        .windows(2)
        .skip(1)
        .map(|pair| pair[1] - pair[0])
        .collect();
    assert_eq!(rounds[1] - rounds[0], 2_000, "{rounds:?}");
    assert_eq!(rounds[0] - rounds[2], 2_000, "{rounds:?}");
    assert_eq!(rounds[3], rounds[0], "{rounds:?}");
    assert_eq!(rounds[4], rounds[1], "{rounds:?}");
    assert!((4_000..4_100).contains(&rounds[0]), "{rounds:?}");
}

/// An image that does not stop ends with a reason.
fn ends_with_a_reason(core: &Core) {
    let (fault, code) = (core.fault, core.code);
    for (byte, reason) in [
        (b's', core.stack.to_owned()),
        (b'f', format!("{fault} pc={code}")),
        (
            b'?',
            "asked for Some(63) (port/src/bin/probe.rs:".to_owned(),
        ),
    ] {
        match end(core, byte) {
            None => return,
            Some(ImageFault::Panicked(why)) => assert!(why.starts_with(&reason), "{why}"),
            Some(other) => panic!("{}: {other:?}", byte as char),
        }
    }
    match end(core, b'w') {
        Some(ImageFault::Panicked(why)) if core.has_watchdog => {
            let reason = format!("no request for 67108864 instructions, at pc={code}");
            assert!(why.starts_with(&reason), "{why}");
        }
        // Without a watchdog the host ends it.
        Some(ImageFault::Silent(10)) if !core.has_watchdog => {}
        other => panic!("{other:?}"),
    }
    match end(core, b'x') {
        Some(ImageFault::Ended(why)) => assert_eq!(why, "exit status: 7"),
        other => panic!("{other:?}"),
    }
}

/// An image that takes no answers is a fault.
fn faults_without_answers(core: &Core) {
    let Some((mut running, mut world)) = asked(core, b'r') else {
        return;
    };
    let request = Request::Boot { version: VERSION };
    let boot = world.answer(&TimedRequest {
        instructions: 0,
        request,
    });
    running.exchange(None).expect("a request");
    let mut end = exchanged(&mut *running, boot.as_deref());
    for _ in 0..100 {
        if end.is_err() {
            break;
        }
        end = running
            .exchange(Some(&[0; MESSAGE_MAX]))
            .map(<[u8]>::to_vec);
    }
    let expected = ImageFault::Malformed("it takes no answers".to_owned());
    assert_eq!(end, Err(expected));
}

#[test]
fn instructions_are_counted_exactly() {
    counts_exactly(&M4F);
}

#[test]
fn an_image_that_does_not_stop_ends_with_a_reason() {
    ends_with_a_reason(&M4F);
}

#[test]
fn an_image_that_takes_no_answers_is_a_fault() {
    faults_without_answers(&M4F);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_other_cores_are_as_exact_and_end_as_well() {
    for core in &OTHERS {
        println!("{}", core.machine);
        counts_exactly(core);
        ends_with_a_reason(core);
        faults_without_answers(core);
    }
}
