//! Random vehicles with J1939 traffic: as many key frames are counted as roles sent, and attackers
//! on key frames act on nothing else. `WAYWARDEN_SEEDS` says how many, `WAYWARDEN_SEED` repeats
//! one.

use std::collections::BTreeSet;
use std::fmt::Write;

use waywarden_testkit::{Random, only_seed, seeds};

use super::{BESIDE, measured, parse, remedied};

/// Returns a random vehicle with J1939 traffic and a `[[keys]]`.
fn random(random: &mut Random) -> String {
    let members = 2 + random.below(3);
    let classic = random.below(2) == 0;
    let mut text = String::from("[vehicle]\nname = 'truck'\nduration = '600ms'\n[[bus]]\n");
    text += "name = 'one'\nbitrate = '500k'\n";
    if !classic {
        text += "data_bitrate = '2M'\n";
    }
    for ecu in 0..=members {
        let _ = writeln!(
            text,
            "[[ecu]]\nname = 'e{ecu}'\nports = ['one']\naddress = {}",
            ecu + 1
        );
    }
    let mut ids = BTreeSet::new();
    let mut clashes = false;
    for stream in 0..3 + random.below(6) {
        // Addresses are low, as those of the parties: TSC1, EEC1 and the like.
        let priority = [0, 3, 6, 7][random.below(4) as usize];
        let format = [0x00, 0xEF, 0xF0, 0xFE, random.below(256)][random.below(5) as usize];
        let low =
            |random: &mut Random| [random.below(12), random.below(256)][random.below(2) as usize];
        let mut id = priority << 26 | format << 16 | low(random) << 8 | low(random);
        if random.below(8) == 0 {
            // What a key frame may have.
            clashes = true;
            id = [0x01, 0x0B, 0x12, 0x1B][random.below(4) as usize] << 24 | 0x02_0104;
        }
        if !ids.insert(id) {
            continue;
        }
        let sender = random.below(members + 1);
        let _ = writeln!(
            text,
            "[[stream]]\nname = 's{stream}'\nid = {id}\nextended = true\nsender = 'e{sender}'\n\
             length = 8\nformat = 'classic'\nperiod = '{}ms'",
            2 + random.below(30)
        );
    }
    let words = [
        "orchestrator = 'e0'",
        "orchestrator = 'e0'\nscheme = 'tree-without-orchestrator'",
        "orchestrator = 'e0'\nscheme = 'symmetric-distribution'",
        "scheme = 'lasan'\nsecurity_module = 'e0'",
    ];
    let word = words[random.below(4) as usize];
    let _ = write!(text, "[[keys]]\nname = 'k'\n{word}\n");
    if !clashes && random.below(3) == 0 {
        let _ = writeln!(text, "{BESIDE}");
    }
    let _ = write!(
        text,
        "[[attacker]]\nkind = 'replay'\nbus = 'one'\ndelay = '40ms'\nuntil = '300ms'\n\
         key_frames = {{ }}\n"
    );
    text
}

#[test]
fn counted_key_frames_are_those_that_roles_sent() {
    let seeds = only_seed().map_or(0..seeds(60), |seed| seed..seed + 1);
    let (mut remedies, mut attacked) = (0, 0);
    for seed in seeds {
        println!("seed {seed}");
        let mut text = random(&mut Random::new(seed));
        if let Err(refused) = parse(&text) {
            text = remedied(&text, &refused);
            remedies += 1;
        }
        let (report, others) = measured(&text);
        let groups: u64 = report.groups.iter().map(|group| group.frames).sum();
        let networks: u64 = report
            .security_modules
            .iter()
            .map(|network| network.messages.frames)
            .sum();
        assert_eq!(groups + networks, others.own, "seed {seed}\n{text}");
        assert_eq!(others.strays, 0, "seed {seed}\n{text}");
        assert_eq!(
            report.attacks[0].actions, others.attackers,
            "seed {seed}\n{text}"
        );
        attacked += others.attackers;
    }
    if only_seed().is_none() {
        assert!(remedies >= 3 && attacked > 100, "{remedies} {attacked}");
    }
}
