//! The board `ideal`: ECUs on which computing takes no time, and the sentence that says so.

use crate::{BoardSource, VehicleFile};

/// Limit on ECUs that the sentence names.
const NAMED_MAX: usize = 3;

impl BoardSource {
    /// Returns true for the board on which computing takes no time.
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        matches!(self, BoardSource::BuiltIn(name) if name == "ideal")
    }
}

/// Returns the names of the ECUs with the board `ideal`; those with an image compute in its time.
#[must_use]
pub fn ideal_ecus(file: &VehicleFile) -> Vec<String> {
    let ecus = file.ecus.iter();
    let ecus = ecus.filter(|ecu| ecu.board.value.is_ideal() && ecu.firmware.is_none());
    ecus.map(|ecu| ecu.name.value.clone()).collect()
}

/// Returns a sentence for below the figures that depend on the board `ideal`; none if no ECU has
/// it.
#[must_use]
pub fn ideal_note(file: &VehicleFile) -> Option<String> {
    sentence(&ideal_ecus(file), file.ecus.len())
}

fn sentence(ideal: &[String], ecus: usize) -> Option<String> {
    if ideal.is_empty() {
        return None;
    }
    if ideal.len() == ecus {
        return Some(
            "computing takes no time: every ECU has the board `ideal`; for times of real hardware \
             name a `board` for each [[ecu]]"
                .to_owned(),
        );
    }
    let named = ideal.iter().take(NAMED_MAX).map(String::as_str);
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match ideal.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "computing takes no time on {} of {ecus} ECUs, which have the board `ideal`: {named}{more}",
        ideal.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideal_ecus_are_named_or_counted() {
        let names = |number: usize| (0..number).map(|at| format!("e{at}")).collect::<Vec<_>>();
        assert_eq!(sentence(&[], 2), None);
        let all = sentence(&names(2), 2).unwrap();
        assert!(
            all.starts_with("computing takes no time: every ECU"),
            "{all}"
        );
        let some = sentence(&names(2), 5).unwrap();
        assert!(
            some.ends_with("on 2 of 5 ECUs, which have the board `ideal`: e0, e1"),
            "{some}"
        );
        let many = sentence(&names(9), 10).unwrap();
        assert!(many.ends_with("`ideal`: e0, e1, e2 and 6 more"), "{many}");
    }
}
