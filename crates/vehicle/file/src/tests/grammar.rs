//! The grammar: its defaults are values that it allows, and its sentences are of one form.

use std::collections::BTreeSet;

use waywarden_work::Duration;

use super::{CAR, SPEED, errors};
use crate::quantity;
use waywarden_vehicle_grammar::{AUTHENTICATION_FILE, FILE, Key, Preset, Table, TableForm, Value};

/// Words with which no description begins.
const INTERROGATIVES: [&str; 10] = [
    "What", "How", "Whether", "Where", "When", "Which", "Why", "Who", "If", "That",
];

/// Returns all tables of a file.
fn tables() -> Vec<&'static Table> {
    let mut all: Vec<&Table> = Vec::new();
    let mut open = vec![&FILE, &AUTHENTICATION_FILE];
    while let Some(table) = open.pop() {
        if all.iter().any(|one| std::ptr::eq(*one, table)) {
            continue;
        }
        all.push(table);
        for key in table.all() {
            match key.value {
                Value::Table(inner) => open.push(inner),
                Value::Tables(form, _) => open.extend(form.tables(None)),
                _ => {}
            }
        }
    }
    all
}

/// Returns true if a text is a value of the key.
fn allows(value: &Value, text: &str) -> bool {
    match value {
        Value::Word(words) => words.contains(&text),
        Value::Duration(times) => quantity::duration(text).is_some_and(|time| {
            let above = times.is_zero_allowed || time > Duration::ZERO;
            let least = times.least.is_none_or(|least| time >= least);
            above && least && times.most.is_none_or(|most| time <= most)
        }),
        Value::Share(least, most) => {
            let share = quantity::share(text);
            share.is_some_and(|share| (*least..=*most).contains(&share.0))
        }
        Value::FrameRate => quantity::frame_rate(text).is_some(),
        Value::Data => quantity::data(text).is_some(),
        Value::Text | Value::Reference(_) => true,
        Value::Any(all) => all.iter().any(|one| allows(one, text)),
        _ => false,
    }
}

fn is_allowed(key: &Key) -> bool {
    match (key.preset, key.value) {
        (Preset::Required | Preset::Absent | Preset::Follows(_), _) => true,
        (Preset::Whole(number), Value::Whole(least, most)) => (least..=most).contains(&number),
        (Preset::Whole(number), Value::Identifier) => number >= 0,
        (Preset::Flag(_), Value::Flag) => true,
        (Preset::Text(text), value) => allows(&value, text),
        _ => false,
    }
}

#[test]
fn defaults_are_allowed_values() {
    let mut checked = 0;
    for key in tables().into_iter().flat_map(Table::all) {
        assert!(is_allowed(key), "{key:?}");
        checked += usize::from(matches!(
            key.preset,
            Preset::Whole(_) | Preset::Flag(_) | Preset::Text(_)
        ));
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn descriptions_are_sentences_that_begin_with_a_noun_or_a_verb() {
    let tables = tables();
    let keys: Vec<&Key> = tables.iter().flat_map(|table| table.all()).collect();
    let summaries = keys.iter().map(|key| key.summary);
    let summaries: Vec<&str> = summaries
        .chain(tables.iter().map(|one| one.summary))
        .collect();
    for text in &summaries {
        let first = text.split_whitespace().next().unwrap_or_default();
        assert!(!INTERROGATIVES.contains(&first), "{text}");
    }
    let details = keys.iter().map(|key| key.detail);
    for text in details.filter(|text| !text.is_empty()).chain(summaries) {
        assert!(text.ends_with('.'), "{text}");
    }
}

#[test]
fn each_key_stands_once_in_its_table_and_an_earlier_name_nowhere() {
    for table in tables() {
        let names: BTreeSet<&str> = table.all().map(|key| key.name).collect();
        assert_eq!(names.len(), table.all().count(), "{table:?}");
        for key in table.all() {
            assert!(!names.contains(key.was), "{key:?}");
            let found = TableForm::One(table).key(None, key.name, |_| false);
            assert!(
                found.is_some_and(|found| std::ptr::eq(found, key)),
                "{key:?}"
            );
        }
    }
}

/// Keys that the code reads only with others were missing here.
#[test]
fn each_key_of_a_table_is_known_to_the_remedy_of_another() {
    let flood = "[[attacker]]\nkind = \"flood\"\nbus = \"slow\"\n";
    let keys = "[[keys]]\norchestrator = \"gateway\"\n";
    let secoc = "[[authentication]]\nscheme = \"secoc\"\nprofile = \"autosar-1\"\nprotect = \
                 [\"speed\"]\n";
    for (table, wrong, right) in [
        (flood, "lenght", "length"),
        (keys, "gatway", "gateway"),
        (keys, "busses", "buses"),
        (secoc, "anounce", "announce"),
        ("[require]\n", "authentic_withn", "authentic_within"),
    ] {
        let found = errors(&[CAR, SPEED, table, wrong, " = 0\n"]);
        let expected = format!("has no key `{wrong}`; did you mean \"{right}\"?");
        assert!(
            found.iter().any(|one| one.ends_with(&expected)),
            "{found:#?}"
        );
    }
}
