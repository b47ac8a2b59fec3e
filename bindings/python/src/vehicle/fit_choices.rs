//! Choices of a fit.

use std::path::PathBuf;

use pyo3::prelude::*;
use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_can_log::RecordedMessages;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::matrix::DATA_BIT_RATE;
use waywarden_vehicle_lab::fit::{
    CandidateCarrier, CandidateChoices, FitSetting, PROFILES, Selection, Truncation,
};

use crate::arguments::{refused, word};
use crate::can::rates::bit_rate;
use crate::can::recorded::RecordedBus;
use crate::error::Failure;

/// Frames that carry freshness and code, by name.
const CARRIERS: [(&str, CandidateCarrier); 3] = [
    ("in-message", CandidateCarrier::InMessage),
    ("cryptographic-pdu", CandidateCarrier::CryptographicPdu),
    ("can-fd", CandidateCarrier::CanFd),
];

/// Choices of a fit.
pub(super) struct Choices {
    pub(super) protect: Vec<String>,
    pub(super) share: Option<f64>,
    pub(super) profiles: Vec<String>,
    pub(super) truncations: Vec<String>,
    pub(super) carriers: Vec<String>,
    pub(super) bitrate: Option<BitRate>,
    pub(super) data_bitrate: Option<BitRate>,
    pub(super) log: Option<PathBuf>,
    pub(super) channel: Option<String>,
    pub(super) strict: bool,
    pub(super) board: Option<String>,
    pub(super) attack_rate: Option<f64>,
    pub(super) risk: f64,
}

impl Choices {
    pub(super) fn selection(&self) -> PyResult<Selection> {
        match self.share {
            Some(share) if !(share > 0.0 && share <= 1.0) => Err(refused(
                format_args!("share {share}: out of range"),
                "above 0 and at most 1",
            )),
            Some(_) if !self.protect.is_empty() => {
                Err(refused("protect and share", "give one of them"))
            }
            Some(share) => Ok(Selection::Share(share)),
            None if self.protect.is_empty() => Ok(Selection::All),
            None => Ok(Selection::Named(self.protect.clone())),
        }
    }

    pub(super) fn candidates(&self) -> PyResult<CandidateChoices> {
        let mut all = CandidateChoices::default();
        if !self.profiles.is_empty() {
            let mut chosen = Vec::new();
            for name in &self.profiles {
                let known = PROFILES.iter().copied().find(|one| one == name);
                let remedy = format!("give one of {}", PROFILES.join(", "));
                let missing = || refused(format_args!("profiles: no {name:?}"), &remedy);
                chosen.push(known.ok_or_else(missing)?);
            }
            all.profiles = chosen;
        }
        if !self.truncations.is_empty() {
            let read = self.truncations.iter().map(|text| {
                let read = text.parse::<Truncation>();
                read.map_err(|error| {
                    refused(
                        format_args!("truncations {text:?}: {error}"),
                        "such as 8/56",
                    )
                })
            });
            all.truncations = read.collect::<PyResult<_>>()?;
        }
        if !self.carriers.is_empty() {
            let read = self.carriers.iter();
            let read = read.map(|name| word("carriers", name, &CARRIERS));
            all.carriers = read.collect::<PyResult<_>>()?;
        }
        Ok(all)
    }

    pub(super) fn setting(&self) -> PyResult<FitSetting> {
        let rate = self.attack_rate;
        if rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
            return Err(refused(
                "attack_rate: out of range",
                "messages per second above 0",
            ));
        }
        if !(self.risk > 0.0 && self.risk <= 1.0) {
            let found = format_args!("risk {}: out of range", self.risk);
            return Err(refused(found, "above 0 and at most 1"));
        }
        Ok(FitSetting {
            data_bit_rate: self.data_bitrate.unwrap_or(DATA_BIT_RATE).bits_per_second(),
            attack_rate: rate,
            risk: self.risk,
        })
    }

    /// Reads the recording of the bus, if there is one.
    pub(super) fn recording(
        &self,
        is_known: &dyn Fn(Id) -> bool,
        remarks: &mut Vec<String>,
    ) -> Result<Option<RecordedMessages>, Failure> {
        let Some(log) = &self.log else {
            return match self.channel {
                None => Ok(None),
                Some(_) => Err(Failure::new(
                    "ParameterError",
                    "channel is the one of a log; give log, too",
                )),
            };
        };
        let bus = RecordedBus {
            log,
            channel: self.channel.as_deref(),
            is_strict: self.strict,
        };
        bus.messages(is_known, remarks).map(Some)
    }

    /// Reads the recording of the bus of a vehicle file.
    pub(super) fn recording_of(
        &self,
        file: &VehicleFile,
        remarks: &mut Vec<String>,
    ) -> Result<Option<RecordedMessages>, Failure> {
        let is_known = |id: Id| file.streams.iter().any(|stream| stream.id.value == id);
        self.recording(&is_known, remarks)
    }
}

/// Reads a bit rate that may be left out.
pub(super) fn optional_rate(
    name: &str,
    rate: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<BitRate>> {
    rate.map(|rate| bit_rate(name, rate)).transpose()
}
