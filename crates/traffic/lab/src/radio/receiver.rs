//! Reception of frames by a station's radio.

use super::error_rate::{ErrorRate, Modulation};
use super::frame::FrameParts;
use super::settings::{RadioSettings, milliwatts};

/// Decoding parameters that all receivers share.
#[derive(Clone, Debug)]
pub(super) struct Decoding {
    header: ErrorRate,
    payload: ErrorRate,
    noise_mw: f64,
    parts: FrameParts,
}

impl Decoding {
    /// Returns how long after its begin a frame's header ends, in ns, if it has one.
    pub(super) fn header_end(&self) -> Option<u64> {
        (self.parts.payload > 0).then_some(self.parts.payload)
    }

    pub(super) fn new(settings: &RadioSettings) -> Self {
        Self {
            header: ErrorRate::new(Modulation::BPSK_1_2),
            payload: ErrorRate::new(settings.rate.modulation()),
            noise_mw: milliwatts(settings.noise_dbm),
            parts: settings.timing.parts(settings.rate),
        }
    }
}

/// A frame that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) frame: usize,
    power_mw: f64,
    begin: u64,
    end: u64,
    /// Time up to which the logarithms are summed.
    until: u64,
    log_header: f64,
    log_payload: f64,
}

impl Reading {
    pub(super) fn new(frame: usize, power_mw: f64, (begin, end): (u64, u64), now: u64) -> Self {
        Self {
            frame,
            power_mw,
            begin,
            end,
            until: now,
            log_header: 0.0,
            log_payload: 0.0,
        }
    }

    /// Sums up to a time, at which the power in the channel changes. `total_mw` is that of all
    /// frames until then.
    pub(super) fn advance(&mut self, now: u64, total_mw: f64, decoding: &Decoding) {
        let (from, to) = (self.until, now);
        self.until = now;
        let interference = (total_mw - self.power_mw).max(0.0);
        let ratio = self.power_mw / (decoding.noise_mw + interference);
        let parts = &decoding.parts;
        let payload = self.begin + parts.payload;
        let shared = |begin: u64, end: u64| to.min(end).saturating_sub(from.max(begin)) as f64;
        if from < payload {
            let bits = shared(self.begin + parts.header, payload) * parts.header_bits_per_ns;
            if bits > 0.0 {
                self.log_header += bits * decoding.header.log_success(ratio);
            }
        }
        let bits = shared(payload, self.end) * parts.payload_bits_per_ns;
        if bits > 0.0 {
            self.log_payload += bits * decoding.payload.log_success(ratio);
        }
    }

    /// The logarithm of the probability that the header is right, and the payload.
    pub(super) fn log_success(&self) -> (f64, f64) {
        (self.log_header, self.log_payload)
    }

    /// Returns the power that it arrives with, in mW.
    pub(super) fn power_mw(&self) -> f64 {
        self.power_mw
    }
}
