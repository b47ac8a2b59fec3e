//! A log of messages as tables: each reception, and each decision of a receiver that verifies.
//!
//! Rows leave as they come, so memory stays that of some ten thousand of them.

mod column;
mod parquet_table;
mod table;

use std::io::{self, Write};

use self::column::{Column, Value};
pub use self::table::TableFormat;
use self::table::TableWriter;
use crate::run_log::{
    GeneratedMessage, MessageDecision, ReceivedMessage, RunLog, Transmitter, WindowSummary,
};

/// The columns of a message that a vehicle made, with its motion in the time step.
const GENERATED: [Column; 7] = [
    Column::seconds("time_s"),
    Column::text("vehicle"),
    Column::seconds("step_s"),
    Column::number("x_m"),
    Column::number("y_m"),
    Column::number("speed_m_s"),
    Column::number("heading_degrees"),
];

/// The columns of a message.
const RECEIVED: [Column; 7] = [
    Column::seconds("time_s"),
    Column::seconds("made_s"),
    Column::text("sender"),
    Column::text("receiver"),
    Column::number("distance_m"),
    Column::number("power_dbm"),
    Column::boolean("is_false"),
];

/// The columns of a decision, behind those of its message.
const DECIDED: [Column; 5] = [
    Column::text("board"),
    Column::text("policy"),
    Column::count("applications"),
    Column::text("verdict"),
    Column::seconds("decided_s"),
];

/// The columns of a window of 100 ms.
const WINDOW: [Column; 5] = [
    Column::seconds("end_s"),
    Column::count("vehicles"),
    Column::count("received"),
    Column::count("received_least"),
    Column::count("received_most"),
];

/// Writes windows, and messages if there are tables for them. Times are those of the trace.
pub struct MessageLog {
    names: Names,
    windows: TableWriter,
    messages: Option<MessageWriters>,
    error: Option<io::Error>,
}

/// Tables of messages.
struct MessageWriters {
    generated: TableWriter,
    received: TableWriter,
    decided: TableWriter,
}

/// Names behind the numbers of a log.
struct Names {
    /// The time of the trace at which the run begins.
    begin_s: f64,
    vehicles: Vec<String>,
    boards: Vec<String>,
    policies: Vec<String>,
}

/// Writers of the message tables.
pub struct MessageTables {
    /// Takes the messages that vehicles make.
    pub generated: Box<dyn Write + Send>,
    /// Takes the receptions.
    pub received: Box<dyn Write + Send>,
    /// Takes the decisions.
    pub decided: Box<dyn Write + Send>,
    /// File format of the tables.
    pub format: TableFormat,
}

impl MessageLog {
    /// Begins with the names of the columns. `windows` takes CSV; `boards` and `policies` are the
    /// names of those that are compared.
    ///
    /// # Errors
    /// Of the writers.
    pub fn new(
        windows: Box<dyn Write + Send>,
        messages: Option<MessageTables>,
        (boards, policies): (Vec<String>, Vec<String>),
    ) -> io::Result<Self> {
        let open = |tables: MessageTables| {
            let decided: Vec<Column> = RECEIVED.into_iter().chain(DECIDED).collect();
            let MessageTables { format, .. } = tables;
            Ok::<_, io::Error>(MessageWriters {
                generated: TableWriter::new(tables.generated, format, &GENERATED)?,
                received: TableWriter::new(tables.received, format, &RECEIVED)?,
                decided: TableWriter::new(tables.decided, format, &decided)?,
            })
        };
        Ok(Self {
            names: Names {
                begin_s: 0.0,
                vehicles: Vec::new(),
                boards,
                policies,
            },
            windows: TableWriter::new(windows, TableFormat::Csv, &WINDOW)?,
            messages: messages.map(open).transpose()?,
            error: None,
        })
    }

    /// Sets the time of the trace at which the run begins, in seconds.
    pub fn begin_at(&mut self, begin_s: f64) {
        self.names.begin_s = begin_s;
    }

    /// Adds the names of new vehicles; `name` is asked by number.
    pub fn name_vehicles<'a>(&mut self, name: impl Fn(usize) -> Option<&'a str>) {
        while let Some(name) = name(self.names.vehicles.len()) {
            self.names.vehicles.push(name.to_owned());
        }
    }

    /// Checks that everything could be written until now.
    ///
    /// # Errors
    /// The first error of a writer.
    pub fn check(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first error of a writer.
    pub fn finish(self) -> io::Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.windows.finish()?;
        match self.messages {
            Some(messages) => {
                messages.generated.finish()?;
                messages.received.finish()?;
                messages.decided.finish()
            }
            None => Ok(()),
        }
    }

    /// Keeps the first error: a run has no way to say it.
    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }
}

impl Names {
    fn seconds(&self, time_ns: u64) -> Value<'_> {
        Value::Seconds(self.begin_s + time_ns as f64 / 1e9)
    }

    fn vehicle(&self, number: usize) -> &str {
        self.vehicles.get(number).map_or("", String::as_str)
    }

    /// Returns the values of a message. `attacker` takes the name of one.
    fn message<'a>(
        &'a self,
        message: &ReceivedMessage,
        attacker: &'a mut String,
    ) -> [Value<'a>; RECEIVED.len()] {
        let (sender, is_false) = match message.sender {
            Transmitter::Vehicle(number) => (self.vehicle(number), false),
            Transmitter::Attacker(number) => {
                *attacker = format!("attacker-{number}");
                (attacker.as_str(), true)
            }
        };
        [
            self.seconds(message.time_ns),
            self.seconds(message.made_ns),
            Value::Text(sender),
            Value::Text(self.vehicle(message.receiver)),
            Value::Number(message.distance_m as f32),
            Value::Number((10.0 * message.power_mw.log10()) as f32),
            Value::Boolean(is_false),
        ]
    }
}

impl RunLog for MessageLog {
    fn generated(&mut self, message: &GeneratedMessage) {
        let Some(tables) = &mut self.messages else {
            return;
        };
        let motion = &message.motion;
        let known = |value: Option<f64>| Value::Number(value.unwrap_or(f64::NAN) as f32);
        let written = tables.generated.row(&[
            self.names.seconds(message.time_ns),
            Value::Text(self.names.vehicle(message.vehicle)),
            self.names.seconds(motion.at_ns),
            Value::Number(motion.place.x_m as f32),
            Value::Number(motion.place.y_m as f32),
            known(motion.speed_m_s),
            known(motion.heading_degrees),
        ]);
        self.keep(written);
    }

    fn received(&mut self, message: &ReceivedMessage) {
        let Some(tables) = &mut self.messages else {
            return;
        };
        let mut attacker = String::new();
        let written = tables
            .received
            .row(&self.names.message(message, &mut attacker));
        self.keep(written);
    }

    fn decided(&mut self, decision: &MessageDecision) {
        let Some(tables) = &mut self.messages else {
            return;
        };
        let mut attacker = String::new();
        let [time, made, sender, receiver, distance, power, is_false] =
            self.names.message(&decision.message, &mut attacker);
        let board = self.names.boards.get(decision.board);
        let policy = self.names.policies.get(decision.policy);
        let written = tables.decided.row(&[
            time,
            made,
            sender,
            receiver,
            distance,
            power,
            is_false,
            Value::Text(board.map_or("", String::as_str)),
            Value::Text(policy.map_or("", String::as_str)),
            Value::Count(u64::from(decision.applications)),
            Value::Text(decision.verdict.code()),
            self.names.seconds(decision.decided_ns),
        ]);
        self.keep(written);
    }

    fn window_ended(&mut self, window: &WindowSummary) {
        let written = self.windows.row(&[
            self.names.seconds(window.end_ns),
            Value::Count(u64::from(window.vehicles)),
            Value::Count(window.received),
            Value::Count(u64::from(window.least)),
            Value::Count(u64::from(window.most)),
        ]);
        self.keep(written);
    }
}
