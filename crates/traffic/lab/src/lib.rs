//! Road traffic on the air: which station hears which message, over IEEE 802.11p as it is
//! simulated by ns-3 and Veins.
//!
//! [`radio::Medium`] moves stations that broadcast through time: carrier sense, backoff,
//! collisions, interference, and the share of frames that survive it. The same settings, positions
//! and seed give the same receptions. Nothing here opens a file or reads a clock.
//! `docs/traffic-radio.md` has the model, its sources, and how it compares with ns-3.
//! [`TrafficSimulation`] puts the vehicles of a trace on the channel, time step by time step, and
//! [`TrafficReport`] counts what each of them hears.
#![forbid(unsafe_code)]

mod areas;
mod attack;
mod comparison;
pub mod message_log;
mod message_source;
mod page;
mod picture;
pub mod radio;
mod report;
mod road;
mod run;
mod run_log;
pub mod scenario;
mod statistics;
mod verification;
mod windows;

pub use areas::{AREAS, CountedArea, Heading};
pub use attack::{AttackKind, AttackSettings};
pub use message_source::{Beacons, MessageReception, MessageSigner, MessageSource, VehicleMotion};
pub use page::page;
pub use picture::RunPicture;
pub use report::{BIN_M, TrafficReport};
pub use run::{RunSettings, TrafficSimulation};
pub use run_log::{
    GeneratedMessage, MessageDecision, MessageVerdict, ReceivedMessage, RunLog, Transmitter,
    WindowSummary,
};
pub use statistics::{Mean, PairedVerdict};
pub use verification::{BoardProfile, CertificateWork, KeyRebuilding, PolicyComparison, Score};
pub use windows::Windows;
