//! Commands from standard input, a line each.

use std::io::BufRead as _;
use std::sync::mpsc::{Receiver, sync_channel};

use waywarden_v2x_neighbourhood::Command;
use waywarden_v2x_station::denm::DenmEvent;

/// Maximum number of lines that wait for execution.
const WAITING_MAX: usize = 64;
/// The longest line, in bytes.
const LINE_MAX: u64 = 1_024;

/// Command in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// A command for a station, counted from 0.
    Station(usize, Command),
    /// End the program.
    Quit,
}

/// Reads lines in a thread of its own, until standard input ends.
pub(super) fn read() -> Receiver<Result<Order, String>> {
    let (sender, orders) = sync_channel(WAITING_MAX);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = String::new();
            let mut part = std::io::Read::take(&mut input, LINE_MAX);
            match part.read_line(&mut line) {
                Ok(1..) => {}
                Ok(0) | Err(_) => return,
            }
            if line.trim().is_empty() {
                continue;
            }
            if sender.send(parse(&line, 0)).is_err() {
                return;
            }
        }
    });
    orders
}

/// Reads a line. `station` is meant where it names none.
pub(super) fn parse(line: &str, station: usize) -> Result<Order, String> {
    const EXPECTED: &str =
        "expected: event CAUSE [SUBCAUSE], cancel [NUMBER], change, quit, or such after station N";
    let refused = || format!("{:?}: {EXPECTED}", line.trim());
    let mut words = line.split_whitespace().peekable();
    let mut station = station;
    if words.next_if_eq(&"station").is_some() {
        let number = words.next().and_then(|word| word.parse().ok());
        station = number.ok_or_else(refused)?;
    }
    let command = words.next().ok_or_else(refused)?;
    let numbers = words.map(|word| word.parse::<u16>().map_err(|_| refused()));
    let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
    let small = |number: u16| u8::try_from(number).map_err(|_| refused());
    let command = match (command, &numbers[..]) {
        ("event", [cause]) => Command::Trigger(DenmEvent::new(small(*cause)?, 0)),
        ("event", [cause, sub]) => Command::Trigger(DenmEvent::new(small(*cause)?, small(*sub)?)),
        ("cancel", []) => Command::Cancel(None),
        ("cancel", [number]) => Command::Cancel(Some(*number)),
        ("change", []) => Command::ChangePseudonym,
        ("quit", []) => return Ok(Order::Quit),
        _ => return Err(refused()),
    };
    Ok(Order::Station(station, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_say_what_is_expected() {
        let event = |cause, sub| Command::Trigger(DenmEvent::new(cause, sub));
        for (line, expected) in [
            ("event 94\n", Order::Station(0, event(94, 0))),
            ("station 3 event 97 2", Order::Station(3, event(97, 2))),
            (" cancel ", Order::Station(0, Command::Cancel(None))),
            ("cancel 7", Order::Station(0, Command::Cancel(Some(7)))),
            ("change", Order::Station(0, Command::ChangePseudonym)),
            ("quit", Order::Quit),
        ] {
            assert_eq!(parse(line, 0), Ok(expected));
        }
        for wrong in [
            "event",
            "event 256",
            "event x",
            "jump",
            "station",
            "station x quit",
        ] {
            assert!(parse(wrong, 0).unwrap_err().contains("expected: event"));
        }
    }
}
