//! Marks of how far vehicles have pseudonyms, in a file outside of the database.
//!
//! `pki restore` brings an earlier database back, which does not know what was issued since. The
//! marks do: they are on the medium before the certificates are issued, so that they are never
//! behind them, and at most ahead. They have no secret: seeds of linkage values come from them and
//! from the secrets of both linkage authorities.
//!
//! A line for each vehicle and each command that goes beyond its mark. With more than twice as many
//! lines as marks, and 64, the file is written again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::super::index::{name, show_id};
use super::super::transaction;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_v2x_input::records;

/// Name of the file in the folder of a PKI.
const MARKS: &str = "pseudonyms.marks";

/// Longest file: a line takes less than 160 bytes, so that it has room for 800,000 vehicles.
const BYTES_MAX: usize = 1 << 28;

/// Lines beyond twice the number of marks before the file is written again.
const SPARE: usize = 64;

/// The mark of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Hash of the vehicle's request.
    pub id: HashedId8,
    /// First week for which it has certificates.
    pub first: Period,
    /// Last week for which it may have certificates.
    pub i_max: u16,
    /// Last number of a certificate in a week.
    pub j_max: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'l> {
    vehicle: std::borrow::Cow<'l, str>,
    id: String,
    first: u16,
    i_max: u16,
    j_max: u8,
}

/// All marks of a PKI.
pub struct Marks {
    path: PathBuf,
    known: BTreeMap<String, Vec<Mark>>,
    lines: usize,
    /// False if the last line was not written to its end: nothing was issued by it.
    is_whole: bool,
}

impl Marks {
    /// Reads the marks of a PKI; a PKI of an earlier version has none.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let mut marks = Self {
            path: folder.join(MARKS),
            known: BTreeMap::new(),
            lines: 0,
            is_whole: true,
        };
        match fs::symlink_metadata(&marks.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(marks),
            Ok(found) if !found.is_file() => {
                let path = marks.path.display();
                return Err(Failure::new(format_args!(
                    "{path}: is no plain file; remove it"
                )));
            }
            _ => {}
        }
        let bytes = files::bytes(&marks.path, BYTES_MAX)?;
        let (whole, rest) = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => bytes.split_at(end + 1),
            None => (&[][..], &bytes[..]),
        };
        marks.is_whole = rest.is_empty();
        for line in whole
            .split(|byte| *byte == b'\n')
            .filter(|one| !one.is_empty())
        {
            marks.lines += 1;
            let (name, mark) = parsed(line).map_err(|why| {
                Failure::new(format_args!(
                    "{}:{}: {why}; take the file from a copy of the folder",
                    marks.path.display(),
                    marks.lines
                ))
            })?;
            marks.note(&name, mark);
        }
        Ok(marks)
    }

    /// Returns true if no vehicle has a mark.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns the marks of vehicles with this name: more than one if a command that knew nothing
    /// of the first made another.
    pub fn of(&self, name: &str) -> &[Mark] {
        self.known.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the names of all vehicles with marks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// Raises marks, to the medium before this returns.
    pub fn raise(&mut self, marks: &[(&str, Mark)]) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for (name, mark) in marks {
            if self.note(name, *mark) {
                lines.push((*name, *mark));
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let count: usize = self.known.values().map(Vec::len).sum();
        let is_rewritten = !self.is_whole || self.lines + lines.len() > 2 * count + SPARE;
        let done = match is_rewritten {
            true => self.rewrite(),
            false => self.append(&lines),
        };
        self.is_whole = done.is_ok();
        self.lines = match is_rewritten {
            true => count,
            false => self.lines + lines.len(),
        };
        done.map_err(|error| Failure::file(self.path.display(), &error))
    }

    fn append(&self, lines: &[(&str, Mark)]) -> io::Result<()> {
        let is_new = !self.path.exists();
        let mut file = self.open()?;
        file.write_all(text(lines.iter().copied())?.as_bytes())?;
        file.sync_all()?;
        match is_new {
            true => transaction::sync(transaction::parent(&self.path)),
            false => Ok(()),
        }
    }

    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        options.open(&self.path)
    }

    fn rewrite(&self) -> io::Result<()> {
        let all = self.known.iter();
        let all = all.flat_map(|(name, marks)| marks.iter().map(|one| (name.as_str(), *one)));
        transaction::replace(&self.path, text(all)?.as_bytes(), true)?;
        transaction::sync(transaction::parent(&self.path))
    }

    /// Notes a mark; returns true if it goes beyond what is known.
    fn note(&mut self, name: &str, mark: Mark) -> bool {
        let marks = self.known.entry(name.to_owned()).or_default();
        let Some(known) = marks.iter_mut().find(|known| known.id == mark.id) else {
            marks.push(mark);
            return true;
        };
        let before = *known;
        known.first = known.first.min(mark.first);
        known.i_max = known.i_max.max(mark.i_max);
        known.j_max = known.j_max.max(mark.j_max);
        *known != before
    }
}

fn text<'m>(marks: impl Iterator<Item = (&'m str, Mark)>) -> io::Result<String> {
    let mut text = String::new();
    for (name, mark) in marks {
        let line = Line {
            vehicle: name.into(),
            id: show_id(mark.id),
            first: mark.first.0,
            i_max: mark.i_max,
            j_max: mark.j_max,
        };
        text += &serde_json::to_string(&line)?;
        text.push('\n');
    }
    Ok(text)
}

fn parsed(line: &[u8]) -> Result<(String, Mark), String> {
    let line: Line<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let id = records::hex(&line.id).and_then(|id| id.try_into().ok());
    let mark = Mark {
        id: HashedId8(id.ok_or_else(|| format!("id: {:?}: not a HashedId8", line.id))?),
        first: Period(line.first),
        i_max: line.i_max,
        j_max: line.j_max,
    };
    Ok((name(&line.vehicle)?, mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(id: u8, i_max: u16) -> Mark {
        Mark {
            id: HashedId8([id; 8]),
            first: Period(1_000),
            i_max,
            j_max: 19,
        }
    }

    #[test]
    fn marks_only_rise_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut marks = Marks::read(folder.path()).unwrap();
        assert!(marks.is_empty());
        marks
            .raise(&[("car", mark(1, 1_010)), ("van", mark(2, 1_020))])
            .unwrap();
        marks
            .raise(&[("car", mark(1, 1_005)), ("car", mark(3, 1_001))])
            .unwrap();
        let marks = Marks::read(folder.path()).unwrap();
        assert_eq!(marks.of("car"), [mark(1, 1_010), mark(3, 1_001)]);
        assert_eq!(marks.of("van"), [mark(2, 1_020)]);
        assert_eq!(marks.lines, 3, "what is no rise is no line");
        assert_eq!(marks.of("bus"), []);
    }

    #[test]
    fn line_that_was_cut_is_dropped_and_a_damaged_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MARKS);
        Marks::read(folder.path())
            .unwrap()
            .raise(&[("car", mark(1, 1_010))])
            .unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], &whole[..20]].concat()).unwrap();
        let mut marks = Marks::read(folder.path()).unwrap();
        assert_eq!(marks.of("car"), [mark(1, 1_010)]);
        marks.raise(&[("car", mark(1, 1_011))]).unwrap();
        assert_eq!(
            Marks::read(folder.path()).unwrap().of("car"),
            [mark(1, 1_011)]
        );
        fs::write(&path, [&whole[..20], b"\n", &whole[..]].concat()).unwrap();
        let failure = Marks::read(folder.path()).err().unwrap();
        let text = failure.lines().join("; ");
        assert!(text.contains("pseudonyms.marks:1:"), "{text}");
        assert!(text.contains("from a copy of the folder"), "{text}");
    }

    #[test]
    fn file_is_written_again_before_it_has_many_old_lines() {
        let folder = tempfile::tempdir().unwrap();
        let mut marks = Marks::read(folder.path()).unwrap();
        for week in 0..500 {
            marks.raise(&[("car", mark(1, 1_000 + week))]).unwrap();
            let lines = fs::read_to_string(&marks.path).unwrap().lines().count();
            assert!(lines <= 2 + SPARE, "{lines}");
        }
        assert_eq!(
            Marks::read(folder.path()).unwrap().of("car"),
            [mark(1, 1_499)]
        );
    }
}
