//! Certificates, keys and lists, as the configuration of the service names them.

use std::collections::BTreeSet;
use std::path::Path;

use waywarden_host::secret_file;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_service::config::{self, Config, SignerSection};
use waywarden_v2x_service::materials::{Decryption, Materials, SigningIdentity};
use waywarden_v2x_service::metrics::Metrics;
use waywarden_v2x_service::privileges::Target;
use waywarden_v2x_signing::DecryptionKeys;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::clock;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::credential::{CredentialIdentity, Held};
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::{trust, week};
use waywarden_v2x_input::certificates::Trust;
use waywarden_v2x_input::lists;
use waywarden_v2x_input::time;

/// Maximum number of rejected certificates that the log names.
const NAMED_MAX: usize = 8;

/// Loaded materials, with notes for the log.
pub(super) struct Loaded {
    pub(super) materials: Materials,
    pub(super) notes: Vec<String>,
}

impl Loaded {
    /// Logs what there is to say, and names the certificates that sign in the metrics.
    pub(super) fn report(&self, metrics: &Metrics) {
        for note in &self.notes {
            tracing::warn!("{note}");
        }
        let signers = self.materials.signers.iter().map(|one| {
            let (_, end) = one.credential.certificate().validity();
            let end = to_unix(end).and_then(|unix| u64::try_from(unix / 1_000_000).ok());
            (&one.name[..], one.credential.id(), end.unwrap_or(u64::MAX))
        });
        metrics.set_certificates(signers);
    }
}

/// Loads everything that a reload replaces. `user` is the one that the service becomes: files with
/// secrets may be its own.
pub(super) fn load(config: &Config, user: Option<u32>, now: Time64) -> Result<Loaded, Failure> {
    let mut notes = Vec::new();
    let verifier = verifier(config, now, &mut notes)?;
    let mut failures = Vec::new();
    let mut signers = Vec::new();
    for section in &config.signer {
        match signer(section, user, now) {
            Ok(some) => signers.extend(some),
            Err(failure) => failures.push(named("signer", &section.name, failure)),
        }
    }
    let mut store = MemoryKeys::new();
    let mut keys = DecryptionKeys::new();
    for section in &config.decryption {
        match recipients(&section.identity, user, &mut store, keys.clone()) {
            Ok(more) => keys = more,
            Err(failure) => failures.push(named("decryption", &section.name, failure)),
        }
    }
    Failure::if_any(failures)?;
    let lasting = signers.iter().filter(|one| !one.is_pseudonym);
    notes.extend(lasting.filter_map(|one| expired(one, now)));
    if config.pseudonyms.used.is_none() && signers.iter().any(|one| one.is_pseudonym) {
        let note =
            "[pseudonyms] has no `used`: after a start a pseudonym may sign that signed before";
        notes.push(note.to_owned());
    }
    notes.extend(signers.iter().filter_map(useless));
    let materials = Materials {
        verifier,
        is_trust_configured: config.trust.folder.is_some(),
        signers,
        used: None,
        decryption: Decryption {
            keys,
            store: Box::new(store),
        },
    };
    if materials.lacks_anchor() {
        let note = "[trust] folder: it has no trust anchor: no message will be accepted";
        notes.push(note.to_owned());
    }
    Ok(Loaded { materials, notes })
}

/// Loads everything once more as the user that the process has become: what only root can read
/// would fail at each reload.
pub(super) fn load_as_user(
    config: &Config,
    target: &Target,
    now: Time64,
) -> Result<Loaded, Failure> {
    let table = clock::leap_seconds(&config.time);
    let loaded = table.and_then(|_| load(config, None, now));
    loaded.map_err(|failure| {
        let place = format!(
            "[service] user: {} has to read this at reloads; chgrp it to the user's group, with \
             mode 0640, or 0750 for folders: ",
            target.uid()
        );
        failure.prefixed(&place)
    })
}

fn named(section: &str, name: &str, failure: Failure) -> Failure {
    failure.prefixed(&format!("[[{section}]] {name:?}: "))
}

/// Reads whom receivers trust, and what is revoked.
fn verifier(config: &Config, now: Time64, notes: &mut Vec<String>) -> Result<Verifier, Failure> {
    let settings = &config.trust;
    // The engine's threads have tables of their own.
    let verifier = Verifier::new(Capacity {
        certificates: settings.certificates,
        messages: settings.messages,
        table_bytes: 0,
    });
    let verifier = verifier.with_borders(CountryBorders::new());
    let mut verifier = verifier.with_profiles(config.verification.profiles());
    match settings.folder.as_deref() {
        None => notes.push("[trust] has no folder: no message will be accepted".to_owned()),
        Some(folder) => {
            let more = anchors(folder, &mut verifier, now);
            notes.extend(more.map_err(|failure| failure.prefixed("[trust] folder: "))?);
        }
    }
    let applied = lists::apply_all(&settings.crl, "[trust] crl", &mut verifier, now)?;
    notes.extend(applied);
    Ok(verifier)
}

/// Reads a trust store or a folder with certificates. Returns what there is to say. That a store
/// has certificates which are revoked or expired is no fault: it says so of itself.
fn anchors(folder: &Path, verifier: &mut Verifier, now: Time64) -> Result<Vec<String>, Failure> {
    if trust::folder::is_store(folder) {
        let (trust, mut notes) = trust::load(folder, verifier, now)?;
        notes.extend(trust.warnings(NAMED_MAX));
        return Ok(notes);
    }
    Ok(Trust::load(folder, verifier)?.warnings_if_sound(NAMED_MAX)?)
}

/// Opens what a section of the configuration names.
fn identity(section: &config::IdentityFiles) -> CredentialIdentity {
    match section {
        config::IdentityFiles::Pki {
            folder, subject, ..
        } => CredentialIdentity::in_pki(folder.clone(), subject.clone()),
        config::IdentityFiles::Files {
            certificate, key, ..
        } => CredentialIdentity::in_files(certificate.clone(), key.clone()),
    }
}

fn passphrases(
    section: &config::IdentityFiles,
    user: Option<u32>,
) -> Result<Passphrases<'static>, Failure> {
    let file = section.passphrase_file();
    let read = |path: &Path| secret_file::read(path, user).map_err(Failure::new);
    let known = file.map(read).transpose()?;
    Ok(Passphrases::known(known.map(Passphrase::of_secret)))
}

/// Refuses a private key that others could read.
fn check_keys(held: &Held, user: Option<u32>) -> Result<(), Failure> {
    let mut paths = held.key_paths();
    paths.try_for_each(|path| secret_file::check(path, user).map_err(Failure::new))
}

/// The certificate of a section, or the pseudonyms of this week and the next.
fn signer(
    section: &SignerSection,
    user: Option<u32>,
    now: Time64,
) -> Result<Vec<SigningIdentity>, Failure> {
    let (chain, index) = match &section.identity {
        config::IdentityFiles::Pki { index, .. } => (&[][..], *index),
        config::IdentityFiles::Files { chain, .. } => (&chain[..], 0),
    };
    let mut passphrases = passphrases(&section.identity, user)?;
    let identity = identity(&section.identity);
    let held = match section.pseudonyms {
        false => vec![identity.signer(chain, now, index, &mut passphrases)?],
        true => pseudonyms(&identity, now, &mut passphrases)?,
    };
    let signers = held.iter().map(|held| {
        check_keys(held, user)?;
        of_held(section, held, &mut passphrases)
    });
    signers.collect()
}

/// Those of this week, and those of the next one as far as there are any.
fn pseudonyms(
    identity: &CredentialIdentity,
    now: Time64,
    passphrases: &mut Passphrases<'_>,
) -> Result<Vec<Held>, Failure> {
    const WEEK_US: u64 = 7 * 24 * 3_600 * 1_000_000;
    let mut held = week::certificates(identity, &[], now, passphrases)?;
    let next = Time64(now.0.saturating_add(WEEK_US));
    let more = week::certificates(identity, &[], next, passphrases);
    for one in more.into_iter().flatten() {
        if held
            .iter()
            .all(|known| known.certificate != one.certificate)
        {
            held.push(one);
        }
    }
    Ok(held)
}

fn of_held(
    section: &SignerSection,
    held: &Held,
    passphrases: &mut Passphrases<'_>,
) -> Result<SigningIdentity, Failure> {
    let (store, credential) = held.credential_in_memory(passphrases)?;
    if let Some(psids) = &section.psids
        && let Some(psid) = psids.iter().find(|psid| !credential.permits(**psid))
    {
        return Err(Failure::new(format_args!(
            "{}: does not permit PSID {}; leave it out of psids",
            held.certificate_path.display(),
            psid.0
        )));
    }
    Ok(SigningIdentity {
        name: section.name.clone(),
        credential,
        store: Box::new(store),
        psids: section.psids.clone(),
        is_pseudonym: section.pseudonyms,
    })
}

/// Says of a signer whose messages receivers refuse, or who signs none.
fn useless(one: &SigningIdentity) -> Option<String> {
    let name = &one.name;
    let view = one.credential.certificate().view();
    let is_authority = view.is_ok_and(|view| view.to_be_signed.cert_issue_permissions.is_some());
    if is_authority {
        return Some(format!(
            "signer {name}: its certificate is that of an authority, and receivers may refuse its \
             messages; give one of a station"
        ));
    }
    let is_idle = one.psids.as_ref().is_some_and(BTreeSet::is_empty);
    is_idle.then(|| format!("signer {name}: psids is empty: it signs nothing"))
}

/// Says of a certificate that is not valid now.
fn expired(one: &SigningIdentity, now: Time64) -> Option<String> {
    let (start, end) = one.credential.certificate().validity();
    let name = &one.name;
    if now < start {
        let start = time::show(start);
        return Some(format!("signer {name}: is valid from {start} on, not yet"));
    }
    let end_shown = time::show(end);
    (now >= end).then(|| format!("signer {name}: its certificate expired at {end_shown}"))
}

fn recipients(
    section: &config::IdentityFiles,
    user: Option<u32>,
    store: &mut MemoryKeys,
    mut keys: DecryptionKeys,
) -> Result<DecryptionKeys, Failure> {
    let mut passphrases = passphrases(section, user)?;
    for held in identity(section).recipients()? {
        check_keys(&held, user)?;
        let (recipient, key) = held.recipient(store, &mut passphrases)?;
        keys = keys.with_private_key(recipient, key);
    }
    Ok(keys)
}
