//! Records of V2X messages and certificates, judged by one verifier that many threads share. The
//! README has the decisions; `docs/protocols/1609dot2.md` has what is checked.
#![forbid(unsafe_code)]

mod batch;
mod certificates;
mod expansion;
mod judge;
mod known;
mod pipeline;
mod queue;
mod receiver;
mod reception;
mod rules;
mod settings;
mod signatures;
mod unsigned;
mod verdict;
mod verify;

pub use expansion::ExpansionObserver;
pub use pipeline::{Feed, Pipeline, PipelineSettings, Stopped};
pub use receiver::Receiver;
pub use reception::Reception;
pub use rules::Rules;
pub use settings::ReceiverSettings;
pub use verdict::{PayloadReport, Verdict};
