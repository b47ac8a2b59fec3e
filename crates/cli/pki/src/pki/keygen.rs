//! `waywarden pki keygen`: a key pair that no certificate has yet.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use waywarden_v2x_keys::{KeyStore as _, Uses};

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::places;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::key_file::{self, KeyWriter};
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::passphrase::NewPassphrase;
use waywarden_pki_folder::random;
use waywarden_pki_folder::transaction;

const EXAMPLES: &str = "\
Examples:
  waywarden pki keygen car.p8 --public car.der --no-passphrase
  waywarden pki keygen car.p8 --public car.der --curve brainpool-p256r1";

/// Make a key pair, such as a station's canonical keys for `pki register` and `pki enrol`.
///
/// The private key is PKCS#8, readable by its owner only; the public key is SubjectPublicKeyInfo
/// (DER). It replaces no file.
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
        // Neither is an input, nor the place of the other.
        places::write(&self.key)?;
        places::write(&self.public)?;
        let passphrase = self.passphrase.chosen()?;
        let writer = passphrase
            .as_ref()
            .map_or(KeyWriter::Unencrypted, KeyWriter::Encrypted);
        let mut store = MemoryKeys::new();
        let seed = random::bytes()?;
        let key = store.generate(self.curve.into(), Uses::SIGN, &seed);
        let key = key.map_err(Failure::new)?;
        let private = store.export(key).map_err(Failure::new)?;
        let public = store.public_key(key).map_err(Failure::new)?;
        let (private, public) = (writer.write(&private, &public)?, key_file::public(&public)?);
        write(&self.key, &private, 0o600)?;
        write(&self.public, &public, 0o644).inspect_err(|_| {
            // A private key without the public one is of no use. This command made the file.
            let _ = fs::remove_file(&self.key);
        })?;
        let mut out = super::stdout();
        writeln!(
            out,
            "wrote {} and {}",
            self.key.display(),
            self.public.display()
        )?;
        Ok(Answer::Yes)
    }
}

/// Writes a file that is not there yet, whole or not at all.
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
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::new(format_args!(
            "{}: is there already, and no file is replaced; give another name",
            path.display()
        )),
        _ => Failure::file(path.display(), &error),
    };
    let mut file = options.open(path).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let written = written.and_then(|()| transaction::sync(transaction::parent(path)));
    written.map_err(|error| {
        let _ = fs::remove_file(path);
        failed(error)
    })
}
