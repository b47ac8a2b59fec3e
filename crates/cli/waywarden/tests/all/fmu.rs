//! `waywarden fmu`: what is in a unit, and what it refuses. What a unit does is tested in
//! `bindings/fmi`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use waywarden_testkit::{elf_image, has_program};

use crate::support::{waywarden, workspace};

const CAR: &str = "[vehicle]\nname = \"a car\"\ndescription = \"<&>\"\n[[bus]]\nname = \"a\"\n\
                   bitrate = \"500k\"\n[[ecu]]\nname = \"brakes\"\nboard = \"own.toml\"\n\
                   ports = [\"a\"]\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("car.toml", CAR);
        let board =
            fs::read_to_string(workspace().join("crates/base/boards/data/ideal.toml")).unwrap();
        folder.write("own.toml", &board);
        folder.write("library.so", "library");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn fmu(&self, options: &[&str]) -> assert_cmd::Command {
        let mut command = waywarden();
        command.current_dir(self.0.path());
        command
            .args(["fmu", "car.toml", "-o", "car.fmu"])
            .args(options);
        command
    }
}

/// The files of an archive, whose sums must be right.
fn unpacked(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap()) as usize;
    let half = |at: usize| u16::from_le_bytes(*bytes[at..].first_chunk().unwrap()) as usize;
    let (mut at, mut files) = (0, BTreeMap::new());
    while bytes[at..].starts_with(b"PK\x03\x04") {
        let (packed, name) = (word(at + 18), half(at + 26));
        let start = at + 30 + name;
        let mut content = Vec::new();
        let mut decoder = DeflateDecoder::new(&bytes[start..start + packed]);
        decoder.read_to_end(&mut content).unwrap();
        let mut sum = Crc::new();
        sum.update(&content);
        assert_eq!(
            (sum.sum() as usize, content.len()),
            (word(at + 14), word(at + 22))
        );
        let name = std::str::from_utf8(&bytes[at + 30..start]).unwrap();
        files.insert(name.to_owned(), content);
        at = start + packed;
    }
    // The directory, and the end that points to it.
    assert!(bytes[at..].starts_with(b"PK\x01\x02"));
    let end = bytes.len() - 22;
    assert!(bytes[end..].starts_with(b"PK\x05\x06"));
    assert_eq!((half(end + 10), word(end + 16)), (files.len(), at));
    files
}

#[test]
fn a_unit_has_its_description_library_and_vehicle() {
    let folder = Folder::new();
    let unit = || fs::read(folder.0.path().join("car.fmu")).unwrap();
    let mut command = folder.fmu(&["--library", "library.so", "--outside", "brakes"]);
    let said = "car.fmu: 1 bus (a), 1 terminal: a_brakes\n";
    command.assert().success().stdout(said);
    let first = unit();
    let files = unpacked(&first);
    let library = format!(
        "binaries/{}-{}/a_car{}",
        std::env::consts::ARCH,
        std::env::consts::OS.replace("macos", "darwin"),
        std::env::consts::DLL_SUFFIX
    );
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let wanted = [
        library.as_str(),
        "documentation/index.html",
        "documentation/licenses/license.txt",
        "extra/org.fmi-standard.fmi-ls-bus/fmi-ls-manifest.xml",
        "modelDescription.xml",
        "resources/car.toml",
        "resources/own.toml",
        "resources/unit.json",
        "terminalsAndIcons/terminalsAndIcons.xml",
    ];
    assert_eq!(names, wanted);
    assert_eq!(files[&library], b"library");
    assert_eq!(files["resources/car.toml"], CAR.as_bytes());
    let model = std::str::from_utf8(&files["modelDescription.xml"]).unwrap();
    for part in [
        "modelName=\"a car\" description=\"&lt;&amp;&gt;\"",
        "\"a.brakes.Tx_Data\"",
    ] {
        assert!(model.contains(part), "{model}");
    }
    // The same again, to the byte.
    folder
        .fmu(&["--library", "library.so", "--outside", "brakes"])
        .assert()
        .success();
    assert!(unit() == first);
}

#[test]
fn sources_load_the_library_of_the_resources() {
    let folder = Folder::new();
    let mut command = folder.fmu(&["--library", "library.so", "--sources"]);
    command.assert().success();
    let files = unpacked(&fs::read(folder.0.path().join("car.fmu")).unwrap());
    let text = |name: &str| std::str::from_utf8(&files[name]).unwrap();
    let platform = format!(
        "{}-{}",
        std::env::consts::ARCH,
        std::env::consts::OS.replace("macos", "darwin")
    );
    let build = text("sources/buildDescription.xml");
    for part in [
        "fmiVersion=\"3.0\"",
        "modelIdentifier=\"a_car\"",
        &format!("platform=\"{platform}\""),
        "language=\"C99\"",
    ] {
        assert!(build.contains(part), "{build}");
    }
    // Each source that the description names is there, and no other.
    let named: Vec<String> = build
        .split("<SourceFile name=\"")
        .skip(1)
        .map(|rest| format!("sources/{}", rest.split('"').next().unwrap()))
        .collect();
    let there = files.keys().filter(|name| name.starts_with("sources/"));
    let there: Vec<&String> = there.filter(|name| !name.ends_with(".xml")).collect();
    assert_eq!(there, named.iter().collect::<Vec<_>>());

    let library = text("sources/unit.c")
        .split("#define LIBRARY \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    assert_eq!(files[&format!("resources/{library}")], b"library");
    assert!(!text("sources/unit.c").contains('@'));
}

#[test]
fn what_makes_no_unit_is_refused() {
    let folder = Folder::new();
    for (options, reason) in [
        (
            &["--outside", "engine"][..],
            "unknown ECU \"engine\"; ECUs of this vehicle: brakes",
        ),
        (
            &["--outside", "brakes,brakes"],
            "ECU \"brakes\" is named twice",
        ),
        (&["--nodes", "0"], "no terminal"),
        (&["--nodes", "128"], "128 nodes on each bus; at most 127"),
        (&["--library", "none.so"], "none.so"),
    ] {
        let output = folder.fmu(options).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(said.contains(reason), "{options:?}: {said}");
        assert!(!folder.0.path().join("car.fmu").exists());
    }
}

#[test]
fn a_board_outside_the_folder_is_refused() {
    let folder = Folder::new();
    let inner = folder.0.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(
        inner.join("car.toml"),
        CAR.replace("own.toml", "../own.toml"),
    )
    .unwrap();
    let mut command = folder.fmu(&[]);
    command.current_dir(&inner);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("car.toml:9:9") && said.contains("cannot go into a unit"),
        "{said}"
    );
}

#[test]
fn an_image_goes_into_the_unit_from_the_folder_of_the_file_alone() {
    if !has_program("qemu-system-arm") {
        return;
    }
    let folder = Folder::new();
    let inner = folder.0.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let image = elf_image(0, Some("link=2 machine=mps2-an386 record=1"));
    let unit = |path: &str| {
        fs::write(inner.join(path), &image).unwrap();
        let key = format!("firmware = \"{path}\"\nclock = \"80MHz\"");
        fs::write(
            inner.join("car.toml"),
            CAR.replace("board = \"own.toml\"", &key),
        )
        .unwrap();
        let mut command = folder.fmu(&["--library", "../library.so"]);
        command.current_dir(&inner).output().unwrap()
    };
    let output = unit("../ecu.elf");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    let expected = "car.toml:9:12: \"../ecu.elf\" cannot go into a unit; put the file into the \
                    folder of the vehicle file and name it there";
    assert!(said.contains(expected), "{said}");
    let output = unit("ecu.elf");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let files = unpacked(&fs::read(inner.join("car.fmu")).unwrap());
    assert_eq!(files["resources/ecu.elf"], image);
}
