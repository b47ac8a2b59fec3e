//! Bytes, frames and times beside each other: the bus time of the published code, and printed bytes
//! that do not fit the time that sends them.

use super::quantity::{Part, State};
use super::study::LasanStudy;
use super::tables::BENCHMARKS;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, PaperError, Printed, Unit};

/// Data bytes of a classic frame.
const FRAME_BYTES: f64 = 8.0;

const BUS: &str = "Bus time of the published code";

impl LasanStudy {
    /// Compares the bus time of the published code's frames with the printed time.
    pub(super) fn bus(&self, cells: &mut Vec<Cell>, suite: &str) -> Result<(), PaperError> {
        let run = self.testbed(suite);
        let frame = self.testbed_frame()?;
        for part in [Part::Once, Part::Each, Part::All] {
            let frames = self.frame_count(&run, part)?;
            let time = frame.as_nanos() as f64 * frames as f64 / 1e9;
            let columns: &[Part] = match part {
                Part::All => &Part::COLUMNS,
                Part::Once => &[Part::Once],
                Part::Each => &[Part::Each],
            };
            let printed = self.printed_sum(suite, columns, &[State::Communication]);
            cells.push(Cell {
                paper: Some(printed),
                formula: Some((time * 1e9).round() / 1e9),
                verdict: CellVerdict::NotCompared,
                class: Some(Class::Derived),
                why: format!(
                    "{frames} frames of 8 bytes with 11-bit identifiers, {} us each; the paper's \
                     {} s of communication are pauses but for {} %",
                    short(frame.as_nanos() as f64 / 1e3),
                    short(printed),
                    short(time / printed * 100.0),
                ),
                ..Cell::new(
                    BUS,
                    format!("{}, {part}", self.label(suite)?),
                    Unit::Seconds,
                )
            });
        }
        Ok(())
    }

    /// Compares the printed time of communication with what the printed bytes take at least: full
    /// frames, one in each of the testbed's pauses. Both numbers are the paper's.
    pub(super) fn bytes_in_time(
        &self,
        suite: &str,
        part: Part,
        bytes: &Printed,
    ) -> Result<Cell, PaperError> {
        let columns: &[Part] = match part {
            Part::Once => &[Part::Once],
            _ => &Part::COLUMNS,
        };
        let time = self.printed_sum(suite, columns, &[State::Communication]);
        let half = self.rounded_off(suite, part);
        let pause = self.pacing().as_nanos() as f64 / 1e9;
        let frames = (bytes.value() / FRAME_BYTES).ceil();
        let least = Amount::Number(frames * pause).in_unit(Unit::Times);
        let fits = least <= time + half;
        let room = ((time + half) / pause + 1e-9).floor();
        let why = format!(
            "{} s are {} frames, one every {} ms, which carry {} bytes at most; the {} bytes that \
             are printed take {} full frames and {} s at least{}",
            short(time),
            short(room),
            short(pause * 1e3),
            short(room * FRAME_BYTES),
            bytes.text(),
            short(frames),
            short(least),
            if fits {
                ""
            } else {
                ": the two contradict each other"
            },
        );
        let label = &self.code(suite)?.label;
        Ok(Cell {
            paper: Some(time),
            formula: Some(least),
            verdict: match fits {
                true => CellVerdict::Agrees,
                false => CellVerdict::Differs,
            },
            class: Some(Class::Derived),
            why,
            ..Cell::new(
                BENCHMARKS,
                format!("{label}, {part}, communication has room for the printed bytes, at least"),
                Unit::Seconds,
            )
        })
    }

    /// Half a unit of the last digit of each term of a printed time of communication, in seconds.
    fn rounded_off(&self, suite: &str, part: Part) -> f64 {
        let rows = self.data.time.iter();
        let rows = rows.filter(|row| row.suite == suite && row.state == State::Communication);
        let terms = rows.map(|row| match part {
            Part::Once => row.once.half(),
            _ => row.once.half() + row.each.half(),
        });
        terms.sum()
    }
}
