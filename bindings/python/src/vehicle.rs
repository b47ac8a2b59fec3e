//! Module `waywarden.vehicle`: vehicle files read, checked and run.

mod bound;
mod car;
mod compare;
mod composed;
mod fit;
mod fit_choices;
mod fit_file;
mod jobs;
pub(crate) mod named_files;
mod prepare;
mod run;
mod runs;
mod simulation;
mod trace;

/// Vehicles as files, texts or objects: checked, run, bounded, compared.
#[pyo3::pymodule]
pub(crate) mod vehicle {
    #[pymodule_export]
    use super::bound::Bounds;
    #[pymodule_export]
    use super::car::Vehicle;
    #[pymodule_export]
    use super::compare::Comparison;
    #[pymodule_export]
    use super::fit::Fit;
    #[pymodule_export]
    use super::fit_file::fit;
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::runs::Runs;
}
