//! Messages of ETSI ITS and SAE J2735, by the layout of each release.

use waywarden_v2x_messages::{Message, Reading, Readings};

use crate::layer::Layer;
use crate::tree::Tree;

/// Reads a message of a kind; nothing if there is no layout of it.
///
/// Of several releases one is shown where the others can be excluded or divide the bits into the
/// same fields, which is said; else each that can be read is shown. A message that none can read is
/// shown up to the fault, by the release that its header names.
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
        [] => {
            remarks.clear();
            let mut tried = readings.tried().map(|(message, _)| *message);
            tried.next().into_iter().collect()
        }
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
    let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
    let layers = shown.into_iter().map(|message| layer(message, bytes));
    layers
        .map(|layer| Layer {
            remark: remark.clone(),
            ..layer
        })
        .collect()
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
