//! Columns of rows of each kind of field.

use super::*;

#[derive(Serialize, JsonSchema)]
struct Inner {
    z: i8,
    a: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum State {
    BusOff,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    name: String,
    share: Option<f64>,
    state: Option<State>,
    is_on: bool,
    names: Vec<String>,
    numbers: Vec<u32>,
    tables: Vec<Inner>,
    nested: Option<Inner>,
}

fn row(nested: Option<Inner>) -> Row {
    Row {
        name: "one".to_owned(),
        share: None,
        state: Some(State::BusOff),
        is_on: true,
        names: vec!["a".to_owned()],
        numbers: vec![1, 2],
        tables: Vec::new(),
        nested,
    }
}

#[test]
fn columns_have_the_types_of_the_fields_in_their_order() {
    let rows = [row(Some(Inner { z: -1, a: u64::MAX })), row(None)];
    let table = Table::of(&rows).unwrap();
    let columns = table
        .columns
        .iter()
        .map(|one| (one.name.as_str(), one.kind));
    let expected = [
        ("name", ColumnType::Text),
        ("share", ColumnType::Number),
        ("state", ColumnType::Text),
        ("is_on", ColumnType::Boolean),
        ("names", ColumnType::TextList),
        ("numbers", ColumnType::NumberList),
        ("nested.a", ColumnType::Unsigned),
        ("nested.z", ColumnType::Signed),
    ];
    assert_eq!(columns.collect::<Vec<_>>(), expected);
    assert_eq!(table.rows, 2);
    assert_eq!(
        table.columns[6].values,
        [Value::from(u64::MAX), Value::Null]
    );
}

#[test]
fn table_without_rows_has_the_same_columns() {
    let none: [Row; 0] = [];
    let empty = Table::of(&none).unwrap();
    let mut names: Vec<_> = empty.names().collect();
    let one = [row(None)];
    let filled = Table::of(&one).unwrap();
    let mut expected: Vec<_> = filled.names().collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}
