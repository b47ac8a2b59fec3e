//! The house as a table: which rooms there are, on which floor each stands, what world it lives
//! in and which arrows are exceptions. Everything in this program that asks about rooms asks here.
//!
//! The picture and the reasons stand in `ARCHITECTURE.md`.

/// What a room may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum World {
    /// `no_std` without an allocator.
    NoStd,
    /// `no_std` with `alloc`.
    NoStdAlloc,
    /// The standard library, but no clock, socket, file, environment or random generator.
    Pure,
    /// Anything.
    Io,
}

/// One crate under `crates/`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// The folder under `crates/`; the package is `waywarden-<name>`.
    pub(crate) name: &'static str,
    /// Arrows point to lower floors.
    pub(crate) floor: u8,
    /// What it may touch.
    pub(crate) world: World,
}

const fn room(name: &'static str, floor: u8, world: World) -> Room {
    Room { name, floor, world }
}

/// Every room of the design, also those that are not built yet.
pub(crate) const ROOMS: &[Room] = &[
    room("work", 0, World::NoStd),
    room("random", 0, World::NoStd),
    room("report-page", 0, World::Pure),
    room("can", 0, World::NoStd),
    room("fourq", 0, World::NoStd),
    room("ecverify", 0, World::NoStd),
    room("v2x-wire", 0, World::NoStd),
    room("boards", 1, World::Pure),
    room("can-log", 1, World::Pure),
    room("key-suites", 1, World::NoStd),
    room("key-roles", 1, World::NoStd),
    room("can-auth", 1, World::NoStd),
    room("v2x-keys", 1, World::NoStd),
    room("v2x-security", 1, World::NoStdAlloc),
    room("vehicle-tracks", 1, World::Pure),
    room("response-time", 1, World::Pure),
    room("group-keys", 2, World::NoStd),
    room("lasan", 2, World::NoStd),
    room("ecu", 2, World::NoStd),
    room("can-sim", 2, World::Pure),
    room("v2x-borders", 2, World::Pure),
    room("v2x-time", 2, World::Io),
    room("v2x-schedule", 2, World::NoStdAlloc),
    room("v2x-signing", 2, World::NoStdAlloc),
    room("v2x-link", 2, World::Io),
    room("v2x-token", 2, World::Io),
    room("vehicle-file", 3, World::Pure),
    room("paper-tables", 3, World::Pure),
    room("traffic-lab", 3, World::Pure),
    room("can-linux", 3, World::Io),
    room("v2x-service-protocol", 3, World::Io),
    room("v2x-pki", 3, World::Pure),
    room("v2x-station", 3, World::NoStdAlloc),
    room("can-auth-log", 4, World::Pure),
    room("papers-in-vehicle", 4, World::Pure),
    room("papers-v2x", 4, World::Pure),
    room("vehicle-trace", 4, World::Pure),
    room("vehicle-bound", 4, World::Pure),
    room("v2x-neighbourhood", 4, World::Io),
    room("v2x-pki-service", 4, World::Io),
    room("v2x-service", 4, World::Io),
    room("papers", 5, World::Pure),
    room("vehicle-sim", 5, World::Pure),
    room("vehicle-report", 5, World::Pure),
    room("vehicle-page", 6, World::Pure),
    room("command-line", 6, World::Io),
    room("vehicle-lab", 7, World::Pure),
    room("v2x-input", 7, World::Io),
    room("command-traffic", 7, World::Io),
    room("command-pki", 8, World::Io),
    room("command-v2x", 9, World::Io),
    room("cli", 10, World::Io),
];

/// Folders and files of `no_std` rooms that allocate, if the room's feature `alloc` is asked for.
/// The proof of the room is made without.
pub(crate) const ALLOCATING: &[(&str, &str)] = &[
    ("ecverify", "verifier/"),
    ("can", "driver.rs"),
    ("key-roles", "storage.rs"),
    ("group-keys", "builder"),
    ("group-keys", "suite/any.rs"),
    ("lasan", "builder"),
    ("lasan", "suites/any.rs"),
];

/// Features that a `no_std` room is proved with. Of the curves for V2X one, as a device has it:
/// without one there would be nothing to prove. FN-DSA is left out, as it needs an allocator.
const PROOF_FEATURES: &[(&str, &[&str])] = &[
    ("key-suites", &["p256", "post-quantum"]),
    ("lasan", &["p256", "post-quantum"]),
    ("v2x-keys", &["p256"]),
];

/// The arrows between rooms of one floor that are allowed: from, to.
pub(crate) const SAME_FLOOR: &[(&str, &str)] = &[("can", "work")];

/// Rooms that may import these rooms and no other.
pub(crate) const ONLY: &[(&str, &[&str])] = &[
    ("work", &[]),
    ("can-sim", &["boards", "can", "random", "work"]),
];

/// Arrows that stay forbidden even if the floors should change one day: from, to, why.
pub(crate) const NEVER: &[(&str, &str, &str)] = &[
    ("group-keys", "can-auth", KEYS_MOVE),
    ("lasan", "can-auth", KEYS_MOVE),
];

const KEYS_MOVE: &str = "an ECU moves a session key from one's event to the other's keyring";

/// Crates from outside and the lowest floor that may use them. `chrono` reads dates in files; its
/// clock is a feature that is off.
pub(crate) const FOREIGN: &[(&str, u8, &str)] = &[
    ("anyhow", 3, "an error enum, one variant per cause"),
    ("chrono", 1, "an `Instant` that comes in"),
    ("cryptoki", 2, "the `KeyStore` seam"),
    ("country-boundaries", 2, "the `Borders` seam"),
    ("getrandom", 3, "a seed that comes in"),
    ("hyper", 4, "sans-I/O code, driven from above"),
    ("mio", 3, "sans-I/O code, driven from above"),
    ("nix", 2, "sans-I/O code, driven from above"),
    ("rusqlite", 4, "a trait for what must last"),
    ("socket2", 2, "sans-I/O code, driven from above"),
    ("socketcan", 3, "the `Node` seam"),
    ("tokio", 3, "sans-I/O code, driven from above"),
];

/// Packages beside the rooms: nothing may import them, save for tests.
pub(crate) const OUTBUILDINGS: &[&str] = &["xtask", "waywarden-bench", "waywarden-testkit"];

/// Finds the features that a room is proved with.
pub(crate) fn proof_features(room: &str) -> &'static [&'static str] {
    let found = PROOF_FEATURES.iter().find(|(name, _)| *name == room);
    found.map_or(&[], |(_, features)| features)
}

/// Finds a room by its folder.
pub(crate) fn find(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// Finds a room by its package name.
pub(crate) fn of_package(package: &str) -> Option<&'static Room> {
    find(package.strip_prefix("waywarden-")?)
}

/// Finds the room whose sources a file belongs to (`crates/<room>/src/...`).
pub(crate) fn of_source(path: &str) -> Option<&'static Room> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    rest.strip_prefix("src/").and_then(|_| find(name))
}

impl Room {
    /// Whether the standard library is out of reach.
    pub(crate) fn is_no_std(&self) -> bool {
        matches!(self.world, World::NoStd | World::NoStdAlloc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exception_names_rooms_that_exist() {
        let mut names: Vec<&str> = SAME_FLOOR.iter().flat_map(|&(a, b)| [a, b]).collect();
        names.extend(NEVER.iter().flat_map(|&(a, b, _)| [a, b]));
        for (from, to) in ONLY {
            names.push(from);
            names.extend_from_slice(to);
        }
        for name in names {
            assert!(find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn architecture_shows_every_room_on_its_floor() {
        let page = include_str!("../../ARCHITECTURE.md");
        for room in ROOMS {
            let row = |line: &str| {
                let mut cells = line.split('|').map(|cell| cell.trim().trim_matches('*'));
                cells.next();
                cells.next() == Some(room.floor.to_string().as_str())
                    && cells.next() == Some(format!("`{}`", room.name).as_str())
            };
            assert!(
                page.lines().any(row),
                "{} on floor {}",
                room.name,
                room.floor
            );
        }
    }

    #[test]
    fn a_source_file_knows_its_room() {
        assert_eq!(of_source("crates/can/src/id.rs").unwrap().name, "can");
        assert!(of_source("crates/can/tests/id.rs").is_none());
        assert!(of_source("xtask/src/main.rs").is_none());
    }
}
