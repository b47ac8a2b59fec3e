//! The stations that the options ask for.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_neighbourhood::virtual_time::PlacedStation;
use waywarden_v2x_neighbourhood::{
    Actor, AttackerSettings, CertificateForm, CertificateUse, HostileStation, IdentitySource,
    InProcess, Laboratory, Participant, ParticipantSettings, PositionAndTime, SecurityServices,
    Tickets,
};
use waywarden_v2x_pki::{GeographicPoint as Centre, Seeds};
use waywarden_v2x_schedule::Bounds;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{BSM, MessageService, StationSettings, VehicleType};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::certificates::OwnCertificates;
use super::positions::Positions;
use super::send::{self, MessageOfFile};
use super::service::ServiceSecurity;
use super::{AttackName, FormName, MessageName, RoleName, StationCommand};
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::permission::{default_bitmap, show_psid};
use waywarden_pki_folder::trust;
use waywarden_v2x_input::certificates::Trust;

/// The region of a hostile station's certificate, around the stations, in metres.
const REGION_M: u16 = 5_000;

/// Makes the stations; `position` has the time and the position of each.
pub(super) fn places(
    options: &StationCommand,
    positions: &Positions,
    now: Time64,
    seeds: &mut Seeds,
    mut position: impl FnMut(usize) -> Box<dyn PositionAndTime>,
) -> Result<Vec<PlacedStation>, Failure> {
    let authorities = usize::from(options.authorities);
    let laboratory = Laboratory::new(options.laboratory, authorities, *seeds.next());
    let laboratory = laboratory.map_err(Failure::new)?;
    if let Some(folder) = &options.write_trust {
        write_trust(folder, &laboratory)?;
    }
    let laboratory = Arc::new(Mutex::new(laboratory));
    let mut places = Vec::new();
    let mut sent = send::load(&options.send)?;
    for at in 0..usize::from(options.stations) {
        // The first one sends them.
        let sent = std::mem::take(&mut sent);
        let station = (at, positions.vehicle(), sent);
        places.push(PlacedStation {
            actor: honest(options, station, &laboratory, now, seeds)?,
            position: position(at),
        });
    }
    if !options.attack.is_empty() {
        places.push(PlacedStation {
            actor: hostile(options, positions.centre(), &laboratory, now, seeds)?,
            position: position(usize::from(options.stations)),
        });
    }
    Ok(places)
}

/// Writes what receivers trust into a folder that is new.
fn write_trust(folder: &Path, laboratory: &Laboratory) -> Result<(), Failure> {
    let failed = |path: &Path, error| Failure::file(path.display(), &error);
    fs::create_dir(folder).map_err(|error| failed(folder, error))?;
    let authorities = laboratory.authorities().enumerate();
    let authorities = authorities.map(|(at, bytes)| (format!("authority-{}.oer", at + 1), bytes));
    let root = ("root.oer".to_owned(), laboratory.root());
    for (name, bytes) in std::iter::once(root).chain(authorities) {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// Makes a station that hears a recording.
pub(super) fn listener(
    options: &StationCommand,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Box<dyn Actor>, Failure> {
    let laboratory = Laboratory::new(options.laboratory, 1, *seeds.next());
    let laboratory = Arc::new(Mutex::new(laboratory.map_err(Failure::new)?));
    let station = (0, VehicleType::CAR, Vec::new());
    honest(options, station, &laboratory, now, seeds)
}

fn honest(
    options: &StationCommand,
    (at, vehicle, sent): (usize, VehicleType, Vec<MessageOfFile>),
    laboratory: &Arc<Mutex<Laboratory>>,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Box<dyn Actor>, Failure> {
    let security = security(options, (at, &sent), laboratory, now, seeds)?;
    let listeners = options.listeners.unwrap_or(options.stations);
    let settings = ParticipantSettings {
        station: StationSettings {
            vehicle,
            service: service(options.message),
            change: rules(options),
        },
        policy: options.policy,
        bounds: Bounds::DEFAULT,
        is_listening: at < usize::from(listeners),
    };
    let participant = Participant::new(settings, security, now, *seeds.next());
    let participant = match options.congestion_control.algorithm() {
        Some(algorithm) => participant.with_congestion_control(algorithm),
        None => participant,
    };
    let messages = sent.iter().map(|one| one.message.clone()).collect();
    let participant = participant.repeating(messages);
    let participant = participant.map_err(|(at, why)| refused(sent.get(at), &why))?;
    Ok(Box::new(participant))
}

/// A message that the station's certificate does not permit.
fn refused(message: Option<&MessageOfFile>, why: &str) -> Failure {
    let Some(MessageOfFile {
        file,
        name,
        message,
    }) = message
    else {
        return Failure::new(format_args!("--send: {why}"));
    };
    let psid = show_psid(message.psid);
    Failure::new(format_args!(
        "{file}: the station's certificate does not permit this {name}: {why}; take one that does \
         (`waywarden pki issue --psid {psid}`), or change the file"
    ))
}

/// Returns the security services that sign and verify for a station.
fn security(
    options: &StationCommand,
    (at, sent): (usize, &[MessageOfFile]),
    laboratory: &Arc<Mutex<Laboratory>>,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Box<dyn SecurityServices>, Failure> {
    if let Some(path) = &options.service {
        let psid = match options.message {
            MessageName::Cam | MessageName::CamWsmp => its_aid::CAM,
            MessageName::Bsm => BSM,
        };
        return Ok(Box::new(ServiceSecurity::new(path.clone(), psid)));
    }
    let authority = at % usize::from(options.authorities);
    let verifier = verifier(options, authority, laboratory, now)?;
    let role = match options.role {
        RoleName::DirectSender => CertificateUse::DirectSender,
        RoleName::FullSender => CertificateUse::FullSender,
    };
    let source: Box<dyn IdentitySource> = match options.identity.is_given() {
        true => Box::new(OwnCertificates::load(options, now)?),
        false => {
            let tickets = Tickets::new(laboratory, authority, form(options));
            Box::new(sent.iter().fold(tickets, |tickets, one| {
                let psid = one.message.psid;
                tickets.permitting(psid, default_bitmap(psid))
            }))
        }
    };
    let security = InProcess::new(role, source, verifier, now, *seeds.next());
    let security = security.map_err(Failure::new)?;
    Ok(Box::new(match options.no_payload_check {
        true => security.without_payload_check(),
        false => security,
    }))
}

fn form(options: &StationCommand) -> CertificateForm {
    match options.certificates {
        FormName::Explicit if options.role == RoleName::DirectSender => CertificateForm::Explicit,
        // What a full sender takes for each message is implicit [ECQV-CITS §IV].
        _ => CertificateForm::Implicit,
    }
}

/// Trusts what the options say, or else the laboratory.
fn verifier(
    options: &StationCommand,
    authority: usize,
    laboratory: &Arc<Mutex<Laboratory>>,
    now: Time64,
) -> Result<Verifier, Failure> {
    let mut verifier = Verifier::default();
    if options.hears_other_programs() {
        verifier.set_start(Some(now));
    }
    let Some(folder) = options.trusted()? else {
        // A station knows the authority that issued its own certificates, too.
        let laboratory = laboratory.lock().unwrap_or_else(PoisonError::into_inner);
        let taught = laboratory.teach(&mut verifier, authority + 1);
        return taught.map(|()| verifier).map_err(Failure::new);
    };
    verifier = verifier.with_borders(CountryBorders::new());
    let loaded = match trust::folder::is_store(&folder) {
        true => trust::load(&folder, &mut verifier, now).map(drop),
        false => Trust::load(&folder, &mut verifier)
            .map(drop)
            .map_err(Failure::from),
    };
    loaded.map_err(|failure| failure.prefixed("--trust: "))?;
    Ok(verifier)
}

fn hostile(
    options: &StationCommand,
    centre: Centre,
    laboratory: &Arc<Mutex<Laboratory>>,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Box<dyn Actor>, Failure> {
    let tickets = Tickets::new(laboratory, 0, CertificateForm::Explicit);
    // Only a DENM has its generation location: other messages cannot be checked to be within.
    let tickets = match options.attack.contains(&AttackName::Displaced) {
        true => tickets.within(centre, REGION_M),
        false => tickets,
    };
    let settings = AttackerSettings {
        station: StationSettings {
            vehicle: VehicleType::CAR,
            service: service(options.message),
            change: ChangeRules::ON_DEMAND,
        },
        attacks: options.attack.iter().map(|one| one.attack()).collect(),
        rate_hz: options.attack_rate,
        flood_hz: options.flood_rate,
    };
    let attacker = HostileStation::new(settings, Box::new(tickets), now, *seeds.next());
    Ok(Box::new(attacker.map_err(Failure::new)?))
}

fn service(message: MessageName) -> MessageService {
    match message {
        MessageName::Cam => MessageService::CamOverGeoNetworking,
        MessageName::CamWsmp => MessageService::CamOverWsmp,
        MessageName::Bsm => MessageService::BsmOverWsmp,
    }
}

fn rules(options: &StationCommand) -> ChangeRules {
    let micros = |span: std::time::Duration| u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
    ChangeRules {
        period_us: options.change_every.map(micros),
        distance_m: options.change_after.map(f64::from),
        silence_us: micros(options.silence),
        ..ChangeRules::default()
    }
}
