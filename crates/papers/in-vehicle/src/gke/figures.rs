//! [GKE Figures 11, 12, 14, 15]: the points that the paper draws without printing them, and plots.

use waywarden_report_page::{Bars, Group, Lines, Series};

use super::model::{Bus, Scheme};
use super::quantity::{Measured, Operation, Part, Quantity, Suite};
use super::rules::label;
use super::study::Study;
use waywarden_paper_tables::{PaperError, Plot, Unit};

/// The group sizes that become cells; plots have every one from the first to the last.
const SIZES: [u32; 5] = [2, 4, 8, 16, 32];

/// The boards of Figures 11, 12 and 14, in the paper's order.
const BOARDS: [&str; 4] = ["tc224", "tc277", "tc297", "sam-v71"];

/// A figure of bars, its title, and the operations it shows.
type Operations = (&'static str, &'static str, &'static [Operation]);

/// Figures 11 and 12.
const OPERATIONS: [Operations; 2] = [
    (
        "Figure 11",
        "Diffie-Hellman by board and curve",
        &[Operation::Share, Operation::Extract],
    ),
    (
        "Figure 12",
        "Signatures by board and curve: SchnorrQ and ECDSA",
        &[Operation::KeyGenerate, Operation::Sign, Operation::Verify],
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
    scheme: Scheme,
    board: &'static str,
    suite: Suite,
    bus: Bus,
    part: Part,
}

/// The line that the parts of Figure 15 vary.
const MAIN: Line = Line {
    scheme: Scheme::Main,
    board: "tc297",
    suite: Suite::FourQ,
    bus: Bus::CanFd,
    part: Part::Total,
};

impl Line {
    fn at(self, n: u32) -> Quantity {
        Quantity::Group {
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
pub(super) fn drawn(study: &Study) -> Vec<(&'static str, String, Unit, Quantity)> {
    let mut cells = Vec::new();
    for (place, _, operations) in OPERATIONS {
        for &operation in operations {
            for board in BOARDS {
                let of = |suite| {
                    Box::new(Quantity::Operation {
                        board: board.to_owned(),
                        suite,
                        operation,
                    })
                };
                let ratio = Quantity::Ratio {
                    over: of(Suite::P256),
                    under: of(Suite::FourQ),
                };
                let cell = format!("{operation}, {}: P-256 / FourQ", label(board));
                cells.push((place, cell, Unit::Times, ratio));
            }
        }
    }
    for suite in Suite::ALL {
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

fn two_party(board: &str, suite: Suite) -> Quantity {
    Quantity::TwoParty {
        boards: [board.to_owned(), board.to_owned()],
        suite,
        bus: Bus::CanFd,
    }
}

/// The parts of Figure 15.
fn growths(study: &Study) -> Vec<Growth> {
    let infineon = BOARDS.into_iter().filter(|board| {
        let known = study.board_names().any(|name| name == *board);
        known && board.starts_with("tc")
    });
    let schemes = [Scheme::Main, Scheme::Without, Scheme::Symmetric];
    let parts = [Part::Exchanges, Part::Orchestration];
    let by_scheme = schemes.into_iter().flat_map(|scheme| {
        parts.map(|part| {
            let line = Line {
                scheme,
                part,
                ..MAIN
            };
            let name = if part == Part::Exchanges {
                "T_gkex"
            } else {
                "T_SoECU"
            };
            (format!("{scheme}, {name}"), line)
        })
    });
    let buses = [Bus::Can, Bus::CanFd];
    vec![
        Growth {
            place: "Figure 15 (i)",
            title: "Main scheme on TC297 by curve",
            lines: Suite::ALL
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
                    let scheme = Scheme::Without;
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
                    let part = Part::ExchangeBus;
                    (bus.to_string(), Line { bus, part, ..MAIN })
                })
                .into(),
        },
    ]
}

impl Study {
    /// Draws the figures again; what was measured stands as circles on the lines of Figure 15.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn plots(&self, measured: &Measured<'_>) -> Result<Vec<Plot>, PaperError> {
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

    fn ms(&self, of: &Quantity) -> Result<f64, PaperError> {
        Ok(self.formula(of)?.in_unit(Unit::Milliseconds))
    }

    fn operations(
        &self,
        place: &'static str,
        title: &'static str,
        operations: &[Operation],
    ) -> Result<Plot, PaperError> {
        let mut groups = Vec::new();
        for &operation in operations {
            for board in BOARDS {
                let bar = |suite| {
                    self.ms(&Quantity::Operation {
                        board: board.to_owned(),
                        suite,
                        operation,
                    })
                };
                groups.push(Group {
                    names: vec![label(board), brief(operation).to_owned()],
                    bars: vec![bar(Suite::FourQ)?, bar(Suite::P256)?],
                });
            }
        }
        Ok(by_curve(place, title, groups))
    }

    /// Figure 14, left: what Tables VI and VII measure.
    fn measured_pairs(&self) -> Result<Plot, PaperError> {
        let mut groups = Vec::new();
        for run in &self.data.run {
            for (seen_by, column) in run.columns.iter().enumerate() {
                let place = run.place.clone();
                let sum = self.ms(&Quantity::Run { place, seen_by })?;
                groups.push(Group {
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
        Ok(Plot { place, title, svg })
    }

    /// Figure 14, right: estimates for two boards of one kind.
    fn estimated_pairs(&self) -> Result<Plot, PaperError> {
        let group = |board| {
            let bar = |suite| self.ms(&two_party(board, suite));
            Ok(Group {
                names: vec![format!("2 {}", label(board))],
                bars: vec![bar(Suite::FourQ)?, bar(Suite::P256)?],
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

    fn growth(&self, growth: &Growth, measured: &Measured<'_>) -> Result<Plot, PaperError> {
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
        let svg = Lines {
            title: growth.title,
            across: "ECUs",
            unit: "ms",
            series,
        }
        .svg();
        Ok(Plot {
            place: growth.place,
            title: growth.title,
            svg,
        })
    }
}

/// Returns an operation's name where there is little room.
const fn brief(operation: Operation) -> &'static str {
    match operation {
        Operation::Share => "share",
        Operation::Extract => "extract",
        Operation::KeyGenerate => "gen",
        Operation::Sign => "sign",
        Operation::Verify => "verify",
    }
}

fn by_curve(place: &'static str, title: &'static str, groups: Vec<Group>) -> Plot {
    let legend = Suite::ALL.map(|suite| suite.to_string()).into();
    let svg = Bars {
        title,
        unit: "ms",
        legend,
        groups,
    }
    .svg();
    Plot { place, title, svg }
}
