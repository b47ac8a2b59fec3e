//! Messages of ETSI ITS and SAE J2735, by the layout of each release.

use waywarden_v2x_messages::{Decoded, Message, Readings, is_version};
use waywarden_v2x_wire::detect::unsecured;

use crate::layer::Layer;
use crate::tree::Tree;

/// Reads a message of a kind; nothing if there is no layout of it.
///
/// Of several releases one is shown where the others can be excluded or divide the bits into the
/// same fields, which is said; else each that can be read is shown.
pub(crate) fn layers(kind: &str, bytes: &[u8]) -> Vec<Layer> {
    let (readings, mut trees) = Readings::watched(kind, bytes, Tree::default);
    let count = match readings.are_alike() {
        true => 1,
        false => readings.read.len(),
    };
    let shown = readings.read.iter().take(count);
    if shown.len() == 0 {
        return unread(kind, &readings, trees, bytes);
    }
    let named = unsecured(bytes).map(|found| found.kind());
    shown
        .map(|taken| {
            let decoded = Decoded::of(taken, &readings, named);
            let own = trees.iter().position(|(one, _)| *one == taken.message);
            let tree = own.map(|at| trees.swap_remove(at).1);
            Layer {
                release: decoded.message.release(),
                standard: decoded.standard(),
                remark: decoded.remark(),
                parts: tree.and_then(Tree::finish),
                value: Some(decoded.value),
                ..Layer::of(decoded.message.kind())
            }
        })
        .collect()
}

/// A message that no release can read: shown by the one that came furthest, the others named. A
/// version of the protocol that no layout has shows nothing.
fn unread(
    kind: &str,
    readings: &Readings,
    trees: Vec<(Message, Tree)>,
    bytes: &[u8],
) -> Vec<Layer> {
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
    // A frame of SAE J2735 begins with its number.
    let number = bytes
        .first_chunk()
        .map(|number| u16::from_be_bytes(*number));
    let has_content = message.release().is_some()
        || number.is_some_and(|number| message.has_content_of(number.into()));
    let mut trees = trees.into_iter();
    let tree = trees.find(|(one, _)| one == message);
    vec![Layer {
        release: message.release(),
        standard: has_content.then(|| message.standard()),
        remark: (!others.is_empty()).then(|| others.join("; ")),
        parts: tree.and_then(|(_, tree)| tree.finish()),
        error: Some(fault.to_string()),
        ..Layer::of(message.kind())
    }]
}
