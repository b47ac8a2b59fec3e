//! `waywarden verify` on chains that are longer than is followed: one name for all of them.

use std::fs;
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec};

use crate::support::waywarden;

const TOO_LONG: &str = "spduCertificateChainChainWasTooLongForImplementation";

/// Authorities under each other, the root first.
fn authorities(count: u8) -> Vec<Holder> {
    let mut all = vec![Holder::issue(&Spec::authority(1), None)];
    for seed in 2..=count {
        let next = Holder::issue(&Spec::authority(seed), all.last());
        all.push(next);
    }
    all
}

#[test]
fn chains_that_are_too_long_have_one_name() {
    let all = authorities(40);
    for depth in [7, 8, 9, 12, 40] {
        let issuer = &all[depth - 1];
        let station = Holder::issue(&Spec::station(200), Some(issuer));
        let above: Vec<&Holder> = all[1..depth].iter().rev().collect();
        let by_itself = MessageContents::new().sign(&station);
        let with_all = MessageContents {
            named: Named::Certificates(&above),
            ..MessageContents::new()
        }
        .sign(&station);
        // The chain in the folder, in either order, or the root alone and the rest in the message.
        let place = |at: usize| (format!("{at:02}.oer"), &all[at]);
        let forwards: Vec<_> = (0..depth).map(place).collect();
        let backwards = (0..depth).map(|at| (format!("{:02}.oer", 99 - at), &all[at]));
        let folders = [
            (forwards, &by_itself),
            (backwards.collect(), &by_itself),
            (vec![place(0)], &with_all),
        ];
        for (files, message) in folders {
            let folder = tempfile::tempdir().unwrap();
            let trust = folder.path().join("trust");
            fs::create_dir(&trust).unwrap();
            for (name, holder) in &files {
                fs::write(trust.join(name), &holder.certificate).unwrap();
            }
            let path = folder.path().join("message.oer");
            fs::write(&path, message).unwrap();
            let certificate = folder.path().join("certificate.oer");
            fs::write(&certificate, &station.certificate).unwrap();
            let mut command = waywarden();
            command.arg("verify").args([&path, &certificate]);
            command.arg("--trust").arg(&trust);
            command.args(["--at", "generation", "--format", "json"]);
            let all = crate::support::json(&mut command);
            let is_whole = files.len() == depth;
            let expected = match depth {
                // Seven above the station.
                7 => "success",
                _ => TOO_LONG,
            };
            assert_eq!(all["messages"][0]["verdict"], expected, "{depth}: {all}");
            if is_whole {
                assert_eq!(all["messages"][1]["verdict"], expected, "{depth}: {all}");
            }
            // Each certificate of the folder that is not taken is called so as well.
            for note in all["warnings"].as_array().unwrap() {
                let note = note.as_str().unwrap();
                assert!(
                    note.contains(TOO_LONG) || note.starts_with("nor are"),
                    "{note}"
                );
            }
            let refused = if is_whole { depth.saturating_sub(8) } else { 0 };
            assert_eq!(all["warnings"].as_array().unwrap().len(), refused.min(31));
        }
    }
}
