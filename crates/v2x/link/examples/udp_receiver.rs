//! A V2X receiver: takes the frames of stations over UDP multicast, verifies each message, and
//! prints the verdict. `docs/tutorial-receiver.md` goes through it.

use std::error::Error;
use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use waywarden_v2x_link::{FrameLink, UdpLink, UdpSettings};
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_security::{Capacity, ReceptionContext, Verifier};
use waywarden_v2x_wire::detect::detect_in;
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::link::LinkType;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("usage: receiver TRUST-FOLDER")?;
    let mut verifier = trusting(&folder)?;
    let mut link = UdpLink::open(UdpSettings::default())?;
    println!("listening; end with Ctrl-C");
    loop {
        let mut hear = |frame: &[u8]| match now() {
            Some(now) => println!("{}", verdict(&mut verifier, frame, now)),
            None => println!("not verified: the clock of this computer is before 2004"),
        };
        link.receive(Duration::from_millis(100), &mut hear)?;
    }
}

/// Makes a verifier that trusts the root in a folder, and knows the authorities under it.
fn trusting(folder: &str) -> Result<Verifier, Box<dyn Error>> {
    let mut certificates = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "oer") {
            certificates.push(fs::read(path)?);
        }
    }
    // It holds the certificates of 256 senders, and remembers 4,096 messages against replay.
    let mut verifier = Verifier::new(Capacity {
        certificates: 256,
        messages: 4_096,
        ..Capacity::DEFAULT
    });
    // A root issued itself. What is none is refused here, and taken as an authority below.
    certificates.retain(|bytes| verifier.add_trust_anchor(bytes).is_err());
    for bytes in &certificates {
        verifier.add_certificate(bytes)?;
    }
    Ok(verifier)
}

/// Verifies the message in an Ethernet frame that came at this time.
fn verdict(verifier: &mut Verifier, frame: &[u8], now: Time64) -> String {
    let found = match detect_in(LinkType::Ethernet, frame) {
        Ok(found) => found,
        Err(error) => return format!("no secured message: {error}"),
    };
    match verifier.verify(found.spdu, &ReceptionContext::at(now)) {
        Ok(accepted) => {
            let psid = accepted.data.tbs_data.header_info.psid;
            format!(
                "accepted: application {}, {} bytes",
                psid.0,
                found.spdu.len()
            )
        }
        Err(refusal) => format!("refused: {refusal}"),
    }
}

/// The time of this computer; `None` before 2004.
fn now() -> Option<Time64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    from_unix(since.as_micros().try_into().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first message of the examples, as a station would send it over Ethernet, when it was
    /// signed.
    fn example() -> (Vec<u8>, Time64) {
        let lines = fs::read_to_string(example_path("messages.hex")).unwrap();
        let digits = lines
            .lines()
            .next()
            .unwrap()
            .split(' ')
            .next_back()
            .unwrap();
        let spdu = waywarden_testkit::bytes_of(digits);
        let length = (0x8000 | spdu.len() as u16).to_be_bytes();
        let wsmp = [3, 0, 36, length[0], length[1]];
        let mut frame = vec![0xFF; 12];
        frame.extend([0x88, 0xDC]);
        frame.extend(wsmp);
        frame.extend(spdu);
        (frame, Time64(700_000_000_000_000))
    }

    fn example_path(name: &str) -> String {
        format!(
            "{}/../../../examples/v2x/{name}",
            env!("CARGO_MANIFEST_DIR")
        )
    }

    #[test]
    fn a_message_is_accepted_once_and_refused_when_it_is_replayed_or_changed() {
        let mut verifier = trusting(&example_path("trust")).unwrap();
        let (mut frame, now) = example();
        let first = verdict(&mut verifier, &frame, now);
        assert!(first.starts_with("accepted: application 36"), "{first}");
        let replayed = verdict(&mut verifier, &frame, now);
        assert!(replayed.starts_with("refused: "), "{replayed}");
        *frame.last_mut().unwrap() ^= 1;
        let changed = verdict(&mut verifier, &frame, now);
        assert!(changed.starts_with("refused: "), "{changed}");
        assert!(verdict(&mut verifier, &[0; 60], now).starts_with("no secured"));
    }

    /// The program of the page is this file without its tests.
    #[test]
    fn the_program_of_the_page_is_this_one() {
        let own = include_str!("udp_receiver.rs");
        let (program, _) = own.split_once("\n#[cfg(test)]").unwrap();
        let (_, program) = program.split_once("\n\n").unwrap();
        let page = include_str!("../../../../docs/tutorial-receiver.md");
        assert!(page.contains(&format!("```rust,ignore\n{program}```")));
    }
}
