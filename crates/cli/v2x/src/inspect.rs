//! `waywarden inspect`: what is in a message, a certificate or a capture, part by part.

mod annotate;
mod layer;
mod management;
mod payload;
mod rebuilt;
mod tree;

use std::io::Write;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_wire::coer::{CoerDecode, parse_with};
use waywarden_v2x_wire::detect::FoundSpdu;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Ieee1609Dot2Data};

use self::layer::Layer;
use self::payload::{alone, deviations, layers, layers_without_spdu};
use self::rebuilt::{Issuer, Rebuilt};
use self::tree::{Part, Tree};
use crate::verify::{envelope, passed_over};
use waywarden_command_line::answers;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::record::{InputRecord, Recognized, Unrecognized, certificate_kind};
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};

const EXAMPLES: &str = "\
Examples:
  waywarden inspect examples/v2x/messages.hex
  waywarden inspect examples/v2x/implicit.oer --issuer-cert examples/v2x/trust/authority.oer
  waywarden inspect said.pcap --udp-port 4000
  waywarden inspect examples/v2x/scms/ctl.oer          # a trust list of electors, part by part
  waywarden inspect list.oer --format json";

/// Show the contents of V2X messages, certificates and captures, field by field, with the place of
/// each in bytes.
///
/// Files are as for `verify`, read by the same decoder. The public key of an implicit certificate
/// is rebuilt if you give its issuer.
///
/// Frames of other traffic in captures are skipped and counted on standard error; a broken packet
/// is reported, and later ones are shown.
///
/// Exit code 0 if everything could be read, 1 if a message or its payload could not (the fields
/// before the fault are shown), 2 if a file cannot be read, or not to its end, or
/// has nothing to show.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Inspect {
    /// Files with messages and certificates; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The certificate of an implicit certificate's issuer.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["issuer_hash", "issuer_key"])]
    issuer_cert: Option<PathBuf>,
    /// The hash of the whole certificate of the issuer: 32 bytes in hexadecimal digits.
    #[arg(long, value_name = "HEX", requires = "issuer_key")]
    issuer_hash: Option<String>,
    /// The issuer's public key, compressed (33 bytes) or not (65), in hexadecimal digits.
    #[arg(long, value_name = "HEX", requires = "issuer_hash")]
    issuer_key: Option<String>,
    /// A UDP port of captures that has messages, as for `verify`.
    #[arg(long = "udp-port", value_name = "PORT")]
    udp_ports: Vec<u16>,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Tree,
    /// A JSON document.
    Json,
}

/// Contents of one record.
#[derive(Debug, Serialize, JsonSchema)]
struct Inspection {
    /// The file and the place in it.
    input: String,
    /// The label before the record in its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Kind of the record.
    kind: String,
    /// Length of the record, in bytes.
    length: usize,
    /// HashedId8 of a certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    hashed_id8: Option<String>,
    /// Layers of a message, from the outside in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layers_text: Vec<String>,
    /// Offset of the message within the bytes around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
    /// Fields of the record, as a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Part>,
    /// Layers of the payload, from the outside in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    payload: Vec<Layer>,
    /// Deviations from ETSI's profile of the application.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deviations: Vec<String>,
    /// Reconstructed public key of an implicit certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    rebuilt_key: Option<Rebuilt>,
    /// Reason why the record cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

const DOCUMENT: DocumentFormat<Listed<Inspection>> =
    DocumentFormat::new("inspect", 1, "waywarden inspect FILE --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Inspect {
    /// Runs the command.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let issuer = self.issuer()?;
        let mut out = answers::out();
        let (mut all, mut readable, mut any) = (Vec::new(), true, false);
        let (mut passed, mut failures) = (0, Vec::<Failure>::new());
        for path in &self.files {
            let read = records::each::<StopReason>(path, |record| {
                let Some(inspection) = inspect(&record, issuer.as_ref(), &self.udp_ports)? else {
                    passed += 1;
                    return Ok(());
                };
                readable &= inspection.is_read();
                any = true;
                match self.format {
                    Format::Json => all.push(inspection),
                    Format::Tree => inspection.print(&mut out)?,
                }
                Ok(())
            });
            let mut unread = Vec::new();
            // What stands before the place where a file ends is shown, and the other files are.
            match read {
                Ok(file) => {
                    let note = file.note.iter();
                    note.for_each(|note| messages::note(plain(note)));
                    unread.extend(file.wrong);
                }
                Err(StopReason::Failed(failure)) => failures.push(failure),
                Err(StopReason::Unread(wrong)) => unread.push(wrong),
            }
            for unread in unread {
                // A program that reads the document finds it nowhere else.
                if self.format == Format::Json {
                    all.push(Inspection::unread(&unread));
                }
                failures.push(unread.into());
            }
        }
        let words = passed_over(passed);
        if self.format == Format::Json {
            DOCUMENT.print(&mut out, &Listed::new(all))?;
        }
        if !any && failures.is_empty() {
            return Err(Failure::new(format_args!(
                "the files have no message and no certificate{words}"
            )));
        }
        if let Some(words) = words.strip_prefix("; ") {
            messages::note(words);
        }
        Failure::if_any(failures)?;
        Ok(if readable { Answer::Yes } else { Answer::No })
    }

    fn issuer(&self) -> Result<Option<Issuer>, Failure> {
        match (&self.issuer_cert, &self.issuer_hash, &self.issuer_key) {
            (Some(path), ..) => Issuer::load(path).map(Some),
            (None, Some(hash), Some(key)) => Issuer::given(hash, key).map(Some),
            _ => Ok(None),
        }
    }
}

/// Reads one record; `None` if it is a frame of other traffic.
fn inspect(
    record: &InputRecord,
    issuer: Option<&Issuer>,
    udp_ports: &[u16],
) -> Result<Option<Inspection>, Failure> {
    let bytes = &record.bytes;
    let mut inspection = Inspection {
        label: record.label.clone(),
        length: bytes.len(),
        ..Inspection::of(record.place.clone())
    };
    match record.recognize(udp_ports) {
        Recognized::Certificate(certificate) => {
            inspection.read::<Certificate<'_>>(bytes);
            inspection.kind = certificate_kind(&certificate).to_owned();
            inspection.hashed_id8 = id_of(&certificate).map(|id| records::show(&id.0));
            let key = issuer
                .map(|issuer| issuer.rebuild(&certificate))
                .transpose();
            inspection.rebuilt_key =
                key.map_err(|why| Failure::new(format_args!("{}: {why}", record.place)))?;
        }
        Recognized::Message(found) => inspection.take(bytes, &found),
        Recognized::Other => return Ok(None),
        Recognized::Unread(unread) => inspection.take_unread(bytes, unread),
    }
    Ok(Some(inspection))
}

impl Inspection {
    /// Nothing yet of a place.
    fn of(input: String) -> Self {
        Self {
            input,
            label: None,
            kind: "unknown".to_owned(),
            length: 0,
            hashed_id8: None,
            layers_text: Vec::new(),
            offset: None,
            parts: None,
            payload: Vec::new(),
            deviations: Vec::new(),
            rebuilt_key: None,
            error: None,
        }
    }

    /// A file that cannot be read, or not from here on.
    fn unread(unread: &UnreadFile) -> Self {
        Self {
            kind: "not read".to_owned(),
            error: Some(format!("{} ({})", unread.error, unread.remedy)),
            ..Self::of(unread.place.of(&unread.file))
        }
    }

    /// Returns true if the record and all layers of its payload could be read.
    fn is_read(&self) -> bool {
        self.error.is_none() && self.payload.iter().all(|layer| layer.error.is_none())
    }

    /// Reads a value part by part; after a fault there is what stands before it.
    fn read<'a, T: CoerDecode<'a>>(&mut self, bytes: &'a [u8]) -> Option<T> {
        let mut tree = Tree::default();
        let value = parse_with::<T, _>(bytes, &mut tree);
        self.parts = tree.finish();
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                self.error = Some(error.to_string());
                None
            }
        }
    }

    /// Shows what stands before the fault, or a message that stands alone.
    fn take_unread(&mut self, bytes: &[u8], unread: Unrecognized) {
        let clear = unread
            .clear
            .and_then(|clear| Some((clear, clear.clear_message()?)));
        self.payload = match &clear {
            None => alone(unread.kind, bytes),
            Some((around, message)) => {
                self.layers_text = layers_without_spdu(around);
                self.layers_text.push(message.kind.kind().to_owned());
                self.offset = (message.offset > 0).then_some(message.offset);
                let end = message.offset + message.length;
                let message = bytes.get(message.offset..end);
                alone(unread.kind, message.unwrap_or(bytes))
            }
        };
        match unread.kind {
            "certificate" => drop(self.read::<Certificate<'_>>(bytes)),
            "SPDU" => drop(self.read::<Ieee1609Dot2Data<'_>>(bytes)),
            _ => {}
        }
        unread.kind.clone_into(&mut self.kind);
        // A message that stands alone and could be read has no fault for the one who looks at it.
        self.error = match self.payload.is_empty() {
            true => Some(unread.why),
            false => None,
        };
    }

    fn take(&mut self, bytes: &[u8], found: &FoundSpdu<'_>) {
        self.kind = envelope(&found.envelope).to_owned();
        self.layers_text = found.layers().map(|layer| layer.to_string()).collect();
        self.read::<Ieee1609Dot2Data<'_>>(found.spdu);
        let offset = found.spdu.as_ptr() as usize - bytes.as_ptr() as usize;
        self.offset = (offset > 0).then_some(offset);
        self.payload = layers(found);
        self.deviations = deviations(found);
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        let input = plain(&self.input);
        write!(out, "{input}: {}, {} bytes", self.kind, self.length)?;
        if let Some(label) = &self.label {
            write!(out, ", {}", plain(label))?;
        }
        if let Some(id) = &self.hashed_id8 {
            write!(out, ", HashedId8 {id}")?;
        }
        if let Some(offset) = self.offset {
            write!(out, ", message from byte {offset}")?;
        }
        writeln!(out)?;
        if self.layers_text.len() > 1 {
            writeln!(out, "  layers: {}", self.layers_text.join(", "))?;
        }
        if let Some(parts) = &self.parts {
            parts.print(out, 1)?;
        }
        for layer in &self.payload {
            write!(out, "  carries: {}", layer.kind)?;
            if let Some(offset) = layer.offset {
                write!(out, ", from byte {offset}")?;
            }
            match &layer.text {
                Some(text) => writeln!(out, ": \"{text}\"")?,
                None => writeln!(out)?,
            }
            if let Some(parts) = &layer.parts {
                parts.print(out, 2)?;
            }
            if let Some(error) = &layer.error {
                writeln!(out, "    not read: {error}")?;
            }
        }
        for deviation in &self.deviations {
            writeln!(out, "  not as TS 103 097 has it: {deviation}")?;
        }
        if let Some(key) = &self.rebuilt_key {
            writeln!(out, "  rebuilt key, compressed:   {}", key.compressed)?;
            writeln!(out, "  rebuilt key, uncompressed: {}", key.uncompressed)?;
        }
        if let Some(error) = &self.error {
            writeln!(out, "  not read: {error}")?;
        }
        writeln!(out)?;
        Ok(())
    }
}
