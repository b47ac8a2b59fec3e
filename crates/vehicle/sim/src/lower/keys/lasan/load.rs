//! Overload under a security module: epochs that come faster than it computes one, and protected
//! streams that take more than all of an ECU's time.

use waywarden_boards::Board;
use waywarden_key_suites::RecordedOperations;
use waywarden_key_suites::symmetric::{open_gcm, seal_gcm};
use waywarden_work::Duration;

use crate::lower::LowerError;
use crate::lower::board::board_of;
use waywarden_vehicle_file::{EcuIndex, Lasan, Stream, VehicleFile};
use waywarden_vehicle_resources::Resources;

/// One whole processor, in millionths.
const WHOLE: u128 = 1_000_000;

/// Returns what to warn of; the security module computes `each` for one ECU.
///
/// # Errors
/// [`LowerError`] if a board is not there.
pub(super) fn overload(
    file: &VehicleFile,
    lasan: &Lasan,
    resources: &Resources,
    each: Duration,
) -> Result<Vec<String>, LowerError> {
    let mut texts = Vec::new();
    let all = each.times(lasan.members.len() as u64);
    if let Some(renewal) = lasan.renewal.filter(|&renewal| renewal < all) {
        let least = Duration::from_millis(all.as_nanos().div_ceil(1_000_000));
        texts.push(format!(
            "renewal {renewal:#} is shorter than the {all} that the security module computes for \
             one epoch: write {least:#} or more"
        ));
    }
    for member in &lasan.members {
        let ecu = file.ecu(member.ecu);
        let load = load(file, lasan, member.ecu, &*board_of(ecu, resources)?);
        if load > WHOLE {
            texts.push(format!(
                "ECU {} would compute {} % of the time for its protected streams and loses frames: \
                 write longer periods, or protect fewer streams",
                ecu.name.value,
                load / 10_000
            ));
        }
    }
    Ok(texts)
}

/// Returns which part of an ECU's time its protected streams take, in millionths.
fn load(file: &VehicleFile, lasan: &Lasan, ecu: EcuIndex, board: &Board) -> u128 {
    let streams = lasan.protected.iter().map(|line| file.stream(line.stream));
    let parts = streams.map(|stream| {
        let sends = stream.sender == ecu;
        let receives = stream.receivers.iter().any(|one| one.ecu == ecu);
        if !sends && !receives {
            return 0;
        }
        let nanos = u128::from(cost(board, stream, sends).as_nanos());
        nanos * WHOLE / u128::from(stream.period.as_nanos().max(1))
    });
    parts.sum()
}

/// Returns the processor time of one frame. An operation without a figure is an error elsewhere.
fn cost(board: &Board, stream: &Stream, seals: bool) -> Duration {
    let mut meter = RecordedOperations::new();
    let (key, nonce, mut data) = ([0; 32], [0; 12], [0; 64]);
    let data = &mut data[..usize::from(stream.length).min(64)];
    match seals {
        true => drop(seal_gcm(&mut meter, &key, &nonce, &[], data)),
        false => drop(open_gcm(&mut meter, &key, &nonce, &[], data, &[0; 8])),
    }
    let costs = meter.drain();
    let costs = costs.filter_map(|operation| board.response(&operation).ok());
    costs.fold(Duration::ZERO, |sum, one| sum + one)
}
