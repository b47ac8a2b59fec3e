//! `waywarden sign`: signs payloads.

use std::path::PathBuf;

use waywarden_ecverify::Point;
use waywarden_v2x_keys::NonceForm;
use waywarden_v2x_signing::{SignerForm, wire_key};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid, ThreeDLocation, Time64};

use crate::payloads::{self, MessageOutput};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::permission::psid;
use waywarden_pki_folder::random;
use waywarden_pki_folder::signer::{MessageForm, PayloadSigner, SigningFault};
use waywarden_pki_folder::{public, region, validity};
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  echo -n hello | waywarden sign --pki my-pki --as car1 --psid CAM
  waywarden sign denm.bin --pki my-pki --as car1 --psid DENM --location 48.1,11.5
  waywarden sign payloads.hex --lines --pki my-pki --as car1 --psid CAM --signer digest
  waywarden sign cam.bin --certificate AT.oer --key AT.vkey --chain AA.oer --chain RCA.oer \
    --psid CAM";

/// Sign payloads as in IEEE 1609.2 and ETSI TS 103 097.
///
/// The header has what the application's profile demands: the time always, the place where the
/// profile asks for it. It refuses a message that breaks the profile, with the name of the field;
/// --lenient signs it against the profile. It never signs what the certificate does not permit.
///
/// Exit code 0 if everything was signed, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SignCommand {
    /// The payload; `-` is standard input.
    #[arg(default_value = "-")]
    input: PathBuf,
    /// Each line of the input is a payload, in hexadecimal digits; empty lines and those that begin
    /// with # are skipped.
    #[arg(long)]
    lines: bool,
    #[command(flatten)]
    identity: CredentialIdentity,
    /// Index of the certificate among those that a vehicle has for a week (`pki pseudonyms`): 0 to
    /// 255.
    #[arg(long, value_name = "J", default_value_t = 0, requires = "pki")]
    index: u8,
    /// A certificate above --certificate, up to the root; may be given more than once.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    chain: Vec<PathBuf>,
    /// The application: a name such as CAM, DENM or BSM, or a number as 36, 0x24 or p-encoded as
    /// 0p24.
    #[arg(long, value_parser = psid)]
    psid: Psid,
    /// The form in which the message names its signer.
    #[arg(long, value_enum, default_value_t)]
    signer: SignerName,
    /// Give r as an x-coordinate; without the option as a point.
    #[arg(long)]
    x_only: bool,
    #[command(flatten)]
    key_store: KeyStoreChoice,
    /// Generation time of the message: a time such as 2026-03-01T12:00:00Z, or now.
    #[arg(long, value_name = "TIME", default_value = "now", value_parser = made)]
    time: Made,
    /// Generation location: degrees north and east, and metres above the ellipsoid.
    #[arg(long, value_name = "LAT,LON[,METRES]", value_parser = region::location)]
    #[arg(allow_hyphen_values = true)]
    location: Option<ThreeDLocation>,
    /// Time until the message expires, such as 10s.
    #[arg(long, value_name = "DURATION", value_parser = validity::duration)]
    lifetime: Option<Duration>,
    /// Put this public key into the header, for answers to be encrypted to: a point, or
    /// SubjectPublicKeyInfo (DER), of a curve of 256 bits.
    #[arg(long, value_name = "FILE")]
    answer_key: Option<PathBuf>,
    /// The curve of an answer key that does not say it.
    #[arg(long, value_enum, default_value_t = CurveName::P256, requires = "answer_key")]
    curve: CurveName,
    /// Sign messages that deviate from the application's profile.
    #[arg(long)]
    lenient: bool,
    #[command(flatten)]
    output: MessageOutput,
}

/// Form in which a message names its signer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SignerName {
    /// By the hash of the certificate.
    Digest,
    /// By the certificate.
    #[default]
    Certificate,
    /// By the certificate and those above it, but for the root.
    Chain,
}

/// Generation time of a message.
#[derive(Clone, Copy, Debug)]
enum Made {
    Now,
    At(Time64),
}

impl Made {
    fn made(self) -> Time64 {
        match self {
            Self::Now => time::now(),
            Self::At(time) => time,
        }
    }
}

fn made(text: &str) -> Result<Made, String> {
    match text {
        "now" => Ok(Made::Now),
        _ => time::parse_time(text).map(Made::At),
    }
}

impl SignCommand {
    /// Signs the payloads and writes the signed messages.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for errors of the operating system.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let form = self.message_form()?;
        if !self.lenient {
            form.check().map_err(|fault| lenient(&fault))?;
        }
        let made = self.time.made();
        let passphrases = &mut self.identity.passphrases();
        let held = (self.identity).signer(&self.chain, made, self.index, passphrases)?;
        let select = |curve| self.key_store.select(curve, form.nonce);
        let (store, credential) = held.credential(select, passphrases)?;
        let mut signer = PayloadSigner::new(store, credential, random::seeds()?);
        let certificate = held.certificate_path.display();
        let mut output = self.output.open()?;
        let mut count = 0_usize;
        payloads::each(&self.input, self.lines, |place, payload| {
            let signed = signer.sign(payload, &form, self.time.made());
            let signed = signed.map_err(|error| {
                Failure::new(format_args!(
                    "{certificate}: {error} ({place} is not signed)"
                ))
            })?;
            // All messages have the same fields, so the check of the first covers the others.
            if count == 0 && !self.lenient {
                form.check_signed(&signed)
                    .map_err(|fault| lenient(&fault))?;
            }
            count += 1;
            output.write(&signed)
        })?;
        if count == 0 {
            let name = self.input.display();
            return Err(Failure::new(format_args!("{name}: has no payload to sign")));
        }
        output.finish()?;
        Ok(Answer::Yes)
    }

    fn message_form(&self) -> Result<MessageForm, Failure> {
        Ok(MessageForm {
            psid: self.psid,
            location: self.location,
            lifetime: self.lifetime,
            answer_key: self.answer_key()?,
            signer: match self.signer {
                SignerName::Digest => SignerForm::Digest,
                SignerName::Certificate => SignerForm::Certificate,
                SignerName::Chain => SignerForm::Chain,
            },
            nonce: self.form(),
        })
    }

    fn form(&self) -> NonceForm {
        match self.x_only {
            true => NonceForm::XOnly,
            false => NonceForm::Point,
        }
    }

    /// Reads the key to which answers are encrypted.
    fn answer_key(&self) -> Result<Option<Point>, Failure> {
        let Some(path) = &self.answer_key else {
            return Ok(None);
        };
        let point = public::read(path, self.curve.into())?;
        let wrong = |error| Failure::new(format_args!("{}: {error}", path.display()));
        wire_key(&point).map_err(wrong)?;
        Ok(Some(point))
    }
}

/// Says how a message that deviates from the profile is signed all the same.
fn lenient(fault: &SigningFault) -> Failure {
    let anyway = "or --lenient to sign a message that deviates from the profile";
    match fault {
        SigningFault::NoLocation(_) => {
            Failure::new(format_args!("{fault}; give --location LAT,LON, {anyway}"))
        }
        SigningFault::NoExpiry(_) => {
            Failure::new(format_args!("{fault}; give --lifetime, {anyway}"))
        }
        SigningFault::Deviations(..) => Failure::new(format_args!(
            "{fault}; --lenient signs messages that deviate from it"
        )),
        SigningFault::Signing(_) => Failure::new(fault),
    }
}
