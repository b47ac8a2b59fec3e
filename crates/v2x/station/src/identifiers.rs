//! Identifiers of a station on the air.

use waywarden_v2x_signing::Seed;

/// Everything that names a station or counts its messages. All of it is drawn at once and given up
/// at once: one that stayed would link two pseudonyms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationIdentifiers {
    /// Of ETSI's messages.
    pub station_id: u32,
    /// Of basic safety messages.
    pub temporary_id: u32,
    /// Of the link, and in it of the network: an individual address that is locally administered.
    pub mac: [u8; 6],
    /// The next number of a GeoNetworking packet.
    pub packet_number: u16,
    /// The next number of an event.
    pub event_number: u16,
    /// The next number of a basic safety message, below 128.
    pub message_count: u8,
    /// The UDP port that frames are sent from where they travel over IP: 49,152 to 65,535.
    pub udp_port: u16,
    /// Delay of the first messages, in microseconds, below a tenth of a second.
    pub phase_us: u32,
}

impl StationIdentifiers {
    /// Draws all of them.
    #[must_use]
    pub fn new(seed: &Seed) -> Self {
        let drawn = seed.derive::<28>("identifiers", 0);
        let word = |at: usize| {
            let bytes = drawn.get(at..at + 4).and_then(|four| four.first_chunk());
            u32::from_be_bytes(bytes.copied().unwrap_or_default())
        };
        let half = |at| (word(at) >> 16) as u16;
        let [one, two, three, four] = word(8).to_be_bytes();
        let [first, second] = half(12).to_be_bytes();
        Self {
            station_id: word(0),
            temporary_id: word(4),
            // Locally administered, and of one station.
            mac: [(first & 0xFC) | 0x02, second, one, two, three, four],
            packet_number: half(14),
            event_number: half(16),
            message_count: (half(22) >> 9) as u8,
            udp_port: 0xC000 | half(18),
            phase_us: ((u64::from(word(24)) * 100_000) >> 32) as u32,
        }
    }
}
