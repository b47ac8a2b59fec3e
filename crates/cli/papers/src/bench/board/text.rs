//! A board file of what was measured.

use std::fmt::Write;

use waywarden_boards::Board;
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::host::Host;

/// The board that base tables were measured on, and its clock.
const BASE: (&str, f64) = ("m4", 80.0);

/// Clock rate to write if it is not known: no figure of the file is counted in cycles.
const CLOCK_MHZ: u64 = 1_000;

/// A figure.
pub(super) struct Figure {
    pub(super) kind: OperationKind,
    pub(super) algorithm: Algorithm,
    /// Microseconds of any message.
    pub(super) fixed: f64,
    /// Microseconds of each begun block more, bytes of a block and of what is appended.
    pub(super) growth: Option<(f64, usize, usize)>,
}

/// Duration of a message on one of the fast paths; no operation of a board.
pub(super) struct FastPath {
    pub(super) path: String,
    /// Messages that wait.
    pub(super) waiting: usize,
    /// Microseconds of one message.
    pub(super) each: f64,
}

/// Measured figures, and the method.
pub(super) struct Measured {
    pub(super) host: Host,
    pub(super) how: String,
    pub(super) figures: Vec<Figure>,
    pub(super) paths: Vec<FastPath>,
    /// Verifications on P-256 in one vector.
    pub(super) lanes: u32,
}

impl Measured {
    /// Writes the board file.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let Host {
            processor,
            cores,
            clock_mhz,
        } = &self.host;
        let origin = format!(
            "measured = {{ on = {}, how = {} }}",
            quoted(&self.host.name()),
            quoted(&self.how)
        );
        writeln!(
            out,
            "# A board file of this machine, by `waywarden bench board`."
        )?;
        writeln!(out, "title = {}\n\n[characteristics]", quoted(processor))?;
        writeln!(out, "architecture = {}", quoted(std::env::consts::ARCH))?;
        writeln!(out, "cores = {cores}")?;
        writeln!(out, "clock = \"{} MHz\"", clock_mhz.unwrap_or(CLOCK_MHZ))?;
        if clock_mhz.is_none() {
            writeln!(out, "note = \"clock not known; no figure depends on it\"")?;
        }
        writeln!(
            out,
            "measured = {{ on = {}, how = \"as the operating system says\" }}",
            quoted(&self.host.name())
        )?;
        for figure in &self.figures {
            heading(out, figure.kind, figure.algorithm)?;
            writeln!(out, "duration = \"{} ns\"", nanoseconds(figure.fixed))?;
            if let Some((slope, block, padding)) = figure.growth {
                writeln!(out, "duration_per_unit = \"{} ns\"", nanoseconds(slope))?;
                writeln!(out, "unit = \"{block} bytes\"")?;
                if padding > 0 {
                    writeln!(out, "padding = \"{padding} bytes\"")?;
                }
            }
            writeln!(out, "{origin}")?;
        }
        write_driver_calls(out)?;
        self.write_scaling(out)?;
        self.write_paths(out)
    }

    /// Everything else, as on a Cortex-M4 that is as much faster as the least accelerated of the
    /// operations that were measured on both: rather too slow than too fast.
    fn write_scaling(&self, out: &mut String) -> std::fmt::Result {
        let (base, base_mhz) = BASE;
        let Some(base) = Board::builtin(base) else {
            return Ok(());
        };
        let ratios = self.figures.iter().filter_map(|figure| {
            let table = [
                OperationKind::KeyGenerate,
                OperationKind::CertificateRequest,
                OperationKind::CertificateIssue,
                OperationKind::CertificateAccept,
                OperationKind::KeyRebuild,
                OperationKind::Sign,
                OperationKind::Verify,
            ];
            let is_stated = figure.algorithm == Algorithm::P256 && table.contains(&figure.kind);
            let operation = Operation::new(figure.kind, figure.algorithm, 0);
            let there = base.cost(&operation).ok().filter(|_| is_stated)?;
            let there = there.duration.as_nanos() as f64 / 1e3;
            Some((figure.kind, there, figure.fixed))
        });
        let least = ratios.min_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)));
        let Some((kind, there, here)) = least else {
            return Ok(());
        };
        let mhz = (base_mhz * there / here).clamp(1.0, 1e9).round();
        writeln!(out, "\n[scaling]")?;
        writeln!(
            out,
            "bases = [\"cortex-m4-portable\", \"cortex-m4-assembly\"]"
        )?;
        writeln!(out, "as_fast_as = \"{mhz} MHz\"")?;
        writeln!(
            out,
            "rule = \"{kind} on P-256 takes {here:.3} us here, {there} us on a Cortex-M4 at \
             {base_mhz} MHz: the least ratio of the seven operations\""
        )?;
        writeln!(out, "inputs = [\"[ECQV-CITS] Table I\"]")
    }

    fn write_paths(&self, out: &mut String) -> std::fmt::Result {
        for path in &self.paths {
            let item = format!("verify on P-256, {}: {} waiting", path.path, path.waiting);
            stated(
                out,
                &item,
                (100.0 * path.each).round() / 100.0,
                "us a message",
            )?;
        }
        let item = "verifications on P-256 in one vector";
        stated(out, item, f64::from(self.lanes), "lanes")
    }
}

/// Driver calls are not measured: the machine may have no CAN interface.
fn write_driver_calls(out: &mut String) -> std::fmt::Result {
    let formats = [
        Algorithm::CanStandard,
        Algorithm::CanExtended,
        Algorithm::CanFd,
    ];
    for algorithm in formats {
        for kind in [OperationKind::FrameSend, OperationKind::FrameReceive] {
            heading(out, kind, algorithm)?;
            writeln!(out, "duration = \"5 us\"")?;
            writeln!(
                out,
                "assumed = \"a call from user space into a CAN driver\""
            )?;
        }
    }
    Ok(())
}

fn heading(out: &mut String, kind: OperationKind, algorithm: Algorithm) -> std::fmt::Result {
    writeln!(
        out,
        "\n[[figure]]\noperation = \"{kind}\"\nalgorithm = \"{algorithm}\""
    )
}

fn stated(out: &mut String, item: &str, value: f64, unit: &str) -> std::fmt::Result {
    let item = quoted(item);
    writeln!(
        out,
        "\n[[stated]]\nkey = \"measured\"\nplace = \"this machine\"\nitem = {item}"
    )?;
    writeln!(out, "value = {value:?}\nunit = \"{unit}\"")
}

/// At least one, for nothing that was measured is free.
fn nanoseconds(microseconds: f64) -> u64 {
    ((1_000.0 * microseconds).round() as u64).max(1)
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .filter(|one| !one.is_control())
        .flat_map(|one| match one {
            '"' | '\\' => vec!['\\', one],
            _ => vec![one],
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use waywarden_boards::Provenance;
    use waywarden_work::Duration;

    use super::*;

    fn measured(processor: &str, clock_mhz: Option<u64>) -> Measured {
        let figure = |kind, fixed| Figure {
            kind,
            algorithm: Algorithm::P256,
            fixed,
            growth: None,
        };
        Measured {
            host: Host {
                processor: processor.to_owned(),
                cores: 2,
                clock_mhz,
            },
            how: "by hand, \"slowly\"".to_owned(),
            figures: vec![
                figure(OperationKind::Sign, 100.0),
                figure(OperationKind::Verify, 50.1234),
                Figure {
                    kind: OperationKind::Hash,
                    algorithm: Algorithm::Sha256,
                    fixed: 0.0,
                    growth: Some((0.25, 64, 9)),
                },
            ],
            paths: vec![FastPath {
                path: "known sender".to_owned(),
                waiting: 128,
                each: 7.126,
            }],
            lanes: 8,
        }
    }

    #[test]
    fn a_board_file_is_read_as_it_was_measured() {
        let text = measured("Fast \"One\" \\ Two", Some(2_600)).text();
        let board = Board::parse("host", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(board.title(), "Fast \"One\" \\ Two");
        assert_eq!(board.characteristics().clock_hz, 2_600_000_000);
        let cost = |kind, algorithm, bytes| {
            let cost = board.cost(&Operation::new(kind, algorithm, bytes)).unwrap();
            (cost.duration, cost.provenance.clone())
        };
        let (duration, origin) = cost(OperationKind::Verify, Algorithm::P256, 100);
        assert_eq!(duration, Duration::from_nanos(50_123));
        let Provenance::Measured { on, how } = origin else {
            panic!("{origin}");
        };
        assert!(on.starts_with("Fast \"One\" \\ Two, "), "{on}");
        assert_eq!(how, "by hand, \"slowly\"");
        let (duration, _) = cost(OperationKind::Hash, Algorithm::Sha256, 100);
        assert_eq!(duration, Duration::from_nanos(1 + 2 * 250));
        // What was not measured is scaled by the least of the ratios to the Cortex-M4.
        let nanos = |board: &Board, algorithm| {
            let operation = Operation::new(OperationKind::Sign, algorithm, 0);
            board.cost(&operation).unwrap().duration.as_nanos() as f64
        };
        let m4 = Board::builtin("m4").unwrap();
        let mhz = 80.0 * nanos(&m4, Algorithm::P256) / 100_000.0;
        // A board with the same base tables, and the clock that its file states.
        let other = Board::builtin("x86-64").unwrap();
        let ratio = nanos(&other, Algorithm::MlDsa44) / nanos(&board, Algorithm::MlDsa44);
        assert!((ratio * 30_507.0 / mhz - 1.0).abs() < 0.01, "{ratio} {mhz}");
        let stated: Vec<(&str, f64)> = board
            .stated()
            .iter()
            .map(|one| (one.item.as_str(), one.value))
            .collect();
        let path = "verify on P-256, known sender: 128 waiting";
        let lanes = "verifications on P-256 in one vector";
        assert_eq!(stated, [(path, 7.13), (lanes, 8.0)]);
    }

    #[test]
    fn a_machine_that_says_nothing_is_still_a_board() {
        let text = measured("\u{7}", None).text();
        let board = Board::parse("host", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(board.characteristics().note.is_some());
        assert_eq!(board.title(), "");
    }
}
