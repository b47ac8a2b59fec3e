//! Symbol files of PEAK's tools \[PEAK-SYM\], format 6.0, and older ones as far as they agree.
//!
//! A line is a statement; only an enumeration goes on in the next lines. A symbol stands in a
//! section that says whether the tool sends or receives it: the format has no nodes.

mod lines;
mod parts;
mod symbols;

use waywarden_can::Id;
use waywarden_can_dbc::MessageFormat;

use self::lines::{Statement, statements};
use self::parts::merged;
use self::symbols::Definitions;
use crate::text::excerpt;
use crate::{
    Cluster, LENGTH_MAX, MatrixError, MatrixFormat, MatrixMessage, MatrixSignal, MessageMatrix,
    SkippedPart, number,
};

/// The node that sends what a tool sends, and the one that sends what it receives, as cantools
/// calls them.
const TOOL: &str = "ECU";
const OTHERS: &str = "Peripherals";

/// Limit on messages that one range of identifiers stands for.
const RANGE_MAX: u32 = 1_024;

/// Limit on the messages of a file, and on their signals in all: ranges repeat both.
const MESSAGES_MAX: usize = 65_536;
const SIGNALS_MAX: usize = 1_000_000;

/// Limit on parts that are skipped by name.
const SKIPPED_MAX: usize = 10_000;

/// The error for a statement that no symbol has.
const SYMBOL_STATEMENTS: &str = "no statement of a symbol; those are ID, Type, Len, CycleTime, \
                                 MinInterval, BRS, Sig, Var and Mux";

/// The format that is read.
const VERSION: &str = "6.0";

/// A section of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Before the first one.
    Head,
    Enumerations,
    Signals,
    Sent,
    Received,
    Both,
}

/// A symbol while it is read.
struct Symbol {
    line: usize,
    section: Section,
    name: String,
    ids: Option<(u32, u32)>,
    is_long_id: bool,
    kind: String,
    length: Option<u64>,
    cycle_ms: Option<f64>,
    interval_ms: Option<f64>,
    bit_rate_switch: Option<bool>,
    signals: Vec<MatrixSignal>,
    /// The multiplexer of a part of a symbol, with its value.
    selected_by: Option<(String, u64)>,
    /// True behind a multiplexer that cannot be read.
    is_unselected: bool,
    /// The number of parts that state a CycleTime.
    cycles: usize,
    remarks: Vec<String>,
}

/// A file while it is read.
struct File {
    section: Section,
    definitions: Definitions,
    symbols: Vec<Symbol>,
    bit_rate_switch: bool,
    skipped: Vec<SkippedPart>,
    remarks: Vec<String>,
}

/// Reads a symbol file.
pub(crate) fn read(text: &str) -> Result<MessageMatrix, MatrixError> {
    let mut file = File {
        section: Section::Head,
        definitions: Definitions::default(),
        symbols: Vec::new(),
        bit_rate_switch: true,
        skipped: Vec::new(),
        remarks: Vec::new(),
    };
    for statement in statements(text) {
        let line = statement.line;
        if let Err(reason) = file.take(&statement) {
            file.leave_out(format!("`{}`", excerpt(statement.text)), line, reason);
        }
    }
    Ok(file.finish())
}

impl File {
    /// Takes a statement; an error is the reason why it is left out.
    fn take(&mut self, statement: &Statement<'_>) -> Result<(), String> {
        let text = statement.text;
        if text.starts_with('{') {
            self.section = section(text)?;
            return Ok(());
        }
        if text.starts_with('[') {
            return self.begin_symbol(statement);
        }
        let Some((key, _)) = text.split_once('=') else {
            // Formats before 6.0 have `enum Name(...)`.
            let is_old = text.starts_with("enum ") || text.starts_with("Enum ");
            return match is_old {
                true => Ok(()),
                false => Err("no statement; one is `Key=value`, `[symbol]` or `{SECTION}`".into()),
            };
        };
        let key = key.trim();
        if key.starts_with("enum ") || key == "Enum" || self.section == Section::Enumerations {
            return Ok(());
        }
        match self.section {
            Section::Head => self.head(key, statement),
            Section::Signals => {
                let mut odd = Vec::new();
                let defined = self.definitions.define(&statement.words(), &mut odd);
                self.name_odd(statement.line, odd);
                defined
            }
            _ => self.of_symbol(key, statement),
        }
    }

    fn head(&mut self, key: &str, statement: &Statement<'_>) -> Result<(), String> {
        let words = statement.words();
        let value = words.get(1).map(String::as_str).unwrap_or_default();
        match key {
            "FormatVersion" if value != VERSION => self.remarks.push(format!(
                "FormatVersion {} is read as far as it agrees with {VERSION}; save the file with \
                 the current PCAN Symbol Editor",
                excerpt(value)
            )),
            "BRS" => self.bit_rate_switch = !value.eq_ignore_ascii_case("false"),
            _ => {}
        }
        Ok(())
    }

    fn begin_symbol(&mut self, statement: &Statement<'_>) -> Result<(), String> {
        let section = self.section;
        if !matches!(section, Section::Sent | Section::Received | Section::Both) {
            return Err("a symbol stands in {SEND}, {RECEIVE} or {SENDRECEIVE}".to_owned());
        }
        let name = statement.words().into_iter().next().unwrap_or_default();
        if name.is_empty() {
            return Err("a symbol is `[name]`".to_owned());
        }
        self.symbols.push(Symbol {
            line: statement.line,
            section,
            name,
            ids: None,
            is_long_id: false,
            kind: String::new(),
            length: None,
            cycle_ms: None,
            interval_ms: None,
            bit_rate_switch: None,
            signals: Vec::new(),
            selected_by: None,
            is_unselected: false,
            cycles: 0,
            remarks: Vec::new(),
        });
        Ok(())
    }

    fn of_symbol(&mut self, key: &str, statement: &Statement<'_>) -> Result<(), String> {
        let Some(symbol) = self.symbols.last_mut() else {
            return Err("it stands before the first symbol; put it below a `[name]`".to_owned());
        };
        let words = statement.words();
        let value = words.get(1).map(String::as_str).unwrap_or_default();
        let mut odd = Vec::new();
        match key {
            "Sig" | "Var" if symbol.is_unselected => {
                return Err("its multiplexer is left out".to_owned());
            }
            "ID" => {
                let (first, last, is_long) = symbols::identifiers(value)
                    .ok_or("an identifier is such as 123h or 00000123h")?;
                (symbol.ids, symbol.is_long_id) = (Some((first, last)), is_long);
            }
            "Type" => symbol.kind = value.to_ascii_lowercase(),
            "Len" | "DLC" => {
                let length = number::whole(value).ok_or("a length is a number of bytes")?;
                symbol.length = Some(length);
            }
            "CycleTime" => symbol.cycle_ms = Some(symbols::time(value)?),
            "MinInterval" => symbol.interval_ms = Some(symbols::time(value)?),
            "BRS" => symbol.bit_rate_switch = Some(!value.eq_ignore_ascii_case("false")),
            "Sig" => symbol.signals.push(self.definitions.placed(&words)?),
            "Var" => symbol.signals.push(symbols::variable(&words, &mut odd)?),
            "Mux" => {
                // Its signals are there with one value only, which is unknown.
                symbol.is_unselected = true;
                let multiplexer = symbols::multiplexer(&words, &mut odd)?;
                symbol.is_unselected = false;
                if let Some((signal, value)) = multiplexer {
                    symbol.selected_by = Some((signal.name.clone(), value));
                    symbol.signals.push(signal);
                }
            }
            "Timeout" | "Color" | "UniqueVariables" | "FloatDecimalPlaces" | "Title" => {}
            _ => return Err(SYMBOL_STATEMENTS.to_owned()),
        }
        let line = statement.line;
        let odd = odd.into_iter();
        symbol
            .remarks
            .extend(odd.map(|odd| format!("line {line}: signal {odd}")));
        Ok(())
    }

    /// Names options of a definition that cannot be read.
    fn name_odd(&mut self, line: usize, odd: Vec<String>) {
        let free = SKIPPED_MAX.saturating_sub(self.remarks.len());
        let named = odd.into_iter().take(free);
        self.remarks
            .extend(named.map(|odd| format!("line {line}: signal {odd}")));
    }

    fn leave_out(&mut self, what: String, line: usize, reason: String) {
        if self.skipped.len() < SKIPPED_MAX {
            self.skipped.push(SkippedPart {
                what,
                line: Some(line),
                reason,
                may_be_extended: false,
            });
        }
    }

    fn finish(mut self) -> MessageMatrix {
        let mut cluster = Cluster {
            nodes: vec![TOOL.to_owned(), OTHERS.to_owned()],
            ..Cluster::default()
        };
        let symbols = merged(std::mem::take(&mut self.symbols));
        let mut known = std::collections::HashMap::new();
        let mut signals = 0;
        for symbol in symbols {
            let what = format!("symbol {}", excerpt(&symbol.name));
            if cluster.messages.len() >= MESSAGES_MAX || signals >= SIGNALS_MAX {
                let reason = format!(
                    "the symbols before it have {MESSAGES_MAX} messages or {SIGNALS_MAX} signals, \
                     the most of a file; it and those behind it are left out: divide the file"
                );
                self.leave_out(what, symbol.line, reason);
                break;
            }
            match symbol.messages(self.bit_rate_switch) {
                Ok(messages) => {
                    for message in messages {
                        let first = *known.entry(message.id).or_insert(symbol.line);
                        if first == symbol.line {
                            signals += message.signals.len();
                            cluster.messages.push(message);
                        } else {
                            let reason = format!(
                                "its identifier belongs to the symbol of line {first} already; \
                                 give each its own"
                            );
                            self.leave_out(what.clone(), symbol.line, reason);
                        }
                    }
                }
                Err(reason) => self.leave_out(what, symbol.line, reason),
            }
        }
        MessageMatrix {
            format: MatrixFormat::Sym,
            clusters: vec![cluster],
            skipped: self.skipped,
            remarks: self.remarks,
        }
    }
}

fn section(text: &str) -> Result<Section, String> {
    match text.split('}').next().unwrap_or_default() {
        "{ENUMS" => Ok(Section::Enumerations),
        "{SIGNALS" => Ok(Section::Signals),
        "{SEND" => Ok(Section::Sent),
        "{RECEIVE" => Ok(Section::Received),
        "{SENDRECEIVE" => Ok(Section::Both),
        _ => Err("sections are {ENUMS}, {SIGNALS}, {SEND}, {RECEIVE} and {SENDRECEIVE}".to_owned()),
    }
}

impl Symbol {
    /// Returns the messages that a symbol stands for: one, or one for each identifier of a range.
    fn messages(&self, switches: bool) -> Result<Vec<MatrixMessage>, String> {
        let (first, last) = self.ids.ok_or("it has no identifier; write `ID=123h`")?;
        if last < first || last - first >= RANGE_MAX {
            return Err(format!(
                "its identifiers {first:X}h to {last:X}h are none, or more than {RANGE_MAX}; \
                 write the lower one first, and fewer"
            ));
        }
        let count = (last - first) as usize + 1;
        if count.saturating_mul(self.signals.len()) > SIGNALS_MAX {
            return Err(format!(
                "{} signals for each of {count} identifiers are more than {SIGNALS_MAX}; divide \
                 its range",
                self.signals.len()
            ));
        }
        let (length, format) = self.form(switches)?;
        let is_extended = self.is_long_id || self.kind.ends_with("extended");
        let mut messages = Vec::new();
        for raw in first..=last {
            let id = match is_extended {
                true => Id::extended(raw).ok(),
                false => u16::try_from(raw)
                    .ok()
                    .and_then(|raw| Id::standard(raw).ok()),
            };
            let id = id.ok_or_else(|| {
                format!(
                    "{raw:X}h is no identifier; 11 bits are 0 to 7FFh, 29 bits (Type=Extended) 0 \
                     to 1FFFFFFFh"
                )
            })?;
            let mut message = MatrixMessage::new(self.name.clone(), id, length);
            message.format = format;
            let (senders, receivers): (&[&str], &[&str]) = match self.section {
                Section::Sent => (&[TOOL], &[OTHERS]),
                Section::Received => (&[OTHERS], &[TOOL]),
                _ => (&[TOOL, OTHERS], &[]),
            };
            message.senders = senders.iter().map(|name| (*name).to_owned()).collect();
            message.receivers = receivers.iter().map(|name| (*name).to_owned()).collect();
            let time = |ms: Option<f64>| ms.and_then(|ms| number::seconds(ms / 1e3));
            message.cycle_time = time(self.cycle_ms);
            message.minimum_distance = time(self.interval_ms);
            message.signals.clone_from(&self.signals);
            message.remarks.clone_from(&self.remarks);
            message.name_outside();
            messages.push(message);
        }
        Ok(messages)
    }

    /// Returns length and format; 8 bytes unless the file says otherwise.
    fn form(&self, switches: bool) -> Result<(usize, MessageFormat), String> {
        let length = self.length.unwrap_or(8);
        if length > LENGTH_MAX {
            return Err(format!(
                "{length} bytes cannot be sent; 64 fit a CAN FD frame"
            ));
        }
        let bit_rate_switch = self.bit_rate_switch.unwrap_or(switches);
        let is_fd = self.kind.starts_with("fd") || (9..=64).contains(&length);
        let format = match is_fd {
            true => MessageFormat::Fd { bit_rate_switch },
            false => MessageFormat::Classic,
        };
        Ok((length as usize, format))
    }
}
