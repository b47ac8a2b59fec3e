//! Numbers and lists in words.

/// Names the ECUs that were out of it, if any.
pub(super) fn left_out(why: &str, ecus: &[String]) -> String {
    match ecus {
        [] => String::new(),
        ecus => format!("; {why}: {}", ecus.join(", ")),
    }
}

/// All ECUs as a subject with its verb.
pub(super) fn all(ecus: usize, does: &str, they_do: &str) -> String {
    match ecus {
        1 => format!("the only ECU {does}"),
        _ => format!("all {ecus} ECUs {they_do}"),
    }
}

/// Some ECUs of all as a subject with its verb.
pub(super) fn some(ecus: usize, of: usize, does: &str, they_do: &str) -> String {
    let verb = if ecus == 1 { does } else { they_do };
    format!("{ecus} of {} {verb}", counted(of as u64, "ECU", "ECUs"))
}

pub(super) fn counted(number: u64, one: &str, several: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    }
}

pub(super) fn milliseconds(ms: f64) -> String {
    // What rounds to nothing has no sign.
    match format!("{ms:.3}") {
        nothing if nothing == "-0.000" => "0.000".to_owned(),
        text => text,
    }
}

/// Milliseconds of one width, for a column that is none of the aligned ones.
pub(super) fn aligned(ms: f64) -> String {
    format!("{:>9}", milliseconds(ms))
}

pub(super) fn optional(ms: Option<f64>) -> String {
    ms.map_or(String::new(), milliseconds)
}
