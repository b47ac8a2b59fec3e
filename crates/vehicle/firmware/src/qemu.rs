//! An image on a machine of QEMU.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::elf::{self, Footprint};
use crate::machine::{COMMON, Loading, Machine};
use crate::running::RunningQemu;
use crate::seam::{FirmwareImage, ImageFault, ImageNote, ImageRole, RunningImage};
use crate::spawn;

/// The longest file of an image, in bytes: symbols may be many times the code.
const FILE_MAX: u64 = 64 << 20;

/// Real time in which an image must make a request, unless another is set.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// An image and its machine, ready to be started any number of times.
#[derive(Clone, Debug)]
pub struct QemuImage {
    file: PathBuf,
    machine: &'static Machine,
    footprint: Footprint,
    note: Option<ImageNote>,
    silence_max: Duration,
    arguments: Vec<OsString>,
}

impl QemuImage {
    /// Takes an image from a file, for a machine by its name. Reads the file; starts nothing, and
    /// needs no emulator.
    ///
    /// # Errors
    /// [`ImageFault::NotStarted`] if there is no such machine, or the file is no image for it.
    pub fn new(file: impl Into<PathBuf>, machine: &str) -> Result<Self, ImageFault> {
        let file = file.into();
        let machine = Machine::named(machine).map_err(ImageFault::NotStarted)?;
        let refuse = |why: String| ImageFault::NotStarted(format!("{}: {why}", file.display()));
        let bytes = read(&file).map_err(refuse)?;
        let no_image = |why: String| {
            let (name, core) = (machine.name, machine.core);
            refuse(format!("{why}; link an image for {name}, a {core}"))
        };
        elf::check_header(&bytes, machine).map_err(no_image)?;
        let note = elf::note(&bytes).map_err(refuse)?;
        // The note comes first: addresses of another machine are refused less plainly.
        let built_for = note
            .as_ref()
            .map_or(Ok(()), |note| check_machine(note, machine));
        built_for.map_err(refuse)?;
        let footprint = elf::footprint(&bytes, machine).map_err(no_image)?;
        Ok(QemuImage {
            file,
            machine,
            footprint,
            note,
            silence_max: SILENCE_MAX,
            arguments: Vec::new(),
        })
    }

    /// Sets the real time in which the image must make a request; 60 s otherwise.
    #[must_use]
    pub fn silent_for_at_most(self, silence_max: Duration) -> Self {
        QemuImage {
            silence_max,
            ..self
        }
    }

    /// Looks for the emulator of its machine in `PATH`, so that its absence is known before a run.
    ///
    /// # Errors
    /// [`ImageFault::NotStarted`] with the package that has it.
    pub fn find_emulator(&self) -> Result<PathBuf, ImageFault> {
        find(self.machine)
    }

    /// Gives the emulator further arguments, as a plug-in that watches the image.
    #[must_use]
    pub fn with_arguments(self, arguments: Vec<OsString>) -> Self {
        QemuImage { arguments, ..self }
    }

    /// Returns the machine.
    #[must_use]
    pub const fn machine(&self) -> &'static Machine {
        self.machine
    }

    /// Returns the memory that the image takes, its stack aside.
    #[must_use]
    pub const fn footprint(&self) -> Footprint {
        self.footprint
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    fn command(&self, emulator: &Path) -> Command {
        // An image that hangs reads no end of its input, so the kernel is asked to kill the
        // emulator with this program.
        let mut command = match in_path("setpriv") {
            Some(setpriv) => {
                let mut command = Command::new(setpriv);
                command.args(["--pdeathsig", "KILL", "--"]);
                command.arg(emulator);
                command
            }
            None => Command::new(emulator),
        };
        command.args(self.machine.arguments).args(COMMON);
        command.args(&self.arguments);
        match self.machine.loading {
            Loading::Kernel => command.arg("-kernel").arg(&self.file),
            Loading::Memory => command.arg("-device").arg(loader(&self.file)),
        };
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command
    }
}

impl FirmwareImage for QemuImage {
    fn note(&self) -> Option<&ImageNote> {
        self.note.as_ref()
    }

    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault> {
        let emulator = self.find_emulator()?;
        let child = spawn::spawn(self.command(&emulator)).map_err(|error| {
            let emulator = emulator.display();
            ImageFault::NotStarted(format!("{emulator}: {error}"))
        })?;
        Ok(Box::new(RunningQemu::new(child, self.silence_max)))
    }
}

/// Refuses an image that is built for another machine.
fn check_machine(note: &ImageNote, machine: &Machine) -> Result<(), String> {
    let (name, core, built_for) = (machine.name, machine.core, &note.machine);
    if built_for == name {
        return Ok(());
    }
    let is_ours = Machine::named(built_for).is_ok();
    Err(match &note.role {
        ImageRole::NoEcu(purpose) => format!(
            "it is {purpose}, for {built_for}; name an image of an ECU for {name}, a {core}"
        ),
        ImageRole::Ecu { .. } if is_ours => format!(
            "it is built for {built_for}; write `machine = \"{built_for}\"`, or name an image for \
             {name}, a {core}"
        ),
        ImageRole::Ecu { .. } => format!(
            "it is built for {built_for}, which is no machine here; name an image for {name}, a \
             {core}"
        ),
    })
}

/// Names what builds an image of this project, by its file name: the set of `xtask/firmware`, with
/// the core behind it that is behind the name of the image.
fn builder(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let core = ["-m33", "-r5f"]
        .into_iter()
        .find(|core| name.ends_with(core));
    let core = core.unwrap_or_default();
    let set = match (&name[..name.len() - core.len()], core) {
        ("secoc" | "probe" | "group-keys-fourq" | "group-keys-p256", "") => {
            return "`make firmware` builds it".to_owned();
        }
        // These are named by the core alone.
        ("secoc" | "probe", _) => &core[1..],
        ("group-keys-fourq" | "group-keys-p256", _) => "group-keys",
        (role @ ("paired" | "receiver" | "certificates" | "operations"), _) => role,
        ("lasan-fourq" | "lasan-p256", _) => "lasan",
        ("lasan-ml-dsa-44", "") => "lasan-post-quantum",
        ("secure", "") => "secure",
        ("member" | "attacker", "") => "trustzone",
        ("secoc-c", "") => "c",
        _ => {
            return "`make firmware` and `xtask/firmware` build the images of this project, see \
                    docs/firmware.md"
                .to_owned();
        }
    };
    match core.strip_prefix('-') {
        Some(core) if core != set => format!("`xtask/firmware {set}-{core}` builds it"),
        _ => format!("`xtask/firmware {set}` builds it"),
    }
}

/// Reads a regular file of at most [`FILE_MAX`] bytes.
fn read(file: &Path) -> Result<Vec<u8>, String> {
    // Before it is opened: a pipe would wait for a writer.
    let metadata = fs::metadata(file).map_err(|error| format!("{error}; {}", builder(file)))?;
    if !metadata.is_file() {
        return Err("it is no regular file; name an ELF file".to_owned());
    }
    let length = metadata.len();
    if length > FILE_MAX {
        return Err(format!(
            "it has {length} bytes, and an image at most {FILE_MAX}; name an ELF file for a \
             microcontroller"
        ));
    }
    fs::read(file).map_err(|error| error.to_string())
}

/// The argument that has an image in memory, and the core start in it. A comma ends a value there,
/// unless it is doubled.
fn loader(file: &Path) -> OsString {
    let mut argument = b"loader,cpu-num=0,file=".to_vec();
    for byte in file.as_os_str().as_bytes() {
        argument.extend(std::iter::repeat_n(*byte, 1 + usize::from(*byte == b',')));
    }
    OsString::from_vec(argument)
}

/// Finds the emulator of a machine.
fn find(machine: &Machine) -> Result<PathBuf, ImageFault> {
    let program = machine.emulator;
    in_path(program).ok_or_else(|| {
        let (name, package) = (machine.name, machine.package);
        ImageFault::NotStarted(format!(
            "{program} is not in PATH and emulates {name}; Debian: apt-get install {package}"
        ))
    })
}

/// Finds a program in `PATH` that may be executed.
fn in_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&folders).map(|folder| folder.join(program));
    files.find(|file| {
        let is_executable = rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
        file.is_file() && is_executable
    })
}
