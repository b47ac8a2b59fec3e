//! `waywarden sign`: signs payloads.

use std::path::{Path, PathBuf};

use waywarden_ecverify::Point;
use waywarden_v2x_keys::{KeyStore as _, NonceForm};
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_security::{Profiles, SecurityProfile};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign, wire_key,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::check_message;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, EncryptionKey, HeaderInfo, Ieee1609Dot2Data, Psid, ThreeDLocation, Time64,
};
use zeroize::Zeroizing;

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::key_store::{KeyStoreChoice, Keys};
use waywarden_pki_folder::permission::{psid, show_psid};
use waywarden_pki_folder::random;
use waywarden_pki_folder::{public, region, validity};
use waywarden_v2x_input::payloads::{self, MessageOutput};
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
    /// The application: a name such as CAM, DENM or BSM, or a number.
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

/// The signer, with all inputs that are the same for every message.
struct Signer<'s> {
    options: &'s SignCommand,
    store: Keys,
    credential: Credential,
    seeds: Seeds,
    answer_key: Option<Point>,
}

impl SignCommand {
    /// Signs the payloads and writes the signed messages.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for errors of the operating system.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let profile = *Profiles::default().of(self.psid);
        self.check(&profile)?;
        let made = self.time.made();
        let passphrases = &mut self.identity.passphrases();
        let held = (self.identity).signer(&self.chain, made, self.index, passphrases)?;
        let select = |curve| self.key_store.select(curve, self.form());
        let (store, credential) = held.credential(select, passphrases)?;
        let mut signer = Signer {
            options: self,
            store,
            credential,
            seeds: random::seeds()?,
            answer_key: self.answer_key()?,
        };
        let certificate = &held.certificate_path;
        let mut output = self.output.open()?;
        let mut count = 0_usize;
        payloads::each(&self.input, self.lines, |place, payload| {
            let signed = signer.sign(payload, certificate, place)?;
            // All messages have the same fields, so the check of the first covers the others.
            if count == 0 && !self.lenient {
                self.check_profile(&signed)?;
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

    /// Checks that the header has the fields which the application's profile requires.
    fn check(&self, profile: &SecurityProfile) -> Result<(), Failure> {
        if self.lenient {
            return Ok(());
        }
        let name = show_psid(self.psid);
        let wrong = |why: &str| {
            Err(Failure::new(format_args!(
                "{why}, or --lenient to sign a message that deviates from the profile"
            )))
        };
        if profile.needs_generation_location && self.location.is_none() {
            return wrong(&format!(
                "generationLocation: the profile of {name} demands it; give --location LAT,LON"
            ));
        }
        if profile.needs_expiry_time && self.lifetime.is_none() {
            return wrong(&format!(
                "expiryTime: the profile of {name} demands it; give --lifetime"
            ));
        }
        Ok(())
    }

    /// Checks that the message follows the European profile of its application.
    fn check_profile(&self, signed: &[u8]) -> Result<(), Failure> {
        if Profiles::default().of(self.psid).message_profile.is_none() {
            return Ok(());
        }
        let data: Ieee1609Dot2Data<'_> = parse(signed).map_err(Failure::new)?;
        let mut deviations = Vec::new();
        check_message(&data, &mut |deviation| {
            deviations.push(deviation.to_string());
        });
        match deviations.is_empty() {
            true => Ok(()),
            false => Err(Failure::new(format_args!(
                "the profile of {} (ETSI TS 103 097): {}; nothing was signed; --lenient signs \
                 messages that deviate from it",
                show_psid(self.psid),
                deviations.join(", ")
            ))),
        }
    }
}

impl Signer<'_> {
    fn sign(
        &mut self,
        payload: &[u8],
        certificate: &Path,
        place: &str,
    ) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let options = self.options;
        let made = options.time.made();
        let expires = |lifetime: Duration| Time64(made.0.saturating_add(lifetime.microseconds()));
        let answer_key = self.answer_key.as_ref().and_then(|key| wire_key(key).ok());
        let header = HeaderInfo {
            encryption_key: answer_key.map(EncryptionKey::Public),
            generation_time: Some(made),
            expiry_time: options.lifetime.map(expires),
            generation_location: options.location,
            ..HeaderInfo::new(options.psid)
        };
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(payload),
            header,
        };
        let entropy = self.seeds.next();
        let store = &mut self.store;
        let signing = SigningOptions {
            signer: match options.signer {
                SignerName::Digest => SignerForm::Digest,
                SignerName::Certificate => SignerForm::Certificate,
                SignerName::Chain => SignerForm::Chain,
            },
            form: options.form(),
            nonce: store.capabilities(self.credential.curve()).nonce(&entropy),
        };
        let signed = sign(store, &self.credential, &message, &signing);
        signed.map(Zeroizing::new).map_err(|error| {
            let certificate = certificate.display();
            Failure::new(format_args!(
                "{certificate}: {error} ({place} is not signed)"
            ))
        })
    }
}
