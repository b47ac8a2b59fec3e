//! The start-up budget: times from power-on to each milestone, and their requirements.

use super::PageInput;
use waywarden_can_sim::clock::Time;
use waywarden_report_page::{BarPart, BarRow, BarRows, Page};
use waywarden_vehicle_file::formatting::span as words;
use waywarden_vehicle_file::{Located, StreamIndex};
use waywarden_vehicle_report::measure::{FirstMessage, StreamKeySource, span};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::require::is_expected;
use waywarden_work::Duration;

/// Phases of the time until a milestone.
const KINDS: [(&str, &str); 4] = [
    ("other", "until the exchange of keys begins"),
    ("c4", "exchange of keys"),
    ("c1", "first messages of streams"),
    ("c3", "first authentic messages"),
];
const WAITING: usize = 0;
const KEYS: usize = 1;
const STREAMS: usize = 2;
const AUTHENTIC: usize = 3;

/// Something that is to be there soon after power-on. Times are in milliseconds.
struct Milestone {
    name: String,
    /// Time at which it was reached; none if it was not by the end.
    reached: Option<f64>,
    /// Phases of that time, in order.
    parts: Vec<(usize, f64)>,
    /// Time by which it is required.
    required: Option<f64>,
}

impl Milestone {
    /// Makes a milestone that took one kind of time.
    fn of(name: String, reached: Option<f64>, kind: usize, required: Option<f64>) -> Self {
        Milestone {
            name,
            reached,
            parts: reached.map(|ms| (kind, ms)).into_iter().collect(),
            required,
        }
    }

    /// Makes a milestone of keys whose exchange took the last `exchange` of the time.
    fn keys(
        name: String,
        (reached, exchange): (Option<f64>, Option<f64>),
        required: Option<f64>,
    ) -> Self {
        let mut milestone = Milestone::of(name, reached, KEYS, required);
        if let (Some(reached), Some(exchange)) = (reached, exchange) {
            let waited = (reached - exchange).max(0.0);
            milestone.parts = vec![(WAITING, waited), (KEYS, reached - waited)];
        }
        milestone
    }

    fn row(&self) -> BarRow {
        let figure = self.reached.map_or("not by the end".to_owned(), words);
        let asked = self.required.map(words);
        let parts = self.parts.iter().map(|(kind, ms)| {
            let (class, what) = KINDS[*kind];
            BarPart {
                class,
                length: *ms,
                tip: format!("{}: {what}, {}", self.name, words(*ms)),
            }
        });
        let bounds = self.required.zip(asked.as_ref());
        BarRow {
            name: self.name.clone(),
            figure: match (&asked, self.reached) {
                (None, _) => figure,
                (Some(asked), Some(_)) => format!("{figure} of {asked}"),
                (Some(asked), None) => format!("{figure}, required {asked}"),
            },
            detail: String::new(),
            is_bad: self.is_missed(),
            parts: parts.collect(),
            bounds: bounds
                .map(|(ms, asked)| (ms, format!("required: {asked}")))
                .into_iter()
                .collect(),
        }
    }

    fn is_missed(&self) -> bool {
        match (self.reached, self.required) {
            (None, _) => true,
            (Some(reached), Some(required)) => reached > required,
            (Some(_), None) => false,
        }
    }
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let milestones = milestones(source);
    if milestones.is_empty() {
        return;
    }
    let explanation = "From power-on until each was there for the last ECU that needs it: streams \
                       by the bus of their sender, keys by group or security module, first \
                       authentic messages by authentication. A dashed line is what the vehicle \
                       file requires.";
    page.section("start-up", "Start-up", explanation);
    source.note_ideal(page);
    page.put("<p class=\"legend\">");
    for (kind, (class, name)) in KINDS.into_iter().enumerate() {
        let mut parts = milestones.iter().flat_map(|one| &one.parts);
        if parts.any(|(own, ms)| *own == kind && *ms > 0.0) {
            page.put(format_args!(
                "<span><i class=\"key {class}\"></i>{name}</span> "
            ));
        }
    }
    page.put("</p>\n<figure>\n");
    let last = milestones.iter().filter_map(|one| one.reached);
    let last = last.fold(0.0, f64::max);
    let missed = milestones.iter().filter(|one| one.is_missed()).count();
    let plot = BarRows {
        title: "Time from power-on to first messages and keys",
        description: &format!(
            "{} times from power-on, the longest {}; {missed} of them too late or not by the end.",
            milestones.len(),
            words(last)
        ),
        rows: milestones.iter().map(Milestone::row).collect(),
    };
    page.rows(&plot, words);
    page.put("</figure>\n");
    page.end_section();
}

fn milestones(source: &PageInput<'_>) -> Vec<Milestone> {
    let mut all = streams(source);
    all.extend(keys(source));
    all.extend(authentic(source));
    all
}

fn bound(required: Option<&Located<Duration>>) -> Option<f64> {
    required.map(|bound| ms(bound.value))
}

fn ms(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

/// Returns the times at which all streams sent on a bus had reached their receivers once.
fn streams(source: &PageInput<'_>) -> Vec<Milestone> {
    let measure = &source.outcome.measure;
    let required = bound(source.file.require.startup.as_ref());
    let names = source.outcome.names.buses.iter().enumerate();
    let milestone = |(bus, name): (usize, &String)| {
        let streams = measure.streams.iter().zip(&measure.watched);
        let own = streams.filter(|(_, one)| one.bus.0 == bus && !one.receivers.is_empty());
        let complete: Vec<Option<Time>> = own.map(|(figures, _)| figures.complete).collect();
        let last = complete
            .iter()
            .copied()
            .reduce(|one, other| Some(one?.max(other?)))?;
        let reached = last.map(|last| ms(span(Time::ZERO, last)));
        let name = format!("Streams of {name}");
        Some(Milestone::of(name, reached, STREAMS, required))
    };
    names.filter_map(milestone).collect()
}

/// Returns the times at which all ECUs of a group or a security module had their first keys.
fn keys(source: &PageInput<'_>) -> Vec<Milestone> {
    let require = &source.file.require;
    let Report {
        groups,
        security_modules,
        ..
    } = source.report;
    let required = bound(require.group_key_within.as_ref());
    let groups = groups.iter().map(|group| {
        let name = format!("Key of group {}", group.group);
        let times = (group.start_up_ms, group.agreement_ms);
        Milestone::keys(name, times, required)
    });
    let required = bound(require.authorized_within.as_ref());
    let modules = security_modules.iter().map(|module| {
        let name = format!("Keys of security module {}", module.network);
        let exchange = module.authorized_ms.zip(module.started_ms);
        let exchange = exchange.map(|(reached, began)| reached - began);
        Milestone::keys(name, (module.authorized_ms, exchange), required)
    });
    groups.chain(modules).collect()
}

/// Returns when the last receiver had accepted a first message of the streams of an authentication,
/// or of a security module: of that stream which missed its bound by most, or else was the last.
fn authentic(source: &PageInput<'_>) -> Vec<Milestone> {
    let measure = &source.outcome.measure;
    let all = measure.first_messages().iter();
    let all: Vec<&FirstMessage> = all.filter(|one| is_expected(measure, one)).collect();
    let within = source.file.require.authentic_within.as_ref();
    let milestone = |own: &[&FirstMessage]| {
        let first = own.first()?;
        let name = match first.source {
            StreamKeySource::Authentication(at) => &source.file.authentications[at].name.value,
            StreamKeySource::SecurityModule(at) => &source.file.lasan[at].name.value,
        };
        let waits = own.iter().map(|one| {
            let accepted = one.power_on.accepted;
            let reached = accepted.map(|_| ms(one.power_on.lasted()));
            let required = within.and_then(|within| within.bound(StreamIndex(one.stream)));
            let name = format!("First message of {name}");
            Milestone::of(name, reached, AUTHENTIC, bound(required))
        });
        let rank = |one: &Milestone| (one.is_missed(), one.reached.unwrap_or(f64::INFINITY));
        waits.reduce(|most, one| if rank(&one) > rank(&most) { one } else { most })
    };
    all.chunk_by(|one, other| one.source == other.source)
        .filter_map(milestone)
        .collect()
}
