//! Rows as text.

use std::fmt::Write as _;

use anyhow::Result;

use crate::race::{Case, Row};

/// The cases and who takes part.
pub(crate) fn list(cases: &[Case]) -> String {
    let mut text = String::new();
    for case in cases {
        let _ = writeln!(text, "{}: {}", case.name, case.what);
        for peer in &case.peers {
            let _ = writeln!(text, "    {}", peer.name);
        }
    }
    text
}

/// For a terminal.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<26} {:<26} {:>12} {:>12} {:>8}\n",
        "case", "peer", "ours ns", "peer ns", "ratio"
    );
    let mut last = "";
    for row in rows {
        let case = if row.case == last { "" } else { row.case };
        last = row.case;
        let _ = writeln!(
            text,
            "{case:<26} {:<26} {:>12.0} {:>12.0} {:>8.2}",
            row.peer, row.ours_ns, row.peer_ns, row.ratio
        );
    }
    text
}

/// A list of objects, one a row.
///
/// # Errors
/// None that this program can cause.
pub(crate) fn json(rows: &[Row]) -> Result<String> {
    Ok(serde_json::to_string_pretty(rows)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row {
        case: "verify",
        peer: "p",
        ours_ns: 10.0,
        peer_ns: 25.0,
        ratio: 2.5,
    };

    #[test]
    fn json_has_the_five_keys() {
        let value: serde_json::Value = serde_json::from_str(&json(&[ROW]).unwrap()).unwrap();
        let keys: Vec<&String> = value[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["case", "ours_ns", "peer", "peer_ns", "ratio"]);
    }

    #[test]
    fn a_case_is_named_once() {
        assert_eq!(table(&[ROW, ROW]).matches("verify").count(), 1);
    }
}
