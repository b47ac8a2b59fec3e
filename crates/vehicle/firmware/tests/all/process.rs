//! Images as processes: what cannot be started, what ends, hangs or misbehaves.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use waywarden_firmware_link::{Request, TimedRequest};
use waywarden_testkit::workspace;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};

use crate::image::{MACHINE, elf, exchanged, image, run, sensor};
use crate::world::World;

fn refusal(file: &Path, machine: &str) -> String {
    match QemuImage::new(file, machine) {
        Err(ImageFault::NotStarted(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// Returns the sets of `xtask/firmware` with their images.
pub(crate) fn sets() -> Vec<(String, Vec<String>)> {
    let mut command = Command::new(workspace().join("xtask/firmware"));
    let output = command.arg("--list").output().expect("a start");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let set = |line: &str| {
        let (set, images) = line.split_once(": ").expect("a set with its images");
        let images = images.split(' ').map(str::to_owned);
        (set.to_owned(), images.collect())
    };
    lines.lines().map(set).collect()
}

#[test]
fn an_image_that_is_missing_names_a_set_that_builds_it() {
    let sets = sets();
    let images_of = |set: &str| &sets.iter().find(|(name, _)| name == set).expect(set).1;
    let all = sets.iter().flat_map(|(_, images)| images);
    for image in all.clone() {
        let missing = refusal(&Path::new("no").join(image), MACHINE);
        let set = match missing.rsplit_once("; `").expect("a remedy").1 {
            "make firmware` builds it" => {
                let of_make = ["secoc", "group-keys"].map(images_of);
                assert!(of_make.iter().any(|set| set.contains(image)), "{image}");
                continue;
            }
            remedy => remedy.strip_prefix("xtask/firmware ").expect("a set"),
        };
        let set = set.strip_suffix("` builds it").expect("a set alone");
        let is_there = images_of(set).contains(image);
        assert!(is_there, "{image}: {missing}");
    }
    for known in ["secoc.elf", "group-keys-p256-r5f.elf", "member.elf"] {
        assert!(all.clone().any(|image| image == known), "{known}");
    }
    let missing = refusal(Path::new("no/such.elf"), MACHINE);
    assert!(
        missing.contains("no/such.elf") && missing.contains("docs/firmware.md"),
        "{missing}"
    );
}

#[test]
fn the_help_of_the_script_lists_each_set() {
    let mut command = Command::new(workspace().join("xtask/firmware"));
    let output = command.arg("--help").output().expect("a start");
    assert!(output.status.success(), "{output:?}");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    let words: Vec<&str> = help.split([' ', ',', '\n']).collect();
    for (set, _) in sets() {
        let role = set
            .strip_suffix("-m33")
            .or_else(|| set.strip_suffix("-r5f"));
        assert!(words.contains(&role.unwrap_or(&set)), "{set}: {help}");
    }
}

#[test]
fn files_that_are_no_images_are_refused_before_anything_starts() {
    let Some(elf) = elf() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let good = fs::read(&elf).expect("the image");
    let file = folder.path().join("ecu.elf");
    let refused = |bytes: &[u8], part: &str| {
        fs::write(&file, bytes).expect("a file");
        let why = refusal(&file, MACHINE);
        assert!(why.contains("ecu.elf: ") && why.contains(part), "{why}");
        assert!(
            why.contains("link an image for mps2-an386, a Cortex-M4F"),
            "{why}"
        );
    };
    refused(b"", "0 bytes");
    refused(b"#!/bin/sh\necho an image\n", "byte 0: no ELF file");
    refused(&good[..40], "ends in its header");
    let mut unnamed = good[..60].to_vec();
    unnamed[32..36].fill(0);
    refused(&unnamed, "ends there, within its table of segments");
    let changed = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    refused(&changed(4, 2), "not of 32 bits");
    refused(&changed(18, 62), "byte 18: it is for processors of kind 62");
    refused(&changed(16, 3), "byte 16: of kind 3");
    refused(&changed(44, 0), "no segments");
    // The address of the first segment.
    let first = u32::from_le_bytes(good[28..32].try_into().expect("4 bytes")) as usize;
    refused(
        &changed(first + 11, 0x60),
        "not in the memory of mps2-an386",
    );
    refused(&changed(first + 19, 0x60), "a segment ends at byte");
    // An emulator would load it, and run what is left of it.
    refused(
        &changed(first + 21, 0),
        "1024 bytes in the file, and 0 in memory",
    );

    let machine = refusal(&elf, "mps2-an999");
    assert!(
        machine.contains("machines: mps2-an386 (Cortex-M4F)"),
        "{machine}"
    );
}

/// Changed images end as faults, whatever they do.
#[test]
fn junk_code_ends_with_a_reason() {
    let Some(elf) = elf() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("junk.elf");
    let mut bytes = fs::read(&elf).expect("the image");
    // Code and constants, from the vector of the reset on, are undefined instructions.
    let second = u32::from_le_bytes(bytes[28..32].try_into().expect("4 bytes")) as usize + 32;
    let offset = u32::from_le_bytes(bytes[second + 4..second + 8].try_into().expect("4 bytes"));
    bytes[offset as usize..][..0x8000].fill(0xDE);
    fs::write(&file, &bytes).expect("a file");
    let image = QemuImage::new(&file, MACHINE).expect("it has the form");
    let image = image.silent_for_at_most(Duration::from_secs(2));
    let mut world = World::new(&sensor(), waywarden_work::Instant::ZERO);
    match run(&image, &mut world) {
        Err(ImageFault::Ended(why)) => assert!(why.contains("Lockup"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// Returns a started image and its first request.
fn started(image: &QemuImage) -> Box<dyn RunningImage> {
    let mut running = image.start().expect("a start");
    let request = running.exchange(None).expect("a request");
    let timed = TimedRequest::decode(request).expect("a request");
    assert!(matches!(timed.request, Request::Boot { .. }));
    running
}

#[test]
fn a_silent_image_is_ended() {
    let Some(image) = image() else { return };
    // Enough for its first request on a busy machine.
    let image = image.silent_for_at_most(Duration::from_secs(5));
    let mut running = started(&image);
    // It waits for an answer that does not come.
    assert_eq!(running.exchange(None), Err(ImageFault::Silent(5)));
    let after = running.exchange(Some(&[])).map(<[u8]>::to_vec);
    assert!(matches!(after, Err(ImageFault::Ended(_))), "{after:?}");
}

#[test]
fn an_answer_that_is_none_is_a_panic_of_the_image() {
    let Some(image) = image() else { return };
    for (answer, part) in [
        (&[][..], "the answer: it ends within a field"),
        (&[9], "the answer: the kind of an answer"),
        (&[4, 4], "the answer: there are bytes behind"),
    ] {
        match exchanged(&mut *started(&image), Some(answer)) {
            Err(ImageFault::Panicked(why)) => assert!(why.contains(part), "{why}"),
            other => panic!("{other:?}"),
        }
    }
    let long = vec![0; 5_000];
    let refused = started(&image).exchange(Some(&long)).map(<[u8]>::to_vec);
    assert!(
        matches!(refused, Err(ImageFault::Malformed(_))),
        "{refused:?}"
    );
}

/// The number of processes that run an image of this file; none where they cannot be listed.
fn emulators(file: &Path) -> Option<usize> {
    let file = file.as_os_str().as_encoded_bytes();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let commands = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let names = |command: &Vec<u8>| command.split(|byte| *byte == 0).any(|word| word == file);
    Some(commands.filter(names).count())
}

#[test]
fn many_images_run_at_once_and_end_when_they_are_dropped() {
    let Some(elf) = elf() else { return };
    // A file of its own, as other tests run the same image at the same time.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("many.elf");
    fs::copy(elf, &file).expect("a copy");
    let image = QemuImage::new(&file, MACHINE).expect("the image");
    let mut running: Vec<_> = (0..8).map(|_| started(&image)).collect();
    assert!(matches!(emulators(&file), None | Some(8)));
    let answers = running.iter_mut().take(4);
    let refused = answers.map(|one| exchanged(&mut **one, Some(&[9])));
    let refused: Vec<_> = refused.collect();
    let is_panic = |one: &Result<_, ImageFault>| matches!(one, Err(ImageFault::Panicked(_)));
    assert!(refused.iter().all(is_panic), "{refused:?}");
    drop(running);
    assert!(matches!(emulators(&file), None | Some(0)));
}

/// The variable that names the image to the tests that need a process of their own.
const IMAGE: &str = "WAYWARDEN_TEST_IMAGE";

#[test]
fn a_missing_emulator_is_named_with_its_package() {
    let Some(elf) = elf() else { return };
    // PATH belongs to a whole process, so this needs one of its own.
    let mut again = Command::new(env::current_exe().expect("this program"));
    again.args(["--exact", "--ignored", "process::without_an_emulator"]);
    let output = again.env("PATH", "").env(IMAGE, elf).output();
    let output = output.expect("a start");
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "a_missing_emulator_is_named_with_its_package runs it"]
fn without_an_emulator() {
    let Some(elf) = env::var_os(IMAGE) else {
        return;
    };
    // An image can be looked at all the same.
    let image = QemuImage::new(elf, MACHINE).expect("our own image");
    let why = image.find_emulator().expect_err("no emulator").to_string();
    assert!(image.footprint().flash > 0);
    let start = image.start().err().expect("no emulator").to_string();
    assert_eq!(start, why);
    let expected = "qemu-system-arm is not in PATH and emulates mps2-an386; \
                    Debian: apt-get install qemu-system-arm";
    assert_eq!(why, expected);
}
