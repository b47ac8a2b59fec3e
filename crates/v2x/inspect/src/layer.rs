//! One layer of what a message carries, read part by part.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};

use crate::tree::{Part, Tree};

/// One layer of what a message carries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Layer {
    /// Kind of the layer.
    pub kind: String,
    /// Release of ETSI ITS under which it was read, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<u8>,
    /// Standard by whose layout it was read; absent if the layout keeps its content as bytes, for
    /// then its edition is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard: Option<&'static str>,
    /// Remark on the reading, as that another release reads the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Offset in the message, for a part of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// The text, where there are words in place of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its parts; places count from its own beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Part>,
    /// The value of a message as JSON \[X.697\], which `waywarden encode` takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Reason why the layer cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The innermost data that are not secured.
pub(crate) fn payload<'a>(data: &Ieee1609Dot2Data<'a>) -> Option<&'a [u8]> {
    match &data.content {
        Ieee1609Dot2Content::Signed(signed) => {
            payload(&signed.tbs_data.payload.data.as_ref()?.view().ok()?)
        }
        Ieee1609Dot2Content::Unsecured(bytes) => Some(bytes),
        _ => None,
    }
}

/// Reads a value in COER.
pub(crate) fn coer_layer<'a, T: coer::CoerDecode<'a>>(kind: &str, bytes: &'a [u8]) -> Layer {
    layer(kind, |tree| coer::parse_with::<T, _>(bytes, tree).map(drop))
}

fn layer(kind: &str, read: impl FnOnce(&mut Tree) -> Result<(), WireError>) -> Layer {
    let mut tree = Tree::default();
    let error = read(&mut tree).err();
    Layer {
        parts: tree.finish(),
        error: error.map(|error| error.to_string()),
        ..Layer::of(kind)
    }
}

impl Layer {
    /// Nothing yet of a kind.
    pub(crate) fn of(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            release: None,
            standard: None,
            remark: None,
            offset: None,
            text: None,
            parts: None,
            value: None,
            error: None,
        }
    }
}
