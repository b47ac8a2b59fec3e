//! The settings of a network: its times follow from its boards and its buses.

use waywarden_boards::Board;
use waywarden_can_sim::config::BusConfig;
use waywarden_key_suites::RecordedOperations;
use waywarden_key_suites::symmetric::{open_gcm, seal_gcm, sha256};
use waywarden_lasan::{
    AnyLasanSuite, Credentials, LasanKind, LasanProfile, LasanSuite, LasanTiming, NetworkSettings,
    NetworkTime,
};
use waywarden_work::{Duration, Operation};

use super::roles::{Computed, INVITED_MAX, Operations, computed};
use crate::lower::LowerError;
use crate::lower::board::board_of;
use crate::lower::keys::frame_time;
use waywarden_vehicle_file::{Lasan, VehicleFile};
use waywarden_vehicle_resources::Resources;

/// The least time that anything is waited for.
const LEAST: Duration = Duration::from_millis(10);

/// The least of the longest pause between repetitions, and from one beacon to the next.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// Number of short messages' frames that an answer waits behind: those of a handful of ECUs.
const SHORT_FRAMES: u64 = 32;

/// Settings, and what they were computed from.
pub(super) struct Computation {
    pub(super) settings: NetworkSettings,
    /// Computing time of the security module for one ECU.
    pub(super) at_module: Duration,
    /// Warning of a time that the boards and buses cannot keep.
    pub(super) warning: Option<String>,
}

/// Makes a network's settings.
///
/// # Errors
/// [`LowerError::Keys`] if a board has no figure for an operation.
pub(super) fn settings(
    file: &VehicleFile,
    (at, lasan): (usize, &Lasan),
    suite: AnyLasanSuite,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<Computation, LowerError> {
    let mut settings = NetworkSettings {
        profile: lasan.profile,
        credentials: lasan.credentials,
        transport: lasan.transport,
        identifiers: lasan.identifiers,
        pacing: lasan.pacing,
        gives_way: lasan.gives_way,
        security_module: lasan.security_module.address,
        // Each boot has its own.
        time_at_zero: NetworkTime(0),
        timing: LasanTiming {
            authentication: LEAST,
            answer: LEAST,
            patience: PATIENCE,
            stream_key: lasan.stream_key,
        },
    };
    let computed = computed(suite);
    let (of_module, of_ecu) = work(lasan, suite.sizes().contributory, &computed);
    let mut slowest = Duration::ZERO;
    let mut at_module = Duration::ZERO;
    for party in lasan.parties() {
        let ecu = file.ecu(party.ecu);
        let is_module = *party == lasan.security_module;
        let operations = if is_module { &of_module } else { &of_ecu };
        let board = board_of(ecu, resources)?;
        let cost = cost(&board, operations).map_err(|why| LowerError::Keys {
            place: file.source.place(&ecu.board.span),
            name: format!("ECU {} under {}", ecu.name.value, lasan.name.value),
            why,
        })?;
        match is_module {
            true => at_module = cost,
            false => slowest = slowest.max(cost),
        }
    }
    let frame = slowest_frame(file, lasan, buses)?;
    let lengths = settings.lengths(suite.sizes());
    let frames: u64 = lengths
        .authentication()
        .map(|(_, length)| lasan.frame_count(length))
        .sum();
    let short = lasan.frame_count(lengths.of(LasanKind::Grant).unwrap_or(0));
    // Each ECU that is authenticated at the same time computes and sends too.
    let at_once = at_once(lasan);
    let pace = lasan.pacing.unwrap_or(Duration::ZERO).max(frame);
    let computing = slowest + at_module.times(at_once);
    let authentication = computing.times(2) + pace.times(frames * at_once).times(2);
    let answer = computing + pace.times(short * SHORT_FRAMES).times(2);
    settings.timing.authentication = authentication.max(LEAST);
    settings.timing.answer = answer.max(LEAST);
    settings.timing.patience = PATIENCE.max(authentication).max(answer);
    let registration = lengths.registration();
    let registration = registration.map(|length| lasan.frame_count(length));
    let registration = pace.times(registration.into_iter().sum::<u64>() * at_once);
    let warning = holds(file, (at, lasan), settings.timing, registration.times(2))?;
    Ok(Computation {
        settings,
        at_module,
        warning,
    })
}

/// Checks that a key lasts until the next one is there, also while other ECUs are authenticated. A
/// shorter lifetime in the file is refused, for frames would be lost; one that follows from a
/// stream's period is warned of.
fn holds(
    file: &VehicleFile,
    (at, lasan): (usize, &Lasan),
    timing: LasanTiming,
    registering: Duration,
) -> Result<Option<String>, LowerError> {
    // As published all ECUs count a key's lifetime from its arrival.
    let registering = match lasan.profile {
        LasanProfile::AsPublished => Duration::ZERO,
        _ => registering,
    };
    let least = timing.least_stream_key(registering).as_nanos();
    let least = Duration::from_millis(least.div_ceil(1_000_000));
    if timing.stream_key >= least || file.granted_keys(at).is_empty() {
        return Ok(None);
    }
    let Some(span) = &lasan.stream_key_at else {
        return Ok(Some(format!(
            "a stream key is good for {:#}, for a protected stream has that many frames in it; the \
             next one is sure to be there after {least:#} on these boards and buses: frames may be \
             lost; write a longer period, or take the stream out of `protect`",
            timing.stream_key
        )));
    };
    Err(LowerError::Keys {
        place: file.source.place(span),
        name: lasan.name.value.clone(),
        why: format!(
            "stream_key {:#} ends before the next key is sure to be there: on these boards and \
             buses an answer of the security module takes up to {} while ECUs are authenticated, and a \
             registration up to {registering} on the bus; write {least:#} or more",
            timing.stream_key, timing.answer
        ),
    })
}

/// Returns how many ECUs are authenticated at a time.
pub(in crate::lower) fn at_once(lasan: &Lasan) -> u64 {
    let at_once = match lasan.profile {
        LasanProfile::AsPublished => lasan.members.len(),
        _ => lasan.members.len().min(INVITED_MAX),
    };
    at_once as u64
}

/// Returns what the security module computes for one ECU and what the ECU computes.
fn work(lasan: &Lasan, contributory: bool, computed: &Computed) -> (Operations, Operations) {
    let Computed {
        offer,
        answer,
        finish,
        sign,
        verify,
    } = computed;
    let mut module = vec![offer, sign];
    let mut ecu = vec![verify];
    match lasan.profile {
        LasanProfile::AsPublished => {
            module.extend([verify, answer]);
            ecu.extend([verify, offer, finish]);
            if !contributory {
                module.push(finish);
                ecu.push(answer);
            }
        }
        LasanProfile::Compact => {
            module.extend([finish, answer]);
            ecu.extend([offer, answer, finish]);
        }
        _ => {
            module.extend([finish, verify]);
            ecu.extend([answer, sign]);
        }
    }
    if lasan.profile != LasanProfile::AsPublished && lasan.credentials == Credentials::Certificates
    {
        module.push(verify);
        ecu.push(verify);
    }
    let symmetric = symmetric();
    module.push(&symmetric);
    ecu.push(&symmetric);
    let flat = |lists: Vec<&Operations>| lists.into_iter().flatten().copied().collect();
    (flat(module), flat(ecu))
}

/// Returns the symmetric operations that every role does, so that a board that lacks one is seen
/// before the run.
fn symmetric() -> Operations {
    let mut meter = RecordedOperations::new();
    let (key, nonce, mut data) = ([0; 32], [0; 12], [0; 64]);
    let _ = sha256(&mut meter, &[&data]);
    let tag = seal_gcm(&mut meter, &key, &nonce, &[], &mut data);
    let _ = open_gcm(&mut meter, &key, &nonce, &[], &mut data, &tag);
    meter.drain().collect()
}

fn cost(board: &Board, operations: &[Operation]) -> Result<Duration, String> {
    let mut total = Duration::ZERO;
    for operation in operations {
        let response = board.response(operation);
        total += response.map_err(|missing| missing.to_string())?;
    }
    Ok(total)
}

fn slowest_frame(
    file: &VehicleFile,
    lasan: &Lasan,
    buses: &[BusConfig],
) -> Result<Duration, LowerError> {
    let mut slowest = Duration::ZERO;
    for bus in lasan.buses.iter().filter_map(|bus| buses.get(bus.0)) {
        let time = frame_time(lasan.transport, &bus.timing).map_err(|error| LowerError::Keys {
            place: file.source.place(&lasan.name.span),
            name: lasan.name.value.clone(),
            why: error.to_string(),
        })?;
        slowest = slowest.max(time);
    }
    Ok(slowest)
}
