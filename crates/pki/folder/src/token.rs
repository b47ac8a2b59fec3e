//! The options by which a command opens a token, and what it says when it cannot.

use std::path::{Path, PathBuf};

use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_token::{KeyUri, Pkcs11Token, TokenSelector};

use super::index::IndexEntry;
use super::passphrase::PinSource;
use crate::key_store::Keys;
use waywarden_command_line::exit::Failure;

/// Reason for which the key of an authority with implicit certificates is never in a token.
pub const NO_IMPLICIT: &str = "an implicit certificate takes r = e k + d mod n with the raw \
    private key d, which no mechanism of PKCS#11 computes";

/// The token with the authorities' keys, if they are in one.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TokenSource {
    /// The PKCS#11 module (`.so`) of the token that has the authorities' keys. The index never
    /// names a module: it may come from elsewhere.
    #[arg(long, value_name = "MODULE")]
    token: Option<PathBuf>,
    #[command(flatten)]
    pin: PinSource,
}

impl TokenSource {
    /// The module, if one is given.
    pub fn module(&self) -> Option<&Path> {
        self.token.as_deref()
    }

    /// Opens a token, with one login.
    pub fn open(&self, selector: &TokenSelector) -> Result<Pkcs11Token, Failure> {
        let module = self.module().ok_or_else(|| {
            Failure::new("the signing key is in a token; give its PKCS#11 module with --token")
        })?;
        let name = selector.label.as_deref().unwrap_or("the token");
        let pin = self.pin.pin(name)?;
        Pkcs11Token::open(module, selector, pin.as_bytes())
            .map_err(|error| Failure::new(format_args!("--token: {error}")))
    }

    /// Opens the token that has the signing key of an entry, and adds it to the keys. Returns
    /// nothing if the key is in no token.
    pub fn key(
        &self,
        keys: &mut Keys,
        entry: &IndexEntry,
    ) -> Result<Option<(KeyUri, KeyHandle)>, Failure> {
        let Some(uri) = entry.uri().map_err(Failure::new)? else {
            return match self.module() {
                None => Ok(None),
                Some(_) => Err(Failure::new(format_args!(
                    "--token: the key of {} is in a file of the PKI; leave the option out",
                    entry.name
                ))),
            };
        };
        let mut token = self.open(&TokenSelector::of(&uri))?;
        let found = token.find(&uri.id);
        let handle = found.map_err(|error| Failure::new(format_args!("{uri}: {error}")))?;
        keys.add_token(token);
        Ok(Some((uri, handle)))
    }
}
