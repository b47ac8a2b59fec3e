//! Attributes of a message and of the network about time, and remarks on what stays open.

use can_dbc::{Dbc, MessageId};
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use super::attributes::Attribute;
use crate::MessageFormat;

/// The numbers of `J1939PG`, `StandardCAN_FD` and `ExtendedCAN_FD` in Vector's enumeration of frame
/// formats, which a file without words means.
const J1939_FORMAT: f64 = 3.0;
const FD_FORMATS: [f64; 2] = [14.0, 15.0];

/// Bit rates below these are kbit/s: no bus is as slow.
const NOMINAL_MIN: f64 = 5_000.0;
const DATA_MIN: f64 = 100_000.0;

/// A message's way of being sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SendType {
    /// Each period; the file may not say so, and have a cycle time.
    #[default]
    Cyclic,
    /// Each period, and on events besides.
    CyclicAndEvent,
    /// Each period while it is active.
    WhileActive,
    /// On events only.
    Event,
    /// The file says that there is no send type.
    Unstated,
}

/// Attributes of messages about time and format.
pub(super) struct Timing<'a> {
    cycle_time: Attribute<'a, MessageId>,
    fast_cycle_time: Attribute<'a, MessageId>,
    delay_time: Attribute<'a, MessageId>,
    start_delay_time: Attribute<'a, MessageId>,
    send_type: Attribute<'a, MessageId>,
    frame_format: Attribute<'a, MessageId>,
    bit_rate_switch: Attribute<'a, MessageId>,
}

/// Times of one message.
pub(super) struct Times {
    pub(super) send_type: SendType,
    pub(super) cycle_time: Option<Duration>,
    pub(super) fast_cycle_time: Option<Duration>,
    pub(super) minimum_distance: Option<Duration>,
    pub(super) start_delay: Option<Duration>,
}

impl<'a> Timing<'a> {
    pub(super) fn of(dbc: &'a Dbc) -> Self {
        let of = |name| Attribute::of_messages(dbc, name);
        Timing {
            cycle_time: of("GenMsgCycleTime"),
            fast_cycle_time: of("GenMsgCycleTimeFast"),
            delay_time: of("GenMsgDelayTime"),
            start_delay_time: of("GenMsgStartDelayTime"),
            send_type: of("GenMsgSendType"),
            frame_format: of("VFrameFormat"),
            bit_rate_switch: of("CANFD_BRS"),
        }
    }

    /// Returns the times of a message; adds to `remarks` what a reader has to know of them.
    pub(super) fn times(&self, id: MessageId, remarks: &mut Vec<String>) -> Times {
        let send_type = self.send_type(id, remarks);
        let mut time = |name, attribute: &Attribute<'a, MessageId>| {
            let number = attribute.number(&id)?;
            let time = milliseconds(number);
            if time.is_none() && number != 0.0 && attribute.is_stated(&id) {
                remarks.push(format!("{name} {number} is no time in ms and is ignored"));
            }
            time
        };
        let mut cycle_time = time("GenMsgCycleTime", &self.cycle_time);
        let fast_cycle_time = time("GenMsgCycleTimeFast", &self.fast_cycle_time);
        let minimum_distance = time("GenMsgDelayTime", &self.delay_time);
        if let Some(cycle) = cycle_time {
            // A default is for messages that are periodic at all.
            let is_own = self.cycle_time.is_stated(&id);
            match send_type {
                SendType::Event => {
                    cycle_time = None;
                    if is_own {
                        remarks.push(format!(
                            "GenMsgCycleTime {cycle} is no period: GenMsgSendType says that it is \
                             sent on events"
                        ));
                    }
                }
                SendType::Unstated if !is_own => cycle_time = None,
                _ => {}
            }
        }
        let fast_cycle_time = fast_cycle_time.filter(|fast| Some(*fast) != cycle_time);
        if let Some(fast) = fast_cycle_time {
            remarks.push(format!(
                "is sent each {fast} while it is active (GenMsgCycleTimeFast); take that with the \
                 option for fast cycles"
            ));
        }
        if send_type == SendType::CyclicAndEvent {
            remarks
                .push("is sent on events, too, which no period says (GenMsgSendType)".to_owned());
        }
        if let (Some(distance), Some(cycle)) = (minimum_distance, cycle_time)
            && distance > cycle
        {
            remarks.push(format!(
                "GenMsgDelayTime {distance} forbids its GenMsgCycleTime {cycle}"
            ));
        }
        Times {
            send_type,
            cycle_time,
            fast_cycle_time,
            minimum_distance,
            start_delay: self.start_delay(id, remarks),
        }
    }

    /// A default of zero is a template's, and says nothing of a message.
    fn start_delay(&self, id: MessageId, remarks: &mut Vec<String>) -> Option<Duration> {
        let number = self.start_delay_time.number(&id)?;
        let is_said = self.start_delay_time.is_stated(&id) || number != 0.0;
        if !is_said {
            return None;
        }
        match number {
            0.0 => Some(Duration::ZERO),
            _ => milliseconds(number).or_else(|| {
                remarks.push(format!("GenMsgStartDelayTime {number} is no time in ms"));
                None
            }),
        }
    }

    fn send_type(&self, id: MessageId, remarks: &mut Vec<String>) -> SendType {
        let Some(word) = self.send_type.text(&id) else {
            if let Some(number) = self.send_type.number(&id) {
                remarks.push(format!(
                    "GenMsgSendType {number} has no word in the file; it is taken as cyclic"
                ));
            }
            return SendType::Cyclic;
        };
        send_type(word).unwrap_or_else(|| {
            remarks.push(format!(
                "GenMsgSendType {word} is not known; it is taken as cyclic"
            ));
            SendType::Cyclic
        })
    }

    /// Returns the frame format of a message, and true if SAE J1939 carries it; adds to `remarks`
    /// where it does not follow from the file.
    pub(super) fn format(
        &self,
        id: MessageId,
        length: usize,
        is_all_j1939: bool,
        remarks: &mut Vec<String>,
    ) -> (MessageFormat, bool) {
        let word = self.frame_format.text(&id);
        let number = self.frame_format.number(&id);
        let has_words = self.frame_format.has_words();
        let is_number = |one: f64| word.is_none() && !has_words && number == Some(one);
        let is_extended = matches!(id, MessageId::Extended(_));
        let is_j1939 = word.is_some_and(|word| word.starts_with("J1939"))
            || is_number(J1939_FORMAT)
            || (is_all_j1939 && is_extended && !self.frame_format.is_stated(&id));
        let says_fd =
            word.is_some_and(|word| word.ends_with("_FD")) || FD_FORMATS.into_iter().any(is_number);
        if let (None, true, Some(number)) = (word, has_words, number) {
            remarks.push(format!("VFrameFormat {number} has no word in the file"));
        }
        let says_extended = word.is_some_and(|word| word.starts_with("Extended"));
        let says_standard = word.is_some_and(|word| word.starts_with("Standard"));
        if self.frame_format.is_stated(&id)
            && ((says_extended && !is_extended) || (says_standard && is_extended))
        {
            remarks.push(format!(
                "VFrameFormat {} contradicts its identifier of {} bits, which counts",
                word.unwrap_or_default(),
                if is_extended { 29 } else { 11 }
            ));
        }
        let is_longer = length > 8 && length <= 64 && !is_j1939;
        if is_longer && !says_fd {
            remarks.push(format!(
                "{length} bytes fit no classic frame: it is taken as CAN FD, which the file does \
                 not say"
            ));
        }
        if !(is_longer || (says_fd && length <= 64)) {
            return (MessageFormat::Classic, is_j1939);
        }
        let bit_rate_switch = self.bit_rate_switch(id, remarks);
        (MessageFormat::Fd { bit_rate_switch }, is_j1939)
    }

    fn bit_rate_switch(&self, id: MessageId, remarks: &mut Vec<String>) -> bool {
        let number = self.bit_rate_switch.number(&id);
        let Some(word) = self.bit_rate_switch.text(&id) else {
            return number != Some(0.0);
        };
        match word.to_ascii_lowercase().as_str() {
            "0" | "false" | "off" | "no" => false,
            "1" | "true" | "on" | "yes" => true,
            _ => {
                remarks.push(format!(
                    "CANFD_BRS {word} is neither 0 nor 1; it is taken as 1"
                ));
                true
            }
        }
    }
}

/// Returns the meaning of a word for when a message is sent. Files differ in their words, and have
/// their parts in common.
fn send_type(word: &str) -> Option<SendType> {
    let word: String = word
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    let is_cyclic = has(&["cyclic", "cycle", "period"]);
    let is_on_event = has(&[
        "spontan", "event", "change", "write", "trigger", "demand", "request",
    ]);
    Some(match () {
        () if has(&["nomsgsendtype", "nosendtype", "notused", "unused"])
            || word.is_empty()
            || word == "none" =>
        {
            SendType::Unstated
        }
        () if is_cyclic && is_on_event => SendType::CyclicAndEvent,
        () if has(&["active"]) => SendType::WhileActive,
        () if is_cyclic => SendType::Cyclic,
        () if is_on_event => SendType::Event,
        () => return None,
    })
}

/// Returns the bit rates that the network states, nominal and of the data phase; adds to `remarks`
/// what of them is taken otherwise than written.
pub(super) fn bit_rates(
    (dbc, text): (&Dbc, &str),
    remarks: &mut Vec<String>,
) -> (Option<BitRate>, Option<BitRate>) {
    let mut rate = |name, least| {
        let number = Attribute::of_network(dbc, name).number(&())?;
        if number == 0.0 {
            return None;
        }
        let (bits, unit) = match number < least {
            true => (number * 1e3, "kbit/s"),
            false => (number, "bit/s"),
        };
        let is_whole = bits >= 1.0 && bits <= f64::from(u32::MAX) && bits.fract() == 0.0;
        let rate = is_whole.then(|| BitRate::new(bits as u32).ok()).flatten();
        match (rate, unit) {
            (None, _) => remarks.push(format!("{name} {number} is no bit rate and is ignored")),
            (Some(_), "kbit/s") => {
                remarks.push(format!("{name} {number} is taken as {number} kbit/s"));
            }
            _ => {}
        }
        rate
    };
    let nominal = rate("Baudrate", NOMINAL_MIN);
    let data = rate("BaudrateCANFD", DATA_MIN);
    if let (Some(stated), None) = (of_bit_timing(text), nominal) {
        remarks.push(format!(
            "BS_ {stated} is obsolete and ignored; Baudrate states a bit rate"
        ));
    }
    (nominal, data)
}

/// Returns the number that `BS_:` states, which the parser of the grammar leaves out. It stands
/// before the nodes, so before any comment.
fn of_bit_timing(text: &str) -> Option<&str> {
    let mut before = text.lines().take_while(|line| !line.starts_with("BU_"));
    let stated = before.find_map(|line| line.trim_start().strip_prefix("BS_"))?;
    let stated = stated.trim_start().strip_prefix(':')?.trim_start();
    let end = stated.find(|letter: char| !letter.is_ascii_digit());
    let digits = &stated[..end.unwrap_or(stated.len())];
    (!digits.is_empty()).then_some(digits)
}

/// Returns a time in milliseconds. Zero stands for "none"; less than a microsecond or more than a
/// day is none.
fn milliseconds(number: f64) -> Option<Duration> {
    let nanos = number * 1e6;
    (nanos >= 1e3 && number < 86_400_000.0).then(|| Duration::from_nanos(nanos as u64))
}
