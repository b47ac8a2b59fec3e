//! Contents of V2X messages, certificates and lists, field by field. The README has the decisions.
#![forbid(unsafe_code)]

mod annotate;
mod inspection;
mod layer;
mod management;
mod message;
mod payload;
mod print;
mod rebuilt;
mod tree;
mod units;

pub use inspection::Inspection;
pub use layer::Layer;
pub use payload::decoded;
pub use rebuilt::{Issuer, Rebuilt};
pub use tree::Part;
