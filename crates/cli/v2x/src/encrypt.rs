//! `waywarden encrypt`: messages to certificates, to a response key, to the key in a signed
//! message, or under a shared key.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use waywarden_ecverify::Curve;
use waywarden_v2x_signing::{
    EncryptError, RECIPIENTS_MAX, Recipient, encrypt, encrypt_under, wire_key,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, EncryptionKey, Ieee1609Dot2Content, Ieee1609Dot2Data, PublicEncryptionKey,
};
use zeroize::Zeroizing;

use crate::payloads::{self, MessageOutput};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::directory::certificate;
use waywarden_pki_folder::envelope::{Content, EnvelopeFault};
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::public;
use waywarden_pki_folder::random;
use waywarden_v2x_input::records;

/// Bytes of the longest message whose signer is answered, in hexadecimal digits.
const MESSAGE_MAX: usize = 1 << 20;

const EXAMPLES: &str = "\
Examples:
  waywarden encrypt signed.hex --lines --to my-pki/trust/ID.oer
  echo -n hello | waywarden encrypt --payload --to A.oer --to B.oer
  waywarden encrypt answer.hex --lines --to-signer-of request.hex
  waywarden encrypt request.coer --pre-shared-key shared.key --format raw -o encrypted.coer";

/// Encrypt messages with AES-128-CCM: to the keys of certificates, to a response key, to the key in
/// a signed message, or under a shared key.
///
/// The input is secured data of IEEE 1609.2, as `waywarden sign` writes it; with --payload it is
/// any bytes, which become unsecured data.
///
/// Exit code 0 if everything was encrypted, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("recipient").required(true))]
pub struct EncryptCommand {
    /// The message; `-` is standard input.
    #[arg(default_value = "-")]
    input: PathBuf,
    /// Each line of the input is a message, in hexadecimal digits.
    #[arg(long)]
    lines: bool,
    /// The input is a payload, no secured data.
    #[arg(long)]
    payload: bool,
    /// To the holder of this certificate, which has an encryption key; may be given more than once.
    #[arg(long, value_name = "CERTIFICATE", group = "recipient")]
    to: Vec<PathBuf>,
    /// To the holder of this public key: a point, PublicEncryptionKey, or SubjectPublicKeyInfo
    /// (DER).
    #[arg(long, value_name = "FILE", group = "recipient")]
    to_response_key: Option<PathBuf>,
    /// To who signed this message: its header has the public key (`sign --answer-key`).
    #[arg(long, value_name = "FILE", group = "recipient")]
    to_signer_of: Option<PathBuf>,
    /// The curve of a response key that does not say it.
    #[arg(long, value_enum, default_value_t = CurveName::P256, requires = "to_response_key")]
    curve: CurveName,
    /// Under this key of AES-128: 16 bytes, or 32 hexadecimal digits.
    #[arg(long, value_name = "FILE", group = "recipient")]
    pre_shared_key: Option<PathBuf>,
    #[command(flatten)]
    output: MessageOutput,
}

impl EncryptCommand {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let shared = self.pre_shared_key.as_deref().map(shared_key).transpose()?;
        let recipients = self.recipients()?;
        let mut store = MemoryKeys::new();
        let mut output = self.output.open()?;
        let mut count = 0_usize;
        payloads::each(&self.input, self.lines, |place, bytes| {
            count += 1;
            let data = self.data(place, bytes)?;
            let seed = random::seed()?;
            let encrypted = match &shared {
                Some(key) => encrypt_under(key, &data, &seed),
                None => encrypt(&mut store, &recipients, &data, &seed),
            };
            let encrypted =
                encrypted.map_err(|error| Failure::new(format_args!("{place}: {error}")))?;
            output.write(&encrypted)
        })?;
        if count == 0 {
            let name = self.input.display();
            return Err(Failure::new(format_args!("{name}: has nothing to encrypt")));
        }
        output.finish()?;
        Ok(Answer::Yes)
    }

    /// The secured data to encrypt.
    fn data(&self, place: &str, bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let decoded;
        let content = match (self.payload, self.lines) {
            (true, _) => Content::Payload(bytes),
            (false, true) => Content::Secured(bytes),
            (false, false) => {
                decoded = secured_data(bytes);
                Content::Secured(&decoded)
            }
        };
        content.data().map_err(|fault| match fault {
            EnvelopeFault::NotSecured(_) => {
                Failure::new(format_args!("{place}: {fault}; --payload takes any bytes"))
            }
            other => Failure::new(format_args!("{place}: {other}")),
        })
    }

    fn recipients(&self) -> Result<Vec<Recipient>, Failure> {
        if self.to.len() > RECIPIENTS_MAX {
            return Err(Failure::new(format_args!(
                "--to: at most {RECIPIENTS_MAX} recipients"
            )));
        }
        let named = |path: &Path, error: EncryptError| {
            Failure::new(format_args!("{}: {error}", path.display()))
        };
        if let Some(path) = &self.to_response_key {
            let recipient = response_key(path, self.curve.into())?;
            return Ok(vec![recipient.map_err(|error| named(path, error))?]);
        }
        if let Some(path) = &self.to_signer_of {
            return Ok(vec![signer_of(path)?]);
        }
        let recipients = self.to.iter().map(|path| {
            let bytes = certificate(path)?;
            let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
            Recipient::certificate(&view).map_err(|error| named(path, error))
        });
        recipients.collect()
    }
}

/// Reads a response key.
fn response_key(path: &Path, curve: Curve) -> Result<Result<Recipient, EncryptError>, Failure> {
    let bytes = public::bytes(path)?;
    if let Ok(key) = parse::<PublicEncryptionKey<'_>>(&bytes) {
        return Ok(Recipient::response_key(&key));
    }
    let point = public::read(path, curve)?;
    Ok(wire_key(&point).and_then(|key| Recipient::response_key(&key)))
}

/// The bytes of secured data in a file: as they are, or as hexadecimal digits.
fn secured_data(bytes: &[u8]) -> Vec<u8> {
    let digits = std::str::from_utf8(bytes).ok();
    let digits = digits.and_then(|text| records::hex(text.trim()));
    digits.unwrap_or(bytes.to_vec())
}

/// Reads the recipient of a signed message's answer: who has the key in its header. The message is
/// not verified: an answer is as safe as the way by which it came.
pub(crate) fn signer_of(path: &Path) -> Result<Recipient, Failure> {
    let wrong = |why: &dyn Display| Failure::new(format_args!("{}: {why}", path.display()));
    let bytes = secured_data(&files::bytes(path, MESSAGE_MAX)?);
    let data: Ieee1609Dot2Data<'_> = parse(&bytes).map_err(|error| wrong(&error))?;
    let Ieee1609Dot2Content::Signed(signed) = &data.content else {
        return Err(wrong(&"no signed message"));
    };
    match &signed.tbs_data.header_info.encryption_key {
        Some(EncryptionKey::Public(key)) => {
            Recipient::signed_data(&bytes, key).map_err(|error| wrong(&error))
        }
        _ => Err(wrong(
            &"encryptionKey: its header has no public key; `sign --answer-key` gives one",
        )),
    }
}

/// Reads a key of AES-128.
pub(crate) fn shared_key(path: &Path) -> Result<Zeroizing<[u8; 16]>, Failure> {
    let bytes = Zeroizing::new(files::bytes(path, 128)?);
    files::warn_if_open(path);
    let text = std::str::from_utf8(&bytes).ok().map(str::trim);
    let digits = text.filter(|text| text.len() == 32).and_then(records::hex);
    let digits = digits.map(Zeroizing::new);
    let key = digits.as_ref().unwrap_or(&bytes);
    let key: [u8; 16] = key.as_slice().try_into().map_err(|_| {
        Failure::new(format_args!(
            "{}: a key of AES-128 has 16 bytes, or 32 hexadecimal digits",
            path.display()
        ))
    })?;
    Ok(Zeroizing::new(key))
}
