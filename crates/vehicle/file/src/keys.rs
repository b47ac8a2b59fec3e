//! Keys that several tables share: names, identifiers, the shape of frames, time windows.

use waywarden_can::{ExtendedId, FdFlags, Frame, Id, IdError};
use waywarden_work::Duration;

use super::model::{Bus, Data, FrameFormat, Window};
use super::place::Located;
use super::problem::Problem;
use super::reader::{Integer, Section, is_name};

/// Format, length and content of frames.
pub(super) struct Shape {
    pub(super) format: FrameFormat,
    pub(super) length: u8,
    pub(super) data: Data,
}

/// Reads the name of a thing that must have one.
pub(super) fn name(section: &mut Section<'_>) -> Option<Located<String>> {
    let name = section.required::<String>("name")?;
    let valid = is_name(&name.value);
    section.demand(valid, &name.span, || Problem::Name(name.value.clone()));
    valid.then_some(name)
}

/// Makes an identifier of a number in the file.
pub(super) fn identifier(raw: Integer, extended: bool) -> Result<Id, IdError> {
    // A larger number is above the range too, as far as the remedy goes.
    let number = u32::try_from(raw).unwrap_or(u32::MAX);
    if extended {
        return Id::extended(number);
    }
    match u16::try_from(number) {
        Ok(raw) => Id::standard(raw),
        Err(_) if number <= ExtendedId::MAX => Err(IdError::AboveStandard(number)),
        Err(_) => Err(IdError::AboveExtended(number)),
    }
}

/// Reads `id` and `extended`.
pub(super) fn id(section: &mut Section<'_>) -> Option<Located<Id>> {
    let raw = section.optional::<Integer>("id");
    let extended = section.flag("extended");
    let raw = raw?;
    if raw.value < 0 {
        section.fault(
            &raw.span,
            Problem::OutOfRange {
                what: "identifier",
                found: raw.value.to_string(),
                range: "0 to 0x7FF, or to 0x1FFFFFFF with `extended = true`".to_owned(),
            },
        );
        return None;
    }
    match identifier(raw.value, extended) {
        Ok(id) => Some(raw.map(|_| id)),
        Err(error) => {
            section.fault(&raw.span, Problem::Id(error));
            None
        }
    }
}

/// The keys of the shape of frames.
pub(super) const SHAPE: [&str; 4] = ["format", "brs", "length", "data"];

/// Reads `format`, `brs`, `length` and `data` of frames for a bus.
pub(super) fn shape(section: &mut Section<'_>, bus: Option<&Bus>) -> Option<Shape> {
    let format = format(section, bus);
    let length = section.optional::<Integer>("length");
    let data = section.optional::<Data>("data");
    let demanded = data.as_ref().and_then(|data| data.value.length());
    let (bytes, span) = match (&length, demanded) {
        (Some(length), _) => (
            usize::try_from(length.value).unwrap_or(usize::MAX),
            &length.span,
        ),
        (None, Some(bytes)) => (bytes, &data.as_ref()?.span),
        (None, None) => {
            section.need("length");
            return None;
        }
    };
    if let (Some(demanded), Some(length)) = (demanded, &length) {
        section.demand(demanded == bytes, &length.span, || Problem::Relation {
            found: format!("the length is {bytes}, but `data` has {demanded} bytes"),
            remedy: "make them equal, or leave `length` out",
        });
    }
    let format = format?;
    if let Err(error) = fitting(format, bytes) {
        section.fault(span, error);
        return None;
    }
    let data = data.map_or(Data::Counter, |data| data.value);
    Some(Shape {
        format,
        length: bytes as u8,
        data,
    })
}

/// Reads `format` and `brs` of frames of 8 zero bytes.
pub(super) fn eight_zeros(section: &mut Section<'_>, bus: Option<&Bus>) -> Option<Shape> {
    let format = format(section, bus)?;
    Some(Shape {
        format,
        length: 8,
        data: Data::Zero,
    })
}

fn format(section: &mut Section<'_>, bus: Option<&Bus>) -> Option<FrameFormat> {
    let word = section.choice("format");
    let brs = section.optional::<bool>("brs");
    let bus = bus?;
    let is_fd = word.map_or(bus.fd.is_some(), |word| word == "fd");
    if is_fd && bus.fd.is_none() {
        let at = section.location("format");
        section.fault(
            &at,
            Problem::FdOnClassicBus {
                bus: bus.name.value.clone(),
            },
        );
        return None;
    }
    match brs {
        Some(brs) if !is_fd => {
            section.fault(
                &brs.span,
                Problem::Relation {
                    found: "a classic frame has no second bit rate to switch to".to_owned(),
                    remedy: "leave `brs` out, or write `format = \"fd\"` on a CAN FD bus",
                },
            );
            None
        }
        _ if is_fd => Some(FrameFormat::Fd {
            bit_rate_switch: brs.is_none_or(|brs| brs.value),
        }),
        _ => Some(FrameFormat::Classic),
    }
}

/// Asks the frame itself whether the format has the length.
fn fitting(format: FrameFormat, length: usize) -> Result<(), Problem> {
    // Longer than any frame: the same answer as for one byte too many.
    let bytes = [0; waywarden_can::frame::DATA_MAX + 1];
    let data = bytes.get(..length).unwrap_or(&bytes);
    let id = Id::Extended(ExtendedId::new(0).map_err(Problem::Id)?);
    let frame = match format {
        FrameFormat::Classic => Frame::classic(id, data),
        FrameFormat::Fd { bit_rate_switch } => Frame::fd_with(
            id,
            data,
            FdFlags {
                bit_rate_switch,
                error_state_indicator: false,
            },
        ),
    };
    frame.map(|_| ()).map_err(|error| {
        use waywarden_can::FrameError::{ClassicLength, FdLength};
        Problem::Length(match error {
            ClassicLength(_) => ClassicLength(length),
            FdLength(_) => FdLength(length),
            other => other,
        })
    })
}

/// Reads `from` and `until`.
pub(super) fn window(section: &mut Section<'_>) -> Window {
    window_between(section, "from", "until").unwrap_or_default()
}

/// Reads a window whose ends have these names; none if neither is there.
pub(super) fn window_between(
    section: &mut Section<'_>,
    first: &'static str,
    last: &'static str,
) -> Option<Window> {
    let from = section.moment(first);
    let until = section.optional::<Duration>(last);
    if from.is_none() && until.is_none() {
        return None;
    }
    let from = from.map_or(Duration::ZERO, |from| from.value);
    if let Some(until) = &until {
        section.demand(until.value > from, &until.span, || Problem::Relation {
            found: format!("it would end at {:#} and begin at {from:#}", until.value),
            remedy: match last {
                "valid_until" => "`valid_until` must be later than `valid_from`, or than power-on",
                _ => "`until` must be later than `from`",
            },
        });
    }
    Some(Window {
        from,
        until: until.map(|until| until.value),
    })
}
