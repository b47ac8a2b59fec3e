//! Profiles of SecOC.

use pyo3::prelude::*;
use waywarden_can_auth::secoc::{FreshnessWidths, ProfileParameters, SecocProfile};

use crate::error::Failure;

/// The profiles that have a name, as the command calls them.
pub(super) const NAMED: [(&str, SecocProfile); 5] = [
    ("autosar-1", SecocProfile::AUTOSAR_1),
    ("autosar-2", SecocProfile::AUTOSAR_2_AS_PUBLISHED),
    (
        "autosar-2-synchronised",
        SecocProfile::AUTOSAR_2_SYNCHRONISED,
    ),
    ("jaspar", SecocProfile::JASPAR),
    ("production", SecocProfile::PRODUCTION),
];

/// A profile of SecOC: the counters of freshness, the bits that travel, the length of the code.
///
/// The counters together have 64 bits at most. With ``trip`` and ``reset`` a freshness master
/// announces both; with ``message`` alone each end counts for itself and retains its counter over
/// resets.
///
/// Parameters
/// ----------
/// trip, reset : int, optional
///     Bits of the counters that a freshness master announces, 0 to 24 each; both or none.
/// message : int, optional
///     Bits of the counter of messages, 0 to 64.
/// flag : int, optional
///     Low bits of the reset counter that travel with each message, 0 to 2.
/// freshness_bits : int, optional
///     Low bits of freshness in a frame.
/// mac_bits : int
///     Bits of code in a frame, 24 to 128; 8 to 128 with ``as_found``.
/// attempts : int, optional
///     Values that a receiver tries, 1 to 8. Each makes forging that much easier.
/// as_found : bool, optional
///     Allows a code of fewer than 24 bits, which **can be guessed**: for a system that has one.
///
/// Named profiles: ``Profile.AUTOSAR_1``, ``AUTOSAR_2`` (no freshness: replays are authentic),
/// ``AUTOSAR_2_SYNCHRONISED``, ``JASPAR``, ``PRODUCTION``.
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     Parameters that contradict each other.
///
/// Notes
/// -----
/// AUTOSAR, Specification of Secure Onboard Communication, chapter 7 and annex.
#[pyclass(name = "Profile", module = "waywarden.secoc", frozen, eq)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PyProfile(pub(super) SecocProfile);

#[pymethods]
impl PyProfile {
    #[new]
    #[pyo3(signature = (*, mac_bits, trip=0, reset=0, message=0, flag=0, freshness_bits=0,
        attempts=1, as_found=false))]
    #[expect(clippy::too_many_arguments, reason = "named arguments in Python")]
    fn new(
        mac_bits: u8,
        trip: u8,
        reset: u8,
        message: u8,
        flag: u8,
        freshness_bits: u8,
        attempts: u8,
        as_found: bool,
    ) -> PyResult<Self> {
        let freshness = FreshnessWidths {
            trip,
            reset,
            message,
            flag,
        };
        let truncated_bits = freshness_bits;
        let parameters = ProfileParameters {
            freshness,
            truncated_bits,
            mac_bits,
            attempts,
        };
        let made = match as_found {
            true => SecocProfile::as_found(parameters),
            false => SecocProfile::new(parameters),
        };
        made.map(PyProfile).map_err(|error| {
            Failure::parameter("Profile", error, "see help(waywarden.secoc.Profile)")
        })
    }

    /// Returns the profile of a name: autosar-1, autosar-2, autosar-2-synchronised, jaspar,
    /// production.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.ParameterError
    ///     No profile has the name.
    #[staticmethod]
    pub(super) fn named(name: &str) -> PyResult<Self> {
        let found = NAMED.iter().find(|(own, _)| *own == name);
        found
            .map(|(_, profile)| PyProfile(*profile))
            .ok_or_else(|| {
                let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
                let names = names.join(", ");
                Failure::parameter("name", format_args!("no profile {name:?}"), names)
            })
    }

    /// AUTOSAR's profile 1: a counter, 8 bits of it travel, 24 bits of code.
    #[classattr]
    #[pyo3(name = "AUTOSAR_1")]
    fn autosar_1() -> Self {
        PyProfile(SecocProfile::AUTOSAR_1)
    }

    /// AUTOSAR's profile 2 as published: 24 bits of code and no freshness. Replays are authentic.
    #[classattr]
    #[pyo3(name = "AUTOSAR_2")]
    fn autosar_2() -> Self {
        PyProfile(SecocProfile::AUTOSAR_2_AS_PUBLISHED)
    }

    /// The frames of AUTOSAR's profile 2 with freshness that does not travel.
    #[classattr]
    #[pyo3(name = "AUTOSAR_2_SYNCHRONISED")]
    fn autosar_2_synchronised() -> Self {
        PyProfile(SecocProfile::AUTOSAR_2_SYNCHRONISED)
    }

    /// AUTOSAR's profile 3: 64 bits of freshness, 4 of them travel, 28 bits of code.
    #[classattr]
    #[pyo3(name = "JASPAR")]
    fn jaspar() -> Self {
        PyProfile(SecocProfile::JASPAR)
    }

    /// The profile of cars of one large maker: 46 bits of freshness, 4 travel, 28 bits of code.
    #[classattr]
    #[pyo3(name = "PRODUCTION")]
    fn production() -> Self {
        PyProfile(SecocProfile::PRODUCTION)
    }

    /// Name of the profile; None if it has none.
    #[getter]
    fn name(&self) -> Option<&'static str> {
        let found = NAMED.iter().find(|(_, profile)| *profile == self.0);
        found.map(|(name, _)| *name)
    }

    /// Bits of the trip counter.
    #[getter]
    fn trip(&self) -> u8 {
        self.0.freshness().trip
    }

    /// Bits of the reset counter.
    #[getter]
    fn reset(&self) -> u8 {
        self.0.freshness().reset
    }

    /// Bits of the counter of messages.
    #[getter]
    fn message(&self) -> u8 {
        self.0.freshness().message
    }

    /// Bits of the reset flag.
    #[getter]
    fn flag(&self) -> u8 {
        self.0.freshness().flag
    }

    /// Bits of freshness in a frame.
    #[getter]
    fn freshness_bits(&self) -> u8 {
        self.0.truncated_bits()
    }

    /// Bits of code in a frame.
    #[getter]
    fn mac_bits(&self) -> u8 {
        self.0.mac_bits()
    }

    /// Values that a receiver tries.
    #[getter]
    fn attempts(&self) -> u8 {
        self.0.attempts()
    }

    /// Bytes that a frame has besides the payload.
    #[getter]
    fn trailer_length(&self) -> usize {
        self.0.trailer_length()
    }

    /// True if a freshness master is needed.
    #[getter]
    fn is_synchronised(&self) -> bool {
        self.0.freshness().is_synchronised()
    }

    fn __repr__(&self) -> String {
        let widths = self.0.freshness();
        format!(
            "Profile(trip={}, reset={}, message={}, flag={}, freshness_bits={}, mac_bits={}, \
             attempts={})",
            widths.trip,
            widths.reset,
            widths.message,
            widths.flag,
            self.0.truncated_bits(),
            self.0.mac_bits(),
            self.0.attempts()
        )
    }
}
