//! Payloads of known applications: basic safety messages, CAM and DENM with their packet headers,
//! revocation and trust lists.

use waywarden_v2x_messages::Message;
use waywarden_v2x_wire::btp::Btp;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::{FoundSpdu, NoSpdu, Unsecured, unsecured};
use waywarden_v2x_wire::etsi102941::EtsiTs102941Data;
use waywarden_v2x_wire::etsi103097::{check_message, its_aid};
use waywarden_v2x_wire::geonet::NetworkPacket;
use waywarden_v2x_wire::ieee1609dot2::{CrlContents, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid};

use crate::layer::{Layer, coer_layer, payload};
use crate::{management, message};

/// Kind of the messages of SAE J2735.
const J2735: &str = "J2735-MessageFrame";

/// Applications of Europe with a profile of ETSI's of their own.
const OF_EUROPE: [Psid; 5] = [
    its_aid::CAM,
    its_aid::DENM,
    its_aid::CRL,
    its_aid::CERTIFICATE_REQUEST,
    its_aid::CTL,
];

/// Says how a message deviates from ETSI's profile of its application, where there is one.
pub(crate) fn deviations(found: &FoundSpdu<'_>) -> Vec<String> {
    let mut reported = Vec::new();
    let is_european = |psid| OF_EUROPE.contains(&psid) || its_aid::EUROPEAN.contains(&psid);
    if application(&found.data).is_some_and(is_european) {
        check_message(&found.data, &mut |deviation| {
            reported.push(deviation.to_string());
        });
    }
    reported
}

/// Reads what a message carries, from the outside in.
pub(crate) fn layers(found: &FoundSpdu<'_>) -> Vec<Layer> {
    let Some(payload) = payload(&found.data) else {
        return Vec::new();
    };
    match application(&found.data) {
        Some(psid) => of_application(psid, payload, found.spdu),
        None => management::layers(payload, found.spdu),
    }
}

/// Reads the payload of an application's message, from the outside in. Nothing where the form of
/// the application's messages is not known.
#[must_use]
pub fn decoded(psid: Psid, payload: &[u8]) -> Vec<Layer> {
    of_application(psid, payload, payload)
}

/// The same; `message` is what the places of layers count from.
fn of_application(psid: Psid, payload: &[u8], message: &[u8]) -> Vec<Layer> {
    let layers = match psid.0 {
        32 => message::layers(J2735, payload),
        35 => management::layers(payload, message),
        36 | 37 | 137..=141 | 637..=639 | 540_802 => packet(payload),
        256 => vec![coer_layer::<CrlContents<'_>>("revocation list", payload)],
        622..=624 => vec![coer_layer::<EtsiTs102941Data<'_>>(
            "message of TS 102 941",
            payload,
        )],
        _ => other_application(payload),
    };
    match (layers.first(), words(payload)) {
        (Some(first), Some(text)) if first.error.is_some() => vec![Layer {
            text: Some(text),
            ..Layer::of(&format!(
                "{} bytes of text in place of a {}",
                payload.len(),
                first.kind
            ))
        }],
        _ => layers,
    }
}

/// Reads a message that stands alone, without IEEE 1609.2; nothing if its fields are not known.
pub(crate) fn alone(kind: &'static str, bytes: &[u8]) -> Vec<Layer> {
    match kind {
        "EtsiTs102941Data" => vec![coer_layer::<EtsiTs102941Data<'_>>(kind, bytes)],
        "ScmsPdu" => management::layers(bytes, bytes),
        _ => message::layers(kind, bytes),
    }
}

/// Reads a message in a packet in the clear, by its header.
pub(crate) fn in_clear(kind: &'static str, port: Option<u16>, bytes: &[u8]) -> Vec<Layer> {
    let mut layers = alone(kind, bytes);
    if let Some(of_port) = port.and_then(Message::kind_of_port)
        && of_port != kind
    {
        note_port(&mut layers, of_port, kind);
    }
    layers
}

/// Remarks on a message that its header says to be of another kind than its port of BTP.
fn note_port(layers: &mut [Layer], of_port: &str, named: &str) {
    let remark = format!("under the BTP port of a {of_port}, and the header is that of a {named}");
    for layer in layers {
        layer.remark = Some(match layer.remark.take() {
            Some(more) => format!("{remark}; {more}"),
            None => remark.clone(),
        });
    }
}

/// Names the layers around a message in the clear, from the outside in.
pub(crate) fn layers_without_spdu(around: &NoSpdu) -> Vec<String> {
    let links = [around.link, around.inner_link].into_iter().flatten();
    let mut all: Vec<String> = links.map(|link| link.to_string()).collect();
    all.extend(around.datagram.map(|datagram| datagram.to_string()));
    all.extend(around.family.map(|family| family.to_string()));
    all.extend(around.network.map(|network| network.to_string()));
    all
}

/// Words that stand where a message of the application would, as in examples and trials: printable
/// ASCII, with blanks between them.
fn words(payload: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(payload).ok()?;
    let is_text = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (is_text && text.trim().contains(' ')).then(|| text.escape_debug().to_string())
}

fn application(data: &Ieee1609Dot2Data<'_>) -> Option<Psid> {
    match &data.content {
        Ieee1609Dot2Content::Signed(signed) => Some(signed.tbs_data.header_info.psid),
        _ => None,
    }
}

/// A packet of GeoNetworking without its basic header, which is outside of the signature.
fn packet(payload: &[u8]) -> Vec<Layer> {
    let mut layers = vec![coer_layer::<NetworkPacket<'_>>(
        "GeoNetworking packet",
        payload,
    )];
    let Ok(packet) = parse::<NetworkPacket<'_>>(payload) else {
        return layers;
    };
    let Some(Ok(transport)) = Btp::parse(packet.upper, packet.payload) else {
        return layers;
    };
    let message = transport.payload();
    let of_port = Message::kind_of_port(transport.destination_port());
    let named = unsecured(message).map(|found| found.kind());
    let Some(kind) = of_port.or(named) else {
        return layers;
    };
    let mut read = message::layers(kind, message);
    // A message that the port's kind cannot be is shown as its header says.
    if let Some(other) = named.filter(|named| *named != kind)
        && read.iter().all(|layer| layer.error.is_some())
    {
        read = message::layers(other, message);
        note_port(&mut read, kind, other);
    }
    layers.extend(read);
    layers
}

/// Reads the payload of an application without a form of its own here: what it says to be.
fn other_application(payload: &[u8]) -> Vec<Layer> {
    match unsecured(payload) {
        Some(found @ Unsecured::MessageFrame(_)) => message::layers(found.kind(), payload),
        _ => management::list_of_another_application(payload),
    }
}
