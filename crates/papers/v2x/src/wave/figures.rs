//! The figures drawn again: Figures 1 to 4 with the steps that were measured, Figures 5 and 6 as
//! the mean times that section 5.2 has, split into ECDSA and the rest, and the sweep of Table 2.

use waywarden_report_page::{BarGroup, Bars, LinePlot, Series};

use super::ours::{cam, millis, number};
use super::quantity::{
    CAM_BYTES, Field, Operation, PAYLOADS, Part, Path, WaveMeasured, WaveQuantity, Work,
};
use super::study::{Machine, WaveStudy};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::diagram::{Block, Diagram};
use waywarden_paper_tables::{FigurePlot, Unit};

const MODEL: &str = "The security model, as it is built here";
const STEPS: &str = "What is done to sign and to verify a CAM, with the times of this machine";
const PACKET: &str = "A signed CAM as it is encoded here, in bytes";
const PROTOCOL: &str = "A CAM on its way through facilities, security and WSMP";
const TIMES: &str = "A CAM signed and verified, and what ECDSA on P-256 alone takes of it (ms)";
const SWEEP: &str = "ECDSA by length of the payload, its hash included (ms)";
/// The CAM whose times stand in the figures, in bytes.
const BYTES: u32 = CAM_BYTES[0];

impl WaveStudy {
    /// Draws the plots. What was not measured has no time.
    #[must_use]
    pub fn plots(&self, measured: &WaveMeasured<'_>) -> Vec<FigurePlot> {
        let mut plots = vec![
            plot("Figure 1", MODEL, model(measured)),
            plot("Figure 2", STEPS, steps(measured)),
            plot("Figure 3", PACKET, packet(measured)),
            plot("Figure 4", PROTOCOL, protocol(measured)),
        ];
        let places = ["Figure 5", "Figure 6"];
        let machines = places.into_iter().zip(&self.machines);
        plots.extend(machines.map(|(place, machine)| plot(place, TIMES, machine.bars(measured))));
        plots.extend(sweep(measured).map(|svg| plot("Table 2", SWEEP, svg)));
        plots
    }
}

fn plot(place: &'static str, title: &'static str, svg: String) -> FigurePlot {
    FigurePlot { place, title, svg }
}

/// A box with words and, if it was measured, a time.
fn block(column: usize, span: usize, row: usize, words: &[&str], time: Option<f64>) -> Block {
    let lines = words.iter().map(|words| (*words).to_owned());
    let time = time.map(|time| format!("{} ms", short(time)));
    Block {
        column,
        span,
        row,
        lines: lines.chain(time).collect(),
    }
}

fn time(measured: &WaveMeasured<'_>, operation: Operation, path: Path) -> Option<f64> {
    millis(measured, &cam(operation, path, BYTES))
}

fn part(measured: &WaveMeasured<'_>, operation: Operation, part: Part) -> Option<f64> {
    let quantity = WaveQuantity::Part {
        operation,
        part,
        bytes: BYTES,
    };
    millis(measured, &quantity)
}

fn model(measured: &WaveMeasured<'_>) -> String {
    let sign = part(measured, Operation::Sign, Part::Curve);
    let verify = part(measured, Operation::Verify, Part::Curve);
    let diagram = Diagram {
        title: MODEL,
        columns: &["", "", "", ""],
        blocks: vec![
            block(
                0,
                4,
                0,
                &["facilities: CAM, BSM, DENM (waywarden station)"],
                None,
            ),
            block(
                0,
                4,
                1,
                &["secure protocols: IEEE 1609.2 (v2x-signing, v2x-security, v2x-service)"],
                None,
            ),
            block(0, 1, 2, &["private keys sign", "(v2x-keys)"], sign),
            block(1, 1, 2, &["signatures verified", "(ecverify)"], verify),
            block(2, 1, 2, &["certificates", "(v2x-security)"], None),
            block(3, 1, 2, &["position and time", "(gpsd)"], None),
        ],
        arrows: vec![(0, 1), (1, 2), (1, 3), (1, 4), (5, 1)],
    };
    diagram.svg()
}

fn steps(measured: &WaveMeasured<'_>) -> String {
    use Operation::{Sign, Verify, VerifyNew};
    let of = |operation, one| part(measured, operation, one);
    let whole = |operation| time(measured, operation, Path::Library);
    let diagram = Diagram {
        title: STEPS,
        columns: &["sign", "verify, known station", "verify, new station"],
        blocks: vec![
            block(0, 1, 0, &["time and position"], None),
            block(0, 1, 1, &["certificate and key found"], None),
            block(0, 1, 2, &["SHA-256"], of(Sign, Part::Hash)),
            block(0, 1, 3, &["ECDSA"], of(Sign, Part::Curve)),
            block(0, 1, 4, &["message written:", "in all"], whole(Sign)),
            block(1, 1, 0, &["message read"], None),
            block(1, 1, 1, &["certificate found by its digest"], None),
            block(1, 1, 2, &["SHA-256"], of(Verify, Part::Hash)),
            block(1, 1, 3, &["ECDSA"], of(Verify, Part::Curve)),
            block(
                1,
                1,
                4,
                &["time and place checked:", "in all"],
                whole(Verify),
            ),
            block(2, 1, 0, &["message read"], None),
            block(
                2,
                1,
                1,
                &["certificate read"],
                of(VerifyNew, Part::Certificate),
            ),
            block(2, 1, 2, &["SHA-256, twice"], of(VerifyNew, Part::Hash)),
            block(2, 1, 3, &["ECDSA, twice"], of(VerifyNew, Part::Curve)),
            block(
                2,
                1,
                4,
                &["time and place checked:", "in all"],
                whole(VerifyNew),
            ),
        ],
        arrows: [0, 5, 10]
            .into_iter()
            .flat_map(|first| (first..first + 4).map(|one| (one, one + 1)))
            .collect(),
    };
    diagram.svg()
}

fn packet(measured: &WaveMeasured<'_>) -> String {
    let mut blocks = Vec::new();
    for (column, has_certificate) in [(0, false), (1, true)] {
        for (row, field) in Field::ALL.iter().copied().enumerate() {
            let quantity = WaveQuantity::Packet {
                field,
                has_certificate,
            };
            let bytes = number(measured, &quantity).map(|bytes| format!("{bytes} B"));
            let name = match (field, has_certificate) {
                (Field::Signer, false) => "signer: the certificate's digest",
                (Field::Signer, true) => "signer: the certificate",
                _ => field.name(),
            };
            blocks.push(Block {
                column,
                span: 1,
                row,
                lines: std::iter::once(name.to_owned()).chain(bytes).collect(),
            });
        }
    }
    let diagram = Diagram {
        title: PACKET,
        columns: &["with the digest", "with the certificate"],
        blocks,
        arrows: Vec::new(),
    };
    diagram.svg()
}

fn protocol(measured: &WaveMeasured<'_>) -> String {
    let of = |operation| time(measured, operation, Path::Service);
    let diagram = Diagram {
        title: PROTOCOL,
        columns: &["facilities", "security service", "WSMP"],
        blocks: vec![
            block(0, 1, 0, &["CAM made"], None),
            block(1, 1, 1, &["signed, over the socket"], of(Operation::Sign)),
            block(0, 1, 2, &["signed message taken"], None),
            block(
                2,
                1,
                3,
                &["WAVE short message", "on the air, and received"],
                None,
            ),
            block(0, 1, 4, &["received message taken"], None),
            block(
                1,
                1,
                5,
                &["verified, over the socket"],
                of(Operation::Verify),
            ),
            block(0, 1, 6, &["CAM used"], None),
        ],
        arrows: (0..6).map(|one| (one, one + 1)).collect(),
    };
    diagram.svg()
}

fn sweep(measured: &WaveMeasured<'_>) -> Option<String> {
    let series = |work: &Work| {
        let points = PAYLOADS.iter().map(|payload| {
            let quantity = WaveQuantity::Sweep {
                work: *work,
                payload: *payload,
            };
            Some((f64::from(*payload), millis(measured, &quantity)?))
        });
        Some(Series {
            name: work.name().to_owned(),
            points: points.collect::<Option<_>>()?,
            marks: Vec::new(),
        })
    };
    let works = Work::ALL.iter().filter(|work| **work != Work::Hash);
    let lines = LinePlot {
        title: SWEEP,
        across: "bytes",
        unit: Unit::Milliseconds.name(),
        series: works.map(series).collect::<Option<_>>()?,
    };
    Some(lines.svg())
}

impl Machine {
    /// The paper's computer, and the machine at hand if it was measured.
    fn bars(&self, measured: &WaveMeasured<'_>) -> String {
        let group = |computer: &str, what: &str, service: f64, alone: f64| BarGroup {
            names: vec![computer.to_owned(), what.to_owned()],
            bars: vec![service, alone],
        };
        let name = &self.column.name;
        let mut groups = vec![
            group(name, "sign", self.service.sign, self.p256.sign),
            group(name, "verify", self.service.verify, self.p256.verify),
        ];
        for (operation, what) in [(Operation::Sign, "sign"), (Operation::Verify, "verify")] {
            for bytes in CAM_BYTES {
                let of = |path| millis(measured, &cam(operation, path, bytes));
                let times = of(Path::Service).zip(of(Path::Curve));
                let what = format!("{what}, {bytes} B");
                let host = |(service, alone)| group("this host", &what, service, alone);
                groups.extend(times.map(host));
            }
        }
        let bars = Bars {
            title: TIMES,
            unit: Unit::Milliseconds.name(),
            legend: vec!["in the service".to_owned(), "ECDSA alone".to_owned()],
            groups,
        };
        bars.svg()
    }
}
