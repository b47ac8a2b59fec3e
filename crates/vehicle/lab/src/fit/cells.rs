//! Rows as cells of text: the terminal, CSV and the page have the same.

use std::ops::Range;

use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_report::report::Cells;

use super::figures::WorstLatency;
use super::guess::{guessed, mean_time, rate};
use super::messages::MessageRow;
use super::row::{CandidateRow, Unfit};

fn or_dash<T>(value: Option<T>, shown: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), shown)
}

/// Says if a row fits, else what speaks against it; nothing of a row without codes.
fn verdict(row: &CandidateRow) -> String {
    let word = |why: &Unfit| match why {
        Unfit::Unprotected => "unprotected",
        Unfit::Late => "late",
        Unfit::Lost => "lost",
        Unfit::Guessed => "guessed",
    };
    match (row.candidate.secoc(), row.fits) {
        (None, _) => "-".to_owned(),
        (_, true) => "yes".to_owned(),
        (_, false) => {
            let against: Vec<&str> = row.unfit.iter().map(word).collect();
            format!("no: {}", against.join(", "))
        }
    }
}

impl Cells for CandidateRow {
    const HEADERS: &'static [&'static str] = &[
        "",
        "profile",
        "freshness, code bits",
        "carrier",
        "messages",
        "load",
        "worst bound ms",
        "of its deadline",
        "worst simulated ms",
        "of its deadline",
        "deadlines newly missed",
        "missed by more",
        "refused or lost",
        "may be refused",
        "start-up ms",
        "forged messages/s",
        "mean time to a guess",
        "guessed in a year",
        "fits",
    ];
    const NUMBERS: Range<usize> = 4..18;

    fn cells(&self) -> Vec<String> {
        let own = &self.figures;
        let ms =
            |worst: &Option<WorstLatency>| or_dash(worst.as_ref(), |one| format!("{:.3}", one.ms));
        let share =
            |worst: &Option<WorstLatency>| or_dash(worst.as_ref(), |one| percent(one.share));
        let bits = self.freshness_bits.zip(self.code_bits);
        let bound = match own.missed.without_bound {
            0 => ms(&own.bound),
            _ => "none".to_owned(),
        };
        vec![
            self.number.to_string(),
            self.profile.unwrap_or("none").to_owned(),
            or_dash(bits, |(freshness, code)| format!("{freshness}, {code}")),
            match (self.carrier, self.name.as_str()) {
                (Some(carrier), _) => carrier.name().to_owned(),
                (None, "none") => "-".to_owned(),
                (None, _) => "can-fd".to_owned(),
            },
            format!("{} of {}", own.protected, own.to_protect),
            percent(own.load),
            bound,
            match own.missed.without_bound {
                0 => share(&own.bound),
                _ => "-".to_owned(),
            },
            ms(&own.simulated),
            share(&own.simulated),
            (self.newly_missed.len() + self.requirements_newly_missed_text.len()).to_string(),
            (self.missed_by_more_text.len() + self.requirements_missed_by_more_text.len())
                .to_string(),
            own.refused_or_lost.to_string(),
            own.missed.may_be_refused.len().to_string(),
            or_dash(own.start_up_ms, |ms| format!("{ms:.3}")),
            or_dash(own.guess.as_ref(), |one| rate(one.per_second)),
            or_dash(own.guess.as_ref(), |one| mean_time(one.mean_seconds)),
            or_dash(own.guess.as_ref(), |one| guessed(one.in_a_year)),
            verdict(self),
        ]
    }
}

impl Cells for MessageRow {
    const HEADERS: &'static [&'static str] = &[
        "message",
        "id",
        "protected",
        "period ms",
        "payload bytes",
        "frame bytes",
        "payload bytes lost",
        "extra frames/s",
        "PDU id",
        "deadline ms",
        "bound ms",
        "simulated ms",
    ];
    const NUMBERS: Range<usize> = 3..12;

    fn cells(&self) -> Vec<String> {
        let ms = |value: Option<f64>| or_dash(value, |value| format!("{value:.3}"));
        vec![
            self.stream.clone(),
            self.identifier.id_hex.clone(),
            match (self.is_protected, self.becomes_can_fd) {
                (true, true) => "yes, CAN FD",
                (true, false) => "yes",
                (false, _) => "no",
            }
            .to_owned(),
            format!("{:.3}", self.period_ms),
            self.payload_bytes.to_string(),
            self.frame_bytes.to_string(),
            self.payload_lost_bytes.to_string(),
            format!("{:.1}", self.extra_frames_per_second),
            self.pdu_id_hex.clone().unwrap_or_else(|| "-".to_owned()),
            format!("{:.3}", self.deadline_ms),
            ms(self.bound_ms),
            ms(self.simulated_ms),
        ]
    }
}
