//! One record, and all that is in it.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::record::{
    InputRecord, Recognized, Unrecognized, certificate_kind, envelope,
};
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::UnreadFile;
use waywarden_v2x_wire::coer::{CoerDecode, parse_with};
use waywarden_v2x_wire::detect::FoundSpdu;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Ieee1609Dot2Data};

use crate::layer::Layer;
use crate::payload::{alone, deviations, in_clear, layers, layers_without_spdu};
use crate::rebuilt::{Issuer, Rebuilt};
use crate::tree::{Part, Tree};

/// Contents of one record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Inspection {
    /// The file and the place in it.
    pub input: String,
    /// The label before the record in its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Kind of the record.
    pub kind: String,
    /// Length of the record, in bytes.
    pub length: usize,
    /// HashedId8 of a certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashed_id8: Option<String>,
    /// Layers of a message, from the outside in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers_text: Vec<String>,
    /// Offset of the message within the bytes around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Fields of the record, as a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Part>,
    /// Layers of the payload, from the outside in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payload: Vec<Layer>,
    /// Deviations from ETSI's profile of the application.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<String>,
    /// Reconstructed public key of an implicit certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuilt_key: Option<Rebuilt>,
    /// Reason why the record cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Inspection {
    /// Reads one record; `None` if it is a frame of other traffic. With the issuer of an implicit
    /// certificate its key is rebuilt. Of UDP datagrams only those of `udp_ports` are looked at,
    /// unless there are none.
    ///
    /// # Errors
    /// The key cannot be rebuilt; the reason follows the place of the record.
    pub fn new(
        record: &InputRecord,
        issuer: Option<&Issuer>,
        udp_ports: &[u16],
    ) -> Result<Option<Self>, String> {
        let bytes = &record.bytes;
        let mut inspection = Self {
            label: record.label.clone(),
            length: bytes.len(),
            ..Self::of(record.place.clone())
        };
        match record.recognize(udp_ports) {
            Recognized::Certificate(certificate) => {
                inspection.read::<Certificate<'_>>(bytes);
                certificate_kind(&certificate).clone_into(&mut inspection.kind);
                inspection.hashed_id8 = id_of(&certificate).map(|id| records::show(&id.0));
                let key = issuer.map(|issuer| issuer.rebuild(&certificate));
                let named = |why| format!("{}: {why}", record.place);
                inspection.rebuilt_key = key.transpose().map_err(named)?;
            }
            Recognized::Message(found) => inspection.take(bytes, &found),
            Recognized::Other => return Ok(None),
            Recognized::Unread(unread) => inspection.take_unread(bytes, unread),
        }
        Ok(Some(inspection))
    }

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
    #[must_use]
    pub fn unread(unread: &UnreadFile) -> Self {
        Self {
            kind: "not read".to_owned(),
            error: Some(format!("{} ({})", unread.error, unread.remedy)),
            ..Self::of(unread.place.of(&unread.file))
        }
    }

    /// Returns true if the record and all layers of its payload could be read.
    #[must_use]
    pub fn is_read(&self) -> bool {
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
                let content = bytes.get(message.offset..end);
                in_clear(unread.kind, message.port, content.unwrap_or(bytes))
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
        envelope(&found.envelope).clone_into(&mut self.kind);
        self.layers_text = found.layers().map(|layer| layer.to_string()).collect();
        self.read::<Ieee1609Dot2Data<'_>>(found.spdu);
        let offset = found.spdu.as_ptr() as usize - bytes.as_ptr() as usize;
        self.offset = (offset > 0).then_some(offset);
        self.payload = layers(found);
        self.deviations = deviations(found);
    }
}
