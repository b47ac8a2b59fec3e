//! Composes the vehicle of a candidate.

use std::collections::BTreeSet;

use toml::Table;
use waywarden_vehicle_file::{BusIndex, FrameFormat, StreamIndex, VehicleFile};

use super::candidate::{Candidate, CandidateCarrier};
use super::{FitSetting, FitVehicle};
use crate::compare::{
    Car, KeyChoice, KeyLocation, Laid, SecocCarrier, SecocScheme, lay_secoc, profile, verify_only,
};
use crate::composing::{change_stream, reason, set, tables};

/// The vehicle of a candidate.
pub(super) struct Composed {
    pub(super) table: Table,
    pub(super) file: VehicleFile,
    pub(super) laid: Laid,
}

pub(super) fn compose(
    vehicle: &FitVehicle,
    candidate: Candidate,
    setting: &FitSetting,
) -> Result<Composed, String> {
    let mut table = vehicle.table.clone();
    let on_fd = candidate == Candidate::NoneOnFd
        || candidate
            .secoc()
            .is_some_and(|one| one.carrier == CandidateCarrier::CanFd);
    let file = if on_fd {
        make_fd(&mut table, vehicle, setting);
        read(&table)?
    } else {
        vehicle.file.clone()
    };
    let Some(secoc) = candidate.secoc() else {
        return Ok(Composed {
            table,
            file,
            laid: Laid::default(),
        });
    };
    let bits = (secoc.freshness_bits, secoc.mac_bits);
    profile(secoc.profile, Some(bits)).map_err(|error| {
        format!(
            "{error}; take other bits of freshness and code for the profile {}",
            secoc.profile
        )
    })?;
    let car = Car {
        file: &file,
        streams: &vehicle.chosen,
        masters: &vehicle.masters,
    };
    let scheme = SecocScheme {
        profile: secoc.profile,
        bits: Some(bits),
        carrier: match secoc.carrier {
            CandidateCarrier::InMessage | CandidateCarrier::CanFd => SecocCarrier::Own,
            CandidateCarrier::CryptographicPdu => SecocCarrier::Separate,
        },
        key_store: KeyLocation::Software.word(&file),
    };
    let keys = match file.groups.is_empty() && file.lasan.is_empty() {
        true => KeyChoice::None,
        false => KeyChoice::File,
    };
    let laid = lay_secoc(&mut table, car, keys, &scheme);
    verify_only(&mut table, &file, &laid.covered);
    let file = read(&table)?;
    Ok(Composed { table, file, laid })
}

/// Makes the messages to protect CAN FD and their buses, too; all others stay as they are.
fn make_fd(table: &mut Table, vehicle: &FitVehicle, setting: &FitSetting) {
    let file = &vehicle.file;
    let is_chosen = |at: usize| vehicle.chosen.contains(&StreamIndex(at));
    let chosen = vehicle.chosen.iter().map(|at| file.stream(*at));
    let buses: BTreeSet<BusIndex> = chosen
        .flat_map(|stream| stream.carried.iter().map(|carried| carried.bus))
        .collect();
    for (at, bus) in tables(table, "bus").enumerate() {
        if buses.contains(&BusIndex(at)) && file.bus(BusIndex(at)).fd.is_none() {
            set(bus, "data_bitrate", setting.data_bit_rate.to_string());
        }
    }
    for (at, stream) in file.streams.iter().enumerate() {
        let format = match stream.format {
            _ if is_chosen(at) => "fd",
            FrameFormat::Classic => "classic",
            FrameFormat::Fd { .. } => "fd",
        };
        change_stream(table, &stream.name.value, |stream| {
            set(stream, "format", format);
        });
    }
}

fn read(table: &Table) -> Result<VehicleFile, String> {
    VehicleFile::compose("candidate", table).map_err(|errors| reason(&errors))
}
