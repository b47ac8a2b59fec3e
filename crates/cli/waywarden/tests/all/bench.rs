//! `waywarden bench verify` as a user calls it: its lines, its forms, its errors; no times.

use std::sync::LazyLock;

use serde_json::Value;

/// Exit code, standard output, standard error.
fn waywarden(arguments: &[&str]) -> (i32, String, String) {
    let output = crate::support::waywarden()
        .args(arguments)
        .output()
        .expect("runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("ended by itself");
    (code, text(output.stdout), text(output.stderr))
}

const SHORT: [&str; 6] = [
    "bench",
    "verify",
    "--seconds",
    "1",
    "--curve",
    "brainpoolp256r1",
];

/// The measurement as JSON: it takes seconds, and several tests look at it.
pub(crate) static MEASURED: LazyLock<Value> = LazyLock::new(|| {
    let (code, out, err) = waywarden(&[&SHORT[..], &["--format", "json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    serde_json::from_str(&out).expect("JSON")
});

#[test]
fn every_path_has_a_line() {
    let document = &*MEASURED;
    let lanes = &document["lanes"][0];
    assert_eq!(lanes["curve"], "brainpoolP256r1");
    assert!([1, 8].contains(&lanes["lanes"].as_u64().expect("a number")));
    let lines = document["lines"].as_array().expect("lines");
    let named: Vec<(&str, u64)> = lines
        .iter()
        .map(|line| {
            let number = |name: &str| line[name].as_f64().expect("a number");
            assert!(number("message_us") > 0.0 && number("messages_per_second") > 0.0);
            let path = line["path"].as_str().expect("text");
            let worst = path != "rebuild a key, nothing else";
            assert_eq!(line["worst_message_us"].is_number(), worst, "{path}");
            assert_eq!(
                line["table_bytes"].is_number(),
                path.contains("known"),
                "{path}"
            );
            (path, line["in_flight"].as_u64().expect("a number"))
        })
        .collect();
    let expected = [
        "explicit key",
        "implicit key, new issuer",
        "implicit key, known issuer",
        "known sender, one of 256",
    ]
    .map(|path| [(path, 1), (path, 128)]);
    let (paths, last) = named.split_at(expected.as_flattened().len());
    assert_eq!(paths, expected.as_flattened());
    let mixed = "explicit key, known sender, known issuer in turn";
    assert_eq!(last, [(mixed, 128), ("rebuild a key, nothing else", 1)]);
}

/// Without memory known senders are verified like new ones, and nothing waits for tables.
#[test]
fn tables_take_the_memory_that_they_are_given() {
    for (size, at_most) in [("0", 0), ("20KiB", 20 << 10)] {
        let options = ["--format", "json", "--table-memory", size];
        let (code, out, err) = waywarden(&[&SHORT[..], &options].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{size}");
        let document: Value = serde_json::from_str(&out).expect("JSON");
        let lines = document["lines"].as_array().expect("lines");
        let used: Vec<u64> = lines
            .iter()
            .filter_map(|line| line["table_bytes"].as_u64())
            .collect();
        assert_eq!(used.len(), 5, "{size}");
        assert!(used.iter().all(|used| *used <= at_most), "{used:?}");
        assert_eq!(used.iter().any(|used| *used > 0), at_most > 0, "{used:?}");
    }
}

#[test]
fn as_a_table_and_as_csv() {
    let (code, out, _) = waywarden(&SHORT);
    assert_eq!(code, 0);
    assert!(out.starts_with("brainpoolP256r1: "), "{out}");
    // The cells of a wide table break.
    assert!(out.contains("known sender") && out.contains("256"), "{out}");
    let (code, out, _) = waywarden(&[&SHORT[..], &["--format", "csv"]].concat());
    assert_eq!(code, 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 11);
    assert_eq!(
        lines[0],
        "curve,path,in_flight,message_us,messages_per_second,worst_message_us,table_bytes"
    );
}

#[test]
fn nonsense_is_refused() {
    for bad in [
        ["--curve", "p521"],
        ["--seconds", "0"],
        ["--seconds", "3601"],
        ["--table-memory", "much"],
        ["--format", "xml"],
    ] {
        let (code, out, err) = waywarden(&[&["bench", "verify"][..], &bad].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{bad:?}");
        assert!(err.contains(bad[0]) && err.contains(bad[1]), "{err}");
    }
}
