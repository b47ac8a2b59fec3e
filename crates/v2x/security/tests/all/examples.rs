//! The examples under `examples/v2x` are what is made here: a root, an authority, stations with
//! explicit and implicit certificates, and messages, one of them altered. Their keys come from
//! small numbers: they protect nothing. `WAYWARDEN_UPDATE=1` writes them again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// The files, and what is in each.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let root = Holder::issue(&Spec::authority(1), None);
    let authority = Holder::issue(&Spec::authority(2), Some(&root));
    let explicit = Holder::issue(&Spec::station(3), Some(&authority));
    let implicit = Holder::issue(
        &Spec {
            implicit: true,
            ..Spec::station(4)
        },
        Some(&authority),
    );
    let place = ThreeDLocation {
        latitude: Latitude(435_551_000),
        longitude: Longitude(103_036_000),
        elevation: Elevation(4_100),
    };
    let message = |psid, named, later: u64, payload| MessageContents {
        psid,
        named,
        made: Some(Time64(now().0 + later * 100_000)),
        payload,
        ..MessageContents::new()
    };
    let whole = Named::Certificates(&[]);
    let cam = message(36, whole, 0, b"a CAM would stand here");
    let digest = message(36, Named::Digest, 1, b"a CAM would stand here");
    let denm = MessageContents {
        place: Some(place),
        ..message(37, whole, 2, b"a DENM would stand here")
    };
    let bsm = message(32, whole, 3, b"a BSM would stand here");
    let mut altered = bsm.sign(&explicit);
    let last = altered.len() - 1;
    altered[last] ^= 1;
    let lines = [
        ("cam-with-certificate", cam.sign(&explicit)),
        ("cam-with-digest", digest.sign(&explicit)),
        ("denm-with-certificate", denm.sign(&explicit)),
        ("bsm-with-implicit-certificate", bsm.sign(&implicit)),
        ("bsm-altered", altered),
    ];
    let text = |lines: &[(&str, Vec<u8>)]| {
        let line = |(name, bytes): &(&str, Vec<u8>)| format!("{name} {}\n", hex(bytes));
        lines.iter().map(line).collect::<String>().into_bytes()
    };
    vec![
        ("trust/root.oer", root.certificate),
        ("trust/authority.oer", authority.certificate),
        ("implicit.oer", implicit.certificate),
        ("messages.hex", text(&lines[..4])),
        ("altered.hex", text(&lines[4..])),
    ]
}

#[test]
fn the_examples_are_what_is_made_here() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/v2x");
    for (name, bytes) in files() {
        let path = folder.join(name);
        if std::env::var_os("WAYWARDEN_UPDATE").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        assert!(
            fs::read(&path).unwrap() == bytes,
            "{name}: WAYWARDEN_UPDATE=1 writes it again"
        );
    }
}
