//! Vehicles and their messages, signed before the clock starts.

use std::thread;
use std::time::Duration;

use waywarden_v2x_signing::{MessageSigner, Seed, SendingOptions, SignerForm, Statement};
use waywarden_v2x_wire::ieee1609dot2::{Duration as Validity, Time64};

use crate::support::{CAM, Holder, World};

/// Size of a message in bytes [ECQV-CITS §V-D].
pub(crate) const MESSAGE_BYTES: usize = 460;
/// Each vehicle sends ten times a second, and its certificate in each tenth message.
pub(crate) const PERIOD: Duration = Duration::from_millis(100);
const CERTIFICATE_EVERY: u64 = 10;

/// A message, and when it is due after the start.
pub(crate) struct Due {
    pub(crate) after: Duration,
    pub(crate) message: Vec<u8>,
}

/// The messages of so many vehicles for so long, in the order in which they are due, signed by
/// several threads. The clock starts at `start`.
pub(crate) fn messages(
    world: &mut World,
    vehicles: usize,
    lasts: Duration,
    start: Time64,
) -> Vec<Due> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let holders = (0..vehicles).map(|_| world.vehicle(Validity::Years(1)).0);
    let mut numbered: Vec<_> = holders.enumerate().collect();
    let mut parts: Vec<Vec<(usize, Holder)>> = Vec::new();
    for _ in 0..threads {
        let rest = numbered.split_off(numbered.len().min(vehicles.div_ceil(threads)));
        parts.push(std::mem::replace(&mut numbered, rest));
    }
    let mut all: Vec<Due> = thread::scope(|scope| {
        let sign = |part| scope.spawn(move || of_vehicles(part, vehicles, lasts, start));
        let parts: Vec<_> = parts.into_iter().map(sign).collect();
        let parts = parts.into_iter();
        parts.flat_map(|part| part.join().unwrap()).collect()
    });
    all.sort_by_key(|one| one.after);
    all
}

fn of_vehicles(
    part: Vec<(usize, Holder)>,
    vehicles: usize,
    lasts: Duration,
    start: Time64,
) -> Vec<Due> {
    let mut messages = Vec::new();
    for (number, mut holder) in part {
        let phase = PERIOD.mul_f64(number as f64 / vehicles as f64);
        let mut sender = MessageSigner::new(holder.credential.clone());
        let rounds = (lasts.as_secs_f64() / PERIOD.as_secs_f64()).round() as u64;
        for round in 0..rounds {
            let after = phase + PERIOD.mul_f64(round as f64);
            let made = Time64(start.0 + after.as_micros() as u64);
            let with_certificate =
                round == 0 || round % CERTIFICATE_EVERY == number as u64 % CERTIFICATE_EVERY;
            let message = sign(
                &mut sender,
                &mut holder,
                (number, round),
                (made, with_certificate),
            );
            messages.push(Due { after, message });
        }
    }
    messages
}

/// Signs a message that is filled up to its size.
fn sign(
    sender: &mut MessageSigner,
    holder: &mut Holder,
    (number, round): (usize, u64),
    (made, with_certificate): (Time64, bool),
) -> Vec<u8> {
    let options = SendingOptions {
        signer: Some(match with_certificate {
            true => SignerForm::Certificate,
            false => SignerForm::Digest,
        }),
        lifetime: None,
    };
    let certificate = holder.credential.certificate().bytes().len();
    // What is around the payload, but for lengths of one or two bytes.
    let around = if with_certificate {
        95 + certificate
    } else {
        102
    };
    let payload = format!("message {round} of vehicle {number} ");
    let payload = payload.bytes().cycle();
    let payload: Vec<u8> = payload.take(MESSAGE_BYTES - around).collect();
    let statement = Statement {
        psid: CAM,
        payload: &payload,
        location: None,
    };
    let mut random = [0; 32];
    random[..8].copy_from_slice(&round.to_be_bytes());
    random[8..16].copy_from_slice(&(number as u64).to_be_bytes());
    let made = (made, &Seed::new(random));
    let signed = sender.send_with(&mut holder.store, &statement, options, made);
    signed.unwrap()
}
