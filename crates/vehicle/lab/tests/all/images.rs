//! ECU images in a run, by a stand-in that answers at once: moments by counted instructions, the
//! receive mailbox, resets with retained memory, and images that fail.

mod notes;
mod stand_in;

use std::sync::Arc;

use stand_in::{Script, StandIn, Step};
use waywarden_can::node::Slot;
use waywarden_can::{Frame, Id};
use waywarden_can_sim::clock::Time;
use waywarden_firmware_link::{Answer, Request, VERSION};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::{ImageFault, Resources};
use waywarden_vehicle_trace::VehicleEvent;

/// An ECU with an image of 80 MHz, one that sends it a stream, and what is added.
fn car(image: &str, more: &str) -> String {
    format!(
        "[vehicle]\nname = 'car'\nseed = 1\nduration = '200ms'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'rx'\nports = ['a']\nfirmware = 'rx.elf'\nclock = '80MHz'\n{image}\n\
         [[ecu]]\nname = 'tx'\nports = ['a']\nsends = [{{ name = 'S', id = 0x120, length = 4, \
         period = '10ms', offset = '5ms', receivers = ['rx'] }}]\n{more}\n"
    )
}

fn resources(script: Script) -> Resources {
    let mut resources = Resources::default();
    let named = ("rx.elf".to_owned(), "mps2-an386");
    resources
        .images
        .insert(named, Arc::new(StandIn::new(script)));
    resources
}

/// The report, and the moments at which the image's ECU asked for a frame to be sent.
fn report(text: &str, script: Script) -> (Report, Vec<Time>) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &resources(script), None).unwrap_or_else(|error| panic!("{error}"));
    let mut requested = Vec::new();
    let mut sink = |at: Time, event: &VehicleEvent<'_>| {
        if let VehicleEvent::Requested { ecu, .. } = event
            && ecu.0 == 0
        {
            requested.push(at);
        }
    };
    let outcome = run(lowered, &mut sink, &mut |_| {}).unwrap();
    (Report::new(&file, file.seed, &outcome), requested)
}

fn frame() -> Frame {
    Frame::classic(Id::standard(0x7F0).unwrap(), &[1, 2, 3]).unwrap()
}

const BOOT: Request<'static> = Request::Boot { version: VERSION };
const WAIT: Request<'static> = Request::Wait { until: None };

/// Takes what waits, and waits.
fn receive(answer: &Answer<'_>) -> Step {
    let has_frame = match answer {
        Answer::Status(status) | Answer::Received { status, .. } => status.has_frame,
        _ => false,
    };
    Ok((
        80,
        match has_frame {
            true => Request::Receive,
            false => WAIT,
        },
    ))
}

#[test]
fn a_frame_is_requested_when_its_instructions_are_over() {
    let (report, requested) = report(&car("", ""), |_| {
        Box::new(|answer| match answer {
            None => Ok((0, BOOT)),
            Some(Answer::Boot { .. }) => Ok((8_000, Request::Send(frame()))),
            Some(answer) => receive(answer),
        })
    });
    // 8,000 instructions at 80 MHz.
    assert_eq!(requested, [Time::from_nanos(100_000)]);
    let image = &report.images[0];
    assert_eq!((image.failures, image.overruns, image.boots), (0, 0, 1));
    assert!(report.is_met());
    // The frames of 200 ms, a request and a wait each, and one wait after the frame was sent.
    assert_eq!(image.instructions, 8_000 + 80 + 80 + 20 * 160);
    assert!((image.computed_ms - image.instructions as f64 / 80e3).abs() < 1e-2);
}

#[test]
fn frames_that_find_no_room_while_an_image_computes_are_counted() {
    for (mailbox, kept) in [
        ("", 3),
        ("receive_mailbox = 1", 1),
        ("receive_mailbox = 64", 10),
    ] {
        let (report, _) = report(&car(mailbox, ""), |_| {
            let mut first = true;
            Box::new(move |answer| match answer {
                None => Ok((0, BOOT)),
                // 100 ms: the frames of 5, 15, ..., 95 ms come meanwhile.
                Some(_) if std::mem::take(&mut first) => Ok((8_000_000, WAIT)),
                Some(answer) => receive(answer),
            })
        });
        let row = &report.images[0];
        assert_eq!(row.overruns, 10 - kept, "{mailbox}");
        assert_eq!(report.ecus[0].overruns, 10 - kept, "{mailbox}");
        let own = &report.streams[0].receivers[0];
        assert_eq!(
            own.lost.get("overrun").copied().unwrap_or_default(),
            10 - kept,
            "{mailbox}"
        );
        assert_eq!(own.delivered, 20 - (10 - kept), "{mailbox}");
    }
}

#[test]
fn a_clock_that_runs_slow_makes_instructions_longer() {
    let script: Script = |_| {
        Box::new(|answer| match answer {
            None => Ok((0, BOOT)),
            Some(Answer::Boot { .. }) => Ok((8_000_000, Request::Send(frame()))),
            Some(answer) => receive(answer),
        })
    };
    // 100 ms of its own clock take 1 % longer.
    let (_, requested) = report(&car("clock_ppm = -10000", ""), script);
    let late = requested[0].since(Time::from_nanos(100_000_000)).get();
    assert!((1_000_000_000..1_020_000_000).contains(&late), "{late} ps");
}

#[test]
fn an_image_that_fails_is_an_ecu_fault_with_its_reason_and_the_run_goes_on() {
    let cases: [(Script, &str); 8] = [
        (
            |_| {
                Box::new(|answer| match answer {
                    None => Ok((0, BOOT)),
                    Some(_) => Ok((800, Request::Failed("attempt to divide by zero"))),
                })
            },
            "stopped: attempt to divide by zero",
        ),
        (
            |_| Box::new(|_| Ok((0, Request::Boot { version: 99 }))),
            "version 99",
        ),
        (
            |_| Box::new(|answer| Ok((0, answer.map_or(BOOT, |_| Request::Receive)))),
            "4096 requests within 1 ms",
        ),
        (
            |_| Box::new(|answer| Ok((10, answer.map_or(BOOT, |_| Request::Receive)))),
            "4096 requests within 1 ms",
        ),
        (
            |_| Box::new(|_| Err(ImageFault::Silent(60))),
            "no request for 60 s",
        ),
        (
            |_| {
                Box::new(|answer| match answer {
                    None => Ok((0, BOOT)),
                    Some(_) => Err(ImageFault::Ended("signal 11".to_owned())),
                })
            },
            "ended: signal 11",
        ),
        (
            |_| {
                Box::new(|answer| match answer {
                    None => Ok((0, BOOT)),
                    Some(_) => Ok((80, Request::Send(frame()))),
                })
            },
            "transmit mailbox that is not empty",
        ),
        (
            |_| {
                Box::new(|answer| match answer {
                    None => Ok((0, BOOT)),
                    Some(_) => Ok((80, Request::Stack(12))),
                })
            },
            "no answer to",
        ),
    ];
    for (script, reason) in cases {
        let (report, _) = report(&car("", ""), script);
        let row = &report.images[0];
        let why = row.failure.as_deref().unwrap_or_default();
        assert!(why.contains(reason), "{reason:?} is not in {why:?}");
        assert_eq!(row.failures, 1, "{reason}");
        assert!(!report.is_met(), "{reason}");
        // The rest of the car went on.
        assert_eq!(report.streams[0].requested, 20, "{reason}");
    }
}

#[test]
fn an_image_that_does_not_start_is_a_fault_of_its_ecu() {
    let file = VehicleFile::parse("car.toml", &car("", "")).unwrap();
    let mut resources = Resources::default();
    let named = ("rx.elf".to_owned(), "mps2-an386");
    resources
        .images
        .insert(named, Arc::new(stand_in::Unavailable));
    let lowered = lower(&file, &resources, None).unwrap();
    let outcome = run(
        lowered,
        &mut |_: Time, _: &VehicleEvent<'_>| {},
        &mut |_| {},
    )
    .unwrap();
    let report = Report::new(&file, file.seed, &outcome);
    let row = &report.images[0];
    assert_eq!(row.failure.as_deref(), Some("no emulator here"));
    assert!(!report.is_met());
}

#[test]
fn a_stored_value_survives_a_reset_at_any_instant() {
    // The image stores a count at each boot, 100 us after it, and sends a frame with the count 100
    // us after the confirmation. What a frame has shown is never shown again.
    let script: Script = |_| {
        let mut count = 0u8;
        let mut stored = false;
        Box::new(move |answer| match answer {
            None => Ok((0, BOOT)),
            Some(Answer::Boot { retained, .. }) => {
                count = retained.iter().next().map_or(0, |(_, value)| value[0]) + 1;
                let value = [count; 32];
                Ok((
                    8_000,
                    Request::Store {
                        slot: Slot(0),
                        value,
                    },
                ))
            }
            Some(Answer::Status(_)) if !std::mem::replace(&mut stored, true) => {
                let id = Id::standard(0x7F0).unwrap();
                let frame = Frame::classic(id, &[count]).unwrap();
                Ok((8_000, Request::Send(frame)))
            }
            Some(answer) => receive(answer),
        })
    };
    for step in 0..40u64 {
        let first = 5 * step;
        let resets = format!(
            "[[fault]]\nname = 'f'\nkind = 'reset'\necu = 'rx'\nfrom = '{}us'\nuntil = '1ms'\n\
             [[fault]]\nname = 'g'\nkind = 'reset'\necu = 'rx'\nfrom = '{}us'\nuntil = '3ms'\n",
            20 + 2 * first,
            1_020 + 2 * first,
        );
        let file = VehicleFile::parse("car.toml", &car("", &resets))
            .unwrap_or_else(|errors| panic!("{errors}"));
        let lowered = lower(&file, &resources(script), None).unwrap();
        let mut shown = Vec::new();
        let mut sink = |_: Time, event: &VehicleEvent<'_>| {
            if let VehicleEvent::Requested { ecu, frame, .. } = event
                && ecu.0 == 0
            {
                shown.push(frame.data()[0]);
            }
        };
        run(lowered, &mut sink, &mut |_| {}).unwrap();
        assert!(
            shown.is_sorted_by(|one, next| one < next),
            "{first}: {shown:?}"
        );
        assert!(!shown.is_empty(), "{first}");
    }
}

#[test]
fn parts_that_an_image_cannot_have_are_refused_with_place_and_remedy() {
    let cases = [
        (
            "[[attacker]]\nkind = 'compromise'\necus = ['rx']\nperiod = '20ms'\n",
            "an attacker runs code on it",
        ),
        (
            "[[keys]]\nname = 'g'\nmembers = ['rx']\norchestrator = 'tx'\n\
             profile = 'as-published'\n",
            "the messages as published",
        ),
        (
            "[[keys]]\nname = 'g'\nmembers = ['rx']\norchestrator = 'tx'\n\
             [[authentication]]\nname = 'tags'\nprotect = ['S']\nscheme = 'secoc'\n\
             profile = 'autosar-1'\ngroup = 'g'\nbefore_first_key = 'retained'\n",
            "keeps no group key over a reset",
        ),
        (
            "[[keys]]\nname = 'g'\nmembers = ['rx']\norchestrator = 'tx'\n\
             [[keys]]\nname = 'h'\nmembers = ['rx']\norchestrator = 'tx'\n\
             identifiers = { extended = true, base = 0x0E000000, mask = 0x0F000000 }\n",
            "in several groups",
        ),
        (
            "[[authentication]]\nname = 'tags'\nprotect = ['S']\nscheme = 'vatican'\n\
             profile = 'as-published'\n",
            "write `profile = \"hardened\"`",
        ),
        (
            "[[authentication]]\nname = 'tags'\nprotect = ['S']\nscheme = 'leia'\n\
             mac = 'siphash'\n",
            "write `mac = \"aes-128-cmac\"`",
        ),
        (
            "[[authentication]]\nname = 'tags'\nprotect = ['S']\nscheme = 'secoc'\n\
             profile = 'autosar-1'\nkey_store = 'module'\n",
            "keeps its keys in protected modules",
        ),
    ];
    refuse(&cases);
}

#[test]
fn parts_under_a_security_module_that_an_image_cannot_have_are_refused() {
    refuse(&[
        (
            "[[keys]]\nname = 'access'\nscheme = 'lasan'\nsecurity_module = 'tx'\nsuite = \
             'ml-kem-512+fn-dsa-512'\n",
            "there are images of: fourq, p256, ml-kem-768+ml-dsa-44",
        ),
        (
            "[[keys]]\nname = 'access'\nscheme = 'lasan'\nsecurity_module = 'tx'\nprofile = \
             'as-published'\n",
            "write `profile = \"hardened\"`",
        ),
        (
            "[[keys]]\nname = 'access'\nscheme = 'lasan'\nsecurity_module = 'tx'\n",
            "write `board = \"m4f-emulated\"` beside `firmware`",
        ),
        (
            "[[keys]]\nname = 'access'\nscheme = 'lasan'\nsecurity_module = 'tx'\nreplace = [{ ecu \
             = 'rx', at = '100ms' }]\n",
            "a workshop changes the ECUs of `access`",
        ),
    ]);
}

/// Has what is added to the vehicle refused for a reason, at the place of the image.
fn refuse(cases: &[(&str, &str)]) {
    for (more, reason) in cases {
        let text = car("", more);
        let file = match VehicleFile::parse("car.toml", &text) {
            Ok(file) => file,
            Err(errors) => panic!("{reason}: {errors}"),
        };
        let script: Script = |_| Box::new(|_| Ok((0, BOOT)));
        let refused = lower(&file, &resources(script), None).err();
        let Some(LowerError::Firmware { place, ecu, why }) = refused else {
            panic!("{reason}: not refused")
        };
        assert!(why.contains(reason), "{why}");
        assert_eq!((place.line, ecu.as_str()), (11, "rx"));
    }
}
