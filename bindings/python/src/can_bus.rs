//! Module `waywarden.can_bus`: programs on simulated buses, for python-can.

mod configuration;
mod mailbox;
mod shared;

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use waywarden_can_sim::controller::TransmitOrder;
use waywarden_can_sim::live::{LiveError, MailboxConfig};

use self::mailbox::PyMailbox;
use self::shared::{Clock, Shared};
use crate::can::log_file;
use crate::error::Failure;

/// Programs on simulated buses.
#[pyo3::pymodule]
pub(crate) mod can_bus {
    #[pymodule_export]
    use super::PyNetwork;
    #[pymodule_export]
    use super::mailbox::PyMailbox;
}

/// Longest wait without a look at signals such as Ctrl-C.
const SLICE: Duration = Duration::from_millis(50);

/// Longest that a mailbox waits until it takes part, in real and in simulated time: many times the
/// longest frame.
const JOIN_MAX: Duration = Duration::from_millis(200);

/// Exact buses that programs share, and with a vehicle file its ECUs and attackers.
///
/// Parameters
/// ----------
/// buses : sequence of tuples
///     Name, bit rate, data bit rate or None, and sample point in 0.1 % or None, of each bus.
/// seed : int, optional
///     The seed of every random choice; a vehicle file's own without it.
/// clock : str, optional
///     ``"real"``: simulated time follows the computer's monotonic clock. ``"virtual"``: it goes
///     on while a program waits for a message, as fast as it is computed.
/// scale : float, optional
///     Simulated seconds in a real one, 0.000001 to 1000000; for the real clock.
/// vehicle : str, optional
///     Path of a vehicle file, whose buses these are; ``buses`` is empty then.
/// acknowledge : bool, optional
///     True for one more controller on each bus, which sends nothing: then a program alone is
///     acknowledged. Without effect on a vehicle file.
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     A bit rate, clock or scale that cannot be.
/// waywarden.errors.VehicleError
///     A vehicle file that has faults, all of which are listed.
#[pyclass(name = "Network", module = "waywarden.can_bus", frozen)]
pub(crate) struct PyNetwork {
    shared: Arc<Shared>,
}

#[pymethods]
impl PyNetwork {
    #[new]
    #[pyo3(signature = (buses, *, seed=None, clock="real", scale=1.0, vehicle=None,
        acknowledge=false))]
    fn new(
        py: Python<'_>,
        buses: Vec<(String, u64, Option<u64>, Option<u16>)>,
        seed: Option<u64>,
        clock: &str,
        scale: f64,
        vehicle: Option<std::path::PathBuf>,
        acknowledge: bool,
    ) -> PyResult<Self> {
        let clock = Clock::new(clock, scale)?;
        let (network, remarks) = py.detach(|| match vehicle {
            Some(path) => configuration::of_vehicle(&path, seed),
            None => Ok((
                configuration::of_buses(&buses, seed, acknowledge)?,
                Vec::new(),
            )),
        })?;
        log_file::warn(py, &remarks)?;
        let shared = Arc::new(Shared::new(network, clock));
        Ok(PyNetwork { shared })
    }

    /// Names of the buses, with bit rate and data bit rate or None.
    #[getter]
    fn buses(&self) -> Vec<(String, u32, Option<u32>)> {
        let state = self.shared.locked();
        let buses = state.network.buses().iter();
        buses
            .map(|bus| {
                let rate = bus.timing.nominal.bit_rate().bits_per_second();
                let data = bus
                    .timing
                    .data
                    .map(|data| data.bit_rate().bits_per_second());
                (bus.name.clone(), rate, data)
            })
            .collect()
    }

    /// Simulated seconds since the network began.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<f64> {
        catch_up(py, &self.shared)?;
        Ok(self.shared.locked().network.now().as_seconds())
    }

    /// Puts a program on a bus; returns when it takes part, after eleven recessive bits.
    ///
    /// Parameters
    /// ----------
    /// bus : str
    ///     Name of the bus.
    /// name : str, optional
    ///     Name of the program.
    /// fifo : bool, optional
    ///     True if the controller sends in the order of calls, and not by priority.
    /// hears_itself, hears_errors : bool, optional
    ///     True if the program gets the frames that it sent, and errors that its controller
    ///     detected.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.ParameterError
    ///     There is no such bus, or it has as many controllers as there may be.
    #[pyo3(signature = (bus, *, name="program", fifo=false, hears_itself=false, hears_errors=true))]
    fn join(
        &self,
        py: Python<'_>,
        bus: &str,
        name: &str,
        fifo: bool,
        hears_itself: bool,
        hears_errors: bool,
    ) -> PyResult<PyMailbox> {
        catch_up(py, &self.shared)?;
        let order = match fifo {
            true => TransmitOrder::Fifo,
            false => TransmitOrder::Priority,
        };
        let config = MailboxConfig {
            name: name.to_owned(),
            order,
            hears_itself,
            hears_errors,
            ..MailboxConfig::default()
        };
        let (id, bus) = py
            .detach(|| {
                let mut state = self.shared.locked();
                let bus = state.network.bus(bus)?;
                let id = state.network.join(bus, config)?;
                drop(state);
                self.shared.integrate(id, JOIN_MAX)?;
                Ok::<_, LiveError>((id, bus))
            })
            .map_err(failure)?;
        let shared = self.shared.clone();
        Ok(PyMailbox { shared, id, bus })
    }

    fn __repr__(&self) -> String {
        let state = self.shared.locked();
        let buses: Vec<&str> = state
            .network
            .buses()
            .iter()
            .map(|bus| bus.name.as_str())
            .collect();
        format!("<Network of {}>", buses.join(", "))
    }
}

/// Lets a real clock's simulation catch up with the present, with a look at signals meanwhile.
fn catch_up(py: Python<'_>, shared: &Shared) -> PyResult<()> {
    while !py.detach(|| shared.catch_up(SLICE)).map_err(failure)? {
        py.check_signals()?;
    }
    Ok(())
}

fn picoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().saturating_mul(1_000)).unwrap_or(u64::MAX)
}

/// Returns the exception for an error of a network.
fn failure(error: LiveError) -> PyErr {
    let (class, code) = match &error {
        LiveError::Left => ("RefusedError", "left"),
        LiveError::NoPart => ("RefusedError", "no-part"),
        LiveError::Full { .. } => ("RefusedError", "full"),
        LiveError::NoSuchBus { .. } => ("ParameterError", "unknown-bus"),
        LiveError::Config(_) => ("ParameterError", "configuration"),
        _ => ("SimulationError", "stopped"),
    };
    Failure::new(class, error).code(code).into()
}
