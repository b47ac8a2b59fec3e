//! Legibility of the colours of a page, computed from its style sheet.

use std::collections::BTreeMap;

const PALETTE: &str = include_str!("palette.css");

/// The least contrast of text of any size (WCAG 2.2, success criterion 1.4.3).
const LEAST: f64 = 4.5;

const TEXTS: [&str; 6] = ["text", "muted", "good", "bad", "note", "link"];
const GROUNDS: [&str; 5] = [
    "ground",
    "panel",
    "good-ground",
    "bad-ground",
    "note-ground",
];
const BARS: [&str; 9] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "other"];

/// Reads the colours of both themes: light, dark.
fn themes() -> [BTreeMap<&'static str, [u8; 3]>; 2] {
    let (light, dark) = PALETTE.split_once("@media").expect("a dark theme");
    [light, dark].map(|rules| {
        let declared = rules.split("--").skip(1).filter_map(|one| {
            let (name, value) = one.split_once(": #")?;
            let digits = u32::from_str_radix(value.get(..6)?, 16).ok()?;
            let [_, red, green, blue] = digits.to_be_bytes();
            Some((name, [red, green, blue]))
        });
        declared.collect()
    })
}

/// Returns the relative luminance of a colour (WCAG 2.2, definitions).
fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let share = f64::from(channel) / 255.0;
        match share <= 0.040_45 {
            true => share / 12.92,
            false => ((share + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_can_be_read_on_every_ground() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    for (theme, colours) in ["light", "dark"].into_iter().zip(themes()) {
        let texts = TEXTS
            .iter()
            .flat_map(|text| GROUNDS.map(|ground| (*text, ground)));
        let bars = BARS.map(|bar| ("on-bar", bar));
        for (text, ground) in texts.chain(bars) {
            let contrast = contrast(colours[text], colours[ground]);
            assert!(
                contrast >= LEAST,
                "{text} on {ground}, {theme}: {contrast:.2} of {LEAST}"
            );
        }
    }
}

#[test]
fn both_themes_have_the_same_colours_and_rules_have_none_of_their_own() {
    let [light, dark] = themes();
    assert!(light.keys().eq(dark.keys()));
    let rules = include_str!("page.css");
    assert!(!rules.contains('#') && !rules.contains("rgb"));
    for used in rules.split("var(--").skip(1) {
        let name = used.split(')').next().unwrap();
        assert!(light.contains_key(name), "{name}");
    }
}
