//! Reads `[security_module]`.

use std::ops::Range;

use toml::Spanned;
use waywarden_work::{Algorithm, OperationKind};

use super::{Fault, Figures, algorithm, insert, provenance, read_quantity};
use crate::error::BoardErrorCause;
use crate::figure::{BoardFigure, CostFormula};
use crate::file::{CallForm, EngineForm, FigureForm, SecurityModuleForm};
use crate::quantity;
use crate::security_module::{BoardSecurityModule, ModuleEngine};

/// Returns the module, and adds the cost of its call to the figures of the board's cores.
pub(super) fn read(
    form: Spanned<SecurityModuleForm>,
    of_cores: &mut Figures,
    cores_hz: u64,
) -> Result<BoardSecurityModule, Fault> {
    let span = form.span();
    let form = form.into_inner();
    let (hertz, expected) = (quantity::hertz, quantity::FREQUENCY_FORM);
    let clock_hz = read_quantity("clock", &form.clock, hertz, expected)?;
    let call = call(form.call, cores_hz)?;
    of_cores.insert(
        (OperationKind::ModuleCall, Algorithm::SecurityModule),
        vec![call],
    );
    let engines = engines(&span, form.engines)?;
    let mut figures = Figures::new();
    for figure in form.figure {
        any_length(&figure)?;
        in_one_engine(&figure, &engines)?;
        insert(&mut figures, figure, clock_hz)?;
    }
    let only = |(pair, entries): (_, Vec<BoardFigure>)| Some((pair, entries.into_iter().next()?));
    Ok(BoardSecurityModule {
        name: form.name,
        architecture: form.architecture,
        clock_hz,
        provenance: provenance(span, form.paper, form.measured, form.scaled, form.assumed)?,
        note: form.note,
        engines,
        figures: figures.into_iter().filter_map(only).collect(),
    })
}

fn engines(
    span: &Range<usize>,
    forms: Vec<Spanned<EngineForm>>,
) -> Result<Vec<ModuleEngine>, Fault> {
    if forms.len() > BoardSecurityModule::ENGINES_MAX {
        let (key, value) = ("engines", forms.len().to_string());
        let cause = BoardErrorCause::OutOfRange {
            key,
            value,
            expected: "at most 4",
        };
        return Err((span.clone(), cause));
    }
    let read = |form: Spanned<EngineForm>| {
        let form = form.into_inner();
        let algorithms = form.algorithms.iter().map(algorithm);
        Ok(ModuleEngine {
            algorithms: algorithms.collect::<Result<_, _>>()?,
            name: form.name,
        })
    };
    forms.into_iter().map(read).collect()
}

fn in_one_engine(figure: &Spanned<FigureForm>, engines: &[ModuleEngine]) -> Result<(), Fault> {
    let name = &figure.get_ref().algorithm;
    let own = algorithm(name)?;
    let found = engines.iter().filter(|one| one.algorithms.contains(&own));
    match (engines.len(), found.count()) {
        (0, _) | (_, 1) => Ok(()),
        (_, found) => {
            let algorithm = own.name();
            let cause = BoardErrorCause::ModuleEngine { algorithm, found };
            Err((name.span(), cause))
        }
    }
}

fn any_length(figure: &Spanned<FigureForm>) -> Result<(), Fault> {
    match figure.get_ref().bytes {
        None => Ok(()),
        Some(_) => Err((figure.span(), BoardErrorCause::ModuleLength)),
    }
}

fn call(form: Spanned<CallForm>, hz: u64) -> Result<BoardFigure, Fault> {
    let span = form.span();
    let form = form.into_inner();
    let (fixed, cycles_at_hz) = match (&form.duration, form.cycles) {
        (Some(duration), None) => {
            let (nanos, expected) = (quantity::nanos, quantity::TIME_FORM);
            (read_quantity("duration", duration, nanos, expected)?, None)
        }
        (None, Some(cycles)) => (cycles, Some(hz)),
        (both, _) => {
            let found = if both.is_some() { "both" } else { "neither" };
            return Err((span, BoardErrorCause::CostForm { found }));
        }
    };
    Ok(BoardFigure {
        bytes: None,
        amount: CostFormula {
            fixed,
            per_unit: 0,
            unit_bits: 8,
            padding_bits: 0,
            cycles_at_hz,
        },
        provenance: provenance(span, form.paper, form.measured, form.scaled, form.assumed)?,
    })
}
