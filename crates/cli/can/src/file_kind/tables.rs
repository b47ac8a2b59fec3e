//! Kinds of TOML files, recognized by their tables.

/// A kind of TOML file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// A vehicle.
    Vehicle,
    /// A board with its figures.
    Board,
    /// Authentication tables that stand alone.
    Authentication,
    /// A V2X security service.
    Service,
    /// A profile of a V2X PKI.
    PkiProfile,
    /// A traffic scenario.
    Traffic,
}

/// Tells the kind of a TOML file from its tables; none if it is no TOML or of no known kind.
pub fn table_kind(text: &str) -> Option<TableKind> {
    // Nearly every file is a vehicle, and need not be read twice.
    if text.lines().any(|line| line.trim_end() == "[vehicle]") {
        return Some(TableKind::Vehicle);
    }
    let table: toml::Table = text.parse().ok()?;
    let has = |key| table.contains_key(key);
    match () {
        () if has("vehicle") => Some(TableKind::Vehicle),
        () if has("characteristics") => Some(TableKind::Board),
        () if has("bus") || has("ecu") => Some(TableKind::Vehicle),
        () if has("authentication") => Some(TableKind::Authentication),
        () if has("sockets") => Some(TableKind::Service),
        () if has("shape") || has("curve") => Some(TableKind::PkiProfile),
        () if has("roads") && has("traffic") => Some(TableKind::Traffic),
        () => None,
    }
}

/// Tells the kind of a TOML file from the headers in its first bytes, which may end anywhere.
pub(super) fn header_kind(head: &[u8]) -> Option<TableKind> {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find_map(|line| match line {
        b"[vehicle]" | b"[[bus]]" | b"[[ecu]]" => Some(TableKind::Vehicle),
        b"[characteristics]" => Some(TableKind::Board),
        b"[[authentication]]" => Some(TableKind::Authentication),
        b"[[sockets]]" | b"[sockets]" => Some(TableKind::Service),
        _ => None,
    })
}

impl TableKind {
    /// Returns the name of the kind with its article.
    pub const fn name(self) -> &'static str {
        match self {
            TableKind::Vehicle => "a vehicle file",
            TableKind::Board => "a board file",
            TableKind::Authentication => "a file of authentication tables",
            TableKind::Service => "a V2X security service",
            TableKind::PkiProfile => "a profile of a V2X PKI",
            TableKind::Traffic => "a traffic scenario",
        }
    }

    /// Returns the command that reads the file, with `path` as its place.
    pub fn reader(self, path: &str) -> String {
        match self {
            TableKind::Vehicle => format!("`waywarden run {path}` runs it"),
            TableKind::Board => {
                format!("an ECU of a vehicle file names it: `board = \"{path}\"`")
            }
            TableKind::Authentication => {
                format!("`waywarden auth check --config {path} LOG` checks a log by it")
            }
            TableKind::Service => {
                format!("`waywarden serve {path} --check-config` checks it")
            }
            TableKind::PkiProfile => {
                format!("`waywarden pki init DIR --profile {path}` reads it")
            }
            TableKind::Traffic => "`waywarden traffic run DIR` reads its folder".to_owned(),
        }
    }
}
