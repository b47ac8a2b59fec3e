//! The configuration file: TOML becomes settings.
//!
//! Each section is a struct with defaults, in a file of its own. An unknown key is an error, and
//! each error names the file, the line and what would be right. Secrets stand in files of their
//! own, which [`secret`] reads.

mod access;
mod accounts;
mod lists;
mod logging;
mod materials;
mod process;
mod quantity;
mod recording;
pub mod secret;
mod sockets;
mod time;
mod verification;

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use waywarden_host::regular_file;

pub use self::access::{AccessSection, Grantee};
pub use self::accounts::{Account, AccountError, group_id, user};
pub use self::logging::{LogLevel, LogSection, ServiceLogFormat};
pub use self::materials::{
    DecryptionSection, IdentityFiles, PseudonymsSection, SignerSection, TrustSection,
};
pub use self::process::ProcessSection;
pub use self::quantity::{duration, size};
pub use self::recording::{RecordedVerdicts, RecordingFormat, RecordingSection};
pub use self::sockets::{HttpSection, SocketMode, SocketsSection};
pub use self::time::{FixedPosition, TimeSection, TimeSourceName};
pub use self::verification::{NonceFormSetting, VerificationSection};
use crate::engine::EngineSettings;

/// The JSON Schema (draft 2020-12) of configuration files, for editors.
pub const SCHEMA: &str = include_str!("../schemas/service.json");
/// The longest configuration file, in bytes.
pub const CONFIG_BYTES_MAX: usize = 1 << 20;
/// The most entries of one list: clients, signers, revocation lists.
pub const ENTRIES_MAX: usize = 256;

/// Configuration of the service. Relative paths in the file are beside it; here they are complete.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `[sockets]`: sockets for clients.
    pub sockets: SocketsSection,
    /// `[http]`: HTTP, if it is served.
    pub http: Option<HttpSection>,
    /// `[[access]]`: grants for the use of private keys.
    pub access: Vec<AccessSection>,
    /// `[trust]`: trust anchors and revocation lists for received messages.
    pub trust: TrustSection,
    /// `[[signer]]`: certificates that sign.
    pub signer: Vec<SignerSection>,
    /// `[pseudonyms]`: use of pseudonyms.
    pub pseudonyms: PseudonymsSection,
    /// `[[decryption]]`: private keys that decrypt.
    pub decryption: Vec<DecryptionSection>,
    /// `[verification]`: order and cost of verification.
    pub verification: VerificationSection,
    /// `[time]`: source of time and position.
    pub time: TimeSection,
    /// `[[recording]]`: files with every verdict.
    pub recording: Vec<RecordingSection>,
    /// `[log]`: the log.
    pub log: LogSection,
    /// `[service]`: the process.
    pub service: ProcessSection,
}

/// An error in a configuration.
#[derive(Debug)]
pub struct ConfigError {
    /// Path of the file.
    pub path: PathBuf,
    /// The line, from 1; `None`: the file as a whole.
    pub line: Option<usize>,
    /// Human-readable description, with the expected value.
    pub problem: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.problem)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// [`ConfigError`]: the file cannot be read, is no TOML, has an unknown key or a value out of
    /// range, or its sections contradict one another.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let wrong = |problem: String| ConfigError {
            path: path.to_owned(),
            line: None,
            problem,
        };
        let bytes = read_bounded(path, CONFIG_BYTES_MAX).map_err(wrong)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| wrong("is not UTF-8; save the file as UTF-8 text".to_owned()))?;
        Self::parse(&text, path)
    }

    /// Reads the text of a configuration file that stands at this path.
    ///
    /// # Errors
    /// As [`read`](Self::read) does.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let wrong = |span: Option<Range<usize>>, problem: String| ConfigError {
            path: path.to_owned(),
            line: span.map(|span| line_of(text, &span)),
            problem,
        };
        if let Some((problem, span)) = lists::misplaced_list(text) {
            return Err(wrong(Some(span), problem));
        }
        let read = toml::from_str(text);
        let mut config: Self = read.map_err(|error| wrong(error.span(), problem(text, &error)))?;
        config.check().map_err(|problem| wrong(None, problem))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        config.complete_paths(folder);
        Ok(config)
    }

    /// Returns the settings of the engine.
    #[must_use]
    pub fn engine(&self) -> EngineSettings {
        EngineSettings {
            verification: self.verification.settings(),
            signing_queue: self.service.signing_queue,
            decryption_queue: self.service.decryption_queue,
            other_queue: self.service.other_queue,
            deadline: self.service.deadline,
            events: self.service.events,
        }
    }

    /// Checks that the sections are consistent.
    fn check(&self) -> Result<(), String> {
        let sockets = &self.sockets;
        let serves = sockets.stream.is_some() || sockets.datagram.is_some();
        if !serves && sockets.tcp.is_none() && self.http.is_none() {
            return Err(
                "[sockets]: nothing is served; give stream = \"/run/waywarden/service.sock\", \
                 datagram, tcp or [http] address"
                    .to_owned(),
            );
        }
        if sockets.stream.is_some() && sockets.stream == sockets.datagram {
            return Err("[sockets]: stream and datagram are the same path; give two".to_owned());
        }
        let http = self.http.as_ref();
        http.map_or(Ok(()), |http| http.check(http.address))?;
        for (what, found) in [
            ("access", self.access.len()),
            ("signer", self.signer.len()),
            ("decryption", self.decryption.len()),
            ("recording", self.recording.len()),
            ("trust.crl", self.trust.crl.len()),
        ] {
            if found > ENTRIES_MAX {
                return Err(format!(
                    "{what}: {found} entries; at most {ENTRIES_MAX} are read"
                ));
            }
        }
        unique(self.signer.iter().map(|one| &one.name), "signer")?;
        unique(self.decryption.iter().map(|one| &one.name), "decryption")?;
        self.verification.check()?;
        self.time.check()?;
        self.service.check()?;
        (self.recording.iter()).try_for_each(RecordingSection::check)?;
        self.access.iter().try_for_each(AccessSection::check)
    }

    /// Puts the folder of the file before each relative path.
    fn complete_paths(&mut self, folder: &Path) {
        let sockets = [&mut self.sockets.stream, &mut self.sockets.datagram];
        let trust = [&mut self.trust.folder, &mut self.pseudonyms.used];
        let time = [
            &mut self.time.synchronized_file,
            &mut self.time.leap_seconds,
        ];
        let optional = sockets.into_iter().chain(trust).chain(time);
        let optional = optional.filter_map(Option::as_mut);
        let recordings = self.recording.iter_mut().map(|one| &mut one.directory);
        let lists = self.trust.crl.iter_mut();
        let tokens = self.access.iter_mut().filter_map(AccessSection::token_file);
        let signers = self.signer.iter_mut().flat_map(SignerSection::paths);
        let decryption = self.decryption.iter_mut();
        let decryption = decryption.flat_map(DecryptionSection::paths);
        let all = optional.chain(lists).chain(tokens).chain(recordings);
        for path in all.chain(signers).chain(decryption) {
            // An absolute path replaces the folder.
            *path = folder.join(&path);
        }
    }
}

/// Refuses a name that stands twice.
fn unique<'n>(names: impl Iterator<Item = &'n String>, what: &str) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!(
                "[[{what}]]: two entries have the name {name:?}; give each its own"
            ));
        }
    }
    Ok(())
}

/// Returns the description of an error, with the key whose value has it, if there is one.
fn problem(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim().replace('\n', "; ");
    let key = error.span().and_then(|span| key_of(text, &span));
    match key {
        Some(key) => format!("{key}: {message}"),
        None => message,
    }
}

/// The key that stands before a value on its line, also in an inline table.
fn key_of<'t>(text: &'t str, span: &Range<usize>) -> Option<&'t str> {
    let line = text.get(..span.start)?.rsplit('\n').next()?;
    let mut assigned = line.rsplit(['{', ',']).filter(|part| part.contains('='));
    let key = assigned.next()?.split('=').next()?.trim();
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    (!key.is_empty() && key.chars().all(is_bare)).then_some(key)
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    let before = text.as_bytes().get(..span.start).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Reads a file of at most so many bytes. An error says why, without the path.
fn read_bounded(path: &Path, most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = |file: File| file.take(most as u64 + 1).read_to_end(&mut bytes);
    let read: io::Result<usize> = regular_file::open(path).and_then(read);
    match read {
        Err(error) => Err(error.to_string()),
        Ok(_) if bytes.len() > most => Err(format!("longer than {most} bytes")),
        Ok(_) => Ok(bytes),
    }
}
