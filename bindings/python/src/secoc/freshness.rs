//! The freshness master of a car, and those who follow it.

use pyo3::prelude::*;
use waywarden_can::StandardId;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Epoch, FreshnessFollower, FreshnessMaster, FreshnessState, SecocCarrier,
    Synchronisation,
};
use waywarden_work::NoMeter;

use super::cmac::mac_key;
use super::outcome::PyOutcome;
use super::stream::{KEY, Keys, chosen, keys, refused_key};
use crate::arguments::Octets;
use crate::error::Failure;
use crate::frame::{PyFrame, extract, shown};
use crate::moment::{duration, instant, seconds};
use crate::retain::{Keeper, kept};

/// The announcements of a freshness master: their frames, their key, and the profile whose counters
/// they carry.
///
/// Parameters
/// ----------
/// profile : Profile or str
///     A profile with trip and reset counter.
/// key : bytes-like
///     16 bytes for AES-CMAC.
/// arbitration_id : int, optional
///     Identifier of the announcements, 0 to 0x7FF.
/// mac_bits : int, optional
///     Bits of code in an announcement, 24 to 128.
/// is_fd : bool, optional
///     True for CAN FD frames.
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     A profile without these counters, or a frame without room.
#[pyclass(name = "Announcements", module = "waywarden.secoc", frozen)]
pub(crate) struct PyAnnouncements {
    form: Synchronisation,
    key: waywarden_can_auth::mac::MacKey,
}

#[pymethods]
impl PyAnnouncements {
    #[new]
    #[pyo3(signature = (*, profile, key, arbitration_id=0x00F, mac_bits=28, is_fd=false))]
    fn new(
        profile: &Bound<'_, PyAny>,
        key: Octets,
        arbitration_id: u16,
        mac_bits: u8,
        is_fd: bool,
    ) -> PyResult<Self> {
        let id = StandardId::new(arbitration_id)
            .map_err(|error| Failure::parameter("arbitration_id", error, "0 to 0x7FF"))?;
        let carrier = if is_fd {
            SecocCarrier::Fd
        } else {
            SecocCarrier::Classic
        };
        let frame = AnnouncementFrame {
            carrier,
            id,
            mac_bits,
        };
        let form = Synchronisation::new(&chosen(profile)?.0, frame, KEY).map_err(|error| {
            let remedy = "a profile with trip and reset counter, 24 to 128 bits of code, or \
                          is_fd=True";
            Failure::parameter("profile", error, remedy)
        })?;
        Ok(PyAnnouncements {
            form,
            key: mac_key("key", &key.0)?,
        })
    }

    /// Identifier of the announcements.
    #[getter]
    fn arbitration_id(&self) -> u16 {
        self.form.id().raw()
    }

    fn __repr__(&self) -> String {
        format!("<Announcements 0x{:03X}>", self.arbitration_id())
    }
}

/// The freshness master of a car: it counts trips and resets, and announces them.
///
/// Parameters
/// ----------
/// announcements : Announcements
/// cycle : float, optional
///     Seconds between two announcements; the first one is due at once.
/// retain : callable or None
///     Called with the trip, which must survive a reset, before the first announcement. None only
///     where the process never starts again under this key.
/// retained : int, optional
///     The last value that ``retain`` had under this key; read from ``retain`` if that has a method
///     ``read``, as a ``FileStore``.
///
/// Raises
/// ------
/// waywarden.errors.RefusedError
///     The trip counter is at its end.
#[pyclass(name = "FreshnessMaster", module = "waywarden.secoc")]
pub(crate) struct PyFreshnessMaster {
    master: FreshnessMaster,
    keys: Keys,
    keeper: Keeper,
}

#[pymethods]
impl PyFreshnessMaster {
    #[new]
    #[pyo3(signature = (announcements, *, retain, cycle=0.1, retained=None))]
    fn new(
        announcements: &PyAnnouncements,
        retain: &Bound<'_, PyAny>,
        cycle: f64,
        retained: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let keeper = Keeper::new(retain)?;
        let retained = kept(retain, retained, |value| {
            value.extract::<u32>().map_err(|_| {
                let problem = format!("{} is no trip", shown(value));
                Failure::parameter("retained", problem, "the value that was retained last")
            })
        })?;
        let cycle = duration("cycle", cycle)?;
        let master = FreshnessMaster::new(announcements.form, retained, cycle)
            .map_err(|error| Failure::new("RefusedError", error).code("trips-exhausted"))?;
        let keys = keys(&announcements.key, Usage::Protect)?;
        Ok(PyFreshnessMaster {
            master,
            keys,
            keeper,
        })
    }

    /// Returns the announcement that is due at ``now``, or None.
    ///
    /// Parameters
    /// ----------
    /// now : float, optional
    ///     Seconds; ``time.monotonic()`` by default.
    #[pyo3(signature = (now=None))]
    fn announce(&mut self, py: Python<'_>, now: Option<f64>) -> PyResult<Option<PyFrame>> {
        let now = instant(py, now)?;
        // The second time if a new trip began.
        for _ in 0..2 {
            if let Some(trip) = self.master.to_retain() {
                self.keeper.keep(py, trip)?;
                self.master.retained(trip);
            }
            let due = self.master.outgoing(now, &mut self.keys, &mut NoMeter);
            if let Some(frame) = due.map_err(|error| refused_key(&error))? {
                return Ok(Some(PyFrame(frame)));
            }
        }
        Ok(None)
    }

    /// Time of the next announcement, in seconds; None if there is none.
    #[getter]
    fn next_deadline(&self) -> Option<f64> {
        self.master.next_deadline().map(seconds)
    }
}

/// Follows a freshness master: one for all streams of an ECU.
///
/// Parameters
/// ----------
/// announcements : Announcements
/// retain : callable or None
///     Called with ``(trip, reset)``, which must survive a reset, before they are in use. None only
///     where the process never starts again under this key.
/// retained : (int, int), optional
///     The last value that ``retain`` had under this key; read from ``retain`` if that has a method
///     ``read``, as a ``FileStore``.
/// resets_ahead : int, optional
///     Resets that are marked as used in advance: with 16, one announcement in 8 is retained.
#[pyclass(name = "FreshnessFollower", module = "waywarden.secoc")]
pub(crate) struct PyFreshnessFollower {
    follower: FreshnessFollower,
    keys: Keys,
    keeper: Keeper,
    identifier: u32,
}

#[pymethods]
impl PyFreshnessFollower {
    #[new]
    #[pyo3(signature = (announcements, *, retain, retained=None, resets_ahead=0))]
    fn new(
        announcements: &PyAnnouncements,
        retain: &Bound<'_, PyAny>,
        retained: Option<Bound<'_, PyAny>>,
        resets_ahead: u32,
    ) -> PyResult<Self> {
        let keeper = Keeper::new(retain)?;
        let retained = kept(retain, retained, |value| {
            let (trip, reset) = value.extract::<(u32, u32)>().map_err(|_| {
                let problem = format!("{} is no trip and reset", shown(value));
                Failure::parameter("retained", problem, "the value that was retained last")
            })?;
            Ok(Epoch { trip, reset })
        })?;
        let follower = FreshnessFollower::new(announcements.form, retained);
        Ok(PyFreshnessFollower {
            follower: follower.with_resets_ahead(resets_ahead),
            keys: keys(&announcements.key, Usage::Check)?,
            keeper,
            identifier: announcements.form.id().raw().into(),
        })
    }

    /// Takes any frame and returns the outcome of an announcement; None for other frames.
    ///
    /// An announcement that is newer than the last one is ``resynced``; then ``retain`` was called
    /// if there was something to retain.
    ///
    /// Parameters
    /// ----------
    /// frame : Frame or can.Message
    fn accept(&mut self, frame: &Bound<'_, PyAny>) -> PyResult<Option<PyOutcome>> {
        let heard = self
            .follower
            .accept(&extract(frame)?, &mut self.keys, &mut NoMeter);
        let heard = heard.map_err(|error| refused_key(&error))?;
        if let Some(epoch) = self.follower.to_retain() {
            self.keeper.keep(frame.py(), (epoch.trip, epoch.reset))?;
            self.follower.retained(epoch);
        }
        Ok(heard.map(|outcome| PyOutcome::new(&outcome, self.identifier)))
    }

    /// Trip and reset that were announced last; None before the first announcement.
    #[getter]
    fn latest(&self) -> Option<(u32, u32)> {
        self.follower
            .latest()
            .map(|epoch| (epoch.trip, epoch.reset))
    }

    /// True if messages can be sent and taken.
    #[getter]
    fn is_synchronised(&self) -> bool {
        self.follower.is_synchronised()
    }
}

/// The source of freshness of an end.
pub(super) enum Source {
    /// Each stream counts for itself, or there is no freshness.
    Own,
    /// The ECU of the end is the master.
    Master(Py<PyFreshnessMaster>),
    /// The ECU of the end follows one.
    Follower(Py<PyFreshnessFollower>),
}

impl Source {
    /// Takes the argument `freshness`.
    pub(super) fn new(freshness: Option<&Bound<'_, PyAny>>, is_needed: bool) -> PyResult<Self> {
        let Some(freshness) = freshness else {
            return match is_needed {
                false => Ok(Source::Own),
                true => Err(Failure::parameter(
                    "freshness",
                    "the profile has counters that a freshness master announces",
                    "pass a FreshnessFollower or a FreshnessMaster",
                )),
            };
        };
        if let Ok(master) = freshness.cast::<PyFreshnessMaster>() {
            return Ok(Source::Master(master.clone().unbind()));
        }
        match freshness.cast::<PyFreshnessFollower>() {
            Ok(follower) => Ok(Source::Follower(follower.clone().unbind())),
            Err(_) => Err(Failure::parameter(
                "freshness",
                format_args!("{} announces nothing", shown(freshness)),
                "pass a FreshnessFollower or a FreshnessMaster",
            )),
        }
    }

    /// Returns the epochs in which a message may be now.
    pub(super) fn state(&self, py: Python<'_>) -> PyResult<FreshnessState> {
        Ok(match self {
            Source::Own => FreshnessState::UNSYNCHRONISED,
            Source::Master(master) => master.bind(py).try_borrow()?.master.freshness_state(),
            Source::Follower(follower) => {
                follower.bind(py).try_borrow()?.follower.freshness_state()
            }
        })
    }
}
