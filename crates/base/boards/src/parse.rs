//! Makes a board of a board file: checks what the form alone cannot, with line and column.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use waywarden_work::{Algorithm, OperationKind};

use crate::board::{Board, Characteristics, Stated};
use crate::builtin;
use crate::error::{BoardError, BoardErrorCause};
use crate::figure::{BoardFigure, CostFormula};
use crate::file::{
    BaseFile, BoardFile, CharacteristicsForm, FallbackForm, FigureForm, MeasuredForm, PaperForm,
    ScaledForm, ScalingForm, StatedForm,
};
use crate::provenance::Provenance;
use crate::quantity;

mod module;

/// A board file larger than this is refused before it is read (the largest built in has 30 KiB).
const FILE_BYTES_MAX: usize = 1 << 20;

type Figures = BTreeMap<(OperationKind, Algorithm), Vec<BoardFigure>>;
/// An error and the bytes of the text that it is about.
type Fault = (Range<usize>, BoardErrorCause);

impl Board {
    /// Reads a board file. `name` is the file's name or path, or the board's bare name; messages
    /// show it with `.toml` behind it, the board is called by its last part without.
    ///
    /// # Errors
    /// [`BoardError`] with the place and the remedy.
    pub fn parse(name: &str, text: &str) -> Result<Board, BoardError> {
        let path = name.strip_suffix(".toml").unwrap_or(name);
        let stem = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let file = format!("{path}.toml");
        read(text)
            .and_then(|form| board(stem, form))
            .map_err(|fault| locate(file, text, fault))
    }
}

fn locate(file: String, text: &str, (span, cause): Fault) -> BoardError {
    let mut end = span.start.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    BoardError {
        file,
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        cause,
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    if text.len() > FILE_BYTES_MAX {
        let (bytes, limit) = (text.len(), FILE_BYTES_MAX);
        return Err((0..0, BoardErrorCause::TooLarge { bytes, limit }));
    }
    toml::from_str(text).map_err(|error| {
        let message = error.message().trim_end().replace('\n', ", ");
        let span = error.span().unwrap_or(0..0);
        (span, BoardErrorCause::Form { message })
    })
}

fn board(name: &str, form: BoardFile) -> Result<Board, Fault> {
    let characteristics = characteristics(form.characteristics)?;
    let clock_hz = characteristics.clock_hz;
    let mut figures = Figures::new();
    for figure in form.figure {
        insert(&mut figures, figure, clock_hz)?;
    }
    if let Some(scaling) = form.scaling {
        scale(&mut figures, &scaling)?;
    }
    let security_module = match form.security_module {
        Some(form) => Some(module::read(form, &mut figures, clock_hz)?),
        None => None,
    };
    Ok(Board {
        name: name.to_owned(),
        title: form.title,
        characteristics,
        figures,
        fallback: form.fallback.map(fallback).transpose()?,
        security_module,
        uses_module: false,
        stated: form.stated.into_iter().map(stated).collect(),
    })
}

fn characteristics(form: Spanned<CharacteristicsForm>) -> Result<Characteristics, Fault> {
    let span = form.span();
    let form = form.into_inner();
    let cores = *form.cores.get_ref();
    if !(1..=256).contains(&cores) {
        let (key, value, expected) = ("cores", cores.to_string(), "from 1 to 256");
        let cause = BoardErrorCause::OutOfRange {
            key,
            value,
            expected,
        };
        return Err((form.cores.span(), cause));
    }
    let size = |key, text: Option<Spanned<String>>| {
        text.map(|text| read_quantity(key, &text, quantity::memory, quantity::MEMORY_FORM))
            .transpose()
    };
    // A board without program memory or RAM runs nothing; one without data flash does.
    let some = |key, text: Option<Spanned<String>>| {
        let stated = text.clone();
        match (size(key, text)?, stated) {
            (Some(0), Some(stated)) => {
                let cause = BoardErrorCause::OutOfRange {
                    key,
                    value: format!("\"{}\"", stated.get_ref()),
                    expected: "at least one byte, or left out if it is unknown",
                };
                Err((stated.span(), cause))
            }
            (bytes, _) => Ok(bytes),
        }
    };
    let clock_hz = read_quantity(
        "clock",
        &form.clock,
        quantity::hertz,
        quantity::FREQUENCY_FORM,
    )?;
    Ok(Characteristics {
        architecture: form.architecture,
        cores,
        clock_hz,
        flash_bytes: some("flash", form.flash)?,
        ram_bytes: some("ram", form.ram)?,
        eeprom_bytes: size("eeprom", form.eeprom)?,
        can_fd: form.can_fd,
        provenance: provenance(span, form.paper, form.measured, form.scaled, form.assumed)?,
        note: form.note,
    })
}

fn insert(figures: &mut Figures, form: Spanned<FigureForm>, hz: u64) -> Result<(), Fault> {
    let span = form.span();
    let form = form.into_inner();
    let kind = kind(&form.operation)?;
    let algorithm = algorithm(&form.algorithm)?;
    let amount = amount(&span, &form, hz)?;
    let figure = BoardFigure {
        bytes: form.bytes,
        amount,
        provenance: provenance(span, form.paper, form.measured, form.scaled, form.assumed)?,
    };
    let slot = figures.entry((kind, algorithm)).or_default();
    if slot.iter().any(|other| other.bytes == figure.bytes) {
        let (operation, algorithm) = (kind.name(), algorithm.name());
        let cause = BoardErrorCause::Duplicate {
            operation,
            algorithm,
        };
        return Err((form.operation.span(), cause));
    }
    slot.push(figure);
    slot.sort_by_key(|figure| figure.bytes.is_none());
    Ok(())
}

fn kind(name: &Spanned<String>) -> Result<OperationKind, Fault> {
    OperationKind::from_name(name.get_ref()).ok_or_else(|| {
        let known = list(OperationKind::ALL.iter().map(|kind| kind.name()));
        let name_text = name.get_ref().clone();
        (
            name.span(),
            BoardErrorCause::UnknownOperation {
                name: name_text,
                known,
            },
        )
    })
}

fn algorithm(name: &Spanned<String>) -> Result<Algorithm, Fault> {
    Algorithm::from_name(name.get_ref()).ok_or_else(|| {
        let known = list(Algorithm::ALL.iter().map(|algorithm| algorithm.name()));
        let name_text = name.get_ref().clone();
        (
            name.span(),
            BoardErrorCause::UnknownAlgorithm {
                name: name_text,
                known,
            },
        )
    })
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn amount(span: &Range<usize>, form: &FigureForm, hz: u64) -> Result<CostFormula, Fault> {
    let time = |key, text| read_quantity(key, text, quantity::nanos, quantity::TIME_FORM);
    let fault = |found| (span.clone(), BoardErrorCause::CostForm { found });
    let growth = |slope| (span.clone(), BoardErrorCause::GrowthForm { slope });
    let (fixed, per_unit, cycles_at_hz, slope) = match (&form.duration, form.cycles) {
        (Some(_), Some(_)) => return Err(fault("both")),
        (None, None) => return Err(fault("neither")),
        (Some(duration), None) if form.cycles_per_unit.is_none() => {
            let per_unit = form.duration_per_unit.as_ref();
            let per_unit = per_unit
                .map(|text| time("duration_per_unit", text))
                .transpose()?;
            (
                time("duration", duration)?,
                per_unit,
                None,
                "duration_per_unit",
            )
        }
        (None, Some(cycles)) if form.duration_per_unit.is_none() => {
            (cycles, form.cycles_per_unit, Some(hz), "cycles_per_unit")
        }
        (Some(_), None) => return Err(growth("duration_per_unit")),
        (None, Some(_)) => return Err(growth("cycles_per_unit")),
    };
    if per_unit.is_some() != form.unit.is_some() || (form.unit.is_none() && form.padding.is_some())
    {
        return Err(growth(slope));
    }
    let length = |key, text: &Option<Spanned<String>>| {
        text.as_ref()
            .map(|text| read_quantity(key, text, quantity::bits, quantity::LENGTH_FORM))
            .transpose()
    };
    Ok(CostFormula {
        fixed,
        per_unit: per_unit.unwrap_or(0),
        unit_bits: length("unit", &form.unit)?.unwrap_or(8),
        padding_bits: length("padding", &form.padding)?.unwrap_or(0),
        cycles_at_hz,
    })
}

fn read_quantity<T>(
    key: &'static str,
    text: &Spanned<String>,
    read: fn(&str) -> Option<T>,
    expected: &'static str,
) -> Result<T, Fault> {
    read(text.get_ref()).ok_or_else(|| {
        let found = text.get_ref().clone();
        let cause = BoardErrorCause::Quantity {
            key,
            text: found,
            expected,
        };
        (text.span(), cause)
    })
}

fn provenance(
    span: Range<usize>,
    paper: Option<PaperForm>,
    measured: Option<MeasuredForm>,
    scaled: Option<ScaledForm>,
    assumed: Option<String>,
) -> Result<Provenance, Fault> {
    let mut all = Vec::with_capacity(4);
    all.extend(paper.map(|PaperForm { key, place }| Provenance::Paper { key, place }));
    all.extend(measured.map(|MeasuredForm { on, how }| Provenance::Measured { on, how }));
    all.extend(scaled.map(|ScaledForm { rule, inputs }| Provenance::Scaled { rule, inputs }));
    all.extend(assumed.map(|why| Provenance::Assumed { why }));
    match (all.pop(), all.len()) {
        (Some(only), 0) => Ok(only),
        (last, others) => {
            let found = others + usize::from(last.is_some());
            Err((span, BoardErrorCause::ProvenanceForm { found }))
        }
    }
}

fn fallback(form: Spanned<FallbackForm>) -> Result<BoardFigure, Fault> {
    let form = form.into_inner();
    let duration = &form.duration;
    let fixed = read_quantity("duration", duration, quantity::nanos, quantity::TIME_FORM)?;
    let amount = CostFormula {
        fixed,
        per_unit: 0,
        unit_bits: 8,
        padding_bits: 0,
        cycles_at_hz: None,
    };
    let provenance = Provenance::Assumed { why: form.assumed };
    Ok(BoardFigure {
        bytes: None,
        amount,
        provenance,
    })
}

fn stated(form: StatedForm) -> Stated {
    Stated {
        key: form.key,
        place: form.place,
        item: form.item,
        column: form.column,
        value: form.value,
        unit: form.unit,
        note: form.note,
    }
}

/// Adds, for every operation that has no figure for any length yet, that of the first base table
/// that has one.
fn scale(figures: &mut Figures, scaling: &ScalingForm) -> Result<(), Fault> {
    let clock = &scaling.as_fast_as;
    let hz = read_quantity(
        "as_fast_as",
        clock,
        quantity::hertz,
        quantity::FREQUENCY_FORM,
    )?;
    for base in &scaling.bases {
        let Some(text) = builtin::base_table(base.get_ref()) else {
            let known = list(builtin::base_names());
            let name = base.get_ref().clone();
            return Err((base.span(), BoardErrorCause::UnknownBase { name, known }));
        };
        // A fault in a base table is the crate's own; it is shown where the table is named, and a
        // test reads every table.
        let (core, table) = base_figures(text, hz).map_err(|(_, cause)| (base.span(), cause))?;
        for (pair, entries) in table {
            let slot = figures.entry(pair).or_default();
            if slot.iter().any(|figure| figure.bytes.is_none()) {
                continue;
            }
            for figure in entries {
                let provenance = carried_over(&core, &figure, clock.get_ref(), scaling);
                slot.push(BoardFigure {
                    provenance,
                    ..figure
                });
            }
            slot.sort_by_key(|figure| figure.bytes.is_none());
        }
    }
    Ok(())
}

fn base_figures(text: &str, hz: u64) -> Result<(String, Figures), Fault> {
    let form: BaseFile = read(text)?;
    let mut table = Figures::new();
    for figure in form.figure {
        insert(&mut table, figure, hz)?;
    }
    Ok((form.core, table))
}

/// A guess stays a guess when it is scaled; everything else becomes a scaled figure.
fn carried_over(
    core: &str,
    figure: &BoardFigure,
    clock: &str,
    scaling: &ScalingForm,
) -> Provenance {
    let (count, rule) = (figure.amount.fixed, &scaling.rule);
    let per_unit = match figure.amount.per_unit {
        0 => String::new(),
        cycles => format!(" + {cycles} per {} bits", figure.amount.unit_bits),
    };
    let here = format!("{count}{per_unit} {core} cycles at {clock} ({rule})");
    let own_inputs = scaling.inputs.iter().cloned();
    match &figure.provenance {
        Provenance::Assumed { why } => Provenance::Assumed {
            why: format!("{why}; {here}"),
        },
        Provenance::Scaled { rule, inputs } => Provenance::Scaled {
            rule: format!("{here}; cycles: {rule}"),
            inputs: inputs.iter().cloned().chain(own_inputs).collect(),
        },
        Provenance::Paper { key, place } => Provenance::Scaled {
            rule: here,
            inputs: std::iter::once(format!("[{key}] {place}"))
                .chain(own_inputs)
                .collect(),
        },
        measured @ Provenance::Measured { .. } => Provenance::Scaled {
            rule: here,
            inputs: std::iter::once(measured.to_string())
                .chain(own_inputs)
                .collect(),
        },
    }
}
