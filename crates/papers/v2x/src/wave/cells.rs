//! The paper's numbers as cells: by the boards' figures and by what follows from them.

use super::data::{Alone, Curve};
use super::quantity::MILLIS;
use super::study::{Machine, Times, WaveStudy};
use super::why;
use waywarden_paper_tables::{Cell, CellVerdict, Class, Printed, Unit};

/// NIST's curves and what SEC 2 calls them.
const SEC_2_NAMES: [(&str, &str); 2] = [("P-224", "secp224r1"), ("P-256", "secp256r1")];

/// A cell about which nothing is known yet.
fn cell(place: &str, name: String, unit: Unit) -> Cell {
    Cell::new(place, name, unit)
}

/// A number that the boards' files have from the paper.
fn input(cell: Cell, ours: f64, class: Class, printed: &Printed) -> Cell {
    Cell {
        paper: Some(printed.value()),
        formula: Some(ours),
        verdict: CellVerdict::by_digits(class, &[ours], printed),
        class: Some(class),
        ..cell
    }
}

impl WaveStudy {
    /// Table 1's caption: how many of its words stand in the table.
    pub(super) fn caption(&self) -> Cell {
        let table = &self.data.table_1;
        let is_there = |word: &&str| {
            let word = word.to_lowercase();
            table.rows.iter().any(|row| row.to_lowercase() == word)
        };
        let count = table.caption.split(' ').filter(is_there).count();
        let cell = cell(
            "Table 1",
            "rows that its caption names".to_owned(),
            Unit::Count,
        );
        Cell {
            why: why::caption(table, count),
            ..cell.own(count as f64)
        }
    }

    /// Section 3.2: whether a listing names the curve of the text, 1 or 0.
    pub(super) fn curve(curve: &Curve) -> Cell {
        let mut names = SEC_2_NAMES.iter();
        let name = names.find(|(nist, _)| *nist == curve.claimed);
        let name = name.map_or("unknown", |(_, name)| *name);
        let is_same = name == curve.named;
        let why = match is_same {
            true => String::new(),
            false => why::curve(curve, name),
        };
        let words = format!("the listing names {}", curve.claimed);
        cell("§3.2", words, Unit::Applicable).claimed(is_same, why)
    }

    /// Section 5.2: the figure whose caption names the computer with the time of a sentence, beside
    /// the figure that the sentence names.
    pub(super) fn named_figure(&self) -> Option<Cell> {
        let figure = &self.data.figure;
        let time = figure.sign.value();
        let mut machines = self.machines.iter();
        let machine = machines.find(|one| one.column.service.sign.value() == time)?;
        let name = &machine.column.name;
        let mut captions = figure.captions.iter();
        let shown = captions.find(|caption| caption.board == *name)?.figure;
        let cell = cell(
            "§5.2",
            format!(
                "figure with the mean time to sign of {} ms",
                figure.sign.text()
            ),
            Unit::Count,
        );
        Some(cell.derived(f64::from(shown), &figure.named, |_| {
            let mut captions = figure.captions.iter();
            let other = captions.find(|one| f64::from(one.figure) == figure.named.value());
            format!(
                "{} ms are the {name}'s, whose times Figure {shown} shows; Figure {} shows the \
                 {}'s",
                figure.sign.text(),
                figure.named.text(),
                other.map_or("", |caption| &caption.board),
            )
        }))
    }

    /// Section 3.2: how much longer the certificates are that were used.
    pub(super) fn certificates(&self) -> Vec<Cell> {
        let sizes = &self.data.certificate;
        let stated = |name: &str, printed: &Printed| {
            cell("§3.2", name.to_owned(), Unit::Bytes).stated(printed)
        };
        let times = sizes.x509.value() / sizes.wave.value();
        vec![
            stated("certificate that was used (X.509)", &sizes.x509),
            stated("certificate of 1609.2, as expected", &sizes.wave),
            cell(
                "§3.2",
                "X.509 over 1609.2, in bytes".to_owned(),
                Unit::Times,
            )
            .own(times),
        ]
    }

    /// Another board: ECDSA on P-256 alone, and how many neighbours that serves at a rate of CAMs.
    /// Empty if there is none.
    pub(super) fn other_board(&self, rate: f64) -> Vec<Cell> {
        let Some((board, times)) = &self.other else {
            return Vec::new();
        };
        let of = |place, what: &str, unit, number| {
            let name = format!("{board}, P-256, {what}");
            cell(place, name, unit).own(number)
        };
        let (signatures, verifications) = (MILLIS / times.sign, MILLIS / times.verify);
        let neighbours = (verifications / rate).floor();
        let by_curve = "neighbours at 10 Hz, by ECDSA alone";
        vec![
            of("Table 2", "sign", Unit::Milliseconds, times.sign),
            of("Table 2", "signatures", Unit::PerSecond, signatures),
            of("Table 2", "verify", Unit::Milliseconds, times.verify),
            of("Table 2", "verifications", Unit::PerSecond, verifications),
            of("§6", by_curve, Unit::Vehicles, neighbours),
        ]
    }
}

impl Machine {
    /// Table 2: OpenSSL alone.
    pub(super) fn table_2(&self) -> Vec<Cell> {
        let curves = [
            ("P-256", self.p256, &self.column.p256),
            ("P-224", self.p224, &self.column.p224),
        ];
        let rows = curves.into_iter();
        rows.flat_map(|(curve, times, printed)| self.row(curve, times, printed))
            .collect()
    }

    fn row(&self, curve: &str, times: Times, printed: &Alone) -> [Cell; 4] {
        let name = |what: &str| format!("{}, {curve}, {what}", self.column.name);
        let time = |what: &str, ours, printed| {
            let cell = cell("Table 2", name(what), Unit::Milliseconds);
            input(cell, ours, times.class, printed)
        };
        let rate = |what: &str, millis: f64, printed: &Printed| {
            let ours = MILLIS / millis;
            let cell = cell("Table 2", name(what), Unit::PerSecond);
            cell.derived(ours, printed, |_| why::rate(millis, printed))
        };
        [
            time("sign", times.sign, &printed.sign),
            rate("signatures", times.sign, &printed.signatures),
            time("verify", times.verify, &printed.verify),
            rate("verifications", times.verify, &printed.verifications),
        ]
    }

    /// Sections 5.2 and 6: a CAM in the service, what that has beside ECDSA, and how many
    /// neighbours are verified if each sends so many CAMs a second.
    pub(super) fn section_5(&self, rate: f64) -> Vec<Cell> {
        let printed = &self.column.service;
        let Times {
            sign,
            verify,
            class,
        } = self.service;
        let name = |what: &str| format!("{}, {what}", self.column.name);
        let time = |what: &str, ours, printed| {
            input(
                cell("§5.2", name(what), Unit::Milliseconds),
                ours,
                class,
                printed,
            )
        };
        let beside = |what: &str, all: f64, alone: f64| {
            let share = (all - alone) / all * 100.0;
            let words = format!("{share:.0} % of the whole");
            Cell {
                why: words,
                ..cell("§5.2", name(what), Unit::Milliseconds).own(all - alone)
            }
        };
        let verifications = MILLIS / verify;
        let neighbours = (verifications / rate).floor();
        let sending = ((MILLIS - rate * sign) / verify / rate).floor();
        vec![
            time("sign a CAM", sign, &printed.sign),
            beside("sign, beside ECDSA", sign, self.p256.sign),
            time("verify a CAM", verify, &printed.verify),
            beside("verify, beside ECDSA", verify, self.p256.verify),
            cell("§6", name("verifications"), Unit::PerSecond).derived(
                verifications,
                &printed.verifications,
                |_| why::rate(verify, &printed.verifications),
            ),
            cell("§6", name("neighbours at 10 Hz"), Unit::Vehicles).derived(
                neighbours,
                &printed.neighbours,
                |_| why::neighbours(verifications, rate, &printed.neighbours),
            ),
            Cell {
                why: why::beside_own(sign, rate),
                ..cell(
                    "§6",
                    name("neighbours at 10 Hz beside its own CAMs"),
                    Unit::Vehicles,
                )
                .own(sending)
            },
        ]
    }
}
