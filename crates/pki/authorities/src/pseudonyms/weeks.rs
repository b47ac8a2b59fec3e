//! The weeks of a command, compared with the period of who issues.

use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::HolderRole;
use waywarden_pki_folder::pseudonyms::certificates::verified;
use waywarden_pki_folder::pseudonyms::database;
use waywarden_pki_folder::pseudonyms::vehicle::is_known;
use waywarden_v2x_input::time;

/// Successive weeks.
pub(crate) struct Weeks {
    pub(crate) first: Period,
    pub(crate) count: u16,
}

impl Weeks {
    /// Refuses weeks in which the pseudonym CA is not valid.
    pub(crate) fn check(&self, directory: &PkiDirectory, names: &[String]) -> Result<(), Failure> {
        let entry = directory.issuer(None, HolderRole::Authorization)?;
        let (start, end) = verified(&directory.chain(entry)?)?.validity();
        let path = directory.file(&entry.certificate);
        let (path, name) = (path.display(), &entry.name);
        let folder = directory.path.display();
        let begins = |i: u16| {
            Period(i)
                .start()
                .map_or(u64::MAX, |start| microseconds(start.0))
        };
        let ends = |i: u16| begins(i).saturating_add(Period::duration().microseconds());
        let first = self.first.0;
        let fitting = (first..=Period::LAST.0).take_while(|i| ends(*i) <= end.0);
        let fitting = fitting.take(self.count.into()).count();
        if fitting < self.count.into() {
            let remedy = match fitting {
                0 => "an earlier --start".to_owned(),
                fitting => format!("--weeks {fitting} at most"),
            };
            return Err(Failure::new(format_args!(
                "--start, --weeks {}: {path}: validityPeriod: {name} issues until {}, and the last \
                 week ends {}; give {remedy}, or renew the issuer with `waywarden pki renew \
                 {folder} {name}`",
                self.count,
                time::show(end),
                time::show(Time64(ends(first + self.count - 1)))
            )));
        }
        // A vehicle that is known may have its earlier weeks from an issuer of before.
        if begins(first) < start.0 && Self::has_new(directory, names)? {
            return Err(Failure::new(format_args!(
                "--start: {path}: validityPeriod: {name} issues from {} on, and the first week \
                 begins {}; give a later --start",
                time::show(start),
                time::show(Time64(begins(first)))
            )));
        }
        Ok(())
    }

    /// Returns true if one of the vehicles has no secrets yet.
    fn has_new(directory: &PkiDirectory, names: &[String]) -> Result<bool, Failure> {
        let Some(database) = database(directory)? else {
            return Ok(true);
        };
        for name in names {
            if !is_known(&database, name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn microseconds(seconds: u32) -> u64 {
    u64::from(seconds) * 1_000_000
}
