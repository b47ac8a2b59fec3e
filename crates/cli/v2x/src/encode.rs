//! `waywarden encode`: messages of ETSI ITS and SAE J2735 from JSON.

use std::path::PathBuf;

use serde_json::Value;
use waywarden_command_line::answers;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::terminal::plain;
use waywarden_v2x_messages::{Message, MessageDocument, ValueError};

use crate::payloads::{self, MessageOutput};

const EXAMPLES: &str = "\
Examples:
  waywarden encode --list
  waywarden encode --example CAM --release 2 > cam.json    # a value to begin with
  waywarden encode cam.json
  waywarden inspect received.hex --format json | waywarden encode -
  waywarden encode bsm.json | waywarden sign --lines --pki my-pki --as car1 --psid BSM";

/// Encode messages of ETSI ITS (CAM, DENM, SPATEM, MAPEM, IVIM, SREM, SSEM, RTCMEM, CPM, VAM) and
/// SAE J2735 (MessageFrame) from JSON.
///
/// The input is an object with `kind`, `release` (if the kind has several) and `value`, a list of
/// such objects, or what `waywarden inspect --format json` printed, whose messages are taken; with
/// --kind it is the value alone. Such objects are those of `waywarden station --send`. Values are
/// JSON after ITU-T X.697: objects by field names, a CHOICE as an object with one member, strings
/// of octets and bits in hexadecimal digits, enumerations by name. Bits that have names may be a
/// list of names.
///
/// Refused are a key that an object has twice, a `standard` that the layout is not of, and a
/// message whose header has the number of another kind.
///
/// The output is UNALIGNED PER, the message alone: `waywarden sign` signs it, `waywarden station
/// --send` sends it in its packet.
///
/// Exit code 0 if every message was encoded, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct EncodeCommand {
    /// The JSON document; `-` is standard input.
    #[arg(default_value = "-")]
    input: PathBuf,
    /// The input is the value of a message of this kind.
    #[arg(long)]
    kind: Option<String>,
    /// The release of ETSI ITS, 1 or 2.
    #[arg(long)]
    release: Option<u8>,
    /// List the kinds of messages with their releases, standards and BTP ports.
    #[arg(long, conflicts_with_all = ["input", "kind", "example", "release", "output", "format"])]
    list: bool,
    /// Print the least message of a kind, with all that is required, as JSON to begin with.
    #[arg(long, value_name = "KIND", conflicts_with_all = ["input", "kind", "output", "format"])]
    example: Option<String>,
    #[command(flatten)]
    output: MessageOutput,
}

impl EncodeCommand {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        if self.list {
            return list();
        }
        if let Some(kind) = &self.example {
            return example(kind, self.release);
        }
        let (place, bytes) = payloads::whole(&self.input, DOCUMENT_MAX)?;
        let failed = |why: &str| Failure::new(format_args!("{}: {}", plain(&place), plain(why)));
        let document = payloads::json(&place, &bytes)?;
        let encoded = match self.kind.as_deref() {
            Some(kind) => waywarden_v2x_messages::encode(kind, self.release, &document)
                .map(|(_, bytes)| vec![bytes])
                .map_err(|error| error.to_string()),
            None => messages(&document).and_then(|all| encoded(&all, self.release)),
        };
        let encoded = encoded.map_err(|why| failed(&why))?;
        if encoded.is_empty() {
            return Err(failed("has no message"));
        }
        let mut output = self.output.open()?;
        output.write_all(&encoded)?;
        output.finish()?;
        Ok(Answer::Yes)
    }
}

/// Encodes the messages. Readings of one row of an inspection are one message.
fn encoded(all: &[Given<'_>], release: Option<u8>) -> Result<Vec<Vec<u8>>, String> {
    let mut encoded: Vec<Vec<u8>> = Vec::with_capacity(all.len());
    for (at, one) in all.iter().enumerate() {
        let bytes = one.encode(release)?;
        let before = at.checked_sub(1).and_then(|before| all.get(before));
        let is_other_reading =
            one.row.is_some() && before.is_some_and(|other| other.row == one.row);
        if !(is_other_reading && encoded.last() == Some(&bytes)) {
            encoded.push(bytes);
        }
    }
    Ok(encoded)
}

/// Bytes of the longest document.
const DOCUMENT_MAX: usize = 1 << 28;

/// A message that is to be encoded.
struct Given<'a> {
    /// Place in the document, as `[3]: `; empty for the whole.
    place: String,
    message: MessageDocument<'a>,
    /// Row of an inspection.
    row: Option<usize>,
}

impl<'a> Given<'a> {
    fn of(place: String, object: &'a Value) -> Result<Self, String> {
        let hint = |error: &ValueError| match error.path().as_str() {
            "" => "; name the kind of a value alone by --kind",
            _ => "",
        };
        match MessageDocument::of(object) {
            Ok(message) => Ok(Self {
                place,
                message,
                row: None,
            }),
            Err(error) => Err(format!("{place}{error}{}", hint(&error))),
        }
    }

    fn encode(&self, release: Option<u8>) -> Result<Vec<u8>, String> {
        let place = &self.place;
        let release = match (self.message.release, release) {
            (Some(own), Some(asked)) if own != asked => {
                return Err(format!("{place}release: {own}, and --release says {asked}"));
            }
            (own, asked) => own.or(asked),
        };
        let message = MessageDocument {
            release,
            ..self.message
        };
        match message.encode() {
            Ok((_, bytes)) => Ok(bytes),
            Err(error) => Err(format!("{place}{}", error.in_document())),
        }
    }
}

/// Finds the messages of a document.
fn messages(document: &Value) -> Result<Vec<Given<'_>>, String> {
    if let Some(items) = document.as_array() {
        let items = items.iter().enumerate();
        return items
            .map(|(at, item)| Given::of(format!("[{at}]: "), item))
            .collect();
    }
    let Some(rows) = document.get("rows").and_then(Value::as_array) else {
        return Given::of(String::new(), document).map(|one| vec![one]);
    };
    let mut all = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = format!("rows[{at}]: ");
        if let Some(error) = row.get("error") {
            return Err(format!("{place}inspect could not read it: {error}"));
        }
        let layers = row.get("payload").and_then(Value::as_array);
        for layer in layers.into_iter().flatten() {
            let is_message = layer["kind"].as_str().is_some_and(|kind| {
                let mut of_kind = Message::of_kind(kind);
                of_kind.next().is_some()
            });
            match layer.get("error") {
                Some(error) if is_message => {
                    return Err(format!("{place}inspect could not read it: {error}"));
                }
                _ if layer.get("value").is_some() => all.push(Given {
                    row: Some(at),
                    ..Given::of(place.clone(), layer)?
                }),
                _ => {}
            }
        }
    }
    Ok(all)
}

fn list() -> Result<Answer, Failure> {
    use std::io::Write as _;
    let mut out = answers::out();
    let written = writeln!(
        out,
        "{:<20} {:>7}  {:<20} {:>8}",
        "kind", "release", "standard", "BTP port"
    );
    written.map_err(Failure::writing)?;
    for one in Message::all() {
        let release = one
            .release()
            .map_or("-".to_owned(), |release| release.to_string());
        let port = one.port().map_or("-".to_owned(), |port| port.to_string());
        writeln!(
            out,
            "{:<20} {release:>7}  {:<20} {port:>8}",
            one.kind(),
            one.standard()
        )
        .map_err(Failure::writing)?;
    }
    Ok(Answer::Yes)
}

fn example(kind: &str, release: Option<u8>) -> Result<Answer, Failure> {
    use std::io::Write as _;
    let wrong = |error| Failure::new(format_args!("--example: {error}"));
    let message = Message::find(kind, release).map_err(wrong)?;
    let document = match message.release() {
        Some(release) => serde_json::json!({
            "kind": message.kind(), "release": release, "value": message.example(),
        }),
        None => serde_json::json!({ "kind": message.kind(), "value": message.example() }),
    };
    writeln!(answers::out(), "{document:#}").map_err(Failure::writing)?;
    Ok(Answer::Yes)
}
