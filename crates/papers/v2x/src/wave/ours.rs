//! Tables of ours: what the paper measures, on the machine at hand.

use super::quantity::{
    CAM_BYTES, Field, Form, MILLIS, Operation, PAYLOADS, Part, Path, WaveCam, WaveMeasured,
    WaveQuantity, Work,
};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Amount, Cell, Class, Unit};

pub(super) const SWEEP: &str = "Table 2 on this host, median processor time by payload";
pub(super) const CERTIFICATES: &str = "§3.2 on this host, certificates";
pub(super) const PACKET: &str = "Figure 3 on this host, a signed CAM";
pub(super) const TIMES: &str = "§5.2 on this host, median processor time of a CAM";
pub(super) const PARTS: &str = "§5.2 on this host, what the time is made of";
pub(super) const NEIGHBOURS: &str = "§6 on this host, neighbours verified";

/// Returns true if the cells of a place are printed as a table.
pub fn is_tabular(place: &str) -> bool {
    [SWEEP, CERTIFICATES, PACKET, TIMES, PARTS, NEIGHBOURS].contains(&place)
}

/// Returns cells of all measured values; empty if nothing was measured.
pub(super) fn host(measured: &WaveMeasured<'_>, rate: f64) -> Vec<Cell> {
    let mut cells = sweep(measured);
    cells.extend(certificates(measured));
    cells.extend(packet(measured));
    cells.extend(times(measured));
    cells.extend(rows().flat_map(|(operation, bytes)| parts(measured, operation, bytes)));
    cells.extend(neighbours(measured, rate));
    cells
}

/// Each operation with each length.
fn rows() -> impl Iterator<Item = (Operation, u32)> {
    let operations = Operation::ALL.iter();
    operations.flat_map(|operation| CAM_BYTES.iter().map(|bytes| (*operation, *bytes)))
}

fn times(measured: &WaveMeasured<'_>) -> Vec<Cell> {
    let of = |path, (operation, bytes)| cam(operation, path, bytes);
    let each = rows().flat_map(|row| Path::ALL.iter().map(move |path| (row, *path)));
    let cells = each.filter_map(|((operation, bytes), path)| {
        let time = millis(measured, &of(path, (operation, bytes)))?;
        let name = format!("{}, {bytes} B: {}", operation.name(), path.name());
        Some(shown(TIMES, name, Unit::Milliseconds, time))
    });
    cells.collect()
}

/// The parts of the library's time, the rest of it, and what the service takes beside it.
fn parts(measured: &WaveMeasured<'_>, operation: Operation, bytes: u32) -> Vec<Cell> {
    let named = |what: &str, time: f64| {
        let name = format!("{}, {bytes} B: {what}", operation.name());
        shown(PARTS, name, Unit::Milliseconds, time)
    };
    let of = |path| millis(measured, &cam(operation, path, bytes));
    let mut cells = Vec::new();
    let mut sum = 0.0;
    for part in Part::ALL.iter().copied() {
        let quantity = WaveQuantity::Part {
            operation,
            part,
            bytes,
        };
        if let Some(time) = millis(measured, &quantity) {
            sum += time;
            cells.push(named(part.name(), time));
        }
    }
    if let Some((library, service)) = of(Path::Library).zip(of(Path::Service)) {
        cells.push(beside(named("the rest", library - sum)));
        cells.push(beside(named("by the service", service - library)));
    }
    cells
}

/// Returns a difference of medians that is not below zero: those of parts that were timed alone can
/// exceed that of the whole by noise.
fn beside(cell: Cell) -> Cell {
    match cell.measured {
        Some(less) if less < 0.0 => Cell {
            measured: Some(0.0),
            why: format!(
                "the parts, timed alone, take {} ms more than the whole: what is left is below \
                 what the medians resolve",
                short(-less)
            ),
            ..cell
        },
        _ => cell,
    }
}

fn neighbours(measured: &WaveMeasured<'_>, rate: f64) -> Vec<Cell> {
    let rows = rows().filter(|(operation, _)| *operation != Operation::Sign);
    let each = rows.flat_map(|row| Path::ALL.iter().map(move |path| (row, *path)));
    let cells = each.filter_map(|((operation, bytes), path)| {
        let time = millis(measured, &cam(operation, path, bytes))?;
        let name = format!("{}, {bytes} B: {}", operation.name(), path.name());
        let neighbours = (MILLIS / time / rate).floor();
        Some(shown(NEIGHBOURS, name, Unit::Vehicles, neighbours))
    });
    cells.collect()
}

fn sweep(measured: &WaveMeasured<'_>) -> Vec<Cell> {
    let each = PAYLOADS
        .iter()
        .flat_map(|payload| Work::ALL.iter().map(move |work| (*payload, *work)));
    let cells = each.filter_map(|(payload, work)| {
        let time = millis(measured, &WaveQuantity::Sweep { work, payload })?;
        let name = format!("{payload} B: {}", work.name());
        Some(shown(SWEEP, name, Unit::Milliseconds, time))
    });
    cells.collect()
}

fn certificates(measured: &WaveMeasured<'_>) -> Vec<Cell> {
    let forms = Form::ALL.iter().copied();
    let cells = forms.flat_map(|form| {
        let size = number(measured, &WaveQuantity::CertificateBytes(form));
        let time = millis(measured, &WaveQuantity::CertificateTime(form));
        let size = size.map(|size| {
            let name = format!("{}: length", form.name());
            let cell = shown(CERTIFICATES, name, Unit::Bytes, size);
            match form {
                // The file was made as long as the paper's.
                Form::X509 => given(cell),
                Form::Explicit | Form::Implicit => cell,
            }
        });
        let time = time.map(|time| {
            let name = format!("{}: read, with its key", form.name());
            shown(CERTIFICATES, name, Unit::Milliseconds, time)
        });
        size.into_iter().chain(time)
    });
    cells.collect()
}

fn packet(measured: &WaveMeasured<'_>) -> Vec<Cell> {
    let each = Field::ALL.iter().flat_map(|field| {
        let signers = [(false, "with the digest"), (true, "with the certificate")];
        signers.map(|signer| (*field, signer))
    });
    let cells = each.filter_map(|(field, (has_certificate, signer))| {
        let quantity = WaveQuantity::Packet {
            field,
            has_certificate,
        };
        let size = number(measured, &quantity)?;
        let name = format!("{}: {signer}", field.name());
        let cell = shown(PACKET, name, Unit::Bytes, size);
        Some(match field {
            Field::Payload => given(cell),
            _ => cell,
        })
    });
    cells.collect()
}

pub(super) fn cam(operation: Operation, path: Path, bytes: u32) -> WaveQuantity {
    WaveQuantity::Cam(WaveCam {
        operation,
        path,
        bytes,
    })
}

pub(super) fn millis(measured: &WaveMeasured<'_>, of: &WaveQuantity) -> Option<f64> {
    Some(measured(of)?.amount.in_unit(Unit::Milliseconds))
}

pub(super) fn number(measured: &WaveMeasured<'_>, of: &WaveQuantity) -> Option<f64> {
    match measured(of)?.amount {
        Amount::Number(number) => Some(number),
        Amount::Time(_) => None,
    }
}

/// Returns the cell as one whose number the measurement starts from.
fn given(cell: Cell) -> Cell {
    Cell {
        class: Some(Class::Input),
        ..cell
    }
}

fn shown(place: &str, name: String, unit: Unit, number: f64) -> Cell {
    Cell {
        measured: Some(number),
        class: Some(Class::Measured),
        ..Cell::new(place, name, unit)
    }
}
