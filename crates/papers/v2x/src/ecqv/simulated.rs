//! Tables IV to XIV by traffic that was simulated, beside the paper's.

use super::ranges::{LEAST, WHY_LEAST};
use super::study::EcqvStudy;
use super::traffic::SIMULATED;
use super::traffic_data::Values;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, CellVerdict, Class, PaperError, Printed, Unit};

/// A figure over several seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// Its mean.
    pub mean: f64,
    /// Half-width of the 95 % confidence interval of the mean; `None` of one seed.
    pub confidence_95: Option<f64>,
    /// Number of seeds.
    pub runs: usize,
}

/// Returns a figure of a column, both by name; `None` if that was not simulated. A figure is named
/// as `waywarden traffic merge` names it, a column as the paper does in small letters with hyphens,
/// such as `grapes-rush`.
pub type SimulatedTraffic<'a> = dyn Fn(&str, &str) -> Option<Simulated> + 'a;

/// Other assumptions on traffic or radio, simulated to find out why figures are not the paper's.
pub struct EcqvVariant<'a> {
    /// The differing assumption, such as `short messages`.
    pub name: String,
    /// Its figures.
    pub traffic: Box<SimulatedTraffic<'a>>,
}

impl std::fmt::Debug for EcqvVariant<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Variant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Largest factor between a figure and the paper's before its reason is looked for.
const FACTOR_MAX: f64 = 1.5;

/// Directions that ellipses and sectors are turned to: name in figures, suffix of the row's name.
const HEADINGS: [(&str, &str); 2] = [("true", ""), ("misread", ", heading misread")];

/// Names the figure that a row of the paper has, with the heading `true` or `misread` where that
/// matters; `None` if it does not matter and the heading is the second one, or for an unknown row.
fn figure(row: &str, heading: &str) -> Option<String> {
    let is_first = heading == HEADINGS[0].0;
    let statistic = |name: &str| match name {
        "most" => Some("most"),
        "least" => Some("least_where_any"),
        "mean" => Some("mean_where_any"),
        _ => None,
    };
    let (window, rest) = row.split_once(" ms, ")?;
    let wide = if window == "20" { 50 } else { 300 };
    let area = |area: String, of: &str| format!("received_from_areas/{area} {heading}/{of}");
    if let Some(radius) = rest.strip_prefix("circle of ") {
        let radius = radius.strip_suffix(" m")?;
        // The row of 1,000 m shows that Table IX has the most of all windows.
        return is_first.then(|| area(format!("circle:{radius}m"), "most"));
    }
    if let Some(size) = rest.strip_prefix("ellipse of 25 m by ") {
        let ahead = size.strip_suffix(" m")?;
        return Some(area(format!("ellipse:25x{ahead}m"), "mean_where_any"));
    }
    if let Some(aperture) = rest.strip_prefix("sector of ") {
        let aperture = aperture.strip_suffix(" degrees")?;
        let name = format!("sector:{wide}m:{aperture}deg");
        return Some(area(name, "mean_where_any"));
    }
    if let Some(name) = rest.strip_prefix("50 m, ") {
        let of = statistic(name)?;
        return is_first.then(|| area("circle:50m".to_owned(), of));
    }
    let of = statistic(rest)?;
    is_first.then(|| format!("received_in_100ms/{of}"))
}

/// Returns the name of a column as folders have it.
fn folder(column: &str) -> String {
    column.to_lowercase().replace(' ', "-")
}

fn cell(
    (place, row, column): (&str, &str, &str),
    unit: Unit,
    printed: &Printed,
    (ours, variants): (Simulated, &[(&str, f64)]),
) -> Cell {
    let theirs = printed.value();
    // The scenario is told how many vehicles depart.
    let class = match unit {
        Unit::Vehicles => Class::Input,
        _ => Class::Measured,
    };
    let mut verdict = CellVerdict::by_digits(class, &[ours.mean], printed);
    let is_least = row.ends_with(LEAST);
    if is_least {
        verdict = verdict.by_construction();
    }
    let seeds = match ours.runs {
        1 => "one seed".to_owned(),
        runs => format!("{runs} seeds"),
    };
    let within = ours.confidence_95.map(|half| format!(" +-{}", short(half)));
    let ratio = ours.mean / theirs;
    let tested = match is_near(ratio) {
        true => String::new(),
        false => tested(theirs, variants),
    };
    Cell {
        place: format!("{place}{SIMULATED}"),
        cell: format!("{row}: {column}"),
        unit,
        paper: Some(theirs),
        formula: None,
        measured: Some(ours.mean),
        verdict,
        class: Some(class),
        why: format!(
            "{} times the paper's; {seeds}{}{tested}{}",
            short(ratio),
            within.unwrap_or_default(),
            if is_least {
                format!("; {WHY_LEAST}")
            } else {
                String::new()
            },
        ),
    }
}

fn is_near(ratio: f64) -> bool {
    (1.0 / FACTOR_MAX..=FACTOR_MAX).contains(&ratio)
}

/// Says what other assumptions give, the nearest to the paper first.
fn tested(theirs: f64, variants: &[(&str, f64)]) -> String {
    let ratios = variants.iter().map(|(name, mean)| (*name, mean / theirs));
    let mut ratios: Vec<_> = ratios.collect();
    let off = |ratio: f64| ratio.max(1e-9).ln().abs();
    ratios.sort_by(|(_, one), (_, other)| off(*one).total_cmp(&off(*other)));
    let each = ratios.into_iter().map(|(name, ratio)| {
        let fits = if is_near(ratio) { ", which fits" } else { "" };
        format!("; {name}: {} times{fits}", short(ratio))
    });
    each.collect()
}

/// Names the figure that the paper may have in place of a mean: its Table XIII has numbers that are
/// as large as the most of all windows.
fn most_of(figure: &str) -> Option<String> {
    let area = figure.strip_suffix("/mean_where_any")?;
    let is_turned = area.contains("ellipse") || area.contains("sector");
    is_turned.then(|| format!("{area}/most"))
}

impl EcqvStudy {
    /// Returns Tables IV to XIV by simulated traffic, as far as there is some: counts, and the
    /// times that the paper's boards take for as many messages. Ellipses and sectors are there by
    /// the true heading, and by one that is misread as an angle from the east. Where a figure is
    /// more than 1.5 times the paper's or less than a 1.5th, `variants` stand beside it.
    ///
    /// # Errors
    /// [`PaperError`] if the data do not fit.
    pub fn simulated(
        &self,
        traffic: &SimulatedTraffic<'_>,
        variants: &[EcqvVariant<'_>],
    ) -> Result<Vec<Cell>, PaperError> {
        let mut cells = Vec::new();
        let data = &self.traffic;
        let rows: [(&str, &str, &Values, Unit); 2] = [
            (
                "vehicles",
                "vehicles",
                &data.traffic.vehicles,
                Unit::Vehicles,
            ),
            (
                "messages",
                "messages_received",
                &data.traffic.messages,
                Unit::Messages,
            ),
        ];
        for (row, figure, values, unit) in rows {
            let row = (("Table IV", row), values, unit);
            self.beside_simulated(&mut cells, row, (figure, 1.0), (traffic, variants));
        }
        for received in &data.received {
            for (heading, suffix) in HEADINGS {
                let Some(figure) = figure(&received.name, heading) else {
                    continue;
                };
                let name = format!("{}{suffix}", received.name);
                let place = (received.table.as_str(), name.as_str());
                let row = (place, &received.values, Unit::Messages);
                self.beside_simulated(&mut cells, row, (&figure, 1.0), (traffic, variants));
            }
        }
        for time in &data.times {
            let each = self.receiver(&time.board)?;
            for (heading, suffix) in HEADINGS {
                let Some(figure) = figure(&time.name, heading) else {
                    continue;
                };
                let name = format!("{}, {}{suffix}", time.board, time.name);
                let place = (time.table.as_str(), name.as_str());
                let row = (place, &time.values, Unit::Milliseconds);
                self.beside_simulated(&mut cells, row, (&figure, each), (traffic, variants));
            }
        }
        Ok(cells)
    }

    /// Puts a row of simulated figures beside the paper's, each times a factor.
    fn beside_simulated(
        &self,
        cells: &mut Vec<Cell>,
        ((place, row), values, unit): ((&str, &str), &Values, Unit),
        (figure, factor): (&str, f64),
        (traffic, variants): (&SimulatedTraffic<'_>, &[EcqvVariant<'_>]),
    ) {
        for (column, printed) in self.traffic.columns.iter().zip(values) {
            let folder = folder(column);
            let Some((printed, found)) = printed.as_ref().zip(traffic(&folder, figure)) else {
                continue;
            };
            let ours = Simulated {
                mean: found.mean * factor,
                confidence_95: found.confidence_95.map(|half| half * factor),
                ..found
            };
            let tested = variants.iter().filter_map(|variant| {
                let found = (variant.traffic)(&folder, figure)?;
                Some((variant.name.as_str(), found.mean * factor))
            });
            let most = most_of(figure).and_then(|figure| traffic(&folder, &figure));
            let most = most.map(|found| ("the most in place of the mean", found.mean * factor));
            let tested: Vec<_> = tested.chain(most).collect();
            cells.push(cell((place, row, column), unit, printed, (ours, &tested)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_paper_has_a_figure() {
        let study = EcqvStudy::load().unwrap();
        let rows = study.traffic.received.iter().map(|row| &row.name);
        for name in rows.chain(study.traffic.times.iter().map(|row| &row.name)) {
            assert!(figure(name, "true").is_some(), "{name}");
        }
        let expected = "received_from_areas/sector:50m:135deg misread/mean_where_any";
        let found = figure("20 ms, sector of 135 degrees", "misread");
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(figure("100 ms, circle of 150 m", "misread"), None);
    }

    #[test]
    fn times_are_counts_times_what_a_message_takes() {
        let study = EcqvStudy::load().unwrap();
        let ours = |column: &str, figure: &str| {
            let mean = match figure {
                "received_in_100ms/most" => 50.0,
                "received_from_areas/sector:300m:180deg true/mean_where_any" => 8.0,
                "received_from_areas/sector:300m:180deg true/most" => 22.0,
                _ => return None,
            };
            (column == "highway-rush").then_some(Simulated {
                mean,
                confidence_95: Some(2.0),
                runs: 10,
            })
        };
        let half = EcqvVariant {
            name: "half the range".to_owned(),
            traffic: Box::new(|column: &str, figure: &str| {
                let ours = ours(column, figure)?;
                Some(Simulated {
                    mean: ours.mean / 2.0,
                    ..ours
                })
            }),
        };
        let cells = study.simulated(&ours, &[half]).unwrap();
        let found = |name: &str| cells.iter().find(|cell| cell.cell == name).unwrap();
        let count = found("100 ms, most: Highway rush");
        assert_eq!((count.paper, count.measured), (Some(89.0), Some(50.0)));
        assert!(count.why.starts_with("0.56"), "{}", count.why);
        let tested = "10 seeds +-2; half the range: 0.2809 times";
        assert!(count.why.contains(tested), "{}", count.why);
        // The paper has 24: a third is too few, the most fits.
        let sector = found("100 ms, sector of 180 degrees: Highway rush");
        let most =
            "+-2; the most in place of the mean: 0.9167 times, which fits; half the range: 0.1667";
        assert!(sector.why.contains(most), "{}", sector.why);
        let time = found("A53, 100 ms, most: Highway rush");
        assert_eq!(time.measured, Some(50.0 * 6.39), "{time:?}");
    }
}
