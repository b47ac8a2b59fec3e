//! The calls of a PKI in a folder that a station needs: credentials, tickets, pseudonyms, and
//! lists.

mod arguments;
pub mod station;

use std::ffi::c_char;

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_pki_authorities::clock::Clock;
use waywarden_pki_authorities::pseudonyms::{self, NewPseudonyms};
use waywarden_pki_authorities::{
    Issued, NewCertificates, NewCredential, NewCrl, NewCtl, PkiError, enrol, ignore, issue,
    make_crl, make_ctl, renew,
};
use waywarden_pki_folder::token::TokenSource;
use waywarden_v2x_wire::ieee1609dot2::Time64;

pub use self::arguments::PkiPeriod;
use self::arguments::{choice, next, output, period, permissions_of};
use crate::buffer::{Buffer, hand_over};
use crate::error::{Error, Failure, answer};
use crate::handle::{checked, path, text};
use crate::signer::passphrases;

/// Names of the options of the command in lines about arguments, and those that they have here.
const NAMES: [(&str, &str); 14] = [
    ("--url or --aa-url", "url"),
    ("--url or --ea-url", "url"),
    ("--url", "url"),
    ("--output", "output"),
    ("--per-week", "per_week"),
    ("--psid", "permissions"),
    ("--start", "start"),
    ("--validity", "validity"),
    ("--weeks", "weeks"),
    ("--next", "next"),
    ("--count", "count"),
    ("--from", "url"),
    ("--tickets", "tickets"),
    ("--timeout", "timeout_s"),
];

fn refused(error: &PkiError) -> Failure {
    let rename = |text: &str| {
        NAMES.iter().fold(text.to_owned(), |text, (option, name)| {
            text.replace(option, name)
        })
    };
    let lines: Vec<String> = error.lines().iter().map(|line| rename(line)).collect();
    let is_argument = error.place().is_some_and(|place| place.starts_with("--"));
    let (status, code) = match is_argument {
        true => (Status::Argument, "argument"),
        false => (Status::Input, "pki"),
    };
    let failure = Failure::new(status, code, lines.join("\n"));
    match error.place() {
        Some(place) => failure.at(&rename(place)),
        None => failure,
    }
}

/// Returns the only certificate that was issued.
fn certificate(issued: &Issued) -> Result<Vec<u8>, Failure> {
    let [entry] = issued.entries() else {
        let count = issued.entries().len();
        let why = format!("{count} certificates were issued in the place of one");
        return Err(Failure::new(Status::Fault, "pki", why));
    };
    let chain = issued.directory.chain(entry);
    let chain = chain.map_err(|failure| refused(&failure.into()))?;
    Ok(chain.into_iter().next().unwrap_or_default())
}

/// Issues an enrolment credential to a station, and writes it; certificate and key are in the
/// folder of the PKI under `name`. `period` may be null: then three years from now. `passphrase` is
/// that of the PKI's keys, without bytes for one whose keys are not encrypted.
///
/// Refused with WAYWARDEN_STATUS_INPUT (the folder is no PKI, the name is another holder's, a wrong
/// passphrase, what the operating system refuses), _ARGUMENT; then nothing is changed.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_enrol(
    folder: *const c_char,
    name: *const c_char,
    period_or_null: *const PkiPeriod,
    passphrase: Bytes,
    credential: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(credential)?;
            let new = NewCredential {
                name: text("name", name)?.to_owned(),
                issuer: None,
                period: period(period_or_null)?,
                region: None,
                curve: None,
            };
            let mut known = passphrases(passphrase)?;
            let issued = enrol(&path(folder)?, &new, &mut known, &TokenSource::default());
            hand_over(
                credential,
                certificate(&issued.map_err(|error| refused(&error))?)?,
            )
        })
    }
}

/// Issues a certificate that signs messages to a station, such as an authorization ticket, and
/// writes it; certificate and key are in the folder of the PKI under `name`, from which
/// `waywarden_signer_from_pki` takes them. `permissions` are `count` texts as `waywarden pki issue`
/// takes them, such as `36:010000`; none for CAM and DENM, or BSM. `period` may be null: then the
/// current week and the next. `passphrase` as in `waywarden_pki_enrol`.
///
/// Refused as `waywarden_pki_enrol`, and for what the issuer may not give.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_issue(
    folder: *const c_char,
    name: *const c_char,
    permissions: *const *const c_char,
    count: usize,
    period_or_null: *const PkiPeriod,
    passphrase: Bytes,
    ticket: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(ticket)?;
            let mut new = NewCertificates::of(text("name", name)?);
            new.permissions = permissions_of(permissions, count)?;
            new.period = period(period_or_null)?;
            let mut known = passphrases(passphrase)?;
            let token = TokenSource::default();
            let issued = issue(&path(folder)?, &new, &mut known, &token, &mut ignore);
            hand_over(
                ticket,
                certificate(&issued.map_err(|error| refused(&error))?)?,
            )
        })
    }
}

/// Issues a certificate again: a new key, the same contents, a new period; and writes it. `name`
/// may be a HashedId8. The old certificate and its key stay.
///
/// Refused as `waywarden_pki_enrol`.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_renew(
    folder: *const c_char,
    name: *const c_char,
    period_or_null: *const PkiPeriod,
    passphrase: Bytes,
    renewed: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(renewed)?;
            let (name, period) = (text("name", name)?, period(period_or_null)?);
            let mut known = passphrases(passphrase)?;
            let token = TokenSource::default();
            let issued = renew(&path(folder)?, name, period, &mut known, &token);
            hand_over(
                renewed,
                certificate(&issued.map_err(|error| refused(&error))?)?,
            )
        })
    }
}

/// Issues pseudonyms to a vehicle of an American PKI: `per_week` (1 to 100) for each of `weeks` (1
/// to 1,000) weeks from that of `start` on, microseconds since 2004 (TAI), 0 for now. Writes how
/// many the vehicle has then. A call that was broken off is made again: it issues what is missing.
/// `waywarden_signer_from_pki` takes one by its index in the week.
///
/// Refused as `waywarden_pki_enrol`, and for a European PKI.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_pseudonyms(
    folder: *const c_char,
    name: *const c_char,
    weeks: u16,
    per_week: u8,
    start: u64,
    passphrase: Bytes,
    certificates: *mut u64,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(certificates)?;
            let new = NewPseudonyms {
                name: text("name", name)?.to_owned(),
                weeks,
                per_week,
                start: (start != 0).then_some(Time64(start)),
                vehicles: None,
            };
            let mut known = passphrases(passphrase)?;
            let note = &mut ignore;
            let done = pseudonyms::issue(&path(folder)?, &new, Clock::SYSTEM, &mut known, note);
            let done = done.map_err(|error| refused(&error))?;
            certificates.write(done.certificates as u64);
            Ok(())
        })
    }
}

/// Makes the revocation lists of a PKI, in its folder, where its trust is read with them, and in
/// the file or folder `output` as well unless that is null. `next` is the time until the next ones,
/// such as `24h`, which null is. Writes the number of lists, of which an American PKI with revoked
/// vehicles has two.
///
/// Refused as `waywarden_pki_enrol`; also where vehicles are revoked and cannot be listed, though
/// the other list is made then.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_crl(
    folder: *const c_char,
    output_or_null: *const c_char,
    next_or_null: *const c_char,
    passphrase: Bytes,
    lists: *mut usize,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(lists)?;
            let new = NewCrl {
                output: output(output_or_null)?,
                seeds: None,
                is_delta: false,
                discard_later: false,
                next: next(next_or_null, "24h")?,
            };
            let mut known = passphrases(passphrase)?;
            let (token, note) = (TokenSource::default(), &mut ignore);
            let made = make_crl(
                &path(folder)?,
                &new,
                Clock::SYSTEM,
                &mut known,
                &token,
                note,
            );
            let made = made.map_err(|error| refused(&error))?;
            lists.write(made.lists.len());
            match &made.unlisted {
                None => Ok(()),
                Some(error) => Err(refused(error)),
            }
        })
    }
}

/// Makes the trust list of a European PKI (CTL), and writes it; it is in the folder of the PKI,
/// too. `url` is the address under which its authorities are reached; null for that of the list
/// before. `next` is the time until the next one, such as `7d`, which null is.
///
/// Refused as `waywarden_pki_enrol`, and for an American PKI.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_ctl(
    folder: *const c_char,
    url_or_null: *const c_char,
    next_or_null: *const c_char,
    passphrase: Bytes,
    list: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(list)?;
            let new = NewCtl {
                output: None,
                delta: None,
                url: choice("url", url_or_null)?.map(str::to_owned),
                ea_url: None,
                aa_url: None,
                dc_url: None,
                delete: Vec::new(),
                add: Vec::new(),
                discard_later: false,
                next: next(next_or_null, "7d")?,
            };
            let mut known = passphrases(passphrase)?;
            let token = TokenSource::default();
            let made = make_ctl(&path(folder)?, &new, Clock::SYSTEM, &mut known, &token);
            hand_over(list, made.map_err(|error| refused(&error))?.bytes)
        })
    }
}
