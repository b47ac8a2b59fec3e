//! Contents of the screen for one of our stations: a table of the stations that it receives, a
//! table of the links whose messages it refuses, and the latest log lines.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Style, Stylize as _};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Row, Table};
use waywarden_v2x_neighbourhood::virtual_time::StationEvent;
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, Reception, ReceptionVerdict};
use waywarden_v2x_security::region::distance;
use waywarden_v2x_station::content::MessageContent;
use waywarden_v2x_station::neighbours::{Neighbour, Neighbours, RefusedLink};
use waywarden_v2x_wire::detect::detect_in;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Psid, Time64};
use waywarden_v2x_wire::link::LinkType;

use crate::station::identifiers::{id, link};
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::time;

/// Maximum number of log lines that are kept.
const LINES_MAX: usize = 200;
/// Number of log lines and maximum number of refused links on the screen.
const LINES_SHOWN: u16 = 6;
const REFUSED_SHOWN: u16 = 5;

/// State of the screen.
#[derive(Default)]
pub(super) struct View {
    stations: Vec<Heard>,
    /// Index of the station whose receptions are shown.
    pub(super) selected: usize,
    /// The text being typed.
    pub(super) input: String,
    lines: VecDeque<String>,
}

/// Receptions and counts of one station.
struct Heard {
    neighbours: Neighbours,
    /// Content of the station's own last message.
    own: Option<MessageContent>,
    now: Time64,
    sent: u64,
    accepted: u64,
    refused: u64,
    dropped: u64,
    /// Reason why the station sends nothing.
    impaired: Option<String>,
}

impl Default for Heard {
    fn default() -> Self {
        Self {
            neighbours: Neighbours::default(),
            own: None,
            now: Time64(0),
            sent: 0,
            accepted: 0,
            refused: 0,
            dropped: 0,
            impaired: None,
        }
    }
}

impl View {
    pub(super) fn take(&mut self, happened: &StationEvent) {
        if self.stations.len() <= happened.station {
            self.stations
                .resize_with(happened.station + 1, Heard::default);
        }
        if let Some(station) = self.stations.get_mut(happened.station) {
            station.now = happened.now.time;
            station.take(&happened.event);
        }
    }

    pub(super) fn log(&mut self, line: String) {
        if self.lines.len() >= LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// Selects the next station, or the previous one.
    pub(super) fn select(&mut self, is_next: bool) {
        let count = self.stations.len().max(1);
        let step = if is_next { 1 } else { count - 1 };
        self.selected = (self.selected + step) % count;
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let nothing = Heard::default();
        let station = self.stations.get(self.selected).unwrap_or(&nothing);
        let refused = u16::try_from(station.neighbours.refused_links().count()).unwrap_or(u16::MAX);
        let refused = match refused {
            0 => 0,
            count => count.min(REFUSED_SHOWN) + 2,
        };
        let areas = Layout::vertical([
            Constraint::Length(2),
            Constraint::Min(3),
            Constraint::Length(refused),
            Constraint::Length(LINES_SHOWN + 1),
            Constraint::Length(2),
        ])
        .areas(frame.area());
        let [head, table, refusals, lines, input] = areas;
        frame.render_widget(self.head(station), head);
        frame.render_widget(station.table(), table);
        frame.render_widget(station.refusals(), refusals);
        self.draw_lines(frame, lines);
        let typed = plain(&self.input);
        let help = "event CAUSE · cancel · change · quit · Tab: next station · ^C: end";
        let input_lines = vec![Line::from(format!("> {typed}_")), Line::from(help).dim()];
        frame.render_widget(Paragraph::new(input_lines), input);
    }

    fn head(&self, station: &Heard) -> Paragraph<'_> {
        let of = match self.stations.len() {
            0 | 1 => String::new(),
            count => format!(" of {count}"),
        };
        let name = station.own.and_then(|own| own.station);
        let name = name.map_or(String::new(), |name| format!(", station id {name}"));
        let when = match station.now {
            Time64(0) => String::new(),
            now => format!("   {}", time::show(now)),
        };
        let first = format!("Station {}{of}{name}{when}", self.selected);
        let second = match &station.impaired {
            Some(why) => Line::from(format!("sends nothing: {}", plain(why))).red(),
            None => Line::from(format!(
                "{} in reach   sent {}   accepted {}   refused {}   not verified {}",
                station.neighbours.len(),
                station.sent,
                station.accepted,
                station.refused,
                station.dropped
            )),
        };
        Paragraph::new(vec![Line::from(first).bold(), second])
    }

    fn draw_lines(&self, frame: &mut Frame<'_>, area: Rect) {
        let shown = usize::from(area.height.saturating_sub(1));
        let skipped = self.lines.len().saturating_sub(shown);
        let lines = self.lines.iter().skip(skipped);
        let lines: Vec<Line<'_>> = lines.map(|line| Line::from(line.as_str())).collect();
        frame.render_widget(
            Paragraph::new(lines).block(Block::new().title("Events")),
            area,
        );
    }
}

impl Heard {
    fn take(&mut self, event: &NeighbourhoodEvent) {
        match event {
            NeighbourhoodEvent::Sent { psid, frame } => {
                self.sent += 1;
                self.own = content_of(*psid, &frame.bytes).or(self.own);
            }
            NeighbourhoodEvent::Heard(reception) => self.receive(reception),
            NeighbourhoodEvent::Dropped { .. } | NeighbourhoodEvent::Unreadable { .. } => {
                self.dropped += 1;
            }
            NeighbourhoodEvent::Impaired(cause) => self.impaired = Some(cause.to_string()),
            NeighbourhoodEvent::Recovered(_) => self.impaired = None,
            _ => {}
        }
        self.neighbours.forget_old(self.now);
    }

    fn receive(&mut self, reception: &Reception) {
        let received = reception.received;
        match (&reception.verdict, reception.content) {
            (ReceptionVerdict::Accepted { signer, .. }, Some(content)) => {
                self.accepted += 1;
                self.neighbours
                    .accept(*signer, reception.link, content, received);
            }
            (ReceptionVerdict::Refused { code, .. }, _) => {
                self.refused += 1;
                self.neighbours.refuse(reception.link, *code, received);
            }
            (ReceptionVerdict::PayloadRefused { .. }, _) => self.refused += 1,
            _ => self.dropped += 1,
        }
    }

    fn table(&self) -> Table<'_> {
        const WIDTHS: [u16; 9] = [10, 6, 9, 9, 8, 8, 8, 9, 16];
        let mut all: Vec<&Neighbour> = self.neighbours.iter().collect();
        // Nearest first; unknown distances last.
        let key = |one: &Neighbour| self.distance(one).map_or(u64::MAX, |metres| metres as u64);
        all.sort_by_key(|one| (key(one), one.signer));
        let header = [
            "station",
            "sends",
            "distance",
            "speed",
            "heading",
            "age",
            "rate",
            "accepted",
            "certificate",
        ];
        Table::new(all.into_iter().map(|one| self.row(one)), WIDTHS)
            .header(Row::new(header).style(Style::new().bold()))
            .block(Block::bordered().title(" Stations in reach, as verified "))
    }

    fn row(&self, one: &Neighbour) -> Row<'static> {
        let content = one.content;
        let shown = |value: Option<f64>, unit: &str| {
            value.map_or("-".to_owned(), |value| format!("{value:.1} {unit}"))
        };
        let kind = content.kind.name().unwrap_or("-");
        let speed = content.speed_cm_s.map(|speed| f64::from(speed) / 100.0);
        let heading = content.heading_decidegrees;
        let heading = heading.map(|heading| f64::from(heading) / 10.0);
        Row::new([
            content
                .station
                .map_or("-".to_owned(), |name| name.to_string()),
            kind.to_owned(),
            shown(self.distance(one), "m"),
            shown(speed, "m/s"),
            shown(heading, "°"),
            shown(Some(self.age(one.heard)), "s"),
            shown(one.rate_hz(), "/s"),
            one.accepted.to_string(),
            id(&one.signer),
        ])
    }

    fn refusals(&self) -> Table<'_> {
        const WIDTHS: [u16; 4] = [18, 9, 8, 50];
        let mut all: Vec<&RefusedLink> = self.neighbours.refused_links().collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.refused));
        let rows = all.into_iter().take(usize::from(REFUSED_SHOWN));
        let rows = rows.map(|one| {
            Row::new([
                link(one.link),
                one.refused.to_string(),
                format!("{:.1} s", self.age(one.heard)),
                one.code.name().to_owned(),
            ])
        });
        Table::new(rows, WIDTHS)
            .block(Block::bordered().title(" Refused: address, messages, age, reason "))
            .red()
    }

    fn age(&self, then: Time64) -> f64 {
        self.now.0.saturating_sub(then.0) as f64 / 1e6
    }

    fn distance(&self, one: &Neighbour) -> Option<f64> {
        Some(distance(&self.own?.place?, &one.content.place?))
    }
}

/// Returns the content of a frame that our station sent; `None` if it does not describe the
/// station.
fn content_of(psid: Psid, frame: &[u8]) -> Option<MessageContent> {
    let found = detect_in(LinkType::Ethernet, frame).ok()?;
    let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
        return None;
    };
    let data = signed.tbs_data.payload.data.as_ref()?.view().ok()?;
    let Ieee1609Dot2Content::Unsecured(payload) = data.content else {
        return None;
    };
    let content = MessageContent::of(psid, payload);
    content.kind.is_awareness().then_some(content)
}
