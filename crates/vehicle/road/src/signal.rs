//! Values of signals in payloads.

use waywarden_vehicle_file::V2xSignal;

/// Returns the value in a payload; `None` if the payload is too short.
pub(crate) fn value(signal: &V2xSignal, payload: &[u8]) -> Option<f64> {
    let bytes = payload.get(signal.at..signal.at + signal.bytes)?;
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let begin = if is_negative { -1_i64 } else { 0 };
    let raw = bytes
        .iter()
        .fold(begin, |raw, byte| raw << 8 | i64::from(*byte));
    Some(raw as f64 / f64::from(signal.per_unit))
}

/// Writes a value into a payload; what is out of range becomes the nearest value in range.
pub(crate) fn set(signal: &V2xSignal, payload: &mut [u8], value: f64) {
    let most = (1_i64 << (8 * signal.bytes - 1)) - 1;
    // The conversion saturates, and takes what is no number as zero.
    let raw = (value * f64::from(signal.per_unit)).round() as i64;
    let raw = raw.clamp(-most - 1, most).to_be_bytes();
    let end = signal.at + signal.bytes;
    if let Some(place) = payload.get_mut(signal.at..end) {
        place.copy_from_slice(&raw[raw.len() - signal.bytes..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_vehicle_file::StreamIndex;

    #[test]
    fn signals_come_out_as_they_went_in() {
        let signal = V2xSignal {
            stream: StreamIndex(0),
            at: 2,
            bytes: 2,
            per_unit: 100,
        };
        let mut payload = [0xEE; 4];
        for wanted in [0.0, 13.89, -2.5, 327.67] {
            set(&signal, &mut payload, wanted);
            assert_eq!(value(&signal, &payload), Some(wanted));
        }
        set(&signal, &mut payload, 1e9);
        assert_eq!(value(&signal, &payload), Some(327.67));
        assert_eq!(payload[..2], [0xEE; 2]);
        assert_eq!(value(&signal, &payload[..3]), None);
    }
}
