//! The image of the project, and records for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use waywarden_can::node::Port;
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::secoc::{Layout, SecocCarrier, SecocProfile, SecocStream};
use waywarden_ecu::{PayloadContent, PeriodicStream, StreamFormat};
use waywarden_firmware_link::{EcuRecord, FreshnessRecord, KeyRecord, Request, TimedRequest};
use waywarden_firmware_secoc as secoc;
use waywarden_testkit::workspace;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};
use waywarden_work::Duration;

use crate::world::{Native, World};

/// The machine of the images that each `make test` builds.
pub(crate) const MACHINE: &str = "mps2-an386";

/// A core that has the images, with what the tests of the port expect on it.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    /// Its set of `xtask/firmware`, with the ECU with SecOC and the test of the board.
    set: &'static str,
    /// Suffix of the names of its images.
    suffix: &'static str,
    /// Its machine.
    pub(crate) machine: &'static str,
    /// Start of a report of memory that is not there.
    pub(crate) fault: &'static str,
    /// Report of a stack that is used up.
    pub(crate) stack: &'static str,
    /// Start of the addresses of code.
    pub(crate) code: &'static str,
    /// True if the board has a watchdog.
    pub(crate) has_watchdog: bool,
}

/// The core of the images that each `make test` builds.
pub(crate) const M4F: Core = Core {
    set: "secoc",
    suffix: "",
    machine: MACHINE,
    fault: "HardFault at",
    stack: "HardFault: the stack is used up",
    code: "0x0000",
    has_watchdog: true,
};

/// The cores that `make soak` builds images for.
pub(crate) const OTHERS: [Core; 2] = [
    Core {
        set: "m33",
        suffix: "-m33",
        machine: "mps2-an505",
        code: "0x1000",
        ..M4F
    },
    Core {
        set: "r5f",
        suffix: "-r5f",
        machine: "cortex-r5f",
        fault: "data abort at",
        stack: "data abort: the stack is used up",
        has_watchdog: false,
        ..M4F
    },
];

impl Core {
    /// Returns one of its images, by name; none, with a message, where they cannot be built or run.
    fn named(&self, name: &str) -> Option<QemuImage> {
        let folder = match self.set {
            "secoc" => images()?,
            set => built(&[set])?.parent()?.to_owned(),
        };
        Some(self.image(&folder, name))
    }

    fn image(&self, folder: &Path, name: &str) -> QemuImage {
        let file = folder.join(format!("{name}{}.elf", self.suffix));
        QemuImage::new(file, self.machine).expect("our own image")
    }

    /// Returns an image of another set than that with SecOC, built; none, with a message, where it
    /// cannot be built or run.
    pub(crate) fn of_set(&self, set: &str, name: &str) -> Option<QemuImage> {
        static BUILT: Mutex<BTreeMap<String, Option<PathBuf>>> = Mutex::new(BTreeMap::new());
        let set = format!("{set}{}", self.suffix);
        let mut all = BUILT.lock().expect("no panic meanwhile");
        let folder = all.entry(set.clone());
        let folder = folder.or_insert_with(|| Some(built(&[&set])?.parent()?.to_owned()));
        Some(self.image(folder.as_deref()?, name))
    }

    /// Returns the name of a row of the budgets for one of its images.
    pub(crate) fn row(&self, image: &str) -> String {
        format!("{image}{}", self.suffix)
    }

    /// Returns the image with SecOC.
    pub(crate) fn secoc(&self) -> Option<QemuImage> {
        self.named("secoc")
    }

    /// Returns the image that does what a byte asks for.
    pub(crate) fn probe(&self) -> Option<QemuImage> {
        self.named("probe")
    }
}

/// Returns the folder of the images, built once; none, with a message, where they cannot be built
/// or run.
fn images() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = || built(&[])?.parent().map(Path::to_owned);
    BUILT.get_or_init(folder).clone()
}

/// Returns the file of the image with SecOC.
pub(crate) fn elf() -> Option<PathBuf> {
    Some(images()?.join("secoc.elf"))
}

/// Builds images, and returns the file of the first; none, with a message, where they cannot be
/// built or run.
pub(crate) fn built(arguments: &[&str]) -> Option<PathBuf> {
    let output = Command::new(workspace().join("xtask/firmware"))
        .args(arguments)
        .output()
        .expect("a script that starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) {
        println!("skipped: {errors}");
        return None;
    }
    assert!(output.status.success(), "xtask/firmware: {errors}");
    let paths = String::from_utf8(output.stdout).expect("UTF-8");
    Some(PathBuf::from(paths.lines().next().expect("a path")))
}

/// Returns the image, ready to be started.
pub(crate) fn image() -> Option<QemuImage> {
    M4F.secoc()
}

/// Sends an answer and takes the next request; the last words of an image are a fault, as in a run.
pub(crate) fn exchanged(
    running: &mut dyn RunningImage,
    answer: Option<&[u8]>,
) -> Result<Vec<u8>, ImageFault> {
    let request = running.exchange(answer)?;
    let decoded = TimedRequest::decode(request).map(|timed| timed.request);
    match decoded {
        Ok(Request::Failed(text)) => Err(ImageFault::Panicked(text.to_owned())),
        _ => Ok(request.to_vec()),
    }
}

/// Returns the image of an ECU in a group with a suite, on a core.
pub(crate) fn group_image(core: &Core, suite: &str) -> Option<QemuImage> {
    core.of_set("group-keys", &format!("group-keys-{suite}"))
}

/// The record of an ECU that does nothing.
pub(crate) fn empty_record() -> EcuRecord {
    empty(Usage::Both)
}

/// Runs an image in a world, to the end of the run.
pub(crate) fn run(image: &QemuImage, world: &mut World) -> Result<(), ImageFault> {
    let mut running = image.start()?;
    let mut answer: Option<Vec<u8>> = None;
    loop {
        let request = exchanged(&mut *running, answer.as_deref())?;
        let timed = TimedRequest::decode(&request).expect("a request");
        answer = world.answer(&timed);
        if matches!(timed.request, Request::Stack(_)) || world.is_off() {
            return Ok(());
        }
    }
}

/// Runs the image's library in a world, on this machine.
pub(crate) fn run_native(world: &mut World) {
    let answer = Vec::new();
    secoc::run(Native { world, answer });
}

const KEY: [u8; 16] = *b"a key of a test!";
const NAME: KeyId = KeyId(1);
/// The stream of all tests: 8 bytes and a code of 24 bits in a CAN FD frame, each 10 ms.
pub(crate) const STREAM: u16 = 0x120;
/// The time from one instance to the next.
pub(crate) const PERIOD: Duration = Duration::from_millis(10);

fn stream() -> SecocStream {
    let id = StandardId::new(STREAM).expect("11 bits");
    let layout = Layout::fixed(SecocCarrier::Fd, 8);
    SecocStream::new(SecocProfile::AUTOSAR_1, layout, id, NAME).expect("a stream")
}

fn empty(usage: Usage) -> EcuRecord {
    let mut record = EcuRecord {
        streams: Default::default(),
        freshness: FreshnessRecord::Unsynchronised,
        senders: Default::default(),
        receivers: Default::default(),
        keys: Default::default(),
    };
    let (id, key) = (NAME, MacKey::from_bytes(KEY));
    let _ = record.keys.push(KeyRecord { id, usage, key });
    record
}

/// The record of a sensor.
pub(crate) fn sensor() -> EcuRecord {
    let mut record = empty(Usage::Protect);
    let _ = record.senders.push(stream());
    let _ = record.streams.push(PeriodicStream {
        port: Port(0),
        id: Id::standard(STREAM).expect("11 bits"),
        format: StreamFormat::Fd {
            bit_rate_switch: true,
        },
        length: 8,
        period: PERIOD,
        offset: PERIOD,
        jitter: Duration::from_micros(500),
        content: PayloadContent::Random,
    });
    record
}

/// The record of a dashboard.
pub(crate) fn dashboard() -> EcuRecord {
    let mut record = empty(Usage::Check);
    let _ = record.receivers.push(stream());
    record
}

/// The record of an ECU that does both: it sends one stream and checks another.
pub(crate) fn both() -> EcuRecord {
    let mut record = dashboard();
    let own = StandardId::new(STREAM + 1).expect("11 bits");
    let layout = Layout::fixed(SecocCarrier::Fd, 8);
    let own = SecocStream::new(SecocProfile::AUTOSAR_1, layout, own, KeyId(2));
    let _ = record.senders.push(own.expect("a stream"));
    let mut streams = sensor().streams;
    streams[0].id = Id::standard(STREAM + 1).expect("11 bits");
    record.streams = streams;
    let key = MacKey::from_bytes(*b"another test key");
    let (id, usage) = (KeyId(2), Usage::Protect);
    let _ = record.keys.push(KeyRecord { id, usage, key });
    record
}
