//! The board of the images: its counter of instructions, and the ends that an image does not plan.

use waywarden_firmware_link::{Answer, MESSAGE_MAX, Request, TimedRequest, VERSION};
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};
use waywarden_work::Instant;

use crate::image::{exchanged, probe, sensor};
use crate::world::World;

/// Starts the image that does what the byte asks for.
fn asked(byte: u8) -> Option<(Box<dyn RunningImage>, World)> {
    let mut world = World::new(&sensor(), Instant::MAX);
    world.record = vec![byte];
    Some((probe()?.start().expect("a start"), world))
}

/// Exchanges once; returns the instructions of the request.
fn exchange(running: &mut dyn RunningImage, answer: Option<&[u8]>) -> Result<u64, ImageFault> {
    let request = running.exchange(answer)?;
    Ok(TimedRequest::decode(request)
        .expect("a request")
        .instructions)
}

/// Returns the end of an image that was asked for this.
fn end(byte: u8) -> Option<ImageFault> {
    let (mut running, mut world) = asked(byte)?;
    let timed = TimedRequest {
        instructions: 0,
        request: Request::Boot { version: VERSION },
    };
    let boot = world.answer(&timed);
    exchange(&mut *running, None).expect("a request");
    let end = exchanged(&mut *running, boot.as_deref());
    Some(end.expect_err("it does not end"))
}

#[test]
fn instructions_are_counted_exactly() {
    let Some((mut running, mut world)) = asked(b'c') else {
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
    // From the second round on: 1000, 2000, 3000 turns again and again, of two instructions each.
    let rounds: Vec<u64> = counts
        .windows(2)
        .skip(1)
        .map(|pair| pair[1] - pair[0])
        .collect();
    assert_eq!(rounds[1] - rounds[0], 2_000, "{rounds:?}");
    assert_eq!(rounds[3], rounds[0], "{rounds:?}");
    assert_eq!(rounds[4], rounds[1], "{rounds:?}");
    assert!((4_000..4_100).contains(&rounds[0]), "{rounds:?}");
}

#[test]
fn an_image_that_does_not_stop_ends_with_a_reason() {
    for (byte, reason) in [
        (b'w', "no request for 67108864 instructions, at pc=0x0000"),
        (b's', "HardFault: the stack is used up"),
        (b'f', "HardFault at pc=0x0000"),
        (b'?', "asked for Some(63) (port/src/bin/probe.rs:"),
    ] {
        match end(byte) {
            None => return,
            Some(ImageFault::Panicked(why)) => assert!(why.starts_with(reason), "{why}"),
            Some(other) => panic!("{}: {other:?}", byte as char),
        }
    }
    match end(b'x') {
        Some(ImageFault::Ended(why)) => assert_eq!(why, "exit status: 7"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_image_that_takes_no_answers_is_a_fault() {
    let Some((mut running, mut world)) = asked(b'r') else {
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
