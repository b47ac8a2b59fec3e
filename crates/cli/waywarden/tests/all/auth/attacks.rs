//! Attacks on secured frames are found, message by message.

use serde_json::Value;

use super::{Bench, row, short};

#[test]
fn what_is_done_to_secured_frames_is_found() {
    let bench = Bench::new("scheme = \"secoc\"\nfd = true\nprotect = [0x280]");
    bench.write("a.log", &short());
    let lines = bench.protect(&bench.path("a.log"));
    // An announcement, ten messages, ten frames of no stream.
    assert_eq!(lines.len(), 21);
    assert!(lines[0].contains(" 00F#"), "{}", lines[0]);
    let at = |number: usize| 1 + 2 * number;
    let is_refused = |lines: &[String], key: &str, lost: usize| {
        let (code, table, messages) = bench.check(lines);
        assert_eq!(code, Some(1), "{table}");
        let row = row(&table, "0x280");
        assert_eq!(row[key], 1, "{key}: {row}");
        assert_eq!(table["refused"], 1, "{table}");
        assert_eq!(messages.lines().count(), 20 - lost, "{key}");
    };
    let mut changed = lines.clone();
    changed[at(3)] = changed[at(3)].replace("##100", "##180");
    is_refused(&changed, "wrong_tag", 1);
    let mut again = lines.clone();
    again.insert(at(5), lines[at(4)].clone());
    is_refused(&again, "wrong_tag", 0);
    let mut before = lines.clone();
    before.swap(0, 1);
    is_refused(&before, "out_of_step", 1);
    // Three messages are lost: the rest goes on.
    let mut lost = lines.clone();
    for _ in 0..3 {
        lost.remove(at(2));
    }
    let (code, table, _) = bench.check(&lost);
    assert_eq!((code, &table["refused"]), (Some(0), &Value::from(0)));
    // Another key refuses all, announcements too.
    let other = bench.read("auth.toml").replace("ccddeeff", "ccddeef0");
    bench.write("auth.toml", &other);
    let (code, table, messages) = bench.check(&lines);
    assert_eq!((code, &table["refused"]), (Some(3), &Value::from(11)));
    assert_eq!(messages.lines().count(), 10, "the frames of no stream");
}

#[test]
fn what_is_done_to_messages_with_tags_is_found() {
    for scheme in ["vatican", "leia"] {
        let bench = Bench::new(&format!("scheme = \"{scheme}\"\nprotect = [0x280]"));
        let text = short().replace(" 281#", " 301#");
        bench.write("a.log", &text);
        let lines = bench.protect(&bench.path("a.log"));
        assert_eq!(lines.len(), 30);
        let at = |number: usize| 3 * number;
        let counts = |lines: &[String], expected: [(&str, u64); 3], messages: usize| {
            let (code, table, out) = bench.check(lines);
            assert_eq!(code, Some(1), "{scheme}: {table}");
            let row = row(&table, "0x280");
            for (key, count) in expected {
                assert_eq!(row[key], count, "{scheme}, {key}: {row}");
            }
            assert_eq!(out.lines().count(), messages, "{scheme}: {out}");
        };
        let mut changed = lines.clone();
        changed[at(3)] = changed[at(3)].replace("#00", "#80");
        let expected = [("authentic", 18), ("wrong_tag", 1), ("missing", 1)];
        counts(&changed, expected, 19);
        let mut bare = lines.clone();
        bare.remove(at(4) + 1);
        counts(
            &bare,
            [("authentic", 18), ("missing", 1), ("replay", 0)],
            19,
        );
        let mut alone = lines.clone();
        alone.remove(at(4));
        let expected = [("authentic", 18), ("tag_without_data", 1), ("replay", 0)];
        counts(&alone, expected, 19);
        let mut again = lines.clone();
        let both = [lines[at(4)].clone(), lines[at(4) + 1].clone()];
        again.splice(at(5)..at(5), both);
        let expected = [("authentic", 20), ("replay", 1), ("missing", 1)];
        counts(&again, expected, 20);
    }
}

#[test]
fn each_frame_has_a_verdict_and_keeps_its_place() {
    let bench = Bench::new("scheme = \"vatican\"\nprotect = [0x280]");
    bench.write("a.log", &short().replace(" 281#", " 301#"));
    let mut lines = bench.protect(&bench.path("a.log"));
    lines[0] = lines[0].replace("#00", "#01");
    bench.write("p.log", &(lines.join("\n") + "\n"));
    let kept = bench.path("kept.log");
    let arguments = ["--verdicts", "-", "--keep", "--out", kept.to_str().unwrap()];
    let (code, printed, _) = bench.auth("check", &bench.path("p.log"), &arguments);
    assert_eq!(code, Some(1));
    let (mut expected, mut words) = (
        lines.clone(),
        ["missing", "wrong-tag", "unknown-id"].to_vec(),
    );
    words.extend([["authentic", "authentic", "unknown-id"]; 9].concat());
    for (line, word) in expected.iter_mut().zip(words) {
        line.push_str("  ");
        line.push_str(word);
    }
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    assert_eq!(bench.read("kept.log"), lines.join("\n") + "\n");
    let (code, ..) = bench.auth("check", &bench.path("a.log"), &["--no-unknown"]);
    assert_eq!(code, Some(3), "none of them has a tag");
}

#[test]
fn what_has_the_name_of_a_message_and_not_its_form_is_not_authentic() {
    let cases = [
        ("leia", "protect = [0x280]", " 280#DEADBEEF", true),
        ("leia", "protect = [0x280]", " 280##1DEADBEEF", true),
        ("leia", "protect = \"all\"", " 280#DEADBEEF", true),
        // Before the stream's first message, too.
        ("leia", "protect = [0x280, 0x300]", " 300#DEADBEEF", true),
        ("vatican", "protect = [0x280]", " 280##1DEADBEEF", true),
        ("vatican", "protect = \"all\"", " 280##1DEADBEEF", true),
        // What protect would have left alone is of no stream.
        ("leia", "protect = \"all\"", " 281#DEADBEEF", false),
        ("leia", "protect = [0x280]", " 300#DEADBEEF", false),
        ("vatican", "protect = \"all\"", " 300##1DEADBEEF", false),
        ("vatican", "protect = \"all\"", " 280#R", false),
    ];
    for (scheme, protect, forged, is_refused) in cases {
        let bench = Bench::new(&format!("scheme = \"{scheme}\"\n{protect}"));
        let original = "(1.000000) can0 280#0102030405060708";
        bench.write("a.log", &format!("{original}\n"));
        let mut lines = bench.protect(&bench.path("a.log"));
        lines.push(format!("(1.005000) can0{forged}"));
        let (code, table, messages) = bench.check(&lines);
        let case = format!("{scheme} {protect}{forged}: {table}");
        assert_eq!(code, Some(i32::from(is_refused)), "{case}");
        assert_eq!(table["refused"], u64::from(is_refused), "{case}");
        assert_eq!(messages.contains(forged), !is_refused, "{case}");
        assert!(messages.contains(original), "{case}");
    }
}

#[test]
fn earlier_starts_are_over() {
    for profile in ["production", "jaspar", "autosar-2"] {
        let table =
            format!("scheme = \"secoc\"\nprofile = \"{profile}\"\nfd = true\nprotect = [0x280]");
        let bench = Bench::new(&table);
        bench.write("a.log", &short());
        let (_, protected, _) = bench.auth("protect", &bench.path("a.log"), &["--epoch", "4"]);
        bench.write("p.log", &protected);
        for (epoch, code, replays, authentic) in [("3", 0, 0, 10), ("4", 0, 0, 10), ("5", 1, 1, 0)]
        {
            let arguments = ["--format", "json", "--epoch", epoch];
            let (found, printed, _) = bench.auth("check", &bench.path("p.log"), &arguments);
            let table: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(found, Some(code), "{profile} {epoch}");
            assert_eq!(
                row(&table, "0x00F, announcements")["replay"],
                replays,
                "{table}"
            );
            assert_eq!(row(&table, "0x280")["authentic"], authentic, "{table}");
        }
    }
}

#[test]
fn verdicts_for_programs_have_freshness_and_no_code_that_a_forger_could_send() {
    let bench = Bench::new("scheme = \"secoc\"\nprotect = [0x280]");
    let lines = |at: usize| format!("(1.{:06}) can0 280#{at:02X}\n", 10_000 * at);
    bench.write("a.log", &(0..3).map(lines).collect::<String>());
    let mut protected = bench.protect(&bench.path("a.log"));
    // What the sender made of its second message, and the attacker of that.
    let honest = protected[2].clone();
    let code = honest[honest.len() - 7..].to_owned();
    protected[2] = honest.replace("280#01", "280#02");
    let replayed = protected[1].clone();
    protected.push(replayed);
    bench.write("p.log", &(protected.join("\n") + "\n"));

    let out = bench.path("verdicts.csv");
    let arguments = ["--verdicts", out.to_str().unwrap()];
    let (exit, ..) = bench.auth("check", &bench.path("p.log"), &arguments);
    assert_eq!(exit, Some(1));
    let csv = bench.read("verdicts.csv").replace(", announcements", "");
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    let columns: Vec<&str> = rows[0][6..].to_vec();
    assert_eq!(
        columns[..5],
        ["verdict", "result", "trip", "reset", "message"]
    );
    let success = ["authentic", "SECOC_VERIFICATIONSUCCESS"];
    let failure = ["wrong-tag", "SECOC_VERIFICATIONFAILURE"];
    let expected = [
        (success, ["1", "1", ""], ["", "", ""]),
        (success, ["1", "1", "0"], ["1", "1", "0"]),
        (failure, ["", "", ""], ["1", "1", "1"]),
        (success, ["1", "1", "2"], ["1", "1", "1"]),
    ];
    for (row, (verdict, freshness, next)) in rows[1..].iter().zip(expected) {
        assert_eq!(row[6..8], verdict, "{csv}");
        assert_eq!(row[8..11], freshness, "{csv}");
        assert_eq!(row[13..16], next, "{csv}");
    }
    // The replayed message could as well be a later one with the same low bits.
    assert_eq!(rows[5][6..8], failure, "{csv}");
    assert_eq!(rows[3][12], format!("0x{code}"), "as received");
    // The code that the forged message would have had to have.
    let wanted: String = [0, 2, 2].map(lines).concat();
    bench.write("wanted.log", &wanted);
    let wanted = bench.protect(&bench.path("wanted.log"))[2].clone();
    assert!(!csv.contains(&wanted[wanted.len() - 7..]), "{csv}");

    let arguments = ["--verdicts", "-", "--verdict-format", "json"];
    let (_, printed, _) = bench.auth("check", &bench.path("p.log"), &arguments);
    let third: Value = serde_json::from_str(printed.lines().nth(2).unwrap()).unwrap();
    assert_eq!(third["result"], "SECOC_VERIFICATIONFAILURE");
    assert_eq!(third["trip"], Value::Null);
    assert_eq!(third["expected_message"], 1);
    assert_eq!(third["id_hex"], "0x280");
}
