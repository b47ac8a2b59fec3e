//! Mistakes with their places and remedies, and hostile text.

use std::fmt::Write as _;

use super::{CAR, ROUTE, SPEED, errors, parse};
use crate::*;

/// The right text, the wrong text in its place, and the remedy.
type Mistake = (&'static str, &'static str, &'static str);

const IN_STREAMS: [Mistake; 24] = [
    ("id = 0x1A0", "id = 0x800", "needs `extended = true`"),
    (
        "id = 0x1A0",
        "id = 0x20000000\nextended = true",
        "does not fit 29 bits",
    ),
    ("id = 0x1A0", "id = -1", "0 to 0x7FF"),
    ("id = 0x1A0", "", "[[stream]] needs the key `id`"),
    ("length = 8", "length = 9", "longer data needs CAN FD"),
    ("length = 8", "length = -1", "longer data needs CAN FD"),
    (
        "length = 8",
        "length = 2\ndata = \"001122\"",
        "make them equal",
    ),
    ("length = 8", "", "[[stream]] needs the key `length`"),
    ("length = 8", "length = \"8\"", "expected a whole number"),
    ("\"10ms\"", "10", "expected a duration such as \"10ms\""),
    ("\"10ms\"", "\"0ms\"", "above zero"),
    (
        "\"10ms\"",
        "\"10ms\"\njitter = \"10ms\"",
        "keep it below the period",
    ),
    ("period", "peroid", "did you mean \"period\"?"),
    (
        "\"gateway\"",
        "\"gatway\"",
        "there is no ECU \"gatway\"; did you mean \"gateway\"?",
    ),
    ("\"gateway\"", "\"engine\"", "is the sender"),
    ("\"gateway\"", "\"cluster\"", "add a [[route]] or a port"),
    ("\"gateway\"", "\"gateway\", \"gateway\"", "listed twice"),
    (
        "\"engine\"",
        "\"gateway\"",
        "say on which it sends: `bus = \"fast\"`",
    ),
    (
        "\"engine\"",
        "\"engine\"\nbus = \"slow\"",
        "has no port on bus \"slow\"",
    ),
    (
        "name = \"speed\"",
        "name = \"de fault\"",
        "cannot be a name",
    ),
    ("name = \"speed\"", "name = \"default\"", "cannot be a name"),
    ("name = \"speed\"", "", "[[stream]] needs the key `name`"),
    ("[[stream]]", "[stream]", "two brackets"),
    ("length = 8", "length = 8\ndata = \"0g\"", "in hexadecimal"),
];

const IN_BUSES_AND_ECUS: [Mistake; 19] = [
    ("\"125k\"", "\"125x\"", "expected a bit rate"),
    ("\"125k\"", "\"2M\"", "out of range: 5k to 1M"),
    ("\"125k\"", "\"125k\"\nsample_point = \"20%\"", "50% to 95%"),
    (
        "\"125k\"",
        "\"125k\"\ndata_sample_point = \"80%\"",
        "no data phase to sample",
    ),
    (
        "\"2M\"",
        "\"250k\"",
        "runs at the nominal bit rate or faster",
    ),
    ("\"2M\"", "\"20M\"", "5k to 8M"),
    (
        "\"2M\"",
        "\"2M\"\nfd = \"ISO\"",
        "possible: \"iso\", \"non-iso\"",
    ),
    (
        "name = \"slow\"",
        "name = \"fast\"",
        "two of [[bus]] are called \"fast\", the first at 5:8",
    ),
    (
        "name = \"cluster\"",
        "name = \"engine\"",
        "two of [[ecu]] are called \"engine\"",
    ),
    (
        "\"cluster\"",
        "\"cluster\"\nboard = \"tc279\"",
        "there is no board \"tc279\"; did you mean \"tc27",
    ),
    ("\"cluster\"", "\"cluster\"\naddress = 256", "1 to 255"),
    (
        "\"cluster\"",
        "\"cluster\"\nqueue = { length = 0 }",
        "1 to 4096",
    ),
    (
        "\"cluster\"",
        "\"cluster\"\nqueue = { size = 1 }",
        "`queue` of [[ecu]] has no key `size`",
    ),
    (
        "\"cluster\"",
        "\"cluster\"\naccept = [0x800]",
        "further identifiers",
    ),
    (
        "\"cluster\"",
        "\"cluster\"\nclock_ppm = 50000",
        "-30000 to 30000",
    ),
    ("ports = [\"slow\"]", "ports = []", "1 to 32 buses"),
    (
        "ports = [\"slow\"]",
        "ports = [\"snow\"]",
        "there is no bus \"snow\"; did you mean \"slow\"?",
    ),
    ("ports = [\"slow\"]", "ports = [3]", "a list of names"),
    (
        "[[ecu]]",
        "[[ecus]]",
        "the vehicle file has no key `ecus`; did you mean \"ecu\"?",
    ),
];

/// Each broken part alone: the error names the remedy.
#[test]
fn every_mistake_has_its_remedy() {
    for (right, wrong, remedy) in IN_STREAMS {
        let broken = SPEED.replacen(right, wrong, 1);
        let found = errors(&[CAR, &broken]);
        assert!(
            found.iter().any(|line| line.contains(remedy)),
            "{right} -> {wrong}: {found:#?}"
        );
    }
}

#[test]
fn mistakes_in_buses_and_ecus_have_their_remedy() {
    for (right, wrong, remedy) in IN_BUSES_AND_ECUS {
        let broken = CAR.replacen(right, wrong, 1);
        let found = errors(&[&broken]);
        assert!(
            found.iter().any(|line| line.contains(remedy)),
            "{right} -> {wrong}: {found:#?}"
        );
    }
}

#[test]
fn two_ecus_with_one_address_name_each_other() {
    let car = CAR
        .replace("name = \"engine\"", "name = \"engine\"\naddress = 1")
        .replace("name = \"cluster\"", "name = \"cluster\"\naddress = 1");
    assert_eq!(
        errors(&[&car]),
        ["20:11: address 1 belongs to ECU \"engine\" already (16:11); the lowest free one is 2"]
    );
}

#[test]
fn all_errors_are_found_in_one_run_and_the_list_is_bounded() {
    let mut text = CAR.to_owned();
    for at in 0..30 {
        let _ = write!(
            text,
            "[[stream]]\nname = \"s{at}\"\nid = {at}\nsender = \"x\"\n"
        );
    }
    let errors = parse(&[&text]).expect_err("90 mistakes");
    assert_eq!(errors.listed().len(), LISTED_ERRORS_MAX);
    assert_eq!(errors.omitted(), 70);
    assert!(errors.to_string().ends_with("\nand 70 more"));
    let places: Vec<SourceLocation> = errors.listed().iter().map(|error| error.place).collect();
    assert!(places.is_sorted());
}

#[test]
fn one_mistake_does_not_cause_others() {
    let bus = CAR.replace("\"2M\"", "\"2X\"");
    let speed = SPEED
        .replace("format = \"classic\"\n", "")
        .replace("gateway", "cluster");
    let found = errors(&[&bus, &speed, ROUTE]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = errors(&[CAR, &speed, &ROUTE.replace("\"slow\"", "\"snow\"")]);
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn what_is_not_toml_is_reported_with_its_place() {
    let found = errors(&[CAR, "[[stream\nname = 3"]);
    assert!(found[0].contains("not TOML"), "{found:#?}");
    assert!(found[0].starts_with("20:"), "{found:#?}");
    assert!(
        errors(&["[vehicle]\nname = \"a\"\nname = \"b\"\n"])[0]
            .starts_with("3:1: not TOML: duplicate key")
    );
    assert!(
        errors(&[""])
            .iter()
            .any(|line| line.contains("needs the key `vehicle`"))
    );
    let long = "#".repeat(TEXT_MAX + 1);
    assert!(errors(&[&long])[0].contains("too many for a vehicle file"));
    let deep = format!("a = {}", "[".repeat(10_000));
    assert!(errors(&[&deep])[0].contains("not TOML"));
}

#[test]
fn a_bus_carries_no_more_controllers_than_are_simulated() {
    let vehicle = |ecus: usize| {
        let ecu = |at: usize| format!("[[ecu]]\nname = \"ecu-{at}\"\nports = [\"can\"]\n");
        let ecus: String = (0..ecus).map(ecu).collect();
        format!("[vehicle]\nname = \"crowd\"\n[[bus]]\nname = \"can\"\nbitrate = \"500k\"\n{ecus}")
    };
    let crowd = errors(&[&vehicle(CONTROLLERS_MAX + 1)]);
    assert_eq!(
        crowd,
        [
            "4:8: 129 ECUs are on this bus, which carries 128; divide it in two with a gateway"
                .to_owned()
        ]
    );
    let fits = vehicle(CONTROLLERS_MAX);
    assert!(parse(&[&fits]).is_ok());
}

#[test]
fn a_missing_master_is_one_mistake() {
    let secoc = "[[authentication]]\nscheme = \"secoc\"\nprotect = [\"EngineSpeed\"]\n";
    let found = errors(&[CAR, ROUTE, secoc]);
    let of_master = found.iter().filter(|line| line.contains("`master`"));
    assert_eq!(of_master.count(), 1, "{found:#?}");
}

#[test]
fn earlier_names_of_keys_are_refused_with_the_new_ones() {
    let module = "[[authentication]]\nscheme = \"secoc\"\nvault = \"module\"\n";
    let within = "[require]\nauthorised_within = \"1s\"\n";
    let found = errors(&[CAR, ROUTE, module, within]);
    for new in ["`key_store`", "`authorized_within`"] {
        let expected = format!("its name is {new}");
        assert!(
            found.iter().any(|line| line.contains(&expected)),
            "{found:#?}"
        );
    }
}

#[test]
fn columns_count_characters() {
    let found = errors(&["[vehicle]\nname = \"\u{e4}\u{f6}\", x = 1\n"]);
    assert!(found[0].starts_with("2:12:"), "{found:#?}");
}

/// Random damage to a good file: an answer every time, and no panic.
#[test]
fn damaged_files_never_panic() {
    let seed = 0x5EED_u64;
    let mut state = seed;
    let mut next = move || {
        // Numerical Recipes' linear congruential generator; only its upper bits are used.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let whole = [
        CAR,
        SPEED,
        ROUTE,
        "[require.latency]\ndefault = \"deadline\"\n",
    ]
    .concat();
    let letters: Vec<char> = whole.chars().collect();
    let mut good = 0;
    for _ in 0..2_000 {
        let mut damaged = letters.clone();
        for _ in 0..=next() % 4 {
            let at = next() % damaged.len();
            let from = next() % damaged.len();
            match next() % 3 {
                0 => damaged[at] = letters[from],
                1 if damaged.len() > 1 => drop(damaged.remove(at)),
                _ => damaged.truncate(at + 1),
            }
        }
        let text: String = damaged.into_iter().collect();
        match VehicleFile::parse("car.toml", &text) {
            Ok(_) => good += 1,
            Err(errors) => assert!(!errors.listed().is_empty(), "seed {seed:#x}: {text}"),
        }
    }
    assert!(good > 0, "seed {seed:#x}: some damage is harmless");
}
