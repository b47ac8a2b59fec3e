//! Tables IV to XIV by the paper's own arithmetic: vehicles over kilometres, and messages times
//! what one takes a receiver (Table II).

use super::machine::Machine;
use super::quantity::Role;
use super::study::EcqvStudy;
use super::traffic_data::{TrafficData, Values, VerificationTime};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, CellVerdict, Class, PaperError, Printed, Unit};

/// The table whose times do not follow from the counts that are printed.
const BY_MEANS: &str = "Table XIV";

/// Suffix to the name of a table of simulated traffic.
pub(super) const SIMULATED: &str = ", simulated";

/// The tables, in their order.
pub(super) const TABLES: [&str; 11] = [
    "Table IV",
    "Table V",
    "Table VI",
    "Table VII",
    "Table VIII",
    "Table IX",
    "Table X",
    "Table XI",
    "Table XII",
    "Table XIII",
    "Table XIV",
];

/// Returns true if a place is one of these tables.
pub(super) fn is_traffic(place: &str) -> bool {
    let table = place.strip_suffix(SIMULATED).unwrap_or(place);
    TABLES.contains(&table)
}

fn cell(place: &str, row: &str, column: &str, unit: Unit) -> Cell {
    Cell::new(place, format!("{row}: {column}"), unit)
}

/// Words the rounding of a number that is less than a unit away; else why it differs.
fn rounded(
    ours: f64,
    printed: &Printed,
    verdict: CellVerdict,
    why: impl FnOnce() -> String,
) -> String {
    if verdict == CellVerdict::Differs {
        return why();
    }
    let how = match printed.value() > ours {
        true => "up",
        false => "down, its decimals cut off",
    };
    format!("{} is rounded {how}", short(ours))
}

impl EcqvStudy {
    /// Tables IV to XIV.
    pub(super) fn traffic(
        &self,
        cells: &mut Vec<Cell>,
        beside: &[&Machine],
    ) -> Result<(), PaperError> {
        let data = &self.traffic;
        for table in TABLES {
            if table == "Table IV" {
                data.table_4(cells);
            }
            data.counts(cells, table);
            if table == "Table IX" {
                data.circle(cells)?;
            }
            let own = data.times.iter().filter(|time| time.table == table);
            own.clone().try_for_each(|time| self.times(cells, time))?;
            for machine in beside {
                self.of_machine(cells, table, machine)?;
            }
        }
        Ok(())
    }

    /// Returns the board's time for a message, in ms, as Table II prints it.
    pub(super) fn receiver(&self, board: &str) -> Result<f64, PaperError> {
        let mut boards = self.data.board.iter();
        let found = boards.find(|one| one.name == board);
        let found = found.ok_or_else(|| super::data::missing(&format!("board {board}")))?;
        Ok(found.roles.of(Role::Receiver).value())
    }

    /// A table's times on another board or the machine at hand: messages one by one and, where that
    /// was measured, those of many that wait.
    fn of_machine(
        &self,
        cells: &mut Vec<Cell>,
        table: &str,
        machine: &Machine,
    ) -> Result<(), PaperError> {
        let mut rows = self.traffic.rows();
        rows.retain(|one| one.table == table);
        let alone = ("", Some(machine.role(Role::Receiver)?));
        for (how, time) in [alone, (", many waiting", machine.waiting_message)] {
            let Some(each) = time else { continue };
            for one in &rows {
                let counts = self.traffic.received(&one.of, &one.name)?;
                let row = format!("{}{how}, {}", machine.name, one.name);
                for (column, count) in self.traffic.columns.iter().zip(counts) {
                    let Some(count) = count else { continue };
                    let cell = cell(table, &row, column, Unit::Milliseconds);
                    let time = count.value() * each.millis();
                    cells.push(match each.class {
                        Class::Measured => Cell {
                            measured: Some(time),
                            class: Some(each.class),
                            ..cell
                        },
                        _ => cell.own(time),
                    });
                }
            }
        }
        Ok(())
    }

    fn times(&self, cells: &mut Vec<Cell>, row: &VerificationTime) -> Result<(), PaperError> {
        let counts = self.traffic.received(&row.of, &row.name)?;
        let receiver = self.receiver(&row.board)?;
        let name = format!("{}, {}", row.board, row.name);
        let columns = self.traffic.columns.iter().enumerate();
        for (at, column) in columns {
            let both = counts.get(at).zip(row.values.get(at));
            let Some((Some(count), Some(printed))) = both else {
                continue;
            };
            let ours = count.value() * receiver;
            let cell = cell(&row.table, &name, column, Unit::Milliseconds);
            let why = || match row.table == BY_MEANS {
                true => self.mean(row, at),
                false => self.slip(row, at, (count.value(), receiver, ours), printed),
            };
            cells.push(cell.derived(ours, printed, |verdict| {
                rounded(ours, printed, verdict, why)
            }));
        }
        Ok(())
    }

    /// Explains a time that is not the product it should be: digits in another order, or what
    /// another table prints for the same messages.
    fn slip(
        &self,
        row: &VerificationTime,
        at: usize,
        (count, receiver, ours): (f64, f64, f64),
        printed: &Printed,
    ) -> String {
        let mut why = format!("{count} messages of {receiver} ms are {} ms", short(ours));
        let digits = |number: f64| {
            let mut digits = format!("{number:.0}").into_bytes();
            digits.sort_unstable();
            digits
        };
        for whole in [ours.floor(), ours.ceil()] {
            if whole != printed.value() && digits(whole) == digits(printed.value()) {
                why += &format!("; {whole} has the same digits in another order");
            }
        }
        let others = self.traffic.times.iter().filter(|other| {
            let counts = self.traffic.received(&other.of, &other.name);
            let is_same = counts.is_ok_and(|counts| {
                counts.get(at).and_then(Option::as_ref).map(Printed::value) == Some(count)
            });
            other.board == row.board && other.table != row.table && is_same
        });
        for other in others {
            if let Some(Some(value)) = other.values.get(at) {
                why += &format!("; {} prints {} for as many", other.table, value.value());
            }
        }
        why
    }

    /// Explains a time of Table XIV. The times of all boards fit one number of messages that is not
    /// whole; Table XIII prints it without its decimals.
    fn mean(&self, row: &VerificationTime, at: usize) -> String {
        let (mut least, mut most) = (0.0_f64, f64::INFINITY);
        let mut boards = 0;
        let own = self.traffic.times.iter();
        for time in own.filter(|one| one.table == row.table && one.name == row.name) {
            let receiver = self.receiver(&time.board);
            let Some((Some(printed), receiver)) = time.values.get(at).zip(receiver.ok()) else {
                continue;
            };
            // Rounded up, down or to the nearest: less than one off.
            least = least.max((printed.value() - 1.0) / receiver);
            most = most.min((printed.value() + 1.0) / receiver);
            boards += 1;
        }
        match least < most {
            true => format!(
                "the times of all {boards} boards are those of {} to {} messages: a mean, of which \
                 {} prints the whole number",
                short(least),
                short(most),
                row.of
            ),
            false => format!("no number of messages gives the times of all {boards} boards"),
        }
    }
}

impl TrafficData {
    /// A table of messages received.
    fn counts(&self, cells: &mut Vec<Cell>, table: &str) {
        for received in self.received.iter().filter(|one| one.table == table) {
            for (column, printed) in self.columns.iter().zip(&received.values) {
                let Some(printed) = printed else { continue };
                let cell = cell(table, &received.name, column, Unit::Messages);
                cells.push(cell.stated(printed));
            }
        }
    }

    /// Table IV: what the traffic index is.
    fn table_4(&self, cells: &mut Vec<Cell>) {
        const PLACE: &str = "Table IV";
        let traffic = &self.traffic;
        let rows: [(&str, &Values, Unit); 3] = [
            ("vehicles", &traffic.vehicles, Unit::Vehicles),
            ("messages", &traffic.messages, Unit::Messages),
            ("road, km", &traffic.road_km, Unit::Count),
        ];
        for (row, values, unit) in rows {
            for (column, printed) in self.columns.iter().zip(values) {
                let printed = printed.as_ref();
                cells.extend(printed.map(|one| cell(PLACE, row, column, unit).stated(one)));
            }
        }
        for (at, column) in self.columns.iter().enumerate() {
            let value = |values: &Values| values.get(at).cloned().flatten();
            let Some((vehicles, road)) = value(&traffic.vehicles).zip(value(&traffic.road_km))
            else {
                continue;
            };
            let cell = cell(PLACE, "traffic index, vehicles a km", column, Unit::Count);
            let ours = vehicles.value() / road.value();
            // Section V-A prints it of rush hours only.
            cells.push(match value(&traffic.vehicles_per_km) {
                Some(printed) => cell.derived(ours, &printed, |_| {
                    format!("{} vehicles on {} km", vehicles.value(), road.value())
                }),
                None => cell.own(ours),
            });
        }
    }

    /// Table IX's circle of 1,000 m beside the most that Table VI has: all are within it.
    fn circle(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        let most = self.received("Table VI", "100 ms, most")?;
        let all = self.received("Table IX", "100 ms, circle of 1000 m")?;
        for (column, (most, all)) in self.columns.iter().zip(most.iter().zip(all)) {
            if let Some((most, all)) = most.as_ref().zip(all.as_ref()) {
                let row = "within 1,000 m as the most of Table VI";
                let cell = cell("Table IX", row, column, Unit::Messages);
                cells.push(cell.derived(most.value(), all, |_| {
                    format!("Table VI has {}", most.value())
                }));
            }
        }
        Ok(())
    }
}
