//! Protected modules: what the rows known from memory have of them, and what a module's call adds.

use super::data::{Published, RowOf};
use super::quantity::{VulcanMetric, VulcanRun};
use super::study::{VulcanStudy, value};
use super::why::{FROM_MEMORY, percent};
use waywarden_paper_tables::PaperError;
use waywarden_paper_tables::amount::short;

impl VulcanStudy {
    /// Returns the overhead of protected modules in the rows known from memory, relative to
    /// themselves and to a plain row.
    pub(super) fn why_protected(&self, what: VulcanMetric) -> Result<Vec<String>, PaperError> {
        let bounds: Vec<f64> = self.data.protected_bounds(what);
        let mut why = vec![self.why_call(what, &bounds)?];
        let within = |share: f64| {
            let (least, most) = (bounds.first(), bounds.last());
            least.is_some_and(|least| share * 100.0 >= *least)
                && most.is_some_and(|most| share * 100.0 <= *most)
        };
        let Some(plain) = self.data.remembered(what, RowOf::Plain) else {
            return Ok(why);
        };
        for of in [RowOf::VaticanProtected, RowOf::LeiaProtected] {
            let all = self.data.row(what, of).zip(of.bare());
            let Some((row, bare)) = all else { continue };
            let cycles = [of, bare].map(|of| self.data.remembered(what, of));
            let [Some(own), Some(bare)] = cycles else {
                continue;
            };
            let shares = [
                ((own - bare) / bare, "itself"),
                ((own - bare) / plain, "a plain one"),
            ];
            let words = shares.map(|(share, whose)| {
                let word = if within(share) {
                    ", within"
                } else {
                    ", outside"
                };
                format!("{} of {whose}{word}", percent(share))
            });
            why.push(format!(
                "{}, {FROM_MEMORY}, has {} cycles more than without: {}",
                row.name,
                short(own - bare),
                words.join("; ").replace("; ", " and ")
            ));
        }
        Ok(why)
    }

    /// Words what a module's call adds before the data frame, and what it would beside that frame.
    fn why_call(&self, what: VulcanMetric, bounds: &[f64]) -> Result<String, PaperError> {
        let call = self.message(Published::Vatican.run().in_modules())?.call;
        let plain = self.message(VulcanRun::PLAIN)?;
        let plain = value(what, [&plain, &plain]);
        let points = |nanos: f64| 100.0 * what.messages() * nanos / plain;
        let word = |points: f64| match bounds {
            [least, most] if (*least..=*most).contains(&points) => "within",
            _ => "outside",
        };
        let mut words = format!(
            "each sender calls a module once before its data frame, {} us by the board's figure: \
             {} %, {}",
            short(call / 1e3),
            short(points(call)),
            word(points(call)),
        );
        for of in [Published::Vatican, Published::Leia] {
            let bare = self.message(of.run())?;
            let data = bare.frames.first().copied().unwrap_or_default();
            let beside = (bare.code + call).max(data) - bare.code.max(data);
            let name = of.run().protocol.name();
            words += &format!(
                "; beside that frame it would be {} % with {name}, {}",
                short(points(beside)),
                word(points(beside))
            );
        }
        Ok(words)
    }
}
