//! `waywarden pki misbehaviour report`: a report about messages, signed and encrypted.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_command_line::places::Readers;
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::key_store::{KeyStoreName, MemoryKeys};
use waywarden_pki_folder::{random, region};
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_input::records;
use waywarden_v2x_input::time;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};
use waywarden_v2x_misbehaviour_report::layout::TargetId;
use waywarden_v2x_misbehaviour_report::{
    Draft, ObservationKind, Shown, encrypt_report, shows, sign_report,
};
use waywarden_v2x_signing::Recipient;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Elevation, Ieee1609Dot2Content, Ieee1609Dot2Data, LATITUDE_UNKNOWN,
    LONGITUDE_UNKNOWN, Latitude, Longitude, SignedData, SignerIdentifier, ThreeDLocation, Time64,
};

use super::{observation, parse_observation};
use crate::pki::clock;

const EXAMPLES: &str = "\
Examples:
  waywarden pki issue us-pki --name ma --psid MBR --encryption-key --validity 3y
  waywarden pki misbehaviour report bad.hex --pki us-pki --as car --authority ma -o bad.mbr
  waywarden pki misbehaviour report bad.hex --observation LongAcc-ValueTooLarge --accused bad.oer \\
    --pki us-pki --as car --index 3 --location 42.3,-83.0 --authority ma.oer -o bad.mbr
  waywarden pki misbehaviour read bad.mbr --pki us-pki --as ma";

/// Maximum number of messages of a report.
const MESSAGES_MAX: usize = 255;

/// Report signed messages of one vehicle to a misbehaviour authority.
///
/// The report has the layout of SAE J3287 as recorded reports have it. It embeds the messages, is
/// signed under PSID 38, and encrypted to the authority. The last message is the one that the
/// observations are about. Without --observation the report has what that message itself shows.
///
/// Files are as for `verify`. The report is a file of bytes.
///
/// Exit code 0 if it was written, 1 if the message shows nothing, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Report {
    /// The file with the messages, from the oldest to the newest; `-` is standard input.
    input: PathBuf,
    /// Observation: a name of SAE J3287, or target and number as 5:4. May be given more than once.
    #[arg(long, value_name = "NAME", value_parser = parse_observation)]
    observation: Vec<(TargetId, u8)>,
    /// The certificate of the messages' signer, where they name it by its hash.
    #[arg(long, value_name = "FILE")]
    accused: Option<PathBuf>,
    /// The certificate of the misbehaviour authority, with an encryption key: a file, or its name
    /// in --pki.
    #[arg(long, value_name = "FILE|NAME")]
    authority: PathBuf,
    #[command(flatten)]
    identity: CredentialIdentity,
    /// Index of the certificate among those that a vehicle has for a week (`pki pseudonyms`).
    #[arg(long, value_name = "J", default_value_t = 0, requires = "pki")]
    index: u8,
    /// A certificate above --certificate, up to the root; may be given more than once.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    chain: Vec<PathBuf>,
    /// Time of the report, such as 2026-03-01T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    time: Option<Time64>,
    /// Position of the reporter: degrees north and east, and metres above the ellipsoid [default:
    /// unknown].
    #[arg(long, value_name = "LAT,LON[,METRES]", value_parser = region::location)]
    #[arg(allow_hyphen_values = true)]
    location: Option<ThreeDLocation>,
    /// The file for the report. It appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

const UNKNOWN: ThreeDLocation = ThreeDLocation {
    latitude: Latitude(LATITUDE_UNKNOWN),
    longitude: Longitude(LONGITUDE_UNKNOWN),
    elevation: Elevation(0xF000),
};

impl Report {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let read = self.messages()?;
        let name = self.input.display();
        let Some(subject) = read.last() else {
            return Err(Failure::new(format_args!("{name}: has no message")));
        };
        let accused = self.accused.as_deref().map(certificate).transpose()?;
        let message = signed(&self.input, subject)?;
        let observations = match self.observation.is_empty() {
            false => self.observation.clone(),
            true => self.shown(&message, accused.as_deref())?,
        };
        if observations.is_empty() {
            messages::error(format_args!(
                "{name}: the last message shows no misbehaviour by itself; name what you observed \
                 with --observation"
            ));
            return Ok(Answer::No);
        }
        let bytes: Vec<&[u8]> = read.iter().map(Vec::as_slice).collect();
        let made = self.time.unwrap_or_else(clock::now);
        let draft = Draft {
            generation_time: made,
            observation_location: self.location.unwrap_or(UNKNOWN),
            observations: &observations,
            messages: &bytes,
            subject: u8::try_from(read.len() - 1).unwrap_or(u8::MAX),
            certificate: accused.as_deref(),
        };
        let draft = draft.encode().map_err(Failure::new)?;
        let report = self.sealed(&draft, made)?;
        let mut output = OutputFile::create_unlinked(&self.output, Readers::Usual)?;
        output.write_all(&report).map_err(Failure::writing)?;
        output.finish()?;
        let names: Vec<String> = observations
            .iter()
            .map(|(target, id)| observation(*target, *id))
            .collect();
        messages::status(format_args!(
            "{}: reports {}; {} messages, {} bytes",
            self.output.display(),
            names.join(", "),
            read.len(),
            report.len()
        ));
        Ok(Answer::Yes)
    }

    /// Signs and encrypts a report.
    fn sealed(&self, draft: &[u8], made: Time64) -> Result<Vec<u8>, Failure> {
        let name = self.authority.display();
        let bytes = self.authority_certificate()?;
        let authority: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
        let authority = Recipient::certificate(&authority).map_err(|error| {
            Failure::new(format_args!(
                "{name}: {error}; issue it with `waywarden pki issue --encryption-key`"
            ))
        })?;
        let passphrases = &mut self.identity.passphrases();
        let held = (self.identity).signer(&self.chain, made, self.index, passphrases)?;
        let select = |_| Ok(KeyStoreName::Software);
        let (mut store, credential) = held.credential(select, passphrases)?;
        let path = held.certificate_path.display();
        let signed = sign_report(&mut store, &credential, draft, &random::seed()?);
        let signed = signed.map_err(|error| {
            Failure::new(format_args!(
                "{path}: {error}; reports need a certificate with PSID 38 (MBR)"
            ))
        })?;
        let seed = random::seed()?;
        encrypt_report(&mut MemoryKeys::new(), &authority, &signed, &seed).map_err(Failure::new)
    }

    /// Reads the certificate of the authority.
    fn authority_certificate(&self) -> Result<Vec<u8>, Failure> {
        let folder = self.identity.pki_folder();
        match folder.zip(self.authority.to_str()) {
            Some((folder, name)) if !self.authority.is_file() => {
                let directory = PkiDirectory::open(folder)?;
                certificate(&directory.file(&directory.entry(name)?.certificate))
            }
            _ => certificate(&self.authority),
        }
    }

    /// Reads the messages.
    fn messages(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let mut read = Vec::new();
        let file = records::each::<StopReason<Failure>>(&self.input, |record| {
            if read.len() == MESSAGES_MAX {
                return Err(StopReason::Failed(Failure::new(format_args!(
                    "{}: a report has at most {MESSAGES_MAX} messages; give a file with the last \
                     ones",
                    self.input.display()
                ))));
            }
            let spdu = record.find().map_or(&record.bytes[..], |found| found.spdu);
            read.push(spdu.to_vec());
            Ok(())
        });
        let file = file.map_err(StopReason::into_failure)?;
        let wrong = file.wrong.into_iter().map(UnreadFile::into_failure);
        Failure::if_any(wrong.collect())?;
        Ok(read)
    }

    /// Finds what a message shows by itself.
    fn shown(
        &self,
        message: &SignedData<'_>,
        accused: Option<&[u8]>,
    ) -> Result<Vec<(TargetId, u8)>, Failure> {
        let own = match &message.signer {
            SignerIdentifier::Certificate(list) => list.iter().next().and_then(Result::ok),
            _ => None,
        };
        let beside = accused.map(parse::<Certificate<'_>>).transpose();
        let own = own.or(beside.map_err(Failure::new)?);
        let own = own.ok_or_else(|| {
            Failure::new(format_args!(
                "{}: the last message names its signer by hash; give the certificate with \
                 --accused, or name what you observed with --observation",
                self.input.display()
            ))
        })?;
        let borders = CountryBorders::new();
        let all = ObservationKind::ALL.into_iter();
        let shown = all.filter(|kind| shows(*kind, message, &own, &borders) == Shown::Yes);
        Ok(shown.map(ObservationKind::identifiers).collect())
    }
}

/// Reads a message that has to be signed.
fn signed<'m>(path: &Path, bytes: &'m [u8]) -> Result<SignedData<'m>, Failure> {
    let name = path.display();
    let data: Ieee1609Dot2Data<'m> =
        parse(bytes).map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
    match data.content {
        Ieee1609Dot2Content::Signed(message) => Ok(message),
        _ => Err(Failure::new(format_args!(
            "{name}: the last message is not signed, and proves nothing"
        ))),
    }
}
