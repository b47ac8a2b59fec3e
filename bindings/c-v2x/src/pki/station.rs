//! A station that asks the server of a PKI for its certificates.

use std::ffi::c_char;

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_pki_authorities::ignore;
use waywarden_pki_authorities::station::{StationRequest, enrol_from};
use waywarden_pki_folder::index::HolderRole;
use waywarden_pki_folder::passphrase::Passphrase;

use super::arguments::{PkiPeriod, period, permissions_of};
use super::refused;
use crate::error::{Error, Failure, answer};
use crate::handle::{checked, path, text};
use crate::signer::{passphrase as read_passphrase, passphrases};

/// A station, and what it asks a server for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PkiStation {
    /// The server: `http://HOST[:PORT][/PATH]`. Requests are encrypted by themselves.
    pub url: *const c_char,
    /// Name of the station in its folder: `waywarden_signer_from_pki` takes its tickets by it.
    pub name: *const c_char,
    /// Its canonical identifier, which is registered there.
    pub canonical_id: *const c_char,
    /// File of its canonical private key.
    pub canonical_key: *const c_char,
    /// Folder with the certificate of the root that it trusts.
    pub trust: *const c_char,
    /// Period of its credential; three years where there is no validity.
    pub credential: PkiPeriod,
    /// True for a new credential, asked for with the one that it has.
    pub renews: bool,
    /// Number of authorization tickets, 0 to 1,000.
    pub tickets: u32,
    /// Permissions of the tickets, as `waywarden_pki_issue` takes them; none for CAM and DENM.
    pub permissions: *const *const c_char,
    /// Number of permissions, at most 64.
    pub permission_count: usize,
    /// Period of the tickets; 168 hours where there is no validity. The server moves its beginning
    /// to that of a week, or of the cell of its grid.
    pub ticket: PkiPeriod,
    /// Longest time of one request with its repetitions, in seconds: 1 to 3,600.
    pub timeout_s: u32,
}

impl PkiStation {
    /// Reads it.
    ///
    /// # Safety
    /// See [the rules on pointers](crate).
    unsafe fn request(&self) -> Result<StationRequest, Failure> {
        // SAFETY: by the caller.
        unsafe {
            let ticket = period(&self.ticket)?;
            Ok(StationRequest {
                url: text("url", self.url)?.to_owned(),
                name: text("name", self.name)?.to_owned(),
                canonical_id: text("canonical_id", self.canonical_id)?.to_owned(),
                canonical_key: path(self.canonical_key)?,
                trust: path(self.trust)?,
                period: period(&self.credential)?,
                region: None,
                renews: self.renews,
                tickets: self.tickets,
                permissions: permissions_of(self.permissions, self.permission_count)?,
                ticket_start: ticket.start,
                ticket_validity: ticket.validity,
                timeout_s: self.timeout_s,
            })
        }
    }
}

/// Gets a station its certificates of a PKI behind HTTP (ETSI TS 102 941): an enrolment credential,
/// unless it has one that is valid, and with that authorization tickets. `folder` is that of the
/// station, new or of an earlier call, from which `waywarden_signer_from_pki` signs. Writes the
/// number of tickets. `passphrase` is that of the canonical key and of the keys in the folder,
/// without bytes where these are not encrypted.
///
/// Waits for the server: a request that the network loses is sent again, up to three times.
///
/// Refused with WAYWARDEN_STATUS_INPUT (what the server or the operating system refuses, the folder
/// or a file that is not what it has to be), _ARGUMENT. What was issued before a refusal is kept
/// and counted.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_pki_enrol_from(
    folder: *const c_char,
    station: *const PkiStation,
    passphrase: Bytes,
    tickets: *mut usize,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(tickets)?;
            checked(station.cast_mut())?;
            tickets.write(0);
            let request = (*station).request()?;
            let (own, mut known) = (read_passphrase(passphrase)?, passphrases(passphrase)?);
            let mut chosen = || Ok(own.as_ref().map(Passphrase::copy));
            let note = &mut ignore;
            let got = enrol_from(&path(folder)?, &request, &mut chosen, &mut known, note);
            let got = got.map_err(|error| refused(&error))?;
            let is_ticket = |role| role == HolderRole::Station;
            let issued = got.issued.entries().iter();
            tickets.write(issued.filter(|entry| is_ticket(entry.role)).count());
            got.refused.map_or(Ok(()), |error| Err(refused(&error)))
        })
    }
}
