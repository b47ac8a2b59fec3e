//! Vehicle files written to another folder: the files that they name stay where they are.

use std::path::{Path, absolute};

use toml::{Table, Value};
use waywarden_vehicle_file::to_text;

/// Makes the paths of boards and logs absolute, which are relative to the folder of `original`.
pub(crate) fn relocated(text: String, original: &Path) -> String {
    let Ok(mut table) = text.parse::<Table>() else {
        return text;
    };
    let folder = original.parent().unwrap_or(Path::new(""));
    let mut changed = false;
    let mut change = |table: &mut Table, key: &str| {
        let Some(Value::String(path)) = table.get_mut(key) else {
            return;
        };
        // Other boards are built in: a path has a slash or this ending.
        let is_path = key == "log" || path.contains('/') || path.ends_with(".toml");
        if !is_path || Path::new(path).is_absolute() {
            return;
        }
        let place = absolute(folder.join(path.as_str()));
        if let Some(place) = place.ok().as_deref().and_then(Path::to_str) {
            place.clone_into(path);
            changed = true;
        }
    };
    if let Some(Value::Table(vehicle)) = table.get_mut("vehicle") {
        change(vehicle, "board");
    }
    for (list, key) in [("ecu", "board"), ("replay", "log")] {
        let all = table.get_mut(list).and_then(Value::as_array_mut);
        for one in all.into_iter().flatten().filter_map(Value::as_table_mut) {
            change(one, key);
        }
    }
    match changed {
        true => to_text(&table),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_become_absolute_and_nothing_else_changes() {
        let text = "[vehicle]\nname = \"car\"\nboard = \"boards/a.toml\"\n\n[[ecu]]\n\
                    name = \"a\"\nboard = \"b.toml\"\n\n[[ecu]]\nname = \"b\"\n\
                    board = \"tc297\"\n\n[[replay]]\nlog = \"drive.log\"\n";
        let said = relocated(text.to_owned(), Path::new("/cars/car.toml"));
        for part in [
            "\"/cars/boards/a.toml\"",
            "\"/cars/b.toml\"",
            "\"tc297\"",
            "\"/cars/drive.log\"",
        ] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(relocated(said.clone(), Path::new("/other/car.toml")), said);
        let plain = "[vehicle]\nname = \"car\" # kept\n";
        assert_eq!(relocated(plain.to_owned(), Path::new("car.toml")), plain);
    }
}
