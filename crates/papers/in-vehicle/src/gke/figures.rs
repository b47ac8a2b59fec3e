//! [GKE Figures 11, 12, 14, 15]: the points that the paper draws without printing them, and plots.

use waywarden_report_page::{BarGroup, Bars, LinePlot, Series};

use super::model::{GkeBus, GkeScheme};
use super::quantity::{ExchangePart, GkeMeasured, GkeOperation, GkeQuantity, GkeSuite};
use super::rules::label;
use super::study::GkeStudy;
use waywarden_paper_tables::{FigurePlot, PaperError, Unit};

/// The group sizes that become cells; plots have every one from the first to the last.
const SIZES: [u32; 5] = [2, 4, 8, 16, 32];

/// The boards of Figures 11, 12 and 14, in the paper's order.
const BOARDS: [&str; 4] = ["tc224", "tc277", "tc297", "sam-v71"];

/// A figure of bars, its title, and the operations it shows.
type Operations = (&'static str, &'static str, &'static [GkeOperation]);

/// Figures 11 and 12.
const OPERATIONS: [Operations; 2] = [
    (
        "Figure 11",
        "Diffie-Hellman by board and curve",
        &[GkeOperation::Share, GkeOperation::Extract],
    ),
    (
        "Figure 12",
        "Signatures by board and curve: SchnorrQ and ECDSA",
        &[
            GkeOperation::KeyGenerate,
            GkeOperation::Sign,
            GkeOperation::Verify,
        ],
    ),
];

/// A part of Figure 15: its lines, each a name and what it shows for a group size.
struct Growth {
    place: &'static str,
    title: &'static str,
    lines: Vec<(String, Line)>,
}

/// The parameters that are constant along a line.
#[derive(Clone, Copy)]
struct Line {
    scheme: GkeScheme,
    board: &'static str,
    suite: GkeSuite,
    bus: GkeBus,
    part: ExchangePart,
}

/// The line that the parts of Figure 15 vary.
const MAIN: Line = Line {
    scheme: GkeScheme::Main,
    board: "tc297",
    suite: GkeSuite::FourQ,
    bus: GkeBus::CanFd,
    part: ExchangePart::Total,
};

impl Line {
    fn at(self, n: u32) -> GkeQuantity {
        GkeQuantity::Group {
            scheme: self.scheme,
            n,
            board: self.board.to_owned(),
            suite: self.suite,
            bus: self.bus,
            part: self.part,
        }
    }
}

/// Returns what the figures draw, in the paper's order: place, cell, unit, quantity.
pub(super) fn drawn(study: &GkeStudy) -> Vec<(&'static str, String, Unit, GkeQuantity)> {
    let mut cells = Vec::new();
    for (place, _, operations) in OPERATIONS {
        for &operation in operations {
            for board in BOARDS {
                let of = |suite| {
                    Box::new(GkeQuantity::Operation {
                        board: board.to_owned(),
                        suite,
                        operation,
                    })
                };
                let ratio = GkeQuantity::Ratio {
                    over: of(GkeSuite::P256),
                    under: of(GkeSuite::FourQ),
                };
                let cell = format!("{operation}, {}: P-256 / FourQ", label(board));
                cells.push((place, cell, Unit::Times, ratio));
            }
        }
    }
    for suite in GkeSuite::ALL {
        for board in BOARDS {
            let cell = format!("two-party exchange, two {}, {suite}, CAN FD", label(board));
            let of = two_party(board, suite);
            cells.push(("Figure 14 (right)", cell, Unit::Milliseconds, of));
        }
    }
    for growth in growths(study) {
        for (name, line) in &growth.lines {
            for n in SIZES {
                let cell = format!("{name}, n = {n}");
                cells.push((growth.place, cell, Unit::Milliseconds, line.at(n)));
            }
        }
    }
    cells
}

fn two_party(board: &str, suite: GkeSuite) -> GkeQuantity {
    GkeQuantity::TwoParty {
        boards: [board.to_owned(), board.to_owned()],
        suite,
        bus: GkeBus::CanFd,
    }
}

/// The parts of Figure 15.
fn growths(study: &GkeStudy) -> Vec<Growth> {
    let infineon = BOARDS.into_iter().filter(|board| {
        let known = study.board_names().any(|name| name == *board);
        known && board.starts_with("tc")
    });
    let schemes = [GkeScheme::Main, GkeScheme::Without, GkeScheme::Symmetric];
    let parts = [ExchangePart::Exchanges, ExchangePart::Orchestration];
    let by_scheme = schemes.into_iter().flat_map(|scheme| {
        parts.map(|part| {
            let line = Line {
                scheme,
                part,
                ..MAIN
            };
            let name = if part == ExchangePart::Exchanges {
                "T_gkex"
            } else {
                "T_SoECU"
            };
            (format!("{scheme}, {name}"), line)
        })
    });
    let buses = [GkeBus::Can, GkeBus::CanFd];
    vec![
        Growth {
            place: "Figure 15 (i)",
            title: "Main scheme on TC297 by curve",
            lines: GkeSuite::ALL
                .map(|suite| (suite.to_string(), Line { suite, ..MAIN }))
                .into(),
        },
        Growth {
            place: "Figure 15 (ii)",
            title: "The three schemes on TC297, FourQ, CAN FD",
            lines: by_scheme.collect(),
        },
        Growth {
            place: "Figure 15 (iii)",
            title: "Scheme without orchestrator by board, FourQ, CAN FD",
            lines: infineon
                .map(|board| {
                    let scheme = GkeScheme::Without;
                    let line = Line {
                        board,
                        scheme,
                        ..MAIN
                    };
                    (label(board), line)
                })
                .collect(),
        },
        Growth {
            place: "Figure 15 (iv)",
            title: "Main scheme on TC297 by bus, FourQ",
            lines: buses
                .map(|bus| (bus.to_string(), Line { bus, ..MAIN }))
                .into(),
        },
        Growth {
            place: "Figure 15 (v)",
            title: "Bus time of the main scheme's exchanges, by bus",
            lines: buses
                .map(|bus| {
                    let part = ExchangePart::ExchangeBus;
                    (bus.to_string(), Line { bus, part, ..MAIN })
                })
                .into(),
        },
    ]
}

impl GkeStudy {
    /// Draws the figures again; what was measured stands as circles on the lines of Figure 15.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn plots(&self, measured: &GkeMeasured<'_>) -> Result<Vec<FigurePlot>, PaperError> {
        let mut plots = Vec::new();
        for (place, title, operations) in OPERATIONS {
            plots.push(self.operations(place, title, operations)?);
        }
        plots.push(self.measured_pairs()?);
        plots.push(self.estimated_pairs()?);
        for growth in growths(self) {
            plots.push(self.growth(&growth, measured)?);
        }
        Ok(plots)
    }

    fn ms(&self, of: &GkeQuantity) -> Result<f64, PaperError> {
        Ok(self.formula(of)?.in_unit(Unit::Milliseconds))
    }

    fn operations(
        &self,
        place: &'static str,
        title: &'static str,
        operations: &[GkeOperation],
    ) -> Result<FigurePlot, PaperError> {
        let mut groups = Vec::new();
        for &operation in operations {
            for board in BOARDS {
                let bar = |suite| {
                    self.ms(&GkeQuantity::Operation {
                        board: board.to_owned(),
                        suite,
                        operation,
                    })
                };
                groups.push(BarGroup {
                    names: vec![label(board), brief(operation).to_owned()],
                    bars: vec![bar(GkeSuite::FourQ)?, bar(GkeSuite::P256)?],
                });
            }
        }
        Ok(by_curve(place, title, groups))
    }

    /// Figure 14, left: what Tables VI and VII measure.
    fn measured_pairs(&self) -> Result<FigurePlot, PaperError> {
        let mut groups = Vec::new();
        for run in &self.data.run {
            for (seen_by, column) in run.columns.iter().enumerate() {
                let place = run.place.clone();
                let sum = self.ms(&GkeQuantity::Run { place, seen_by })?;
                groups.push(BarGroup {
                    names: vec![column.clone(), run.place.clone()],
                    bars: vec![run.total[seen_by].value(), sum],
                });
            }
        }
        let (place, title) = (
            "Figure 14 (left)",
            "Two-party exchange with FourQ on CAN FD, as measured and as its steps add up",
        );
        let legend = vec!["printed total".to_owned(), "sum of the steps".to_owned()];
        let svg = Bars {
            title,
            unit: "ms",
            legend,
            groups,
        }
        .svg();
        Ok(FigurePlot { place, title, svg })
    }

    /// Figure 14, right: estimates for two boards of one kind.
    fn estimated_pairs(&self) -> Result<FigurePlot, PaperError> {
        let group = |board| {
            let bar = |suite| self.ms(&two_party(board, suite));
            Ok(BarGroup {
                names: vec![format!("2 {}", label(board))],
                bars: vec![bar(GkeSuite::FourQ)?, bar(GkeSuite::P256)?],
            })
        };
        let groups = BOARDS
            .into_iter()
            .map(group)
            .collect::<Result<_, PaperError>>()?;
        Ok(by_curve(
            "Figure 14 (right)",
            "Two-party exchange between boards of one kind, by formula",
            groups,
        ))
    }

    fn growth(
        &self,
        growth: &Growth,
        measured: &GkeMeasured<'_>,
    ) -> Result<FigurePlot, PaperError> {
        let [first, .., last] = SIZES;
        let mut series = Vec::new();
        for (name, line) in &growth.lines {
            let points = (first..=last).map(|n| Ok((f64::from(n), self.ms(&line.at(n))?)));
            let marks = SIZES.into_iter().filter_map(|n| {
                let measurement = measured(&line.at(n))?;
                Some((f64::from(n), measurement.amount.in_unit(Unit::Milliseconds)))
            });
            series.push(Series {
                name: name.clone(),
                points: points.collect::<Result<_, PaperError>>()?,
                marks: marks.collect(),
            });
        }
        let svg = LinePlot {
            title: growth.title,
            across: "ECUs",
            unit: "ms",
            series,
        }
        .svg();
        Ok(FigurePlot {
            place: growth.place,
            title: growth.title,
            svg,
        })
    }
}

/// Returns an operation's name where there is little room.
const fn brief(operation: GkeOperation) -> &'static str {
    match operation {
        GkeOperation::Share => "share",
        GkeOperation::Extract => "extract",
        GkeOperation::KeyGenerate => "gen",
        GkeOperation::Sign => "sign",
        GkeOperation::Verify => "verify",
    }
}

fn by_curve(place: &'static str, title: &'static str, groups: Vec<BarGroup>) -> FigurePlot {
    let legend = GkeSuite::ALL.map(|suite| suite.to_string()).into();
    let svg = Bars {
        title,
        unit: "ms",
        legend,
        groups,
    }
    .svg();
    FigurePlot { place, title, svg }
}
