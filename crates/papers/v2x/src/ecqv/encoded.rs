//! Section V-D with messages that are really encoded: their lengths, judged by what the paper
//! prints, and how many of them the channel carries.

use super::certificates::PLACE;
use super::channel::{by_bits, on_air};
use super::quantity::{EcqvMeasured, EcqvQuantity, PAYLOAD_BYTES, Signer};
use super::row;
use super::study::EcqvStudy;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, Printed, Unit};

/// Lengths and capacities.
pub(super) const ENCODED: &str = "§V-D, messages that are encoded";

fn bytes(measured: &EcqvMeasured<'_>, of: &EcqvQuantity) -> Option<f64> {
    match measured(of)?.amount {
        Amount::Number(number) => Some(number),
        Amount::Time(_) => None,
    }
}

/// A measured number beside the two that it should be between.
fn between(name: String, unit: Unit, ours: f64, [least, most]: &[Printed; 2]) -> Cell {
    let ends = least.value()..=most.value();
    let verdict = CellVerdict::judge(
        Class::Measured,
        &[ours],
        |ours| ends.contains(&ours),
        |_| false,
    );
    let by = match ours < least.value() {
        true => format!("{} below", short(least.value() - ours)),
        false => format!("{} above", short(ours - most.value())),
    };
    Cell {
        paper: Some(least.value()),
        measured: Some(ours),
        verdict,
        class: Some(Class::Measured),
        why: match verdict {
            CellVerdict::Differs => format!(
                "{} {} are {by} the {} to {} of the paper",
                short(ours),
                unit.name(),
                least.text(),
                most.text()
            ),
            _ => format!(
                "within the {} to {} of the paper",
                least.text(),
                most.text()
            ),
        },
        ..Cell::new(PLACE, name, unit)
    }
}

impl EcqvStudy {
    /// Messages that were encoded, if they were.
    pub(super) fn encoded(&self, cells: &mut Vec<Cell>, measured: &EcqvMeasured<'_>) {
        let printed = &self.text.messages;
        let message = |signer| bytes(measured, &EcqvQuantity::MessageBytes(signer));
        let length = |signer| bytes(measured, &EcqvQuantity::SignerBytes(signer));
        let both = message(Signer::Implicit).zip(message(Signer::Explicit));
        if let Some((implicit, explicit)) = both {
            cells.extend(length(Signer::Implicit).map(|bytes| {
                let name = "implicit certificate, encoded".to_owned();
                between(name, Unit::Bytes, bytes, &printed.implicit_certificate)
            }));
            for (signer, bytes, ends) in [
                (Signer::Implicit, implicit, &printed.with_implicit),
                (Signer::Explicit, explicit, &printed.with_explicit),
            ] {
                let name = format!("message with {}, encoded", signer.name());
                let cell = between(name, Unit::Bytes, bytes, ends);
                cells.push(Self::with_parts(cell, bytes, length(signer)));
            }
            let saved = 100.0 * (explicit - implicit) / explicit;
            let name = "implicit certificates save of an encoded message".to_owned();
            cells.push(between(name, Unit::Percent, saved, &printed.saved_percent));
        }
        for signer in Signer::ALL {
            let own = length(signer).zip(message(signer));
            if let Some((certificate, message)) = own {
                self.row(cells, signer, (certificate, message));
            }
        }
    }

    /// Adds what a message has beside payload and certificate.
    fn with_parts(cell: Cell, message: f64, certificate: Option<f64>) -> Cell {
        let Some(certificate) = certificate else {
            return cell;
        };
        let rest = message - PAYLOAD_BYTES as f64 - certificate;
        let parts = format!(
            "{PAYLOAD_BYTES} B of payload, {certificate} B of certificate, {rest} B of signature \
             and headers"
        );
        let findings = [cell.why, parts];
        let findings = findings.into_iter().filter(|words| !words.is_empty());
        Cell {
            why: findings.collect::<Vec<_>>().join("; "),
            ..cell
        }
    }

    fn row(&self, cells: &mut Vec<Cell>, signer: Signer, (certificate, message): (f64, f64)) {
        let printed = &self.text.messages;
        let (rate, latency) = (f64::from(printed.megabits), f64::from(printed.latency_ms));
        let whole = format!("message with {PAYLOAD_BYTES} B of payload");
        let columns = [
            ("certificate or digest", Unit::Bytes, certificate),
            (&*whole, Unit::Bytes, message),
            (
                "in 100 ms, by bits alone",
                Unit::Messages,
                by_bits(message, rate, latency),
            ),
            (
                "in 100 ms, on the air",
                Unit::Messages,
                on_air(message, rate, latency),
            ),
        ];
        for (column, unit, number) in columns {
            let class = Class::Measured;
            cells.push(row::cell(
                ENCODED,
                signer.name(),
                column,
                unit,
                number,
                class,
            ));
        }
    }
}
