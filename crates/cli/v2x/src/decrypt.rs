//! `waywarden decrypt`: messages to one's own keys become readable.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use waywarden_ecverify::Point;
use waywarden_v2x_signing::{Recipient, wire_key};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};

use crate::encrypt::{shared_key, signer_of};
use crate::payloads::{MessageOutput, MessageWriter};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::envelope::EnvelopeKeys;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};

const EXAMPLES: &str = "\
Examples:
  waywarden decrypt encrypted.hex --pki my-pki --as aa > signed.hex
  waywarden decrypt encrypted.hex --certificate AA.oer --key AA.ekey
  waywarden decrypt encrypted.hex --key response.p8        # a response key has no certificate
  waywarden decrypt answer.hex --key response.p8 --answer-to request.hex
  waywarden decrypt encrypted.hex --pre-shared-key shared.key --payload --format raw";

/// Decrypt messages, and write the secured data in them, which is not yet verified.
///
/// A file that it writes is readable by its owner alone. Files are as for `verify`. With --payload
/// the payload of unsecured data is written instead.
///
/// Exit code 0 if everything was decrypted, 1 if a message is for other keys or was changed, 2 if
/// something cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct DecryptCommand {
    /// The file with the messages; `-` is standard input.
    #[arg(default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    identity: CredentialIdentity,
    /// The signed message in whose header the public key of --key stands: what is decrypted answers
    /// it.
    #[arg(
        long,
        value_name = "FILE",
        requires = "key",
        conflicts_with = "certificate"
    )]
    answer_to: Option<PathBuf>,
    /// The shared key: 16 bytes, or 32 hexadecimal digits.
    #[arg(long, value_name = "FILE")]
    pre_shared_key: Option<PathBuf>,
    /// Write the payload of unsecured data instead of the data.
    #[arg(long)]
    payload: bool,
    #[command(flatten)]
    output: MessageOutput,
}

impl DecryptCommand {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let mut keys = self.keys()?;
        let mut output = self.output.open_private()?;
        let (mut all, mut unread) = (true, Vec::new());
        let read = records::each::<StopReason<Failure>>(&self.input, |record| {
            let message = self.message(&record, &mut keys, &mut output);
            all &= message.map_err(StopReason::Failed)?;
            Ok(())
        });
        match read {
            // What could be read is written.
            Ok(file) => {
                file.note.into_iter().for_each(messages::status);
                unread.extend(file.wrong.into_iter().map(UnreadFile::into_failure));
            }
            Err(stop) => return Err(stop.into_failure()),
        }
        output.finish()?;
        Failure::if_any(unread)?;
        Ok(if all { Answer::Yes } else { Answer::No })
    }

    fn message(
        &self,
        record: &InputRecord,
        keys: &mut EnvelopeKeys,
        output: &mut MessageWriter,
    ) -> Result<bool, Failure> {
        let spdu = record.find().map_or(&record.bytes[..], |found| found.spdu);
        let place = &record.place;
        let plain = match keys.open(spdu) {
            Ok(plain) => plain,
            Err(error) => {
                messages::error(format_args!("{place}: {error}"));
                return Ok(false);
            }
        };
        if !self.payload {
            output.write(&plain)?;
            return Ok(true);
        }
        let data: Result<Ieee1609Dot2Data<'_>, _> = parse(&plain);
        match data.map(|data| data.content) {
            Ok(Ieee1609Dot2Content::Unsecured(payload)) => output.write(payload)?,
            _ => {
                return Err(Failure::new(format_args!(
                    "{place}: --payload: what was encrypted is no unsecured data; leave the option"
                )));
            }
        }
        Ok(true)
    }

    fn keys(&self) -> Result<EnvelopeKeys, Failure> {
        let shared = self.pre_shared_key.as_deref().map(shared_key).transpose()?;
        let identity = &self.identity;
        if shared.is_none() && !identity.is_given() && identity.lone_key().is_none() {
            return Err(Failure::new(
                "give --pki DIR --as NAME, --certificate FILE --key FILE, --key FILE, or \
                 --pre-shared-key FILE",
            ));
        }
        let mut keys = EnvelopeKeys::new(shared.as_ref()).map_err(Failure::new)?;
        let mut passphrases = identity.passphrases();
        if let Some(path) = identity.lone_key() {
            keys.add_file(path, &mut passphrases, |public| {
                self.lone_recipient(path, public)
            })?;
        }
        if identity.is_given() {
            keys.add_identity(identity, &mut passphrases)?;
        }
        Ok(keys)
    }

    /// Returns what messages name that are encrypted to the key of a file: the key itself, or the
    /// request that it stands in.
    fn lone_recipient(&self, path: &Path, public: &Point) -> Result<Recipient, Failure> {
        let wrong = |why: &dyn Display| Failure::new(format_args!("{}: {why}", path.display()));
        let recipient = match &self.answer_to {
            Some(request) => signer_of(request)?,
            None => wire_key(public)
                .and_then(|key| Recipient::response_key(&key))
                .map_err(|error| wrong(&error))?,
        };
        match public == recipient.public_key() {
            true => Ok(recipient),
            false => Err(wrong(
                &"not the private key of the one in the header of --answer-to",
            )),
        }
    }
}
