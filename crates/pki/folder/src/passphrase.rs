//! Sources of passphrases: the terminal, a file or a descriptor; never the command line.

#[cfg(unix)]
mod terminal;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;

/// The longest passphrase, in bytes.
const PASSPHRASE_MAX: usize = 1_024;

/// The name of a secret in messages and options, and the remedy without one.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    option: &'static str,
    without: &'static str,
}

const PASSPHRASE: Kind = Kind {
    name: "passphrase",
    option: "passphrase",
    without: "`pki init --no-passphrase` writes keys without one",
};

const PIN: Kind = Kind {
    name: "PIN",
    option: "pin",
    without: "give that of the token in the first line",
};

/// A passphrase. It is wiped when it is dropped, and has no `Debug`.
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes a passphrase for new keys.
    ///
    /// # Errors
    /// A line with the remedy, for one that the first line of a file cannot have.
    pub fn chosen(bytes: Zeroizing<Vec<u8>>) -> Result<Self, String> {
        match (
            bytes.len(),
            bytes.contains(&b'\n') || bytes.ends_with(b"\r"),
        ) {
            (1..=PASSPHRASE_MAX, false) => Ok(Self(bytes)),
            (0, _) => Err("is empty; give 1 byte or more".to_owned()),
            (_, true) => Err("has more than one line; give one line".to_owned()),
            (length, false) => Err(format!("{length} bytes; give at most {PASSPHRASE_MAX}")),
        }
    }

    /// Takes a passphrase that was read from a file.
    pub fn of_secret(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// Returns another one of the same bytes, to write keys with while others are read.
    pub fn copy(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The source of the passphrase.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PassphraseSource {
    /// The first line of this file is the passphrase [default: the terminal asks].
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// The first line that this open file descriptor gives is the passphrase.
    #[arg(long, value_name = "NUMBER", conflicts_with = "passphrase_file")]
    passphrase_fd: Option<u32>,
}

impl PassphraseSource {
    /// Returns a passphrase for new keys; a terminal asks twice.
    pub fn chosen(&self) -> Result<Passphrase, Failure> {
        if let Some(given) = self.given()? {
            return Ok(given);
        }
        let questions = [
            "Passphrase for the new keys: ",
            "The same passphrase again: ",
        ];
        let [first, second] = terminal::ask(questions, PASSPHRASE)?;
        match first.as_bytes() == second.as_bytes() {
            true => Ok(first),
            false => Err(Failure::new(
                "the two passphrases differ; nothing was written",
            )),
        }
    }

    /// Returns the passphrase of a file or descriptor, if there is one.
    fn given(&self) -> Result<Option<Passphrase>, Failure> {
        given(
            self.passphrase_file.as_deref(),
            self.passphrase_fd,
            PASSPHRASE,
        )
    }
}

/// The passphrase of new keys, or none.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct NewPassphrase {
    /// Source of the passphrase.
    #[command(flatten)]
    pub source: PassphraseSource,
    /// Write the keys without encryption.
    #[arg(long, conflicts_with_all = ["passphrase_file", "passphrase_fd"])]
    no_passphrase: bool,
}

impl NewPassphrase {
    /// Returns true if keys are to be written without encryption.
    pub fn is_without(&self) -> bool {
        self.no_passphrase
    }

    /// Returns the passphrase; none for keys without encryption.
    pub fn chosen(&self) -> Result<Option<Passphrase>, Failure> {
        match self.no_passphrase {
            true => Ok(None),
            false => self.source.chosen().map(Some),
        }
    }
}

/// The source of a token's PIN.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PinSource {
    /// The first line of this file is the PIN of the token [default: the terminal asks].
    #[arg(long, value_name = "FILE", requires = "token")]
    pin_file: Option<PathBuf>,
    /// The first line that this open file descriptor gives is the PIN of the token.
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "token",
        conflicts_with = "pin_file"
    )]
    pin_fd: Option<u32>,
}

impl PinSource {
    /// Returns the PIN of a token, which is asked for once.
    pub fn pin(&self, token: &str) -> Result<Passphrase, Failure> {
        match given(self.pin_file.as_deref(), self.pin_fd, PIN)? {
            Some(given) => Ok(given),
            None => {
                let question = format!("PIN of {}: ", plain(token));
                let [given] = terminal::ask([&question], PIN)?;
                Ok(given)
            }
        }
    }
}

/// Reads the first line of a file or descriptor, if there is one.
fn given(
    path: Option<&Path>,
    descriptor: Option<u32>,
    kind: Kind,
) -> Result<Option<Passphrase>, Failure> {
    let path = match (path, descriptor) {
        (Some(path), _) => path.to_owned(),
        (None, Some(number)) => PathBuf::from(format!("/dev/fd/{number}")),
        (None, None) => return Ok(None),
    };
    let name = path.display();
    let file = match descriptor {
        Some(_) => File::open(&path).map_err(|error| Failure::file(&name, &error))?,
        None => files::open_secret(&path)?,
    };
    line(file, &name.to_string(), kind).map(Some)
}

/// The passphrase of existing keys: asked for when the first encrypted one is met, and kept.
pub struct Passphrases<'s> {
    /// Source of an unknown passphrase; `None` for no source.
    source: Option<&'s PassphraseSource>,
    known: Option<Passphrase>,
}

impl<'s> Passphrases<'s> {
    /// Begins with none that is known.
    pub fn new(source: &'s PassphraseSource) -> Self {
        Self {
            source: Some(source),
            known: None,
        }
    }

    /// Knows this passphrase or none, and asks for none.
    pub fn known(known: Option<Passphrase>) -> Self {
        Self {
            source: None,
            known,
        }
    }

    /// Returns the passphrase, if it was needed so far.
    pub fn into_known(self) -> Option<Passphrase> {
        self.known
    }

    /// Returns the passphrase for a key file.
    pub fn existing(&mut self, path: &Path) -> Result<&Passphrase, Failure> {
        let passphrase = match self.known.take() {
            Some(known) => known,
            None => match self.source.map(PassphraseSource::given).transpose()? {
                None => {
                    return Err(Failure::new(format_args!(
                        "{}: is encrypted; give passphrase_file",
                        path.display()
                    )));
                }
                Some(Some(given)) => given,
                Some(None) => {
                    let question = format!("Passphrase of {}: ", path.display());
                    let [given] = terminal::ask([&question], PASSPHRASE)?;
                    given
                }
            },
        };
        Ok(self.known.insert(passphrase))
    }
}

/// Reads the first line, into memory that is wiped and never moved.
fn line(mut input: impl Read, name: &str, kind: Kind) -> Result<Passphrase, Failure> {
    let mut bytes = Zeroizing::new(vec![0; PASSPHRASE_MAX + 1]);
    let mut length = 0;
    while length < bytes.len() && !bytes[..length].contains(&b'\n') {
        match input.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::file(name, &error)),
        }
    }
    let end = bytes[..length].iter().position(|byte| *byte == b'\n');
    if end.is_none() && length > PASSPHRASE_MAX {
        return Err(Failure::new(format_args!(
            "{name}: a {} has at most {PASSPHRASE_MAX} bytes",
            kind.name
        )));
    }
    let mut end = end.unwrap_or(length);
    if end > 0 && bytes[end - 1] == b'\r' {
        end -= 1;
    }
    if end == 0 {
        return Err(Failure::new(format_args!(
            "{name}: the {} is empty; {}",
            kind.name, kind.without
        )));
    }
    bytes[end..].fill(0);
    bytes.truncate(end);
    Ok(Passphrase(bytes))
}

#[cfg(not(unix))]
mod terminal {
    use super::{Kind, Passphrase};
    use waywarden_command_line::exit::Failure;

    pub(super) fn ask<const N: usize>(
        _: [&str; N],
        kind: Kind,
    ) -> Result<[Passphrase; N], Failure> {
        Err(Failure::new(format_args!(
            "this system has no terminal without echo; give --{}-file",
            kind.option
        )))
    }
}
