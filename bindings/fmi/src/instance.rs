//! An instance of a unit: its modes, its time and its variables, without pointers.

use waywarden_can_sim::clock::Time;
use waywarden_vehicle_fmu::operation::status;
use waywarden_vehicle_fmu::unit::Settings;
use waywarden_vehicle_fmu::variables::{BusVariable, Kind, TerminalVariable, Variable};
use waywarden_vehicle_fmu::{Unit, UnitError};

use crate::log::Log;
use crate::resources::Vehicle;
use crate::status::Status;

/// The mark of memory that holds an instance.
const MARK: u64 = u64::from_be_bytes(*b"WWFMI3_1");
/// Difference between the importer's time and the unit's that rounding explains, in picoseconds:
/// a hundredth of the shortest bit.
const SLACK: u64 = 1_000;

/// Mode of an instance [FMI 3.0 §4.2.1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Instantiated,
    Initialization,
    Event,
    Step,
    Terminated,
    /// Only freeing is left.
    Failed,
}

impl Mode {
    pub(crate) const ANY: &[Mode] = &[
        Mode::Instantiated,
        Mode::Initialization,
        Mode::Event,
        Mode::Step,
        Mode::Terminated,
    ];
    pub(crate) const RUNNING: &[Mode] = &[Mode::Event, Mode::Step];
    pub(crate) const SETTING: &[Mode] = &[Mode::Instantiated, Mode::Initialization];
}

/// A value of a variable that is neither bytes nor a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Float64(f64),
    UInt8(u8),
    UInt16(u16),
    UInt32(u32),
    UInt64(u64),
    Boolean(bool),
}

/// Result of a step, with times of the importer.
pub(crate) struct Stepped {
    pub(crate) time: f64,
    pub(crate) has_operations: bool,
    pub(crate) is_early: bool,
}

pub(crate) struct Instance {
    mark: u64,
    pub(crate) mode: Mode,
    pub(crate) log: Log,
    pub(crate) vehicle: Vehicle,
    settings: Settings,
    unit: Option<Unit>,
    /// The importer's time at the unit's time zero, in seconds.
    start: f64,
    pub(crate) uses_events: bool,
    may_be_early: bool,
}

impl Instance {
    pub(crate) fn new(vehicle: Vehicle, log: Log, uses_events: bool, may_be_early: bool) -> Self {
        Instance {
            mark: MARK,
            mode: Mode::Instantiated,
            log,
            settings: Settings::new(&vehicle.file),
            vehicle,
            unit: None,
            start: 0.0,
            uses_events,
            may_be_early,
        }
    }

    pub(crate) fn is_marked(&self) -> bool {
        self.mark == MARK
    }

    /// Ends the instance for good, so that a second call with its pointer may still be noticed.
    pub(crate) fn unmark(&mut self) {
        self.mark = 0;
    }

    pub(crate) fn reset(&mut self) {
        self.mode = Mode::Instantiated;
        self.unit = None;
        self.settings = Settings::new(&self.vehicle.file);
    }

    pub(crate) fn begin(&mut self, start: f64) -> Result<(), String> {
        if !start.is_finite() {
            return Err(format!("the start time is {start}"));
        }
        self.start = start;
        self.mode = Mode::Initialization;
        Ok(())
    }

    /// Begins the simulation.
    pub(crate) fn begun(&mut self) -> Result<(), String> {
        let Vehicle {
            file,
            resources,
            choices,
            terminals,
        } = &self.vehicle;
        let unit = Unit::new(file, resources, choices, terminals, &self.settings);
        self.unit = Some(unit.map_err(|error| error.to_string())?);
        self.mode = match self.uses_events {
            true => Mode::Event,
            false => Mode::Step,
        };
        Ok(())
    }

    pub(crate) fn unit(&mut self) -> Result<&mut Unit, String> {
        let none = || "the unit is not initialised".to_owned();
        self.unit.as_mut().ok_or_else(none)
    }

    /// Runs from one time of the importer for so many seconds.
    pub(crate) fn step(&mut self, from: f64, length: f64) -> Result<Stepped, String> {
        let (start, may_be_early) = (self.start, self.may_be_early && self.uses_events);
        let (begin, mut end) = (picos(from - start)?, picos(from + length - start)?);
        let unit = self.unit()?;
        let now = unit.now().as_picos();
        // Numbers of 64 bits have no picoseconds after an hour.
        let slack = SLACK.max(now >> 49);
        if begin.abs_diff(now) > slack {
            return Err(format!(
                "the communication point is {from} s, and the unit is at {} s",
                seconds(now, start)
            ));
        }
        if length < 0.0 {
            return Err(format!("a step of {length} s"));
        }
        // A step to an announced time ends there whatever the sum of intervals was rounded to.
        let due = unit.next_due().as_picos();
        if end.abs_diff(due) <= slack {
            end = due;
        }
        let end = Time::from_picos(end.max(now));
        let reached = unit.run(end, may_be_early);
        let reached = reached.map_err(|error| self.failed(&error))?;
        Ok(Stepped {
            time: match reached.is_early {
                true => seconds(reached.at.as_picos(), start),
                false => from + length,
            },
            has_operations: reached.has_operations,
            is_early: reached.is_early,
        })
    }

    /// Takes the operations that were handed in; the status says if nodes did something wrong.
    pub(crate) fn update(&mut self) -> Result<Status, String> {
        let unit = self.unit()?;
        if let Err(error) = unit.update() {
            return Err(self.failed(&error));
        }
        let warnings = unit.warnings();
        for warning in &warnings {
            self.log.warning(warning);
        }
        Ok(match warnings.is_empty() {
            true => Status::Ok,
            false => Status::Warning,
        })
    }

    fn failed(&mut self, error: &UnitError) -> String {
        self.mode = Mode::Terminated;
        error.to_string()
    }

    /// Finds a variable.
    pub(crate) fn variable(&self, reference: u32) -> Result<Variable, String> {
        let found = Variable::of(reference, &self.vehicle.terminals);
        found.ok_or_else(|| format!("there is no variable of value reference {reference}"))
    }

    /// Finds a terminal's variable of one of two kinds: true for the first.
    pub(crate) fn member(
        &self,
        reference: u32,
        [first, second]: [TerminalVariable; 2],
    ) -> Result<(usize, bool), String> {
        match Variable::of_terminal(reference, &self.vehicle.terminals) {
            Some((at, variable)) if variable == first => Ok((at, true)),
            Some((at, variable)) if variable == second => Ok((at, false)),
            _ => Err(self.wrong(self.variable(reference)?)),
        }
    }

    /// Returns the value of a variable that is neither bytes nor a clock.
    pub(crate) fn value(&self, reference: u32) -> Result<Value, String> {
        let variable = self.variable(reference)?;
        let unit = self.unit.as_ref();
        Ok(match variable {
            Variable::Time => {
                let now = unit.map_or(0, |unit| unit.now().as_picos());
                Value::Float64(seconds(now, self.start))
            }
            Variable::Seed => Value::UInt64(self.settings.seed),
            Variable::OfBus(bus, of_bus) => {
                let rates = self.settings.rates.get(bus).copied().unwrap_or_default();
                let figures = unit.map(|unit| unit.statistics(bus)).unwrap_or_default();
                match of_bus {
                    BusVariable::BitRate => Value::UInt32(rates.0),
                    BusVariable::DataBitRate => Value::UInt32(rates.1),
                    BusVariable::Load => {
                        let load = unit.map_or(0.0, |unit| figures.load(unit.now()));
                        Value::Float64(load)
                    }
                    BusVariable::Frames => Value::UInt64(figures.frames),
                    BusVariable::ArbitrationsLost => Value::UInt64(figures.arbitrations_lost),
                    BusVariable::ErrorFlags => Value::UInt64(figures.error_flags),
                }
            }
            Variable::OfTerminal(at, of_terminal) => {
                let figures = unit.map(|unit| unit.figures(at)).unwrap_or_default();
                match of_terminal {
                    TerminalVariable::BusNotifications => Value::Boolean(true),
                    TerminalVariable::TransmitErrorCounter => Value::UInt16(figures.tec),
                    TerminalVariable::ReceiveErrorCounter => Value::UInt16(figures.rec),
                    TerminalVariable::State => Value::UInt8(status(figures.state)),
                    TerminalVariable::ArbitrationsLost => Value::UInt64(figures.arbitrations_lost),
                    TerminalVariable::Dropped => Value::UInt64(figures.dropped),
                    _ => return Err(self.wrong(variable)),
                }
            }
        })
    }

    /// Sets a parameter.
    pub(crate) fn set(&mut self, reference: u32, value: Value) -> Result<(), String> {
        let variable = self.variable(reference)?;
        match (variable, value) {
            (Variable::Seed, Value::UInt64(seed)) => self.settings.seed = seed,
            (Variable::OfBus(bus, BusVariable::BitRate), Value::UInt32(rate)) => {
                self.settings.rates[bus].0 = rate;
            }
            (Variable::OfBus(bus, BusVariable::DataBitRate), Value::UInt32(rate)) => {
                self.settings.rates[bus].1 = rate;
            }
            _ => return Err(format!("{} cannot be set so", self.shown(variable))),
        }
        Ok(())
    }

    /// Says that a variable has another type.
    pub(crate) fn wrong(&self, variable: Variable) -> String {
        let kind: Kind = variable.kind();
        format!(
            "{} is a {kind:?}; use the function for it",
            self.shown(variable)
        )
    }

    fn shown(&self, variable: Variable) -> String {
        variable.name(&self.vehicle.terminals)
    }
}

fn seconds(picos: u64, start: f64) -> f64 {
    start + picos as f64 / 1e12
}

fn picos(seconds: f64) -> Result<u64, String> {
    let picos = (seconds * 1e12).round();
    // A step may begin before the start by what rounding explains.
    match (-1e3..1.9e19).contains(&picos) {
        true => Ok(picos.max(0.0) as u64),
        false => Err(format!(
            "the time is {seconds} s after the start; 0 to 106 days"
        )),
    }
}
