//! Hypotheses about what the paper measured: which driver, which data, which receivers; and which
//! of them comes nearest to a printed overhead.

use super::data::RowOf;
use super::quantity::{Buffers, VulcanMetric, VulcanRun};
use super::study::{Message, VulcanStudy, value};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{PaperError, Printed};

impl VulcanStudy {
    /// Computes a row's excess over a plain one under each hypothesis about driver, frames and
    /// receivers.
    fn hypotheses(&self, what: VulcanMetric, of: RowOf) -> Result<Vec<(String, f64)>, PaperError> {
        let run = of.run();
        let (mean, plain) = (self.message(run)?, self.message(VulcanRun::PLAIN)?);
        let own = self.with_bench_frames(&mean, run.protocol.is_extended())?;
        let own_plain = self.with_bench_frames(&plain, false)?;
        let mut found = Vec::new();
        for (frames, message, plain) in [
            ("mean frames", &mean, &plain),
            ("the published bench's own data", &own, &own_plain),
        ] {
            for (buffers, words) in [
                (Buffers::One, "one transmit buffer"),
                (Buffers::Several, "several transmit buffers"),
            ] {
                for (ahead, receiver) in [
                    (true, ""),
                    (false, ", receivers that compute when the tag is there"),
                ] {
                    if !ahead && what == VulcanMetric::Send {
                        continue;
                    }
                    let message = Message {
                        buffers,
                        ahead,
                        ..message.clone()
                    };
                    let time = value(what, [&message, &message]);
                    let over = time / value(what, [plain, plain]) - 1.0;
                    found.push((format!("{words}, {frames}{receiver}"), over * 100.0));
                }
            }
        }
        Ok(found)
    }

    /// The same with the data that the published bench sends, whose frame is not a mean one: then
    /// the driver call is what that leaves of the printed time.
    fn with_bench_frames(&self, message: &Message, extended: bool) -> Result<Message, PaperError> {
        let frame = self.bench_frame(extended)?;
        let mut own = message.clone();
        if let (Some(first), Some(mean)) = (own.frames.first_mut(), message.frames.first()) {
            own.load = (message.load + mean - frame).max(0.0);
            *first = frame;
        }
        Ok(own)
    }

    /// Finds the hypothesis about the driver under which a row is nearest to what is printed.
    pub(super) fn why_driver(
        &self,
        what: VulcanMetric,
        of: RowOf,
        holds: impl Fn(f64) -> bool,
        printed: Option<&Printed>,
    ) -> Result<Vec<String>, PaperError> {
        let mut found = self.hypotheses(what, of)?;
        if let Some(printed) = printed {
            let off = |value: f64| (value - printed.value()).abs();
            found.sort_by(|a, b| off(a.1).total_cmp(&off(b.1)));
        }
        let fits = found.iter().filter(|(_, value)| holds(*value)).count();
        let words = found.iter().map(|(words, value)| {
            let word = if holds(*value) { ", as printed" } else { "" };
            format!("with {words} +{} %{word}", short(*value))
        });
        let mut why: Vec<String> = words.collect();
        if fits == 0 {
            why.push(format!("none of these {} is what is printed", why.len()));
        }
        Ok(why)
    }
}
