//! Logs of messages as the data sets of VeReMi NextGen have them: JSON objects, one a message.

use serde::Deserialize;
use waywarden_v2x_misbehaviour::{Claim, Observer};

/// A message of a log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoggedMessage {
    rcv_time: f64,
    send_time: f64,
    #[serde(rename = "sender_id")]
    pub(super) sender: String,
    /// The truth: 1 for a message with a lie, 0 for an honest one.
    pub(super) attacker: Option<u8>,
    receiver: Vehicle,
    #[serde(rename = "sender")]
    claimed: Vehicle,
}

#[derive(Debug, Deserialize)]
struct Vehicle {
    pos: Position,
    spd: Option<f64>,
    acl: Option<f64>,
    hed: Option<f64>,
    distance_to_road_edge: Option<f64>,
}

/// A position as a list, or as text with commas.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Position {
    List(Vec<f64>),
    Text(String),
}

impl Position {
    fn plane(&self) -> Option<(f64, f64)> {
        match self {
            Self::List(numbers) => Some((*numbers.first()?, *numbers.get(1)?)),
            Self::Text(text) => {
                let mut numbers = text.split(',').map(|number| number.trim().parse());
                Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
            }
        }
    }
}

/// A message as the detector takes it.
pub(super) struct ObservedMessage {
    pub(super) observer: Observer,
    pub(super) claim: Claim,
    /// Distance outside of the road, if the log has one.
    pub(super) off_road_m: Option<f64>,
}

impl LoggedMessage {
    /// Reads a message.
    pub(super) fn of_json(text: &str) -> Result<(Self, ObservedMessage), String> {
        let message: Self = serde_json::from_str(text).map_err(|error| {
            let error = error.to_string();
            // The place is that in the object alone; the caller names the line of the file.
            error.split(" at line ").next().unwrap_or("").to_owned()
        })?;
        let place = |vehicle: &Vehicle, name: &str| {
            let wrong = || format!("{name}: pos: two numbers at least, such as \"12.5,8.0,0.0\"");
            vehicle.pos.plane().ok_or_else(wrong)
        };
        let (observer_x, observer_y) = place(&message.receiver, "receiver")?;
        let (x_m, y_m) = place(&message.claimed, "sender")?;
        let observed = ObservedMessage {
            observer: Observer {
                x_m: observer_x,
                y_m: observer_y,
            },
            claim: Claim {
                received_us: microseconds(message.rcv_time, "rcvTime")?,
                generated_us: microseconds(message.send_time, "sendTime")?,
                x_m,
                y_m,
                speed_m_s: message.claimed.spd,
                acceleration_m_s2: message.claimed.acl,
                heading_degrees: message.claimed.hed,
                ..Claim::default()
            },
            off_road_m: message.claimed.distance_to_road_edge.map(|inside| -inside),
        };
        Ok((message, observed))
    }
}

/// Converts a time in nanoseconds.
fn microseconds(nanoseconds: f64, name: &str) -> Result<u64, String> {
    if (0.0..1.8e19).contains(&nanoseconds) {
        Ok((nanoseconds / 1000.0) as u64)
    } else {
        Err(format!(
            "{name}: {nanoseconds}: nanoseconds from 0 on are expected"
        ))
    }
}

/// Finds the objects of a file, with the line where each begins: those of a JSON array, or one
/// after another. An object without an end is the last one.
pub(super) fn objects(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut line, mut depth, mut start) = (Vec::new(), 1, 0_usize, (0, 1));
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => line += 1,
            _ if is_escaped => {}
            b'\\' if in_string => {
                is_escaped = true;
                continue;
            }
            b'"' if depth > 0 => in_string = !in_string,
            _ if in_string => {}
            b'{' => {
                if depth == 0 {
                    start = (at, line);
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push((start.1, &text[start.0..=at]));
                }
            }
            _ => {}
        }
        is_escaped = false;
    }
    if depth > 0 {
        found.push((start.1, &text[start.0..]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_with_their_lines_whatever_their_strings_hold() {
        let text = "[\n {\"a\": \"}{\\\"\"},\n {\"b\": {\"c\": 1}}\n]\n{\"d\"";
        let expected = [
            (2, "{\"a\": \"}{\\\"\"}"),
            (3, "{\"b\": {\"c\": 1}}"),
            (5, "{\"d\""),
        ];
        assert_eq!(objects(text), expected);
    }
}
