//! Notes of images: what is read of them without an emulator.

use std::fs;

use waywarden_firmware_link::{GROUP_KEYS, LASAN, PAIRED, SECOC, VERSION};
use waywarden_testkit::{Random, cases, elf_image, first_seed};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, ImageNote, ImageRole};

use crate::image::{M4F, MACHINE, OTHERS, built, group_image, image};
use crate::process::sets;

/// The note of a file on a machine, or the reason that it is refused.
fn note(file: &[u8], machine: &str) -> Result<Option<ImageNote>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ecu.elf");
    fs::write(&path, file).expect("a file");
    match QemuImage::new(path, machine) {
        Ok(image) => Ok(image.note().cloned()),
        Err(ImageFault::NotStarted(why)) => Err(why),
        Err(other) => panic!("{other:?}"),
    }
}

fn note_of(words: &str) -> Result<Option<ImageNote>, String> {
    note(&elf_image(0, Some(words)), MACHINE)
}

#[test]
fn the_words_of_a_note_are_read_in_any_order() {
    let ecu = |record, suite: Option<&str>| ImageNote {
        link: Some(2),
        machine: MACHINE.to_owned(),
        role: ImageRole::Ecu {
            record,
            suite: suite.map(str::to_owned),
        },
    };
    let read = note_of("link=2 machine=mps2-an386 record=1");
    assert_eq!(read, Ok(Some(ecu(1, None))));
    let read = note_of("suite=p256 later=7 record=2 machine=mps2-an386  link=2");
    assert_eq!(read, Ok(Some(ecu(2, Some("p256")))));
    let read = note_of("machine=mps2-an386 purpose=a test of record=3");
    let role = ImageRole::NoEcu("a test of record=3".to_owned());
    let (link, machine) = (None, MACHINE.to_owned());
    assert_eq!(
        read,
        Ok(Some(ImageNote {
            link,
            machine,
            role
        }))
    );
    assert_eq!(note(&elf_image(0, None), MACHINE), Ok(None));
}

#[test]
fn a_note_without_the_form_is_refused_with_its_place() {
    let refused = |words: &str, part: &str| {
        let why = note_of(words).expect_err(words);
        let expected = "ecu.elf: byte 100: its note .note.waywarden: ";
        assert!(why.contains(expected) && why.contains(part), "{why}");
        assert!(why.ends_with("; docs/firmware.md has its words"), "{why}");
    };
    refused("link=2 record=1", "it has no `machine`");
    refused("machine=mps2-an386 record=1", "it has no `link`");
    refused("link=2 machine=mps2-an386", "one of `record` and `purpose`");
    refused(
        "link=2 machine=a record=1 purpose=b",
        "one of `record` and `purpose`",
    );
    refused(
        "link=2 machine=a record=256",
        "`record` is no number of at most 255",
    );
    refused(
        "link=x machine=a record=1",
        "`link` is no number of at most 65535",
    );
    refused(
        "link=2 machine=a record=1 \u{e9}",
        "the form of an ELF note",
    );
    refused(
        &format!("link=2{}", " ".repeat(600)),
        "it has 630 bytes, at most 512",
    );
    refused(
        "link=2 machine=mps2-an386 record=1 record=2",
        "it has `record` twice",
    );
    // The length of the words tells where they end.
    let mut two = elf_image(0, Some("link=2 machine=mps2-an386 record=1 link=3"));
    two[104] -= " link=3".len() as u8;
    let why = note(&two, MACHINE).expect_err("more than a note");
    assert!(why.contains("something behind its words"), "{why}");
}

/// A note that is not found is no leave to run the image.
#[test]
fn a_damaged_table_of_sections_is_refused() {
    let good = elf_image(0, Some("link=2 machine=mps2-an386 record=1"));
    let table = good.len() - 3 * 40;
    let refused = |at: usize, value: &[u8], part: &str| {
        let mut file = good.clone();
        file[at..at + value.len()].copy_from_slice(value);
        let why = note(&file, MACHINE).expect_err(part);
        assert!(why.contains(part), "{why}");
        assert!(why.ends_with("; build or copy the file again"), "{why}");
    };
    refused(32, &[0xFF; 4], "byte 32: its table of sections ends at");
    refused(46, &[0], "byte 46: an entry of its table of sections");
    refused(48, &[0], "byte 50: the names of its sections");
    refused(48, &[0xFF], "byte 32: its table of sections ends at");
    refused(50, &[0xFF], "byte 50: the names of its sections");
    let place = |entry: usize, part: &str| format!("byte {}: {part}", table + 40 * entry);
    refused(table + 40, &[0xFF], &place(1, "a section without a name"));
    for content in [16, 20] {
        let at = table + 40 + content;
        refused(at, &[0xFF; 4], &place(1, "a section ends at byte"));
    }
    // The section of names, under the other's name.
    let second = place(2, "a second section .note.waywarden");
    refused(table + 80, &[1], &second);
    for length in table..good.len() {
        note(&good[..length], MACHINE).expect_err("a file that ends too early");
    }
    let mut stripped = good;
    stripped[32..36].fill(0);
    assert_eq!(note(&stripped, MACHINE), Ok(None));
}

#[test]
fn an_image_for_another_machine_is_refused_by_its_note() {
    let refused = |words: &str, machine: &str, expected: &str| {
        // The place that it is linked for does not matter.
        for flash in [0, 0x1000_0000] {
            let why = note(&elf_image(flash, Some(words)), machine).expect_err(words);
            assert!(why.ends_with(expected), "{why}");
        }
    };
    refused(
        "link=2 machine=mps2-an505 record=1",
        "mps2-an386",
        "ecu.elf: it is built for mps2-an505; write `machine = \"mps2-an505\"`, or name an image \
         for mps2-an386, a Cortex-M4F",
    );
    refused(
        "link=2 machine=mps2-an386 record=1",
        "mps2-an505",
        "ecu.elf: it is built for mps2-an386; write `machine = \"mps2-an386\"`, or name an image \
         for mps2-an505, a Cortex-M33",
    );
    refused(
        "link=2 machine=toaster record=1",
        "mps2-an386",
        "ecu.elf: it is built for toaster, which is no machine here; name an image for mps2-an386, \
         a Cortex-M4F",
    );
    refused(
        "machine=mps2-an505 purpose=the secure half",
        "mps2-an386",
        "ecu.elf: it is the secure half, for mps2-an505; name an image of an ECU for mps2-an386, a \
         Cortex-M4F",
    );
}

#[test]
fn an_image_without_vectors_is_refused_on_a_core_that_reads_them() {
    let why = note(&elf_image(0x0020_0000, None), MACHINE).expect_err("no vectors");
    let expected = "it has nothing at 0x0, where the core of mps2-an386 reads its stack and its \
                    start; link an image for mps2-an386, a Cortex-M4F";
    assert!(why.ends_with(expected), "{why}");
    assert_eq!(note(&elf_image(0x0020_0000, None), "cortex-r5f"), Ok(None));
}

/// Changed files are read or refused, and harm nothing.
#[test]
fn changed_files_are_read_or_refused() {
    let seed = first_seed(1);
    let mut random = Random::new(seed);
    let good = elf_image(0, Some("link=2 machine=mps2-an386 record=2 suite=fourq"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ecu.elf");
    let (mut noted, mut unnoted, mut refused) = (0, 0, 0);
    for case in 0..cases(3_000) {
        let mut file = good.clone();
        for _ in 0..=random.below(3) {
            // Words and halves of the tables, most often, as those are places and lengths.
            let at = random.below(file.len() as u64) as usize & !1;
            let value = match random.below(4) {
                0 => 0,
                1 => u32::MAX,
                2 => random.below(file.len() as u64 + 9) as u32,
                _ => random.below(1 << 32) as u32,
            };
            let length = [1, 2, 4][random.below(3) as usize].min(file.len() - at);
            file[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
        }
        if random.below(4) == 0 {
            file.truncate(random.below(file.len() as u64 + 1) as usize);
        }
        fs::write(&path, &file).expect("a file");
        match QemuImage::new(&path, MACHINE) {
            Ok(image) if image.note().is_some() => noted += 1,
            Ok(_) => unnoted += 1,
            Err(ImageFault::NotStarted(why)) => {
                assert!(why.contains("ecu.elf: "), "seed {seed}, case {case}: {why}");
                refused += 1;
            }
            Err(other) => panic!("seed {seed}, case {case}: {other:?}"),
        }
    }
    println!("seed {seed}: {noted} with a note, {unnoted} without, {refused} refused");
    assert!(noted > 0 && unnoted > 0 && refused > 0, "seed {seed}");
}

/// Returns the kind and suite of an image that says it is an ECU.
fn kind(image: &QemuImage) -> (u8, Option<&str>) {
    let note = image.note().expect("our own images have one");
    assert_eq!(note.link, Some(VERSION));
    assert_eq!(note.machine, image.machine().name);
    match &note.role {
        ImageRole::Ecu { record, suite } => (*record, suite.as_deref()),
        ImageRole::NoEcu(purpose) => panic!("{purpose}"),
    }
}

fn is_no_ecu(image: &QemuImage) -> bool {
    matches!(
        image.note().map(|note| &note.role),
        Some(ImageRole::NoEcu(_))
    )
}

#[test]
fn our_own_images_say_what_they_are() {
    let Some(secoc) = image() else { return };
    assert_eq!(kind(&secoc), (SECOC, None));
    assert!(M4F.probe().is_some_and(|probe| is_no_ecu(&probe)));
    for suite in ["fourq", "p256"] {
        let Some(image) = group_image(&M4F, suite) else {
            return;
        };
        assert_eq!(kind(&image), (GROUP_KEYS, Some(suite)));
    }
}

#[test]
#[ignore = "builds all images; make soak"]
fn all_images_say_what_they_are() {
    for core in [M4F].iter().chain(&OTHERS) {
        let Some(secoc) = core.secoc() else { return };
        assert_eq!(kind(&secoc), (SECOC, None));
        let of_set = |set: &str, name: &str| core.of_set(set, name).expect("as before");
        assert_eq!(kind(&of_set("paired", "paired")), (PAIRED, None));
        for suite in ["fourq", "p256"] {
            let group = of_set("group-keys", &format!("group-keys-{suite}"));
            assert_eq!(kind(&group), (GROUP_KEYS, Some(suite)));
            let lasan = of_set("lasan", &format!("lasan-{suite}"));
            assert_eq!(kind(&lasan), (LASAN, Some(suite)));
        }
        for name in ["receiver", "operations", "certificates"] {
            assert!(is_no_ecu(&of_set(name, name)), "{name}");
        }
    }
    let post_quantum = M4F.of_set("lasan-post-quantum", "lasan-ml-dsa-44");
    let post_quantum = post_quantum.expect("as before");
    assert_eq!(kind(&post_quantum), (LASAN, Some("ml-kem-768+ml-dsa-44")));
    if let Some(file) = built(&["c"]) {
        let image = QemuImage::new(file, MACHINE).expect("our own image");
        assert_eq!(kind(&image), (SECOC, None));
    }
    let member = built(&["trustzone"]).expect("as before");
    for name in ["member.elf", "attacker.elf", "secure.elf"] {
        let file = member.with_file_name(name);
        let why = QemuImage::new(file, MACHINE).expect_err("another machine");
        assert!(
            why.to_string().contains(", for mps2-an505; name an image"),
            "{why}"
        );
    }
    let secure = QemuImage::new(member.with_file_name("secure.elf"), "mps2-an505");
    assert!(is_no_ecu(&secure.expect("its own machine")));
    for name in sets().into_iter().flat_map(|(_, images)| images) {
        let Ok(file) = fs::read(member.with_file_name(&name)) else {
            assert_eq!(name, "secoc-c.elf", "only a compiler for C may be missing");
            continue;
        };
        let section = b".note.waywarden\0";
        let has_note = file.windows(section.len()).any(|part| part == section);
        assert!(has_note, "{name} has no note");
    }
}
