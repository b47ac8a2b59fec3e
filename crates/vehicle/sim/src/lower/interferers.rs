//! Disturbances on the wire: the file's interferers on their buses, each in its window.

mod during;
mod key_frames;
mod two_faces;

use waywarden_can::Id;
use waywarden_can::timing::Picoseconds;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::BusConfig;
use waywarden_can_sim::interferer::{
    Babbling, BitErrors, BusOffAttack, DoubleReceive, ErrorPassiveOverwrite, ReceiverLocal,
};

use self::during::During;
use self::key_frames::KeyFrameOverwrite;
use self::two_faces::TwoFaces;
use super::attackers::key_frames;
use super::{LowerError, at};
use crate::nodes::Forged;
use waywarden_vehicle_file::{Data, Interference, Protection, Stream, VehicleFile, WireInterferer};

type Made = Box<dyn waywarden_can_sim::interferer::Interferer>;

/// Puts the interferers on their buses.
pub(super) fn add(file: &VehicleFile, buses: &mut [BusConfig]) -> Result<(), LowerError> {
    for (behind, interferer) in file.interferers.iter().enumerate() {
        let inner = make(file, interferer)?;
        let from = at(interferer.window.from);
        let until = interferer.window.until.map_or(Time::NEVER, at);
        let probability = match interferer.interference {
            Interference::DoubleReceive { probability, .. } => probability,
            _ => 1.0,
        };
        let place = file.attackers.len() + behind;
        let name = (interferer.name.value.clone(), place);
        let during = During::new(name, inner, (from, until), probability);
        buses[interferer.bus.0].interferers.push(Box::new(during));
    }
    Ok(())
}

fn make(file: &VehicleFile, interferer: &WireInterferer) -> Result<Made, LowerError> {
    let wrong = |why: String| LowerError::Attack {
        name: interferer.name.value.clone(),
        why,
    };
    let until = interferer.window.until.map_or(Time::NEVER, at);
    Ok(match &interferer.interference {
        Interference::BitErrors { rate } => Box::new(BitErrors::new(*rate)),
        Interference::ReceiverLocal { ecu, rate } => {
            Box::new(ReceiverLocal::new(file.ecu(*ecu).name.value.clone(), *rate))
        }
        Interference::BusOff { id } => Box::new(BusOffAttack::until_off(*id)),
        Interference::ErrorPassiveOverwrite { id, data } => {
            let frame = forged(file, interferer, *id, data)?;
            Box::new(ErrorPassiveOverwrite::new(frame, u64::MAX))
        }
        Interference::KeyFrameOverwrite { frames, data } => {
            let matcher = key_frames(file, frames);
            Box::new(KeyFrameOverwrite::new(matcher, data.clone()))
        }
        Interference::Babbling { period, bits } => {
            let bus = file.bus(interferer.bus);
            let bit = 1_000_000_000_000 / u64::from(bus.nominal.bit_rate);
            let width = Picoseconds::new(bit * u64::from(*bits));
            let period = Picoseconds::new(period.as_nanos().saturating_mul(1_000));
            let babbling = Babbling::new(at(interferer.window.from), until, period, width);
            Box::new(babbling.map_err(|error| wrong(error.to_string()))?)
        }
        Interference::DoubleReceive { id, .. } => Box::new(match id {
            Some(id) => DoubleReceive::new(*id, u64::MAX),
            None => DoubleReceive::of_all(u64::MAX),
        }),
        Interference::Janus {
            id,
            data,
            receivers,
        } => {
            let deceived = receivers
                .iter()
                .map(|&ecu| file.ecu(ecu).name.value.clone())
                .collect();
            let faces = TwoFaces::new(*id, data.clone(), deceived);
            if let Some(sent) = constant(file, interferer, *id) {
                let variant = super::bus::variant(file.bus(interferer.bus));
                if let Some((sent, seen)) = faces.uneven(&sent, variant) {
                    return Err(LowerError::TwoFaces {
                        place: file.source.place(&interferer.name.span),
                        name: interferer.name.value.clone(),
                        sent,
                        seen,
                    });
                }
            }
            Box::new(faces)
        }
    })
}

/// Returns the frame that a stream sends again and again, if its payload is always the same.
fn constant(
    file: &VehicleFile,
    interferer: &WireInterferer,
    id: Id,
) -> Option<waywarden_can::Frame> {
    let stream = stream(file, interferer, id)?;
    match stream.data {
        // What protection makes of it is new each time.
        _ if matches!(
            stream.protection,
            Protection::Granted | Protection::Trailer(_)
        ) =>
        {
            None
        }
        Data::Fixed(_) | Data::Zero => {
            let forged = Forged::new(id, stream.format, stream.length, stream.data.clone());
            forged.ok()?.make()
        }
        Data::Counter | Data::Random => None,
    }
}

/// Returns the stream with this identifier on the interferer's bus.
fn stream<'a>(file: &'a VehicleFile, interferer: &WireInterferer, id: Id) -> Option<&'a Stream> {
    file.streams.iter().find(|stream| {
        stream.id.value == id && stream.carried.iter().any(|one| one.bus == interferer.bus)
    })
}

/// Makes the frame that overwrites another: of the form of the stream with this identifier.
fn forged(
    file: &VehicleFile,
    interferer: &WireInterferer,
    id: Id,
    data: &Data,
) -> Result<waywarden_can::Frame, LowerError> {
    let wrong = |why: &str| LowerError::Attack {
        name: interferer.name.value.clone(),
        why: why.to_owned(),
    };
    let stream = stream(file, interferer, id)
        .ok_or_else(|| wrong("no stream on its bus has the identifier it overwrites"))?;
    let length = match data.length() {
        Some(_) => stream.length,
        None => stream.wire_length(),
    };
    Forged::new(id, stream.format, length, data.clone())
        .ok()
        .and_then(|mut forged| forged.make())
        .ok_or_else(|| wrong("its data do not fit the stream it overwrites"))
}
