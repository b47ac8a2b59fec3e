//! Messages of ETSI ITS and SAE J2735, by the layout of each release.

use waywarden_v2x_messages::{Message, Reading, Readings, is_version};
use waywarden_v2x_wire::detect::unsecured;

use crate::layer::Layer;
use crate::tree::Tree;

/// Reads a message of a kind; nothing if there is no layout of it.
///
/// Of several releases one is shown where the others can be excluded or divide the bits into the
/// same fields, which is said; else each that can be read is shown.
pub(crate) fn layers(kind: &str, bytes: &[u8]) -> Vec<Layer> {
    let readings = Readings::of(kind, bytes);
    let refused = readings.tried();
    let mut remarks: Vec<String> = refused
        .map(|(message, fault)| format!("not {message}: {fault}"))
        .collect();
    remarks.extend(readings.partial.iter().map(|Reading { message, .. }| {
        format!("{message} can be read, with values or additions that it does not name")
    }));
    let shown: Vec<Message> = match readings.read.as_slice() {
        [] => return unread(kind, &readings, bytes),
        [one] => vec![one.message],
        [first, others @ ..] if readings.are_alike() => {
            let same = others.iter().map(|one| one.message.to_string());
            let same = same.collect::<Vec<_>>().join(", ");
            remarks.push(format!("{same} divides the bits into the same fields"));
            vec![first.message]
        }
        several => {
            remarks.push("the bytes can be read in several ways, and do not say which".to_owned());
            several.iter().map(|one| one.message).collect()
        }
    };
    let named = unsecured(bytes).map(|found| found.kind());
    if let Some(other) = named.filter(|named| *named != kind) {
        remarks.push(format!("the header is that of a {other}"));
    }
    let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
    let layers = shown.into_iter().map(|message| layer(message, bytes));
    layers
        .map(|layer| Layer {
            remark: remark.clone(),
            ..layer
        })
        .collect()
}

/// A message that no release can read: shown by the one that came furthest, the others named. A
/// version of the protocol that no layout has shows nothing.
fn unread(kind: &str, readings: &Readings, bytes: &[u8]) -> Vec<Layer> {
    let tried: Vec<_> = readings.tried().collect();
    let furthest = tried.iter().max_by_key(|(_, fault)| fault.offset);
    let Some((message, fault)) = furthest else {
        return Vec::new();
    };
    if is_version(fault) {
        return vec![Layer {
            error: Some(format!("{fault}; there is no layout of it")),
            ..Layer::of(kind)
        }];
    }
    let others = tried.iter().filter(|(other, _)| other != message);
    let others = others.map(|(other, fault)| format!("not {other} either: {fault}"));
    let others: Vec<String> = others.collect();
    vec![Layer {
        remark: (!others.is_empty()).then(|| others.join("; ")),
        ..layer(*message, bytes)
    }]
}

/// Reads a message of one release, part by part.
fn layer(message: Message, bytes: &[u8]) -> Layer {
    let mut tree = Tree::default();
    let read = message.read_with(bytes, &mut &mut tree);
    let error = read.as_ref().err().map(ToString::to_string);
    Layer {
        release: message.release(),
        standard: Some(message.standard()),
        parts: tree.finish(),
        value: read.ok(),
        error,
        ..Layer::of(message.kind())
    }
}
