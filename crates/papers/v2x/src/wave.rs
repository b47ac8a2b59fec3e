//! \[WAVE-SEC\], sections 3.2, 5 and 6: how long a laptop and a Raspberry Pi take to sign and to
//! verify, by OpenSSL alone and in a V2X security service, and how many neighbours that serves.
//! Read docs/papers.md first.

mod cells;
mod data;
mod figures;
mod ours;
mod quantity;
mod study;
mod why;

#[cfg(test)]
mod tests;

pub use ours::is_tabular;
pub use quantity::{
    CAM_BYTES, Field, Form, Operation, PAYLOADS, Part, Path, WaveCam, WaveMeasured, WaveQuantity,
    Work, unmeasured,
};
pub use study::WaveStudy;
