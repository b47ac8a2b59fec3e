//! Random attackers on the key frames of random networks: in `hardened` and `compact` no ECU
//! is deceived. `WAYWARDEN_SEEDS` says how many, `WAYWARDEN_SEED` repeats one.

use waywarden_can_sim::trace::Discard;
use waywarden_group_keys::Step;
use waywarden_lasan::LasanKind;
use waywarden_testkit::{Random, each_seed, only_seed};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::measure::KeyDeceptions;
use waywarden_vehicle_resources::Resources;

/// Number of seeds of a quick run.
const FEW: u64 = 40;

const ECUS: [(&str, &str); 4] = [
    ("brakes", "front"),
    ("lights", "rear"),
    ("steering", "front"),
    ("doors", "rear"),
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.index(from.len())]
}

/// A network of two buses with a gateway that only forwards.
fn network(random: &mut Random, is_lasan: bool, is_published: bool) -> String {
    let data = pick(random, &["", "data_bitrate = '2M'\n"]);
    let mut text = "[vehicle]\nname = 'car'\nduration = '2s'\n".to_owned();
    for bus in ["front", "rear"] {
        text += &format!("[[bus]]\nname = '{bus}'\nbitrate = '500k'\n{data}");
    }
    let gateway = [("head", "front"), ("gateway", "front', 'rear")];
    for (name, ports) in ECUS.into_iter().chain(gateway) {
        text += &format!("[[ecu]]\nname = '{name}'\nports = ['{ports}']\n");
    }
    let suite = pick(random, &["fourq", "p256"]);
    text += &format!(
        "[[keys]]\nname = 'drive'\nsuite = '{suite}'\nbuses = ['front', 'rear']\n\
         gateway = 'gateway'\nmembers = ['brakes', 'lights', 'steering', 'doors']\n\
         renewal = '600ms'\n"
    );
    if is_published {
        text += "profile = 'as-published'\n";
    }
    let words = if is_lasan {
        text += "scheme = 'lasan'\nsecurity_module = 'head'\n";
        let profile = pick(random, &["hardened", "compact"]);
        let credentials = pick(random, &["certificates", "digests", "keys"]);
        match is_published {
            true => String::new(),
            false => format!("profile = '{profile}'\ncredentials = '{credentials}'\n"),
        }
    } else {
        text += "orchestrator = 'head'\n";
        let schemes = [
            "scheme = 'tree-with-orchestrator'\n",
            "scheme = 'tree-without-orchestrator'\n",
            "scheme = 'tree-without-orchestrator'\norchestration = 'once'\n",
            "scheme = 'symmetric-distribution'\n",
        ];
        pick(random, &schemes).to_owned()
    };
    text + &words
}

/// Returns a random selection of the network's frames for an attacker.
fn key_frames(random: &mut Random, is_lasan: bool) -> String {
    let mut said = Vec::new();
    let (key, names): (&str, Vec<&str>) = match is_lasan {
        true => (
            "messages",
            LasanKind::ALL.iter().map(|kind| kind.name()).collect(),
        ),
        false => ("steps", Step::ALL.iter().map(|step| step.name()).collect()),
    };
    if random.below(4) > 0 {
        let (one, other) = (pick(random, &names), pick(random, &names));
        let both = [format!("'{one}', '{other}'"), format!("'{one}'")];
        said.push(format!("{key} = [{}]", both[usize::from(one == other)]));
    }
    if !is_lasan && random.once_in(3) {
        said.push("result = 'group'".to_owned());
    }
    if random.once_in(4) {
        let (ecu, _) = ECUS[random.index(ECUS.len())];
        said.push(format!("participants = ['{ecu}']"));
    }
    if random.once_in(3) {
        said.push(format!("occurrence = {}", 1 + random.below(4)));
    }
    format!("key_frames = {{ {} }}\n", said.join(", "))
}

fn attacker(random: &mut Random, is_lasan: bool) -> String {
    let from = random.below(900);
    let window = format!("optional = true\nfrom = '{from}ms'\n");
    let bus = pick(random, &["front", "rear"]);
    if is_lasan && random.once_in(4) {
        let (ecu, _) = ECUS[random.index(ECUS.len())];
        return match random.below(3) {
            0 => format!(
                "[[attacker]]\nkind = 'man-in-the-middle'\ngateway = 'gateway'\n\
                 ecu = 'lights'\n{window}"
            ),
            1 => format!(
                "[[attacker]]\nkind = 'masquerade'\nbus = '{bus}'\necu = '{ecu}'\n{window}\
                 [[fault]]\nkind = 'bus-open'\necu = '{ecu}'\nfrom = '{from}ms'\n"
            ),
            _ => format!(
                "[[attacker]]\nkind = 'masquerade'\nbus = '{bus}'\necu = 'head'\n{window}\
                 certificate = '{}'\nhold = '200ms'\n[[fault]]\nkind = 'bus-open'\n\
                 ecu = 'head'\nfrom = '{}ms'\n",
                pick(random, &["overheard", "of-an-ecu"]),
                from + 150
            ),
        };
    }
    let frames = key_frames(random, is_lasan);
    let until = format!("until = '{}ms'\n", from + 50 + random.below(800));
    match random.below(4) {
        0 => format!(
            "[[attacker]]\nkind = 'replay'\nbus = '{bus}'\ndelay = '{}ms'\n{window}{until}{frames}",
            1 + random.below(400)
        ),
        1 => format!(
            "[[attacker]]\nkind = 'suppress'\ngateway = 'gateway'\nbus = '{bus}'\n\
             {window}{until}{frames}"
        ),
        2 => format!(
            "[[attacker]]\nkind = 'modify'\ngateway = 'gateway'\nxor = '{:02X}'\n\
             {window}{until}{frames}",
            1 + random.below(255)
        ),
        _ => format!(
            "[[interferer]]\nkind = 'error-passive-overwrite'\nbus = '{bus}'\ndata = '{}'\n\
             {window}{until}{frames}",
            pick(random, &["zero", "random"])
        ),
    }
}

fn deceptions(text: &str) -> KeyDeceptions {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    outcome.measure.key_deceptions().clone()
}

fn attacked(seed: u64, is_published: bool) -> String {
    let mut random = Random::new(seed);
    let is_lasan = random.below(2) == 0;
    let mut text = network(&mut random, is_lasan, is_published);
    for _ in 0..1 + random.below(3) {
        text += &attacker(&mut random, is_lasan);
    }
    text
}

#[test]
fn no_attacker_on_key_frames_deceives_an_ecu() {
    let _ = each_seed(FEW, |seed| {
        let text = attacked(seed, false);
        let found = deceptions(&text).taken;
        assert!(found.is_empty(), "seed {seed}: {found:?}\n{text}");
    });
}

/// The same attackers deceive as published: it is not that they do nothing.
#[test]
fn the_same_attackers_deceive_as_published() {
    let deceived = each_seed(FEW, |seed| {
        !deceptions(&attacked(seed, true)).taken.is_empty()
    });
    let count = deceived.iter().filter(|deceived| **deceived).count();
    println!("{count} of {} networks were deceived", deceived.len());
    assert!(only_seed().is_some() || count > 0);
}
