//! JUnit XML parses, whatever the texts in it are, and gives them back.

use quick_xml::XmlVersion;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use waywarden_testkit::{Random, each_seed};

use super::*;

fn suite(texts: [&str; 4]) -> JunitSuite {
    let [class, name, message, detail] = texts.map(str::to_owned);
    JunitSuite {
        name: "waywarden run",
        cases: vec![
            JunitCase {
                class: class.clone(),
                name: name.clone(),
                result: JunitResult::Failed {
                    message: message.clone(),
                    detail: detail.clone(),
                },
            },
            JunitCase {
                class,
                name,
                result: JunitResult::Passed(detail),
            },
            JunitCase {
                class: "c".to_owned(),
                name: "n".to_owned(),
                result: JunitResult::Skipped(message),
            },
        ],
    }
}

#[test]
fn results_are_written_as_ci_servers_read_them() {
    let wanted = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="waywarden run" tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="waywarden run" tests="3" failures="1" errors="0" skipped="1">
    <testcase classname="car" name="a &lt; b">
      <failure message="3 ms&#10;&quot;late&quot;">car.toml:3:1 \u{1b}</failure>
    </testcase>
    <testcase classname="car" name="a &lt; b">
      <system-out>car.toml:3:1 \u{1b}</system-out>
    </testcase>
    <testcase classname="c" name="n">
      <skipped message="3 ms&#10;&quot;late&quot;"/>
    </testcase>
  </testsuite>
</testsuites>
"#;
    let texts = ["car", "a < b", "3 ms\n\"late\"", "car.toml:3:1 \u{1b}"];
    assert_eq!(suite(texts).to_xml(), wanted);
}

/// Text of all that breaks XML: marks, control characters, characters that are none in XML.
fn hostile(random: &mut Random) -> String {
    const MARKS: &str = "&<>\"'\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1b}\u{7f}\u{85}\u{9f}\u{fffe}\u{ffff}\
                         ]]><!--\u{10ffff}é🚗a ";
    let marks: Vec<char> = MARKS.chars().collect();
    (0..random.below(12))
        .map(|_| match random.below(3) {
            0 => char::from_u32(random.below(0x11_0000) as u32).unwrap_or('&'),
            _ => marks[random.below(marks.len() as u64) as usize],
        })
        .collect()
}

/// Text as it comes back: what XML cannot hold by its number.
fn visible(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\t' | '\n' | '\r' => letter.to_string(),
            letter if letter.is_control() || matches!(letter, '\u{FFFE}' | '\u{FFFF}') => {
                format!("\\u{{{:x}}}", u32::from(letter))
            }
            letter => letter.to_string(),
        })
        .collect()
}

#[test]
fn any_text_parses_as_xml_and_comes_back() {
    each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let texts = [(); 4].map(|()| hostile(&mut random));
        let xml = suite(texts.each_ref().map(String::as_str)).to_xml();
        assert!(
            xml.chars()
                .all(|letter| letter == '\n' || !letter.is_control()),
            "seed {seed}: {xml:?}"
        );
        let mut reader = Reader::from_str(&xml);
        reader.config_mut().check_end_names = true;
        let (mut attributes, mut content, mut depth) = (Vec::new(), String::new(), 0_i32);
        loop {
            let event = reader.read_event();
            match event.unwrap_or_else(|error| panic!("seed {seed}: {error}: {xml:?}")) {
                Event::Eof => break,
                Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() != "testsuites" => {
                    depth += 1;
                    for attribute in tag.attributes() {
                        let attribute = attribute.unwrap();
                        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap();
                        attributes.push(value.into_owned());
                    }
                }
                Event::Text(text) => content.push_str(&text),
                Event::GeneralRef(name) => {
                    let text = format!("&{};", &*name);
                    content.push_str(&quick_xml::escape::unescape(&text).unwrap());
                }
                _ => {}
            }
        }
        assert!(depth >= 6, "seed {seed}");
        for text in &texts {
            let wanted = visible(text);
            let is_there = attributes.contains(&wanted) || content.contains(&wanted);
            assert!(is_there, "seed {seed}: {text:?} in {xml:?}");
        }
    });
}
