//! Phases of a vehicle: its unknown offsets, drawn by a seed.

use waywarden_can_sim::random::Random;
use waywarden_vehicle_file::{Offset, VehicleFile};
use waywarden_work::Duration;

/// Returns a vehicle with its unknown offsets drawn; stated ones stay.
///
/// In phase 0 all are 0: the critical instant of each ECU. In each other phase they are whole
/// microseconds, each of them from 0 up to the period with the same probability. A draw follows
/// from the seed, the phase and the place of the stream in the file alone, so any machine repeats
/// it.
#[must_use]
pub fn in_phase(file: &VehicleFile, seed: u64, phase: u64) -> VehicleFile {
    let mut file = file.clone();
    let random = Random::new(seed).stream("phase", phase);
    for (at, stream) in file.streams.iter_mut().enumerate() {
        if stream.offset.is_unknown() {
            let micros = stream.period.as_nanos() / 1_000;
            let drawn = match phase {
                0 => 0,
                _ => random.stream("offset", at as u64).below(micros),
            };
            stream.offset = Offset::Stated(Duration::from_micros(drawn));
        }
    }
    file
}
