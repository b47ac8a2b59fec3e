//! Verifies V2X messages on an emulated Cortex-M4F: the verdict on each, and its instructions.
//!
//!     xtask/firmware receiver
//!     cargo run --package waywarden-vehicle-firmware --example verify_on_board -- \
//!         target/firmware/images/receiver.elf examples/v2x/trust examples/v2x/messages.hex
//!
//! Files are those that `waywarden verify` reads. A message is judged at the time at which it says
//! that it was made; one that does not say so is an error.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use waywarden_firmware_link::SignedKind;
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::UnreadFile;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};
use waywarden_vehicle_firmware::{BoardReceiver, QemuImage};

/// The clock that times are given for.
const MEGAHERTZ: f64 = 80.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [image, trust, files @ ..] = &arguments[..] else {
        eprintln!("usage: verify_on_board IMAGE TRUST-FOLDER FILE...");
        return ExitCode::from(2);
    };
    match verify(image, trust, files) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Verifies the messages of all files; returns true if each was accepted.
fn verify(image: &str, trust: &str, files: &[String]) -> Result<bool, Box<dyn Error>> {
    let image = QemuImage::new(image, "mps2-an386")?;
    let mut board = BoardReceiver::start(&image)?;
    introduce(&mut board, Path::new(trust))?;
    println!("{:>12}  {:>7}  verdict", "instructions", "ms");
    let mut is_each_accepted = true;
    for file in files {
        let mut messages = Vec::new();
        let read = records::each(Path::new(file), |record| {
            messages.push((record.place.to_string(), record.bytes));
            Ok::<(), UnreadFile>(())
        })?;
        for (place, bytes) in messages {
            let now = made(&bytes).ok_or_else(|| format!("{place}: no time of generation"))?;
            let verdict = board.judge(SignedKind::Message { now }, &bytes)?;
            let ms = verdict.instructions as f64 / MEGAHERTZ / 1_000.0;
            is_each_accepted &= verdict.refused.is_none();
            let verdict_text = verdict.refused.as_deref().unwrap_or("accepted");
            println!(
                "{:>12}  {ms:>7.3}  {place}: {verdict_text}",
                verdict.instructions
            );
        }
        if let Some(unread) = read.wrong.into_iter().next() {
            return Err(unread.into());
        }
    }
    println!(
        "stack: {} bytes; one cycle for each instruction is assumed",
        board.end()?
    );
    Ok(is_each_accepted)
}

/// Hands the certificates of a folder to the image: those that it takes as trust anchors, then the
/// others.
fn introduce(board: &mut BoardReceiver, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut authorities = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "oer") {
            let bytes = fs::read(&path)?;
            if board
                .judge(SignedKind::TrustAnchor, &bytes)?
                .refused
                .is_some()
            {
                authorities.push((path, bytes));
            }
        }
    }
    for (path, bytes) in authorities {
        if let Some(why) = board.judge(SignedKind::Certificate, &bytes)?.refused {
            eprintln!("note: {} is not taken: {why}", path.display());
        }
    }
    Ok(())
}

/// Returns the time at which a message says that it was made.
fn made(bytes: &[u8]) -> Option<u64> {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).ok()?;
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => {
            let header = &signed.tbs_data.header_info;
            header.generation_time.map(|time| time.0)
        }
        _ => None,
    }
}
