//! Section V-D, by the paper's own numbers: how long messages are with implicit and with explicit
//! certificates, how many of them the channel carries, and what verifying either takes.

use waywarden_work::OperationKind;

use super::channel::{MAC_BYTES, air_micros, by_bits, gap_micros, on_air};
use super::machine::Machine;
use super::row::time;
use super::study::EcqvStudy;
use super::text_data::Messages;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, CellVerdict, Class, PaperError, Printed, Unit};

pub(super) const PLACE: &str = "§V-D";

/// Place of the times to verify a message by certificate, with the machine at hand.
pub(super) const VERIFICATION: &str = "§V-D, what verifying a message takes";

/// Greatest relative difference of costs that are "comparable". Choice: the paper gives no number.
const COMPARABLE: f64 = 0.1;

/// Shares in per cent may be rounded to steps of five.
const STEP: f64 = 5.0;

const ENDS: [&str; 2] = ["from", "to"];
const KINDS: [&str; 2] = ["implicit", "explicit"];

/// Operations of a receiver for a message, by the certificate or digest it carries.
const WORK: [(&str, &[OperationKind]); 3] = [
    (
        "implicit certificate, Extract and Verify",
        &[OperationKind::KeyRebuild, OperationKind::Verify],
    ),
    (
        "explicit certificate that is new, Verify twice",
        &[OperationKind::Verify, OperationKind::Verify],
    ),
    (
        "certificate of either kind whose key is known, Verify",
        &[OperationKind::Verify],
    ),
];

/// A number that the paper rounds to tens or more.
fn about(cell: Cell, ours: f64, printed: &Printed) -> Cell {
    let fits = |value| printed.is_about(value);
    let nearly = |value| printed.is_nearly(value);
    Cell {
        paper: Some(printed.value()),
        formula: Some(ours),
        verdict: CellVerdict::judge(Class::Derived, &[ours], fits, nearly),
        class: Some(Class::Derived),
        ..cell
    }
}

fn cell(name: String, unit: Unit) -> Cell {
    Cell::new(PLACE, name, unit)
}

impl Messages {
    /// Returns the bytes of payload, signature and certificate: the least and the most.
    fn implicit(&self) -> [f64; 2] {
        let beside = self.payload.value() + self.signature.value();
        [0, 1].map(|end| beside + self.implicit_certificate[end].value())
    }

    fn explicit(&self) -> [f64; 2] {
        let more = self.explicit_longer_by.value();
        self.implicit().map(|bytes| bytes + more)
    }

    fn sizes(&self, cells: &mut Vec<Cell>) {
        let more = self.explicit_longer_by.value();
        for (end, word) in ENDS.into_iter().enumerate() {
            let certificate = self.implicit_certificate[end].value();
            let (implicit, explicit) = (self.implicit()[end], self.explicit()[end]);
            let name = |kind: &str| format!("message with {kind} certificate: {word}");
            let sum = format!(
                "{} B of payload, {} B of signature and {certificate} B of certificate are \
                 {implicit} B",
                self.payload.value(),
                self.signature.value()
            );
            let short = about(
                cell(name("implicit"), Unit::Bytes),
                implicit,
                &self.with_implicit[end],
            );
            let why = format!("{sum}; compared as rounded to tens, as the paper prints it");
            cells.push(Cell { why, ..short });
            let printed = &self.with_explicit[end];
            let long = cell(name("explicit"), Unit::Bytes);
            cells.push(long.derived(explicit, printed, |_| {
                let rounded = self.with_implicit[end].value();
                let word = match printed.is_exactly(rounded + more) {
                    true => "as printed",
                    false => "which is not the printed number either",
                };
                format!(
                    "{implicit} B and {more} B are {explicit} B; the {rounded} B that are \
                     printed and {more} B are {} B, {word}",
                    rounded + more
                )
            }));
        }
    }

    /// Adds the savings of implicit certificates: least with the longest messages.
    fn saved(&self, cells: &mut Vec<Cell>) {
        let (implicit, explicit) = (self.implicit(), self.explicit());
        let values = |all: &[Printed; 2]| all.clone().map(|one| one.value());
        let (short, long) = (values(&self.with_implicit), values(&self.with_explicit));
        let packets = values(&self.packets);
        let less = |short: f64, long: f64, of: f64| 100.0 * (long - short) / of;
        let of = |short: [f64; 2], long: [f64; 2], of: [f64; 2]| {
            [1, 0].map(|end| less(short[end], long[end], of[end]))
        };
        let readings = [
            (
                "of the message with an explicit certificate",
                of(implicit, explicit, explicit),
            ),
            (
                "of the message with an implicit one",
                of(implicit, explicit, implicit),
            ),
            ("of the sizes that are printed", of(short, long, long)),
            (
                "of the average packets",
                [less(packets[0], packets[1], packets[1]); 2],
            ),
        ];
        let printed = &self.saved_percent;
        let tested = || {
            let each = readings.iter().map(|(words, ends)| {
                let fits = |round: fn(f64) -> f64| {
                    let mut both = ends.iter().zip(printed);
                    both.all(|(ours, printed)| printed.is_exactly(round(*ours)))
                };
                let word = if fits(|ours| ours) {
                    ", as printed"
                } else if fits(|ours| (ours / STEP).round() * STEP) {
                    ", as printed if rounded to steps of 5 %"
                } else {
                    ""
                };
                format!("{words} {:.1} to {:.1} %{word}", ends[0], ends[1])
            });
            each.collect::<Vec<_>>().join("; ")
        };
        for ((ours, printed), word) in readings[0].1.iter().zip(printed).zip(ENDS) {
            let cell = cell(
                format!("implicit certificates save of a message: {word}"),
                Unit::Percent,
            );
            cells.push(cell.derived(*ours, printed, |_| tested()));
        }
    }

    /// Counts the messages that the channel carries: by their bits, and with overhead on the air.
    fn capacity(&self, cells: &mut Vec<Cell>) -> [f64; 2] {
        let (rate, latency) = (f64::from(self.megabits), f64::from(self.latency_ms));
        let ends = [&self.with_implicit, &self.with_explicit];
        let mut on_the_air = [0.0; 2];
        for (at, kind) in KINDS.into_iter().enumerate() {
            let packet = &self.packets[at];
            let mean = (ends[at][0].value() + ends[at][1].value()) / 2.0;
            let name = format!("average packet with {kind} certificate");
            cells.push(about(cell(name, Unit::Bytes), mean, packet));
            let bytes = packet.value();
            let name = format!("messages of {bytes} B in {latency} ms at {rate} Mb/s");
            let count = by_bits(bytes, rate, latency);
            cells.push(cell(name.clone(), Unit::Messages).derived(
                count,
                &self.capacity[at],
                |_| format!("{} bits each", 8.0 * bytes),
            ));
            on_the_air[at] = on_air(bytes, rate, latency);
            let name = format!("{name}, with preamble, headers and gaps");
            cells.push(Cell {
                why: format!(
                    "with {MAC_BYTES} B of headers each is {} us on the air, and {} us after \
                     the one before",
                    air_micros(bytes, rate),
                    gap_micros()
                ),
                ..cell(name, Unit::Messages).own(on_the_air[at])
            });
        }
        [self.capacity[0].value(), on_the_air[0]]
    }
}

impl EcqvStudy {
    /// Section V-D, by what the paper prints.
    pub(super) fn certificates(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        let messages = &self.text.messages;
        messages.sizes(cells);
        messages.saved(cells);
        let capacities = messages.capacity(cells);
        let most = self.traffic.received("Table VI", "100 ms, most")?;
        for (capacity, how) in capacities.into_iter().zip(["", ", on the air"]) {
            let both = self.traffic.columns.iter().zip(most);
            let beyond = both.filter_map(|(column, printed)| {
                let count = printed.as_ref()?.value();
                (count > capacity).then(|| format!("{column} has {count}"))
            });
            let beyond: Vec<String> = beyond.collect();
            let name = format!("columns of Table VI above {capacity} messages{how}");
            cells.push(Cell {
                why: beyond.join(", "),
                ..cell(name, Unit::Count).own(beyond.len() as f64)
            });
        }
        self.comparable(cells)
    }

    /// Tests whether verifying takes a board as long with implicit certificates as with explicit
    /// ones.
    fn comparable(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        let (mut least, mut most) = ([f64::INFINITY; 2], [0.0_f64; 2]);
        for board in &self.boards {
            let [implicit, new, known] = WORK.map(|(_, kinds)| board.sum(kinds));
            let (implicit, others) = (implicit?.millis(), [new?.millis(), known?.millis()]);
            for (at, other) in others.into_iter().enumerate() {
                least[at] = least[at].min(implicit / other);
                most[at] = most[at].max(implicit / other);
            }
        }
        let holds = least[0] >= 1.0 - COMPARABLE && most[0] <= 1.0 + COMPARABLE;
        let name = format!(
            "certificates of both kinds cost as much, within {} %",
            100.0 * COMPARABLE
        );
        let range = |at: usize| {
            let three = |number: f64| short((number * 1e3).round() / 1e3);
            format!("{} to {} times", three(least[at]), three(most[at]))
        };
        let why = format!(
            "Extract and Verify take {} of two Verify, if the certificate is new; {} of one \
             Verify, if the explicit certificate is known",
            range(0),
            range(1)
        );
        cells.push(cell(name, Unit::Applicable).claimed(holds, why));
        Ok(())
    }

    /// Adds each machine's time to verify a message, by the certificate or digest it carries.
    pub(super) fn verification(
        cells: &mut Vec<Cell>,
        machines: &[&Machine],
    ) -> Result<(), PaperError> {
        for (row, kinds) in WORK {
            for machine in machines {
                cells.push(time(VERIFICATION, row, &machine.name, machine.sum(kinds)?));
            }
        }
        Ok(())
    }
}
