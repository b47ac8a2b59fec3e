//! Notes of images: what is none for its ECU is refused before a run.

use std::sync::Arc;

use waywarden_firmware_link::{GROUP_KEYS, LASAN, PAIRED, SECOC, VERSION};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_resources::{ImageNote, ImageRole, Resources};

use super::stand_in::StandIn;
use super::{BOOT, car};

fn ecu(record: u8, suite: Option<&str>) -> ImageNote {
    ImageNote {
        link: Some(VERSION),
        machine: "mps2-an386".to_owned(),
        role: ImageRole::Ecu {
            record,
            suite: suite.map(str::to_owned),
        },
    }
}

/// The reason that an image with a note is refused for an ECU of a vehicle with what is added.
fn refusal(note: ImageNote, more: &str) -> Option<String> {
    let text = car("board = 'm4f-emulated'", more);
    let file = VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let image = StandIn::new(|_| Box::new(|_| Ok((0, BOOT)))).with_note(note);
    let mut resources = Resources::default();
    let named = ("rx.elf".to_owned(), "mps2-an386");
    resources.images.insert(named, Arc::new(image));
    match lower(&file, &resources, None) {
        Ok(_) => None,
        Err(LowerError::Firmware { place, ecu, why }) => {
            assert_eq!((place.line, ecu.as_str()), (11, "rx"));
            Some(why)
        }
        Err(other) => panic!("{other}"),
    }
}

const GROUP: &str = "[[keys]]\nname = 'g'\nmembers = ['rx']\norchestrator = 'tx'\nsuite = 'p256'\n";
const NETWORK: &str =
    "[[keys]]\nname = 'n'\nscheme = 'lasan'\nsecurity_module = 'tx'\nsuite = 'fourq'\n";
const TAGS: &str = "[[authentication]]\nname = 'tags'\nprotect = ['S']\nscheme = 'vatican'\n";

#[test]
fn an_image_of_the_kind_and_suite_of_its_ecu_is_taken() {
    for (note, more) in [
        (ecu(SECOC, None), ""),
        (ecu(PAIRED, None), TAGS),
        (ecu(GROUP_KEYS, Some("p256")), GROUP),
        // One that does not name its suite is judged at its first boot.
        (ecu(GROUP_KEYS, None), GROUP),
        (ecu(LASAN, Some("fourq")), NETWORK),
    ] {
        assert_eq!(refusal(note, more), None, "{more}");
    }
}

#[test]
fn an_image_of_another_kind_is_refused_with_the_image_for_its_ecu() {
    for (note, more, expected) in [
        (
            ecu(PAIRED, None),
            "",
            "its image is for vatiCAN or LeiA, where this ECU has SecOC with keys in place: use \
             secoc.elf, built for its `machine`",
        ),
        (
            ecu(SECOC, None),
            TAGS,
            "its image is for SecOC with keys in place, where this ECU has vatiCAN or LeiA: use \
             paired.elf, built for its `machine`",
        ),
        (
            ecu(LASAN, Some("p256")),
            GROUP,
            "its image is for a party under a security module, where this ECU has a group that \
             agrees on keys: use group-keys-fourq.elf or group-keys-p256.elf, built for its \
             `machine`",
        ),
        (
            ecu(77, None),
            NETWORK,
            "its image is for records of an unknown kind, where this ECU has a party under a \
             security module: use the lasan-*.elf of its suite, built for its `machine`",
        ),
    ] {
        assert_eq!(refusal(note, more).as_deref(), Some(expected));
    }
}

#[test]
fn an_image_of_another_suite_is_refused() {
    for (kind, more, own, suite) in [
        (GROUP_KEYS, GROUP, "fourq", "p256"),
        (LASAN, NETWORK, "p256", "fourq"),
    ] {
        let expected = format!(
            "its image has the suite {own}, and its keys have {suite}: use the image with {suite}, \
             or write `suite = \"{own}\"` in its `[[keys]]`"
        );
        assert_eq!(refusal(ecu(kind, Some(own)), more), Some(expected));
    }
}

#[test]
fn an_image_that_is_no_ecu_or_has_other_messages_is_refused() {
    let receiver = ImageNote {
        role: ImageRole::NoEcu("a V2X receiver".to_owned()),
        ..ecu(SECOC, None)
    };
    assert_eq!(
        refusal(receiver, TAGS).as_deref(),
        Some("its image is a V2X receiver and no ECU: use paired.elf, built for its `machine`")
    );
    let older = ImageNote {
        link: Some(1),
        ..ecu(SECOC, None)
    };
    let why = refusal(older, "").expect("other messages");
    let expected = format!("version 1 of the messages to the simulation, which has {VERSION}: ");
    assert!(why.contains(&expected), "{why}");
}
