//! Cryptographic PDUs that overtake their messages.

use waywarden_can::{Frame, Id};
use waywarden_vehicle_file::{Protection, SourceLocation, VehicleFile};

/// Returns a warning for each stream whose cryptographic PDU is more urgent than its message: on a
/// loaded bus the code comes first, and a receiver without the data refuses it.
pub(super) fn warnings(file: &VehicleFile) -> Vec<(SourceLocation, String)> {
    let warned = file.streams.iter().filter_map(|stream| {
        let Protection::Separate { id, .. } = stream.protection else {
            return None;
        };
        let own = stream.id.value;
        let overtakes = urgency(id)? < urgency(own)?;
        overtakes.then(|| {
            let name = &stream.name.value;
            let warning = format!(
                "the cryptographic PDU {id} of stream {name:?} is more urgent than its message \
                 {own}: its code may come before its data; give it a less urgent identifier"
            );
            (file.source.place(&stream.name.span), warning)
        })
    });
    warned.collect()
}

/// Returns what arbitration compares: the lower, the more urgent.
fn urgency(id: Id) -> Option<u32> {
    let frame = Frame::classic(id, &[]).ok()?;
    Some(frame.arbitration_key())
}
