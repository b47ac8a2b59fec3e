//! Class `Comparison`: the same vehicle with other keys and other authentication.

use std::sync::Arc;

use pyo3::prelude::*;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, Comparison as Ranked, ComparisonSetting, DOCUMENT, DURATION_MIN,
    KeyChoice, KeyLocation, Original, RankBy, choose, page,
};

use super::jobs;
use super::simulation::{Car, Setting};
use crate::arguments::{self, refused, word};
use crate::arrow::{Table, table};
use crate::document;
use crate::vehicle_text::faults;
use crate::watch::Watch;

/// Variants of a vehicle, ranked: other keys, other authentication of its messages.
///
/// It is true if a variant that protects streams meets every requirement.
#[pyclass(module = "waywarden.vehicle", frozen)]
pub(crate) struct Comparison {
    ranked: Ranked,
    original: Arc<Original>,
    setting: ComparisonSetting,
}

/// Choices of a comparison, as words.
pub(super) struct Choices {
    pub(super) keys: Vec<String>,
    pub(super) authentication: Vec<String>,
    pub(super) protect: Vec<String>,
    pub(super) attacks: String,
    pub(super) key_store: String,
    pub(super) rank_by: String,
}

impl Comparison {
    /// Runs and ranks the variants.
    pub(super) fn make(
        py: Python<'_>,
        (car, setting): (&Car, Setting),
        choices: &Choices,
        (jobs, watch): (Option<usize>, Watch),
    ) -> PyResult<Self> {
        let wrong = |argument| move |why: String| refused(format_args!("{argument}: {why}"), "");
        let keys = choose(&choices.keys, KeyChoice::ALL, KeyChoice::name);
        let keys = keys.map_err(wrong("keys"))?;
        let (all, name) = (AuthenticationChoice::ALL, AuthenticationChoice::name);
        let chosen = choose(&choices.authentication, all, name);
        let chosen = chosen.map_err(wrong("authentication"))?;
        let original = Original::read(car.file.source.file_name(), &car.text);
        let mut original = original.map_err(|errors| faults(&errors))?;
        if !choices.protect.is_empty() {
            original
                .protect(&choices.protect)
                .map_err(wrong("protect"))?;
        }
        if original.streams().is_empty() {
            let found = "there is nothing to compare: no stream has receivers";
            return Err(refused(found, "add `receivers`"));
        }
        let compared = compared(&setting, choices)?;
        let variants = original.variants(&keys, &chosen);
        if variants.is_empty() {
            let found = "there is nothing to compare";
            return Err(refused(found, "choose other keys or authentication"));
        }
        let lacking = original.lacks_baseline_on_fd(&chosen);
        let original = Arc::new(original);
        let (own, resources) = (Arc::clone(&original), setting.resources);
        let count = variants.len();
        let number = arguments::jobs(jobs, count)?;
        let work = move |at: usize, _: &jobs::Stop| {
            let variant = variants.get(at).copied();
            variant.map(|variant| own.run(variant, &compared, &resources))
        };
        let trials = jobs::in_order(py, (count, number), watch, work)?;
        let rank_by = rank_by(&choices.rank_by)?;
        let mut ranked = Ranked::new(&original, &compared, rank_by, trials);
        ranked.impossible.extend(lacking);
        Ok(Comparison {
            ranked,
            original,
            setting: compared,
        })
    }
}

fn rank_by(given: &str) -> PyResult<RankBy> {
    let known = [
        ("security", RankBy::Security),
        ("attacks", RankBy::Attacks),
        ("latency", RankBy::Latency),
        ("load", RankBy::Load),
        ("start-up", RankBy::StartUp),
    ];
    word("rank_by", given, &known)
}

fn compared(setting: &Setting, choices: &Choices) -> PyResult<ComparisonSetting> {
    rank_by(&choices.rank_by)?;
    let attacks = [("default", Attacks::Standard), ("file", Attacks::File)];
    let attacks = word("attacks", &choices.attacks, &attacks)?;
    let places = [
        ("file", KeyLocation::File),
        ("software", KeyLocation::Software),
        ("module", KeyLocation::Module),
    ];
    let duration = setting.file.duration;
    if attacks == Attacks::Standard && duration < DURATION_MIN {
        let found = format_args!("duration {duration}: the standard attackers need {DURATION_MIN}");
        return Err(refused(found, "give a longer one, or attacks=\"file\""));
    }
    if i64::try_from(setting.id.seed).is_err() {
        let found = format_args!("seed {}: out of range", setting.id.seed);
        return Err(refused(found, "give 0 to 2**63 - 1"));
    }
    Ok(ComparisonSetting {
        seed: setting.id.seed,
        duration,
        key_store: word("key_store", &choices.key_store, &places)?,
        attacks,
    })
}

#[pymethods]
impl Comparison {
    /// The document of ``waywarden compare --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.ranked)
    }

    /// The variant that fits best and the reason, in a few sentences.
    #[getter]
    fn conclusion(&self) -> &str {
        &self.ranked.conclusion
    }

    /// True if a variant that protects streams meets every requirement.
    #[getter]
    fn ok(&self) -> bool {
        self.ranked.is_met()
    }

    /// A row for each variant, the best one first.
    #[getter]
    fn variants(&self) -> PyResult<Table> {
        table(Rows::of(&self.ranked.variants))
    }

    /// The variant that fits best as the text of a vehicle file; None if none ran.
    #[getter]
    fn best(&self) -> Option<String> {
        let best = self.ranked.variants.first()?;
        Some(self.original.toml(best.variant(), &self.setting))
    }

    /// Returns the variants side by side: one self-contained HTML page.
    fn report_html(&self) -> String {
        page(&self.ranked)
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let variants = self.ranked.variants.len();
        format!("Comparison({:?}: {variants} variants)", self.ranked.vehicle)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.variants()?.html(py)
    }
}
