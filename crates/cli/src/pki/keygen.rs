//! `waywarden pki keygen`: a key pair that no certificate has yet.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_v2x_keys::{KeyStore as _, Uses};

use super::curve::CurveName;
use super::key_file::{self, KeyWriter};
use super::passphrase::NewPassphrase;
use crate::exit::{Answer, Failure};
use crate::key_store::Store;
use crate::random;

const EXAMPLES: &str = "\
Examples:
  waywarden pki keygen car.p8 --public car.der --no-passphrase
  waywarden pki keygen car.p8 --public car.der --curve brainpool-p256r1";

/// Make a key pair, such as a station's canonical keys for `pki register` and `pki enrol`.
///
/// The private key is PKCS#8, for its owner alone; the public key is SubjectPublicKeyInfo (DER). No
/// file that is there is replaced.
///
/// Exit code 0 if both were written, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Keygen {
    /// The file for the private key.
    key: PathBuf,
    /// The file for the public key.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The curve.
    #[arg(long, value_enum, default_value = "p256")]
    curve: CurveName,
    #[command(flatten)]
    passphrase: NewPassphrase,
}

impl Keygen {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let passphrase = self.passphrase.chosen()?;
        let writer = passphrase
            .as_ref()
            .map_or(KeyWriter::Unencrypted, KeyWriter::Encrypted);
        let mut store = Store::new();
        let seed = random::bytes()?;
        let key = store.generate(self.curve.into(), Uses::SIGN, &seed);
        let key = key.map_err(Failure::new)?;
        let private = store.export(key).map_err(Failure::new)?;
        let public = store.public_key(key).map_err(Failure::new)?;
        write(&self.key, &writer.write(&private, &public)?, 0o600)?;
        write(&self.public, &key_file::public(&public)?, 0o644)?;
        println!("wrote {} and {}", self.key.display(), self.public.display());
        Ok(Answer::Yes)
    }
}

/// Writes a file that is not there yet.
fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    let written = options.open(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|error| Failure::file(path.display(), &error))
}
