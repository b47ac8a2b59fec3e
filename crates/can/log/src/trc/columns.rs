//! Columns of the versions of TRC.

/// A column of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Number of the row, or a value that is not used here.
    Unused,
    Time,
    Bus,
    /// Direction of a data frame or kind of another event, in version 1.x.
    Kind,
    /// Type of 2.x, as in DT.
    Type,
    Id,
    Direction,
    /// Length code.
    Code,
    /// Count of bytes.
    Length,
    Data,
}

/// Returns the columns of a version, none of 2.x, whose files name them.
pub(super) fn columns_of(version: &str) -> Option<Vec<Column>> {
    use Column::{Bus, Code, Data, Id, Kind, Time, Unused};

    Some(match version {
        "1.0" => vec![Unused, Time, Id, Code, Data],
        "1.1" => vec![Unused, Time, Kind, Id, Code, Data],
        "1.2" => vec![Unused, Time, Bus, Kind, Id, Code, Data],
        "1.3" => vec![Unused, Time, Bus, Kind, Id, Unused, Code, Data],
        "2.0" | "2.1" => Vec::new(),
        _ => return None,
    })
}

pub(super) fn column_of(name: &[u8]) -> Option<Column> {
    Some(match name {
        b"O" => Column::Time,
        b"T" => Column::Type,
        b"B" => Column::Bus,
        b"I" => Column::Id,
        b"d" => Column::Direction,
        b"L" => Column::Code,
        b"l" => Column::Length,
        b"D" => Column::Data,
        // Number, reserved, and what later versions may add.
        [_] => Column::Unused,
        _ => return None,
    })
}

/// Returns true for columns with all that makes a frame, the data last.
pub(super) fn is_whole(columns: &[Column]) -> bool {
    let has = |column| columns.contains(&column);
    columns.len() < 32
        && [Column::Time, Column::Type, Column::Id]
            .into_iter()
            .all(has)
        && (has(Column::Code) || has(Column::Length))
        && columns.last() == Some(&Column::Data)
}
