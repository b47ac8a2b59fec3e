//! Vehicle files: a car described in TOML, as a model that is consistent in itself.
//!
//! [`VehicleFile::parse`] takes text and gives back the model with every reference resolved and
//! every default filled in, or all that is wrong with the text, each with file, line, column and
//! remedy. It reads no other file: boards and logs named by a path are for the caller to open,
//! and [`SourceText::error`] places what goes wrong there.
//!
//! A program composes a vehicle as a table in place of a text: [`VehicleFile::compose`] takes it by
//! the same rules, and [`to_text`] writes it as the text of a vehicle file.
//!
//! Every key is described in docs/vehicle-file.md; examples/ has files to start from.
//!
//! ```
//! use waywarden_vehicle_file::VehicleFile;
//!
//! let file = VehicleFile::parse("car.toml", r#"
//!     [vehicle]
//!     name = "smallest"
//!
//!     [[bus]]
//!     name = "main"
//!     bitrate = "500k"
//!
//!     [[ecu]]
//!     name = "engine"
//!     ports = ["main"]
//!
//!     [[stream]]
//!     name = "rpm"
//!     id = 0x280
//!     sender = "engine"
//!     period = "10ms"
//!     lenght = 8
//! "#).unwrap_err();
//! assert_eq!(
//!     file.to_string(),
//!     "car.toml:13:5: [[stream]] needs the key `length`: the payload in bytes, such as 8\n\
//!      car.toml:18:5: [[stream]] has no key `lenght`; did you mean \"length\"?"
//! );
//! ```

#![forbid(unsafe_code)]

mod authentication;
mod check;
pub mod dbc;
mod disturbance;
mod document;
mod draft;
pub mod formatting;
mod group;
pub mod ideal;
pub mod identifier;
mod key_frames;
mod key_identifiers;
mod keys;
mod keys_tables;
mod lasan;
pub mod matrix;
mod model;
mod network;
mod parties;
mod place;
mod problem;
mod quantity;
mod reader;
mod require;
mod software;
mod source;
mod topology;
mod traffic;
mod v2x;

#[cfg(test)]
mod tests;

use waywarden_boards::Board as Boards;
use waywarden_vehicle_grammar::FILE;
use waywarden_work::Duration;

pub use authentication::{
    Announcements, AuthenticationFile, KEY_FILE_MAX, KeySource, LogAuthentication, LogStream,
    LogStreams,
};
pub use authentication::{STREAMS_MAX as AUTHENTICATED_MAX, fits, obstacles};
pub use disturbance::SHORT_RESET;
pub use lasan::HELD_MAX;
pub use model::{
    Accept, AllowedLoss, Attack, Attacker, AuthenticWithin, Authentication, AuthenticationProtocol,
    BeforeFirstKey, BitRatePhase, BoardSource, Bus, BusIndex, BusPassage, CryptoEngine, Data, Ecu,
    EcuFailure, EcuFailureKind, EcuIndex, Edit, Fd, Firmware, ForgedFrame, ForwardedFrames,
    FrameFormat, FrameRate, FreshnessMasterPlace, GatewayVerification, GrantedKey, GrantedKeyUse,
    GroupKey, Interference, KeyChange, KeyFrames, KeyGroup, KeyMessages, KeyNetwork, KeyOrigin,
    KeyParty, KeyStoreKind, KeySuite, KeypadKey, Lasan, LossAmount, Offset, PayloadChange,
    PlaybackSpeed, Press, ProgramKind, ProtectedStream, Protection, QueueOrder, RecordedFrames,
    Replay, Require, Route, RouteIndex, Secoc, Software, Stream, StreamAttack, StreamIndex,
    StreamReceiver, TagCheck, TaskPriorities, TransmitQueue, V2x, V2xSignal, VehicleFile, Warning,
    Window, WireInterferer, WorkshopChange, WorkshopWork, protected_length,
};
pub use parties::KeyTable;
pub use place::{Located, SourceLocation, Span};
pub use problem::{Problem, Thing};
pub use source::{FileError, FileErrors, LISTED_ERRORS_MAX, SourceText};
pub use topology::CONTROLLERS_MAX;
pub use waywarden_vehicle_grammar::schema;
pub use waywarden_vehicle_grammar::{
    BIT_RATE_MIN, BUSES_MAX, DATA_BIT_RATE_MAX, ECUS_MAX, NAME_MAX, NOMINAL_BIT_RATE_MAX,
    OTHERS_MAX, PACING_MAX, PROTECTED_MAX, RUN_MAX, STREAMS_MAX, to_text,
};

use draft::Draft;
use model::KeyTables;
use reader::{Names, Section};
use source::Findings;

use keys_tables::key_protocols;

/// The longest text that is looked at, in bytes.
pub const TEXT_MAX: usize = 4 << 20;

/// The content of `[vehicle]`.
struct Heading {
    name: String,
    description: String,
    seed: u64,
    duration: Duration,
    /// The board of ECUs that name none.
    board: Option<Located<BoardSource>>,
}

impl VehicleFile {
    /// Reads a vehicle file; `file_name` is only for the error messages.
    ///
    /// # Errors
    /// [`FileErrors`]: everything that is wrong with it, in the order of the text. Where the text
    /// is not TOML, only that is reported.
    pub fn parse(file_name: &str, text: &str) -> Result<VehicleFile, FileErrors> {
        check::parse(file_name, text, "the vehicle file", &FILE, read)
    }

    /// Checks a vehicle that a program has composed, by the rules for files and over no text:
    /// `table` is what the text of a vehicle file would be read as; [`to_text`] writes it as such a
    /// text. `name` is only for the error messages.
    ///
    /// # Errors
    /// [`FileErrors`]: everything that is wrong with it. Each says what; none has a place, so all
    /// stand at 1:1.
    pub fn compose(name: &str, table: &toml::Table) -> Result<VehicleFile, FileErrors> {
        check::compose(name, table, "the vehicle", &FILE, read)
    }
}

/// Reads `[vehicle]`, which must be there.
fn headed(top: &mut Section<'_>, boards: &Names) -> Option<Heading> {
    if let Some(section) = top.table("vehicle") {
        return heading(section, boards);
    }
    top.need("vehicle");
    None
}

/// Returns all of them, if none is broken.
fn all<T, U>(read: Vec<Option<T>>, of: impl Fn(T) -> U) -> Option<Vec<U>> {
    read.into_iter().map(|one| one.map(&of)).collect()
}

fn read(mut top: Section<'_>, source: &SourceText, findings: &Findings<'_>) -> Option<VehicleFile> {
    let boards = Names::given(Thing::Board, Boards::builtin_names());
    let heading = headed(&mut top, &boards);
    let mut draft = matrix(&mut top, &boards, heading.as_ref(), findings);
    let keys = key_protocols(&mut top, &mut draft, findings);
    let tables = keys
        .as_ref()
        .map(|(groups, networks)| KeyTables { groups, networks });
    let authentications = events(
        &mut top,
        "authentication",
        Thing::Authentication,
        |section, name| authentication::authentication(section, name, &draft, tables),
    );
    if let Some(tables) = &authentications {
        authentication::check(tables, &mut draft, findings);
    }
    if let Some(tables) = tables {
        let authentications = authentications.as_deref().unwrap_or_default();
        key_identifiers::check(tables, authentications, &draft, findings);
    }
    let software = software::all(&mut top, &draft, findings);
    let replays = events(&mut top, "replay", Thing::Replay, |section, name| {
        traffic::replay(section, name, &draft.bus_names)
    });
    let attackers = events(&mut top, "attacker", Thing::Attacker, |section, name| {
        disturbance::attacker(section, name, &draft, tables)
    });
    let interferers = events(
        &mut top,
        "interferer",
        Thing::Interferer,
        |section, name| disturbance::interferer(section, name, &draft, tables),
    );
    let faults = events(&mut top, "fault", Thing::Fault, |section, name| {
        disturbance::fault(section, name, &draft)
    });
    if let (Some(faults), Some((_, lasan))) = (&faults, &keys) {
        disturbance::check_resets(faults, lasan, &draft.ecus, findings);
    }
    let require = require::optional(&mut top, &draft);
    let v2x = v2x::optional(&mut top, &draft);
    top.finish()?;
    let (heading, (groups, lasan)) = (heading?, keys?);
    let mut file = VehicleFile {
        name: heading.name,
        description: heading.description,
        seed: heading.seed,
        duration: heading.duration,
        buses: all(draft.buses, |bus| bus)?,
        ecus: all(draft.ecus, |ecu| ecu)?,
        streams: all(draft.streams, |draft| draft.stream)?,
        routes: all(draft.routes, |draft| draft.route)?,
        groups,
        lasan,
        authentications: authentications?,
        software: software?,
        replays: replays?,
        attackers: attackers?,
        interferers: interferers?,
        faults: faults?,
        require: require?,
        v2x: v2x?,
        moments: findings.moments(),
        source: source.clone(),
    };
    authentication::assign(&mut file);
    authentication::check_ends(&file, findings);
    Some(file)
}

/// Returns true for a character that is obeyed and not shown: a control character other than a
/// line's end, or one that changes the direction of writing.
fn is_hidden(letter: char) -> bool {
    let is_mark = matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    is_mark || (letter.is_control() && letter != '\n')
}

fn heading(mut section: Section<'_>, boards: &Names) -> Option<Heading> {
    let name = section.required::<String>("name");
    let description = section.optional::<String>("description");
    for text in [&name, &description].into_iter().flatten() {
        let found = text.value.chars().find(|letter| is_hidden(*letter));
        section.demand(found.is_none(), &text.span, || Problem::Relation {
            found: format!("it has the character {:?}", found.unwrap_or_default()),
            remedy: "leave out control characters and marks of direction: terminals and pages obey \
                     them",
        });
    }
    let seed = section.whole("seed");
    let given = section.positive("duration");
    let duration = given.as_ref().map(|given| given.value);
    let duration = duration.or_else(|| section.preset("duration"));
    if let Some(given) = given.filter(|given| given.value > RUN_MAX) {
        let problem = Problem::OutOfRange {
            what: "duration",
            found: given.value.to_string(),
            range: "up to a day, 24h".to_owned(),
        };
        section.fault(&given.span, problem);
    }
    let board = topology::stated_board(&mut section, boards);
    section.finish()?;
    Some(Heading {
        board: match board {
            Some(stated) => Some(stated?),
            None => None,
        },
        name: name?.value,
        description: description.map_or(String::new(), |text| text.value),
        seed: seed.unsigned_abs(),
        duration: duration?,
    })
}

/// Reads buses, ECUs, streams and routes and follows every stream through them.
fn matrix(
    top: &mut Section<'_>,
    boards: &Names,
    heading: Option<&Heading>,
    findings: &Findings<'_>,
) -> Draft {
    let board = heading.and_then(|heading| heading.board.as_ref());
    let mut buses = top.tables("bus");
    let mut ecus = top.tables("ecu");
    let mut streams = top.tables("stream");
    let mut senders = vec![None; streams.len()];
    for (at, ecu) in ecus.iter_mut().enumerate() {
        streams.extend(ecu.tables("sends"));
        senders.resize(streams.len(), Some(at));
    }
    if streams.len() > STREAMS_MAX {
        let found = streams.len();
        let most = STREAMS_MAX;
        findings.add(
            &top.span,
            Problem::TooMany {
                what: "streams",
                found,
                most,
            },
        );
        streams.truncate(most);
    }
    let routes = top.tables("route");
    top.need("bus");
    let mut draft = Draft {
        bus_names: Names::collect(Thing::Bus, &mut buses),
        ecu_names: Names::collect(Thing::Ecu, &mut ecus),
        stream_names: Names::collect(Thing::Stream, &mut streams),
        buses: buses.into_iter().map(topology::bus).collect(),
        ecus: Vec::new(),
        streams: Vec::new(),
        routes: Vec::new(),
    };
    draft.ecus = ecus
        .into_iter()
        .map(|section| topology::ecu(section, &draft.bus_names, boards, board))
        .collect();
    topology::distinct_addresses(&draft.ecus, findings);
    topology::few_controllers(&draft.buses, &draft.ecus, findings);
    draft.streams = streams
        .into_iter()
        .zip(senders)
        .map(|(section, sender)| traffic::stream(section, sender, &draft))
        .collect();
    draft.routes = routes
        .into_iter()
        .map(|section| traffic::route(section, &draft))
        .collect();
    draft.connect(findings);
    draft
}

/// Reads a list of named things that happen; one without a name is called after its kind.
fn events<'a, T>(
    top: &mut Section<'a>,
    key: &'static str,
    thing: Thing,
    read: impl Fn(Section<'a>, Located<String>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut sections = top.tables(key);
    // Only to note two of one name.
    let _names = Names::collect(thing, &mut sections);
    let read_one = |(at, mut section): (usize, Section<'a>)| {
        let name = if section.has("name") {
            keys::name(&mut section)?
        } else {
            let name = format!("{key}-{}", at + 1);
            Located {
                value: name,
                span: section.span.clone(),
            }
        };
        read(section, name)
    };
    sections
        .into_iter()
        .enumerate()
        .map(read_one)
        .collect::<Vec<_>>()
        .into_iter()
        .collect()
}
