//! Capacity of an IEEE 802.11p channel in messages: by their bits alone, as section V-D counts, and
//! with what surrounds each on the air.

/// Bytes of a frame beside the message: a MAC header with quality of service (26), LLC and SNAP
/// (8), the frame check sequence (4).
pub(super) const MAC_BYTES: f64 = 26.0 + 8.0 + 4.0;

/// Preamble and signal field on a channel of 10 MHz, in us.
const PREAMBLE_MICROS: f64 = 32.0 + 8.0;

/// One OFDM symbol on 10 MHz, in us; it carries 48 bits at 6 Mb/s.
const SYMBOL_MICROS: f64 = 8.0;

/// The service field before the data and the tail behind them, in bits.
const SERVICE_AND_TAIL_BITS: f64 = 16.0 + 6.0;

/// The gap of the access category of voice: SIFS and two slots, in us.
const AIFS_MICROS: f64 = 32.0 + 2.0 * SLOT_MICROS;

const SLOT_MICROS: f64 = 13.0;

/// The mean of 0 to 3 slots.
const BACKOFF_SLOTS: f64 = 1.5;

/// Returns how many messages of so many bytes fit into a time, by their bits alone.
pub(super) fn by_bits(bytes: f64, megabits: f64, latency_ms: f64) -> f64 {
    (megabits * 1e3 * latency_ms / (8.0 * bytes)).floor()
}

/// Returns how long a message of so many bytes is on the air, in us.
pub(super) fn air_micros(bytes: f64, megabits: f64) -> f64 {
    let bits = SERVICE_AND_TAIL_BITS + 8.0 * (bytes + MAC_BYTES);
    PREAMBLE_MICROS + (bits / (megabits * SYMBOL_MICROS)).ceil() * SYMBOL_MICROS
}

/// Returns the mean gap between two messages on a channel that is never idle, in us.
pub(super) const fn gap_micros() -> f64 {
    AIFS_MICROS + BACKOFF_SLOTS * SLOT_MICROS
}

/// Returns how many messages of so many bytes fit into a time, with preamble, headers and gaps,
/// if no two collide.
pub(super) fn on_air(bytes: f64, megabits: f64, latency_ms: f64) -> f64 {
    (latency_ms * 1e3 / (air_micros(bytes, megabits) + gap_micros())).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_on_the_air_take_whole_symbols() {
        // By hand: 16 + 6 + 8 * 498 bits are 83.46 symbols of 48.
        assert_eq!(air_micros(460.0, 6.0), 40.0 + 84.0 * 8.0);
        // An empty message: 326 bits, 7 symbols.
        assert_eq!(air_micros(0.0, 6.0), 40.0 + 7.0 * 8.0);
        assert_eq!(gap_micros(), 58.0 + 19.5);
    }

    #[test]
    fn a_channel_carries_fewer_messages_than_its_bits() {
        assert_eq!(by_bits(460.0, 6.0, 100.0), 163.0);
        assert_eq!(by_bits(520.0, 6.0, 100.0), 144.0);
        // 100,000 us over 712 + 77.5 and over 792 + 77.5.
        assert_eq!(on_air(460.0, 6.0, 100.0), 126.0);
        assert_eq!(on_air(520.0, 6.0, 100.0), 115.0);
    }
}
