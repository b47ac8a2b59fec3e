//! The form of a board file and of a base table, as serde reads it. No checks beyond the form;
//! `parse` makes a board of it.

use serde::Deserialize;
use toml::Spanned;

/// A board file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardFile {
    pub(crate) title: String,
    pub(crate) characteristics: Spanned<CharacteristicsForm>,
    #[serde(default)]
    pub(crate) figure: Vec<Spanned<FigureForm>>,
    pub(crate) fallback: Option<Spanned<FallbackForm>>,
    pub(crate) security_module: Option<Spanned<SecurityModuleForm>>,
    pub(crate) scaling: Option<ScalingForm>,
    #[serde(default)]
    pub(crate) stated: Vec<StatedForm>,
}

/// A base table: figures in cycles of one kind of core, for boards to scale from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseFile {
    /// The core whose cycles these are.
    pub(crate) core: String,
    pub(crate) figure: Vec<Spanned<FigureForm>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CharacteristicsForm {
    pub(crate) architecture: String,
    pub(crate) cores: Spanned<u32>,
    pub(crate) clock: Spanned<String>,
    pub(crate) flash: Option<Spanned<String>>,
    pub(crate) ram: Option<Spanned<String>>,
    pub(crate) eeprom: Option<Spanned<String>>,
    pub(crate) can_fd: Option<bool>,
    pub(crate) note: Option<String>,
    pub(crate) paper: Option<PaperForm>,
    pub(crate) measured: Option<MeasuredForm>,
    pub(crate) scaled: Option<ScaledForm>,
    pub(crate) assumed: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureForm {
    pub(crate) operation: Spanned<String>,
    pub(crate) algorithm: Spanned<String>,
    pub(crate) bytes: Option<u32>,
    pub(crate) duration: Option<Spanned<String>>,
    pub(crate) duration_per_unit: Option<Spanned<String>>,
    pub(crate) cycles: Option<u64>,
    pub(crate) cycles_per_unit: Option<u64>,
    pub(crate) unit: Option<Spanned<String>>,
    pub(crate) padding: Option<Spanned<String>>,
    pub(crate) paper: Option<PaperForm>,
    pub(crate) measured: Option<MeasuredForm>,
    pub(crate) scaled: Option<ScaledForm>,
    pub(crate) assumed: Option<String>,
}

/// A hardware security module beside the cores.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecurityModuleForm {
    pub(crate) name: String,
    pub(crate) architecture: String,
    /// The module's own, at which its figures in cycles are counted.
    pub(crate) clock: Spanned<String>,
    pub(crate) note: Option<String>,
    pub(crate) paper: Option<PaperForm>,
    pub(crate) measured: Option<MeasuredForm>,
    pub(crate) scaled: Option<ScaledForm>,
    pub(crate) assumed: Option<String>,
    /// Engines that compute side by side; without any, the module is one.
    #[serde(default)]
    pub(crate) engines: Vec<Spanned<EngineForm>>,
    pub(crate) call: Spanned<CallForm>,
    pub(crate) figure: Vec<Spanned<FigureForm>>,
}

/// A part of a module that computes beside the others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineForm {
    pub(crate) name: String,
    pub(crate) algorithms: Vec<Spanned<String>>,
}

/// Work of a core for one command of a module; cycles are those of the core.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallForm {
    pub(crate) duration: Option<Spanned<String>>,
    pub(crate) cycles: Option<u64>,
    pub(crate) paper: Option<PaperForm>,
    pub(crate) measured: Option<MeasuredForm>,
    pub(crate) scaled: Option<ScaledForm>,
    pub(crate) assumed: Option<String>,
}

/// Cost of every operation without a figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FallbackForm {
    pub(crate) duration: Spanned<String>,
    pub(crate) assumed: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperForm {
    pub(crate) key: String,
    pub(crate) place: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeasuredForm {
    pub(crate) on: String,
    pub(crate) how: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScaledForm {
    pub(crate) rule: String,
    #[serde(default)]
    pub(crate) inputs: Vec<String>,
}

/// Takes figures over from base tables, the first table that has one winning.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScalingForm {
    pub(crate) bases: Vec<Spanned<String>>,
    /// The clock at which the base's core would be as fast as one core of this board.
    pub(crate) as_fast_as: Spanned<String>,
    /// Reason for that clock.
    pub(crate) rule: String,
    #[serde(default)]
    pub(crate) inputs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatedForm {
    pub(crate) key: String,
    pub(crate) place: String,
    pub(crate) item: String,
    pub(crate) column: Option<String>,
    pub(crate) value: f64,
    pub(crate) unit: String,
    pub(crate) note: Option<String>,
}
