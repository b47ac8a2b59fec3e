//! Reads `[v2x]`.

use waywarden_work::Duration;

use super::draft::Draft;
use super::model::{EcuIndex, StreamIndex, V2x, V2xSignal};
use super::place::Span;
use super::problem::Problem;
use super::reader::Section;

/// Reads `[v2x]`, if it is there; `None` if it is broken.
pub(super) fn optional(top: &mut Section<'_>, draft: &Draft) -> Option<Option<V2x>> {
    match top.table("v2x") {
        Some(section) => v2x(section, draft).map(Some),
        None => Some(None),
    }
}

/// Reads `[v2x]`: each signal is of a stream that its ECU receives, and the request is its own.
fn v2x(mut section: Section<'_>, draft: &Draft) -> Option<V2x> {
    let ecu = section.reference("ecu", &draft.ecu_names);
    let brake_ecu = section.reference("brake_ecu", &draft.ecu_names);
    let brake_at = section.location("brake_ecu");
    let mut received = |key| signal(&mut section, key, draft, (ecu, End::Receiver));
    let speed = received("speed");
    let (brake, yaw_rate, reverse) = (received("brake"), received("yaw_rate"), received("reverse"));
    let request = signal(&mut section, "brake_request", draft, (ecu, End::Sender));
    section.need("speed");
    section.need("brake_request");
    if let (Some(request), Some(brakes)) = (&request, brake_ecu) {
        let stream = draft.stream(request.stream.0)?;
        let hears = stream.receivers.iter().any(|one| one.value == brakes);
        section.demand(hears, &brake_at, || Problem::Relation {
            found: format!(
                "ECU {:?} does not receive stream {:?}",
                draft.ecu_names.name(brakes),
                stream.stream.name.value
            ),
            remedy: "add it to the stream's `receivers`, or name one of them",
        });
    }
    let hard = section.whole("hard_braking");
    let within = section.whole("within");
    let hold = section.time_or_preset("hold");
    let signing = section.optional::<Duration>("signing");
    let verification = section.optional::<Duration>("verification");
    let end_to_end = section.positive("end_to_end");
    section.finish()?;
    Some(V2x {
        ecu: EcuIndex(ecu?),
        speed: speed?,
        brake,
        yaw_rate,
        reverse,
        brake_request: request?,
        brake_ecu: EcuIndex(brake_ecu?),
        hard_braking_m_s2: hard.unsigned_abs() as u32,
        within_m: within.unsigned_abs() as u32,
        hold: hold?,
        signing: signing.map(|time| time.value),
        verification: verification.map(|time| time.value),
        end_to_end,
    })
}

/// End of a signal's stream that the ECU has to be.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Sender,
    Receiver,
}

/// Reads a signal of a stream.
fn signal(
    section: &mut Section<'_>,
    key: &'static str,
    draft: &Draft,
    (ecu, end): (Option<usize>, End),
) -> Option<V2xSignal> {
    let mut inner = section.table(key)?;
    let span = inner.span.clone();
    let stream = inner.reference("stream", &draft.stream_names);
    let at_stream = inner.location("stream");
    let (at, bytes) = (inner.whole("at"), inner.whole("bytes"));
    let is_number = matches!(key, "speed" | "yaw_rate");
    let per_unit = if is_number {
        inner.whole("per_unit")
    } else {
        1
    };
    let read = inner.finish();
    if read.is_none() {
        section.broken();
    }
    read?;
    let signal = V2xSignal {
        stream: StreamIndex(stream?),
        at: at.unsigned_abs() as usize,
        bytes: bytes.unsigned_abs() as usize,
        per_unit: per_unit.unsigned_abs() as u32,
    };
    fits(section, &signal, draft, &span);
    let (own, ecu) = (draft.stream(signal.stream.0)?, ecu?);
    let is_there = match end {
        End::Sender => own.stream.sender.0 == ecu,
        End::Receiver => own.receivers.iter().any(|one| one.value == ecu),
    };
    section.demand(is_there, &at_stream, || Problem::Relation {
        found: format!(
            "ECU {:?} does not {} stream {:?}",
            draft.ecu_names.name(ecu),
            if end == End::Sender {
                "send"
            } else {
                "receive"
            },
            own.stream.name.value
        ),
        remedy: match end {
            End::Sender => "name a stream that it sends",
            End::Receiver => {
                "add it to the stream's `receivers`, or name a stream that it receives"
            }
        },
    });
    Some(signal)
}

/// Refuses a signal beyond the end of its stream's payload.
fn fits(section: &mut Section<'_>, signal: &V2xSignal, draft: &Draft, span: &Span) {
    let Some(own) = draft.stream(signal.stream.0) else {
        return;
    };
    let length = usize::from(own.stream.length);
    section.demand(signal.at + signal.bytes <= length, span, || {
        Problem::Relation {
            found: format!(
                "bytes {} to {} are beyond the {length} bytes of stream {:?}",
                signal.at,
                signal.at + signal.bytes - 1,
                own.stream.name.value
            ),
            remedy: "lower `at` or `bytes`, or give the stream a greater `length`",
        }
    });
}
