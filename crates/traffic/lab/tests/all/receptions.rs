//! Receptions of seeded runs, as they always were.

use waywarden_traffic_lab::radio::{
    Medium, PlanePoint, Propagation, RadioFrame, RadioReception, RadioSettings, RadioSink,
    VehiclePosition,
};

const SECOND: u64 = 1_000_000_000;

/// Hashes what is sent and received, by FNV-1a.
struct Hash {
    hash: u64,
    received: u64,
}

impl Hash {
    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl RadioSink for Hash {
    fn sent(&mut self, time_ns: u64, sender: usize, _frame: &RadioFrame) {
        self.add(time_ns);
        self.add(sender as u64);
    }

    fn received(&mut self, one: &RadioReception) {
        self.received += 1;
        self.add(one.time_ns);
        self.add(one.sender as u64);
        self.add(one.receiver as u64);
        self.add(one.made_ns);
        // In hundredths of a decibel, for mathematical libraries that differ in the last digit.
        self.add((1_000.0 * one.power_mw.log10()).round() as i64 as u64);
    }
}

/// Two roads of 3 km, on which 200 stations drive 2 m each 0.1 s; a tenth of them is away at times.
fn run(seed: u64) -> (u64, u64) {
    let (settings, messages) = (RadioSettings::DEFAULT, (300, SECOND / 10));
    let mut medium = Medium::new(settings, Propagation::FREE_SPACE, messages, seed);
    let mut hash = Hash {
        hash: 0xcbf2_9ce4_8422_2325,
        received: 0,
    };
    for step in 0..20_u64 {
        for station in 0..200_usize {
            let along = (station * 137 % 3_000) as f64 + 2.0 * step as f64;
            let (x_m, y_m) = match station % 2 {
                0 => (along, 10.0),
                _ => (1_500.0, along - 1_500.0),
            };
            let is_away = station % 10 == 3 && step % 7 == 2;
            let position = (!is_away).then(|| VehiclePosition::from(PlanePoint { x_m, y_m }));
            medium.place(station, position);
        }
        medium.run_until((step + 1) * SECOND / 10, &mut hash);
    }
    (hash.received, hash.hash)
}

/// Notes when a station sends, and how long after that the other one receives.
#[derive(Default)]
struct Delays {
    sent: [u64; 2],
    delays: Vec<u64>,
}

impl RadioSink for Delays {
    fn sent(&mut self, time_ns: u64, sender: usize, _frame: &RadioFrame) {
        self.sent[sender] = time_ns;
    }

    fn received(&mut self, one: &RadioReception) {
        self.delays.push(one.time_ns - self.sent[one.sender]);
    }
}

#[test]
fn sidelink_messages_arrive_whole_subframes_after_they_were_sent() {
    for (bytes, subframes) in [(460, 1), (700, 2)] {
        let messages = (bytes, SECOND / 10);
        let settings = RadioSettings::C_V2X_LIKE;
        let mut medium = Medium::new(settings, Propagation::FREE_SPACE, messages, 1);
        for station in 0..2 {
            let x_m = 100.0 * station as f64;
            medium.place(station, Some(PlanePoint { x_m, y_m: 0.0 }.into()));
        }
        let mut delays = Delays::default();
        medium.run_until(SECOND, &mut delays);
        assert!(delays.delays.len() >= 18, "{:?}", delays.delays);
        assert!(
            delays
                .delays
                .iter()
                .all(|delay| *delay == subframes * 1_000_000)
        );
    }
}

#[test]
fn receptions_are_those_before_rates_and_channel_switching() {
    for (seed, expected) in [
        (1, (163_386, 0x2b4d_5f46_b232_9585)),
        (2, (153_368, 0x8a_9cd3_b3ea_20d1)),
    ] {
        let (received, hash) = run(seed);
        assert_eq!(
            (received, hash),
            expected,
            "seed {seed}: {received} {hash:#x}"
        );
    }
}
