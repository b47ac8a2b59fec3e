//! The forms of the texts in a profile, for its schema: patterns, and an example of each.

use schemars::{Schema, json_schema};
use waywarden_v2x_wire::application::APPLICATIONS;

/// A number in degrees or metres.
const NUMBER: &str = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?";

/// Permissions: 1 to 31 bytes.
const BYTES: &str = "(0x)?([0-9A-Fa-f]{2}){1,31}";

pub(super) fn name() -> Schema {
    json_schema!({
        "type": "string",
        "description": "1 to 64 letters, digits, -, _ and dots, a letter or digit first. No 16 \
                        hexadecimal digits: they are a HashedId8.",
        "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        "not": { "pattern": "^[0-9A-Fa-f]{16}$" },
    })
}

pub(super) fn validity() -> Schema {
    json_schema!({
        "type": "string",
        "description": "A whole number and its unit s, min, h, d, w or y: at most 65,535 of s, \
                        min or h, 2,730d, 390w, 100y.",
        "pattern": "^0*[1-9][0-9]*(s|min|h|d|w|y)$",
        "examples": ["7d", "3y"],
    })
}

pub(super) fn time() -> Schema {
    const DAY: &str = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
    const CLOCK: &str = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?";
    json_schema!({
        "type": "string",
        "description": "A time of UTC, or microseconds since 2004 (TAI).",
        "pattern": format!("^([0-9]{{1,20}}|{DAY}T{CLOCK}Z)$"),
        "examples": ["2026-03-01T12:00:00Z"],
    })
}

pub(super) fn region() -> Schema {
    let numbers = |more: &str| format!(r"\s*{NUMBER}\s*(,\s*{NUMBER}\s*){more}");
    let (point, corners) = (numbers("{1}"), numbers("{3}"));
    let forms = [
        format!("^circle:{}$", numbers("{2}")),
        format!("^rectangle:{corners}(;{corners})*$"),
        format!("^polygon:{point}(;{point}){{2,}}$"),
        format!("^country:{}$", numbers("*")),
    ];
    let forms = forms.map(|pattern| json_schema!({ "pattern": pattern }));
    json_schema!({
        "type": "string",
        "description": "A circle, rectangles, a polygon, or countries by their numbers of UN M.49.",
        "anyOf": forms,
        "examples": [
            "circle:48.137,11.575,5000",
            "rectangle:55.1,5.8,47.2,15.1",
            "polygon:48,11;49,11;49,12",
            "country:276,250",
        ],
    })
}

pub(super) fn permission() -> Schema {
    json_schema!({
        "type": "string",
        "description": "An application by name or number and, after a colon, its permissions: 1 \
                        to 31 bytes in hexadecimal, or none. An application alone has its usual \
                        ones.",
        "pattern": format!("^{}(:(none|{BYTES}))?$", application()),
        "examples": ["CAM", "CAM:010000", "36:01FFFC", "BSM:none"],
    })
}

pub(super) fn range() -> Schema {
    json_schema!({
        "type": "string",
        "description": "An application and, after a colon, value and mask of the fixed bits of \
                        permissions: 1 to 31 bytes each, or any. An application alone has its \
                        usual ones.",
        "pattern": format!("^{}(:(any|{BYTES}/{BYTES}))?$", application()),
        "examples": ["CAM", "CAM:01FFFC/FF0003", "CAM:any"],
    })
}

pub(super) fn chain() -> Schema {
    json_schema!({
        "type": "array",
        "description": "Two numbers of certificates.",
        "items": { "type": "integer", "minimum": 1, "maximum": 255 },
        "minItems": 2,
        "maxItems": 2,
    })
}

/// Returns the pattern of an application: a name in letters of either case, or a number. Four
/// digits that are a p-encoding as well are none.
fn application() -> String {
    let either = |letter: char| match letter.is_ascii_alphabetic() {
        true => format!("[{letter}{}]", letter.to_ascii_lowercase()),
        false => letter.to_string(),
    };
    let names = APPLICATIONS.map(|one| one.name.chars().map(either).collect::<String>());
    format!("({}|{NUMBERS})", names.join("|"))
}

/// A number in decimal, in hexadecimal, or p-encoded in one to four octets.
const NUMBERS: &str = "[0-7][0-9]*|[89][0-9]{0,2}|[89][0-9]{4,}|0[xX][0-9A-Fa-f]+|\
    0[pP]([0-7][0-9A-Fa-f]|[89ABab][0-9A-Fa-f](-?[0-9A-Fa-f]{2})|\
    [CDcd][0-9A-Fa-f](-?[0-9A-Fa-f]{2}){2}|[Ee][0-9A-Fa-f](-?[0-9A-Fa-f]{2}){3})";
