//! Readers of V2X: frames of links and detection, text, recorded tracks, payloads against
//! certificates. Held after every input: no panic, what is found lies in the input, and no more
//! comes out than went in. Heap is measured by the tests, which have an allocator that counts.
//!
//! The first bytes choose among parts that the readers look for, so that they get beyond the first
//! check; the others are what is between.

mod pieces;

use std::io::Cursor;

use waywarden_v2x_input::record::{InputRecord, Recognized};
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::UnreadFile;
use waywarden_v2x_payload::{SignedPayload, check};
use waywarden_v2x_security::region::NoBorders;
use waywarden_v2x_wire::coer::CoerOctets;
use waywarden_v2x_wire::detect::{FoundSpdu, NoSpdu, detect, detect_in, refused_readings};
use waywarden_v2x_wire::ieee1609dot2::{Psid, ServiceSpecificPermissions};
use waywarden_v2x_wire::link::LinkType;
use waywarden_vehicle_tracks::{TrackSettings, read as read_tracks};

use crate::Seen;
use crate::source::Source;

/// The most readings of one input that detection may refuse.
const READINGS_MAX: usize = 5 * (1 + LinkType::ALL.len());

/// Limit on the bytes that one `*` of a dump stands for.
const REPEATED_MAX: usize = 1 << 20;

/// Reads frames of every link, and bytes of an unknown link.
///
/// # Panics
/// If a law is broken.
#[must_use]
pub fn links(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut source = Source(bytes);
    let frame = pieces::frame(&mut source);
    for link in LinkType::ALL {
        seen.inputs += 1;
        judge(&frame, detect_in(link, &frame), &mut seen);
    }
    judge(&frame, detect(&frame), &mut seen);
    let mut refused = 0;
    refused_readings(&frame, |reading| {
        refused += 1;
        assert!(!reading.to_string().is_empty());
    });
    assert!(refused <= READINGS_MAX, "{refused} readings");
    seen.outputs_max = refused;
    seen
}

fn judge(frame: &[u8], found: Result<FoundSpdu<'_>, NoSpdu>, seen: &mut Seen) {
    match found {
        Ok(found) => {
            let range = frame.as_ptr_range();
            let spdu = found.spdu.as_ptr_range();
            assert!(range.start <= spdu.start && spdu.end <= range.end);
            assert!(!found.layers().any(|layer| layer.to_string().is_empty()));
            seen.note("found");
        }
        Err(error) => {
            if let Some(message) = error.clear_message() {
                let message = frame.get(message.offset..message.offset + message.length);
                assert!(message.is_some(), "a message outside of the input");
                seen.note("clear");
            }
            seen.note("refused");
        }
    }
}

/// Reads text in the forms that people paste, and its records.
///
/// # Panics
/// If a law is broken.
#[must_use]
pub fn text(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let text = pieces::text(&mut Source(bytes));
    let stars = text.lines().filter(|line| line.trim() == "*").count();
    let length = text.len();
    let is_something = text.lines().any(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with(['#', '[', ']', '/'])
    });
    let mut total = 0;
    let input = Box::new(Cursor::new(text.into_bytes()));
    let read = records::read::<UnreadFile>("text", input, |record| {
        seen.inputs += 1;
        total += record.bytes.len();
        recognize(&record, &mut seen);
        Ok(())
    });
    assert!(
        total <= length + stars * REPEATED_MAX,
        "{total} bytes of {length} letters"
    );
    let wrong = match read {
        Ok(file) => file.wrong.len(),
        Err(_) => 1,
    };
    if wrong > 0 {
        seen.note("wrong");
    }
    let is_reported = seen.inputs + wrong > 0;
    assert!(is_reported || !is_something, "lost in silence");
    seen
}

fn recognize(record: &InputRecord, seen: &mut Seen) {
    match record.recognize(&[]) {
        Recognized::Certificate(_) => seen.note("certificate"),
        Recognized::Message(_) => seen.note("found"),
        Recognized::Other => seen.note("other"),
        Recognized::Unread(unread) => {
            assert!(!unread.why.is_empty() && !unread.kind.is_empty());
            seen.note("unread");
        }
    }
}

/// Tracks in NMEA, GPX and CSV.
///
/// # Panics
/// If a law is broken.
#[must_use]
pub fn tracks(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let track = pieces::track(&mut Source(bytes));
    for is_strict in [false, true] {
        let settings = TrackSettings {
            is_strict,
            ..TrackSettings::default()
        };
        seen.inputs += 1;
        match read_tracks(Cursor::new(&track), &settings) {
            Ok(recording) => {
                let samples = recording.tracks.iter().map(|one| one.track.samples().len());
                assert!(samples.sum::<usize>() <= track.len());
                let is_fault = recording.faults.iter().any(|one| one.kind.is_fault());
                assert!(!is_strict || !is_fault);
                seen.note("read");
                if !recording.faults.is_empty() {
                    seen.note("faults");
                }
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                seen.note("refused");
            }
        }
    }
    seen
}

/// Payloads against certificates.
///
/// # Panics
/// If a law is broken.
#[must_use]
pub fn payload(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut source = Source(bytes);
    let psid = Psid(source.choose(&[32, 36, 37, 131, 638]));
    let bits = [source.byte(), source.byte(), source.byte()];
    let ssp = match source.byte() % 3 {
        0 => None,
        1 => CoerOctets::new(&bits).map(ServiceSpecificPermissions::Bitmap),
        _ => Some(ServiceSpecificPermissions::Opaque(&bits)),
    };
    let payload = pieces::payload(&mut source);
    let signed = SignedPayload {
        psid,
        payload: Some(&payload),
        ssp,
        region: None,
        has_generation_location: source.byte() % 2 == 0,
    };
    seen.inputs += 1;
    let result = check(&signed, &NoBorders);
    assert!(!result.to_string().is_empty());
    // Each failure is of a property that was compared, or of one that another part of it was not.
    for failure in &result.failures {
        let subject = failure.subject();
        let is_named = result.checked.contains(&subject)
            || result
                .not_checked
                .iter()
                .any(|(other, _)| *other == subject);
        assert!(is_named, "{failure}");
    }
    seen.note(result.name());
    seen
}
