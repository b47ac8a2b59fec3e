//! The time line: a lane for each bus, frames coloured by sender, errors and attacks marked.

use waywarden_can_sim::clock::Time;

use super::PageInput;
use super::axis::{self, Side};
use super::legend::{glyph, legend};
use super::palette::Palette;
use crate::recorder::{Mark, MarkKind, TimelineWindow};
use waywarden_report_page::{Escaped, Page, Plot, Sheet, ZOOM_MAX};
use waywarden_vehicle_file::formatting::{count, span};
use waywarden_vehicle_report::attempt::{Attempt, AttemptOutcome};

/// Minimum width of a time line, in pixels: `page.css` lets narrower screens scroll.
const WIDTH: f64 = 960.0;

/// Maximum width of a character, in pixels: of an identifier in a bar, of a mark's text.
const DIGIT: f64 = 5.4;
const CHARACTER: f64 = 6.3;

const TOP: f64 = 24.0;

/// Heights of the parts of a lane, from its top, in pixels: its name and strikes, frames, and rows
/// of errors and of changes of state where there are any.
const NAME: f64 = 17.0;
const FRAME: f64 = 18.0;
const ROW: f64 = 15.0;

/// Distance between lanes, in pixels.
const GAP: f64 = 8.0;

/// Limit on colliding frames that are drawn below each other.
const COLLIDING_MAX: usize = 4;

/// A timeline window while it is drawn.
struct Stage<'a> {
    source: &'a PageInput<'a>,
    palette: &'a Palette,
    window: &'a TimelineWindow,
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>, palette: &Palette) {
    if source.recording.windows.is_empty() {
        return;
    }
    let explanation = "A few milliseconds in full: the first frames, some half-way through the \
                       run, and each kind of disturbance when it first came up. Rest on a bar or a \
                       mark to read it; the tables below say the same. To look closer, use the \
                       buttons or the keys + and \u{2212} (0 shows all), or the wheel with Ctrl; \
                       drag, or use the arrow keys, to move.";
    page.section("timeline", "Time line", explanation);
    legend(page, source, palette);
    for (at, window) in source.recording.windows.iter().enumerate() {
        let stage = Stage {
            source,
            palette,
            window,
        };
        stage.draw(page, at);
    }
    page.end_section();
}

/// Marks that are rare enough for text beside them.
const SPEAKING: &[MarkKind] = &[
    MarkKind::State,
    MarkKind::Reset,
    MarkKind::Remark,
    MarkKind::Key,
];

/// Marks that each row shows.
const ERRORS: &[MarkKind] = &[MarkKind::Error, MarkKind::Loss];
const STATES: &[MarkKind] = &[MarkKind::State];
const OF_ECUS: &[MarkKind] = &[MarkKind::Reset, MarkKind::Remark, MarkKind::Key];

impl Stage<'_> {
    fn draw(&self, page: &mut Page, number: usize) {
        let window = self.window;
        let buses = &self.source.outcome.names.buses;
        page.put(format_args!(
            "<figure class=\"window\" id=\"window{number}\">\n\
             <figcaption><b>{}</b> at {}</figcaption>\n",
            Escaped(&window.title),
            moment(window.cause_at)
        ));
        let lanes = (0..buses.len()).map(|bus| self.lane_height(bus));
        let alone = self.has(None, OF_ECUS);
        let bottom = TOP + lanes.sum::<f64>() + if alone { NAME + ROW } else { 0.0 };
        page.put(format_args!(
            "<div class=\"scroll zoomable\" tabindex=\"0\" role=\"group\" \
             aria-label=\"Time line: {}\">\
             <div class=\"axes flush wide\">",
            Escaped(&window.title)
        ));
        page.begin_plot(&Plot {
            title: &format!("Time line: {}", window.title),
            description: &self.describe(),
            height: bottom as usize + 4,
        });
        let stretch = (window.from.as_seconds(), window.to.as_seconds());
        axis::time(page, stretch, (TOP - 5.0, bottom), Side::Above);
        let cause = self.place(window.cause_at);
        page.line("cause", (cause, TOP - 5.0), (cause, bottom));
        let mut y = TOP;
        for (bus, name) in buses.iter().enumerate() {
            self.lane(page, (bus, name), y);
            y += self.lane_height(bus);
        }
        if alone {
            page.label("name halo", (0.0, 0), y + 12.0, "ECUs");
            self.marks(page, None, OF_ECUS, y + NAME + 5.0);
        }
        page.end_plot();
        page.put("</div></div>\n");
        self.tables(page);
        page.put("</figure>\n");
    }

    /// Draws a bus: strikes above the frames, errors and changes of state below.
    fn lane(&self, page: &mut Page, (bus, name): (usize, &str), y: f64) {
        let frames = y + NAME;
        let mut row = frames + FRAME * self.depth(bus) as f64;
        page.label("name halo", (0.0, 0), y + 12.0, name);
        page.line("ground", (0.0, row), (1.0, row));
        let here = self
            .window
            .frames
            .iter()
            .filter(|attempt| attempt.bus.0 == bus);
        here.for_each(|attempt| self.frame(page, attempt, frames));
        self.marks(page, Some(bus), &[MarkKind::Strike], frames - 5.0);
        for kinds in [ERRORS, STATES] {
            if self.has(Some(bus), kinds) {
                self.marks(page, Some(bus), kinds, row + ROW / 2.0 + 1.0);
                row += ROW;
            }
        }
    }

    fn lane_height(&self, bus: usize) -> f64 {
        let rows = [ERRORS, STATES]
            .into_iter()
            .filter(|kinds| self.has(Some(bus), kinds))
            .count();
        NAME + FRAME * self.depth(bus) as f64 + ROW * rows as f64 + GAP
    }

    fn of<'a>(
        &'a self,
        bus: Option<usize>,
        kinds: &'a [MarkKind],
    ) -> impl Iterator<Item = &'a Mark> + 'a {
        let of_bus = move |mark: &&Mark| mark.bus.map(|bus| bus.0) == bus;
        self.window
            .marks
            .iter()
            .filter(of_bus)
            .filter(|mark| kinds.contains(&mark.kind))
    }

    fn has(&self, bus: Option<usize>, kinds: &[MarkKind]) -> bool {
        self.of(bus, kinds).next().is_some()
    }

    /// Returns the number of frames that a lane shows below each other.
    fn depth(&self, bus: usize) -> usize {
        let here = self
            .window
            .frames
            .iter()
            .filter(|attempt| attempt.bus.0 == bus);
        let lanes = here.map(|attempt| attempt.lane + 1).max().unwrap_or(1);
        lanes.min(COLLIDING_MAX)
    }

    fn place(&self, at: Time) -> f64 {
        let length = self.window.to.since(self.window.from).get();
        let passed = at.min(self.window.to).since(self.window.from).get();
        if length == 0 {
            0.0
        } else {
            passed as f64 / length as f64
        }
    }

    fn frame(&self, page: &mut Page, attempt: &Attempt, top: f64) {
        let (from, to) = (self.place(attempt.started), self.place(attempt.ended));
        let y = top + FRAME * attempt.lane.min(COLLIDING_MAX - 1) as f64;
        let whole = attempt.outcome == AttemptOutcome::Sent;
        let colour = self.palette.class(attempt.ecu);
        let class = if whole {
            format!("bar {colour}")
        } else {
            format!("bar {colour} broken")
        };
        page.bar(
            &class,
            (from, to),
            (y + 1.0, FRAME - 4.0),
            &self.frame_text(attempt),
        );
        self.identifier(page, attempt, (from, to), y + FRAME - 6.5);
    }

    /// Writes the identifier into the bar of a frame; where it has no room it is shown by the zoom.
    fn identifier(&self, page: &mut Page, attempt: &Attempt, (from, to): (f64, f64), y: f64) {
        let id = attempt.frame.id().to_string();
        let is_plain =
            attempt.outcome != AttemptOutcome::Sent || self.palette.class(attempt.ecu) == "forged";
        let class = if is_plain { "id plain halo" } else { "id" };
        let middle = (from + to) / 2.0;
        let needed = (id.len() as f64 * DIGIT + 2.0) / ((to - from) * WIDTH);
        if needed <= ZOOM_MAX {
            page.zoomed_label(class, (middle, 0), y, (&id, needed));
        }
    }

    fn frame_text(&self, attempt: &Attempt) -> String {
        let sender = &self.source.outcome.names.ecus[attempt.ecu.0];
        let stream = self
            .source
            .recording
            .stream(attempt.bus, attempt.frame.id());
        let length = attempt.ended.since(attempt.started).get() as f64 * 1e-9;
        format!(
            "{}{} from {sender}, {} at {}, {} long",
            attempt.frame,
            stream.map_or(String::new(), |stream| format!(" {stream}")),
            attempt.outcome.name(),
            moment(attempt.started),
            span(length),
        )
    }

    /// Draws a row of marks, with as much text as there is room for; the zoom shows the rest.
    fn marks(&self, page: &mut Page, bus: Option<usize>, kinds: &[MarkKind], y: f64) {
        let mut free_from = 0.0;
        let mut marks = self.of(bus, kinds).peekable();
        while let Some(mark) = marks.next() {
            let x = self.place(mark.at);
            let text = self.mark_text(mark);
            let tip = format!("{text} at {}", moment(mark.at));
            glyph(page, mark.kind, (x, y), &tip);
            let before = std::mem::replace(&mut free_from, x);
            if !SPEAKING.contains(&mark.kind) {
                continue;
            }
            let width = (text.chars().count() as f64 * CHARACTER + 16.0) / WIDTH;
            let next = marks.peek().map_or(1.0, |next| self.place(next.at));
            let needed = width / (next - x).max(1e-9);
            if needed <= 1.0 {
                page.label("halo", (x, 8), y + 4.0, &text);
                free_from = x + width;
            } else if x - width >= before {
                page.label("halo end", (x, -8), y + 4.0, &text);
            } else if needed <= ZOOM_MAX {
                page.zoomed_label("halo", (x, 8), y + 4.0, (&text, needed));
            }
        }
    }

    fn mark_text(&self, mark: &Mark) -> String {
        let ecu = mark
            .ecu
            .map(|ecu| self.source.outcome.names.ecus[ecu.0].as_str());
        match (ecu, mark.times) {
            (Some(ecu), 1) => format!("{ecu}: {}", mark.text),
            (Some(ecu), times) => format!("{ecu}: {}, then {} more", mark.text, times - 1),
            (None, _) => mark.text.clone(),
        }
    }

    fn describe(&self) -> String {
        let window = self.window;
        let broken = window
            .frames
            .iter()
            .filter(|one| one.outcome != AttemptOutcome::Sent)
            .count();
        format!(
            "From {} to {}: {}, {broken} of them not sent to the end, and {}.",
            moment(window.from),
            moment(window.to),
            count(window.frames.len() as u64, "frame"),
            count(window.marks.len() as u64, "mark")
        )
    }

    fn tables(&self, page: &mut Page) {
        let names = &self.source.outcome.names;
        let frames = self.window.frames.iter().map(|attempt| {
            let stream = self
                .source
                .recording
                .stream(attempt.bus, attempt.frame.id());
            vec![
                format!("{:.6}", attempt.started.as_seconds()),
                format!("{:.6}", attempt.ended.as_seconds()),
                names.buses[attempt.bus.0].clone(),
                names.ecus[attempt.ecu.0].clone(),
                attempt.frame.to_string(),
                stream.unwrap_or_default().to_owned(),
                attempt.outcome.name().to_owned(),
            ]
        });
        let frames: Vec<Vec<String>> = frames.collect();
        let headers = [
            "from s", "to s", "bus", "sender", "frame", "stream", "outcome",
        ];
        let caption = count(frames.len() as u64, "frame");
        page.sheet(
            &Sheet {
                caption: &caption,
                headers: &headers,
                numbers: 0..2,
                folded: true,
            },
            &frames,
        );
        let marks = self.window.marks.iter().map(|mark| {
            let bus = mark
                .bus
                .map_or(String::new(), |bus| names.buses[bus.0].clone());
            vec![
                format!("{:.6}", mark.at.as_seconds()),
                bus,
                self.mark_text(mark),
            ]
        });
        let marks: Vec<Vec<String>> = marks.collect();
        if !marks.is_empty() {
            let caption = count(marks.len() as u64, "mark");
            let headers = ["at s", "bus", "what"];
            page.sheet(
                &Sheet {
                    caption: &caption,
                    headers: &headers,
                    numbers: 0..1,
                    folded: true,
                },
                &marks,
            );
        }
        if self.window.left_out > 0 {
            let more = self.window.left_out;
            page.put(format_args!(
                "<p class=\"note\">There was no place for {more} more frames and marks.</p>\n"
            ));
        }
    }
}

fn moment(at: Time) -> String {
    match at.as_seconds() {
        seconds if seconds < 1.0 => format!("{:.3} ms", seconds * 1e3),
        seconds => format!("{seconds:.6} s"),
    }
}
