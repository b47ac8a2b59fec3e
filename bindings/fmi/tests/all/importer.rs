//! A small importer: one unit, and the operations of its nodes. Time goes from tick to tick of the
//! unit's clocks, in picoseconds.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::Mutex;

use waywarden_fmi::clocks::{fmi3GetIntervalFraction, fmi3SetClock};
use waywarden_fmi::life::{
    fmi3EnterEventMode, fmi3EnterInitializationMode, fmi3EnterStepMode, fmi3ExitInitializationMode,
    fmi3FreeInstance, fmi3InstantiateCoSimulation,
};
use waywarden_fmi::status::{IntervalQualifier, Status};
use waywarden_fmi::step::{fmi3DoStep, fmi3UpdateDiscreteStates};
use waywarden_fmi::values::{fmi3GetBinary, fmi3SetBinary};
use waywarden_vehicle_fmu::operation::Operations;
use waywarden_vehicle_fmu::terminals::CHOICES_FILE;
use waywarden_vehicle_fmu::variables::{TerminalVariable, Variable};
use waywarden_vehicle_fmu::{Choices, Operation};

/// The resources of a unit, in a folder of their own.
pub(crate) struct Resources {
    folder: tempfile::TempDir,
}

impl Resources {
    pub(crate) fn new(vehicle: &str, nodes: usize, outside: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let choices = Choices {
            vehicle: "car.toml".to_owned(),
            token: "token".to_owned(),
            nodes,
            outside: outside.iter().map(ToString::to_string).collect(),
        };
        let text = serde_json::to_string(&choices).unwrap();
        std::fs::write(folder.path().join(CHOICES_FILE), text).unwrap();
        std::fs::write(folder.path().join("car.toml"), vehicle).unwrap();
        Resources { folder }
    }

    /// Makes an instance; null with the messages if it is refused.
    pub(crate) fn instance(&self, log: &Messages, token: &str, early: bool) -> *mut c_void {
        let path = CString::new(format!("{}/", self.folder.path().display())).unwrap();
        let token = CString::new(token).unwrap();
        // SAFETY: the texts outlive the call, and the messages the instance.
        unsafe {
            fmi3InstantiateCoSimulation(
                c"bus".as_ptr(),
                token.as_ptr(),
                path.as_ptr(),
                0,
                1,
                1,
                u8::from(early),
                ptr::null(),
                0,
                ptr::from_ref(log).cast_mut().cast(),
                Some(write_down),
                ptr::null(),
            )
        }
    }
}

/// Messages of instances.
#[derive(Default)]
pub(crate) struct Messages(Mutex<Vec<String>>);

impl Messages {
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

unsafe extern "C" fn write_down(
    log: *mut c_void,
    _status: Status,
    _category: *const c_char,
    message: *const c_char,
) {
    // SAFETY: `instance` gave this pointer, and a message ends with a zero byte.
    let (log, message) = unsafe { (&*log.cast::<Messages>(), CStr::from_ptr(message)) };
    let message = message.to_str().unwrap().to_owned();
    log.0.lock().unwrap().push(message);
}

/// An operation for a node: its time in picoseconds, the terminal, and the operation.
pub(crate) type Heard = (u64, usize, Operation);

/// A unit with nodes that send what they are told.
pub(crate) struct Importer<'a> {
    instance: *mut c_void,
    terminals: usize,
    now: u64,
    /// Time of the next tick of each terminal.
    ticks: Vec<Option<u64>>,
    pub(crate) heard: Vec<Heard>,
    /// The instance writes to them while it lives.
    _messages: &'a Messages,
    pub(crate) steps: u64,
    /// Steps that came back before their end.
    pub(crate) early: u64,
    /// The answer of a terminal's node to an operation, handed in during the same event.
    pub(crate) answer: fn(usize, &Operation) -> Option<Operation>,
}

/// Result of one step.
struct Stepped {
    needs_event: bool,
    is_early: bool,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(resources: &Resources, messages: &'a Messages, terminals: usize) -> Self {
        Self::with(resources, messages, terminals, false)
    }

    /// Makes an importer; `early` allows early returns.
    pub(crate) fn with(
        resources: &Resources,
        messages: &'a Messages,
        terminals: usize,
        early: bool,
    ) -> Self {
        let instance = resources.instance(messages, "token", early);
        assert!(!instance.is_null(), "{:?}", messages.take());
        // SAFETY: the instance was just made.
        unsafe {
            ok(fmi3EnterInitializationMode(instance, 0, 0.0, 0.0, 0, 0.0));
            ok(fmi3ExitInitializationMode(instance));
        }
        let mut importer = Importer {
            instance,
            terminals,
            now: 0,
            ticks: vec![None; terminals],
            heard: Vec::new(),
            _messages: messages,
            steps: 0,
            early: 0,
            answer: |_, _| None,
        };
        importer.end_event();
        importer
    }

    /// Runs to `end` in picoseconds; `plan` has the operations of nodes by time and terminal.
    pub(crate) fn run(&mut self, plan: &BTreeMap<u64, Vec<(usize, Operation)>>, end: u64) {
        let mut plan = plan.range(self.now..).peekable();
        loop {
            let planned = plan.peek().map(|(at, _)| **at);
            let tick = self.ticks.iter().flatten().min().copied();
            let next = [planned, tick, Some(end)]
                .into_iter()
                .flatten()
                .min()
                .unwrap();
            let stepped = self.step_to(next);
            assert!(!stepped.is_early);
            if next == end && planned != Some(end) && tick != Some(end) {
                return;
            }
            self.begin_event();
            if planned == Some(next) {
                for (terminal, operation) in plan.next().unwrap().1 {
                    self.hand_in(*terminal, &operation.to_bytes());
                }
            }
            self.end_event();
        }
    }

    /// Runs to `end` in steps of `length`, shorter ones where a node hands operations in. Between
    /// them there is an event only where the unit asks for one.
    pub(crate) fn run_in_steps(
        &mut self,
        plan: &BTreeMap<u64, Vec<(usize, Operation)>>,
        length: u64,
        end: u64,
    ) {
        let mut plan = plan.range(self.now..).peekable();
        while self.now < end {
            let boundary = (self.now / length + 1) * length;
            let planned = plan.peek().map_or(end, |(at, _)| **at);
            let stepped = self.step_to(boundary.min(planned).min(end));
            let is_planned = plan.peek().is_some_and(|(at, _)| **at == self.now);
            if !stepped.needs_event && !is_planned {
                assert!(!stepped.is_early);
                continue;
            }
            self.begin_event();
            if is_planned {
                for (terminal, operation) in plan.next().unwrap().1 {
                    self.hand_in(*terminal, &operation.to_bytes());
                }
            }
            self.intervals();
            self.end_event();
        }
    }

    /// Returns the time up to which the unit has run, in picoseconds.
    pub(crate) fn time(&self) -> u64 {
        self.now
    }

    /// Begins an event.
    pub(crate) fn begin_event(&self) {
        // SAFETY: the instance is in step mode.
        ok(unsafe { fmi3EnterEventMode(self.instance) });
    }

    /// Hands operations in, in an event.
    pub(crate) fn hand_in(&self, terminal: usize, bytes: &[u8]) {
        let [clock, data] =
            [TerminalVariable::RxClock, TerminalVariable::RxData].map(|of| reference(terminal, of));
        // SAFETY: one variable and one value each.
        unsafe {
            ok(fmi3SetClock(self.instance, &clock, 1, &1));
            let (size, value) = (bytes.len(), bytes.as_ptr());
            ok(fmi3SetBinary(self.instance, &data, 1, &size, &value, 1));
        }
    }

    fn step_to(&mut self, next: u64) -> Stepped {
        let (mut event, mut stop, mut early, mut reached) = (9, 9, 9, 0.0);
        let (from, step) = (self.now as f64 / 1e12, (next - self.now) as f64 / 1e12);
        // SAFETY: all places are there.
        ok(unsafe {
            fmi3DoStep(
                self.instance,
                from,
                step,
                1,
                &mut event,
                &mut stop,
                &mut early,
                &mut reached,
            )
        });
        assert!(stop == 0 && early < 2 && event < 2);
        let exact = (reached * 1e12).round() as u64;
        match early {
            0 => assert_eq!(exact, next),
            _ => assert!(self.now < exact && exact < next && event == 1),
        }
        self.now = exact;
        self.steps += 1;
        self.early += u64::from(early);
        Stepped {
            needs_event: event == 1,
            is_early: early == 1,
        }
    }

    /// Ticks clocks whose time is now, until none is, and begins the next step.
    pub(crate) fn end_event(&mut self) {
        loop {
            for terminal in 0..self.terminals {
                if self.ticks[terminal] == Some(self.now) {
                    self.ticks[terminal] = None;
                    self.fetch(terminal);
                }
            }
            self.update();
            self.intervals();
            if !self.ticks.contains(&Some(self.now)) {
                break;
            }
        }
        // SAFETY: the instance is in event mode.
        ok(unsafe { fmi3EnterStepMode(self.instance) });
    }

    fn fetch(&mut self, terminal: usize) {
        let [clock, data] =
            [TerminalVariable::TxClock, TerminalVariable::TxData].map(|of| reference(terminal, of));
        let (mut size, mut value) = (0, ptr::null());
        // SAFETY: one variable and one value each, and the bytes are valid up to the next call.
        let bytes = unsafe {
            ok(fmi3SetClock(self.instance, &clock, 1, &1));
            ok(fmi3GetBinary(
                self.instance,
                &data,
                1,
                &mut size,
                &mut value,
                1,
            ));
            std::slice::from_raw_parts(value, size)
        };
        let operations: Vec<Operation> = Operations::new(bytes).map(Result::unwrap).collect();
        let mut answers = Vec::new();
        for operation in operations {
            if let Some(answer) = (self.answer)(terminal, &operation) {
                answer.write(&mut answers);
            }
            self.heard.push((self.now, terminal, operation));
        }
        if !answers.is_empty() {
            self.hand_in(terminal, &answers);
        }
    }

    fn update(&self) {
        let mut flags = [9; 5];
        let [need, stop, nominals, values, defined] = &mut flags;
        let mut time = 0.0;
        // SAFETY: all places are there.
        let status = unsafe {
            fmi3UpdateDiscreteStates(
                self.instance,
                need,
                stop,
                nominals,
                values,
                defined,
                &mut time,
            )
        };
        assert!(matches!(status, Status::Ok | Status::Warning), "{status:?}");
        assert_eq!(flags, [0; 5]);
    }

    fn intervals(&mut self) {
        let clock = |terminal| reference(terminal, TerminalVariable::TxClock);
        let clocks: Vec<u32> = (0..self.terminals).map(clock).collect();
        let (mut counters, mut resolutions) =
            (vec![0_u64; self.terminals], vec![1_u64; self.terminals]);
        let mut qualifiers = vec![IntervalQualifier::NotYetKnown; self.terminals];
        // SAFETY: as many places as clocks.
        ok(unsafe {
            fmi3GetIntervalFraction(
                self.instance,
                clocks.as_ptr(),
                clocks.len(),
                counters.as_mut_ptr(),
                resolutions.as_mut_ptr(),
                qualifiers.as_mut_ptr(),
            )
        });
        for terminal in 0..self.terminals {
            match qualifiers[terminal] {
                IntervalQualifier::Changed => {
                    assert_eq!(resolutions[terminal], 1_000_000_000_000);
                    self.ticks[terminal] = Some(self.now + counters[terminal]);
                }
                IntervalQualifier::Unchanged => assert!(self.ticks[terminal].is_some()),
                IntervalQualifier::NotYetKnown => {}
            }
        }
    }
}

impl Drop for Importer<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `instance`, and freed here only.
        unsafe { fmi3FreeInstance(self.instance) }
    }
}

/// Returns the value reference of a terminal's variable.
pub(crate) fn reference(terminal: usize, of: TerminalVariable) -> u32 {
    Variable::OfTerminal(terminal, of).reference()
}

pub(crate) fn ok(status: Status) {
    assert_eq!(status, Status::Ok);
}
