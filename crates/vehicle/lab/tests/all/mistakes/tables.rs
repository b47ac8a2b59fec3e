//! Mistakes in several tables, and the hints for them.

use super::{CAR, complaints, with};

/// Independent mistakes, each in a table of its own, and words of the complaint about it.
const MISTAKES: [(&str, &str); 12] = [
    ("[require]\nstartup = 5\n", "expected a duration"),
    ("[[attacker]]\nkind = 'spoofing'\n", "is not possible here"),
    ("[[interferer]]\nkind = 'noise'\n", "is not possible here"),
    ("[[fault]]\nkind = 'reset'\necu = 'Z'\n", "no ECU \"Z\""),
    (
        "[[replay]]\nlog = 7\nchannels = { can0 = 'b' }\n",
        "expected a string",
    ),
    (
        "[[software]]\necu = 'A'\nprogram = 'radio'\n",
        "is not possible here",
    ),
    (
        "[[authentication]]\nscheme = 'xyz'\nprotect = ['m']\n",
        "is not possible here",
    ),
    (
        "[[route]]\ngateway = 'A'\nfrom = 'b'\nto = 'b'\nstreams = 'all'\n",
        "from bus \"b\" to itself",
    ),
    (
        "[[bus]]\nname = 'c'\nbitrate = 'fast'\n",
        "expected a bit rate",
    ),
    ("[[ecu]]\nname = 'B'\nports = ['x']\n", "no bus \"x\""),
    (
        "[[stream]]\nname = 's'\nid = 1\nlength = 1\nperiod = 9\nsender = 'A'\n",
        "expected a duration",
    ),
    ("[extra]\nkey = 1\n", "has no key `extra`"),
];

/// No mistake hides another one: of any choice of them each is named, once.
#[test]
fn mistakes_in_different_tables_are_all_named() {
    let seed = 0x3157_A4E5;
    println!("seed {seed:#x}");
    let mut random = waywarden_testkit::Random::new(seed);
    let all = (1_u64 << MISTAKES.len()) - 1;
    let choices = (0..400).map(|at| match at {
        // Each alone and each pair with [require] first, then any.
        0..12 => 1 << at,
        12..24 => 1 | 1 << (at - 12),
        24 => all,
        _ => random.u64() & all,
    });
    for choice in choices.collect::<Vec<_>>() {
        let chosen = || (0..).zip(MISTAKES).filter(|(at, _)| choice >> at & 1 == 1);
        let text: String = chosen().map(|(_, (text, _))| text).collect();
        let complaints = complaints(&with(&text));
        for (_, (mistake, named)) in chosen() {
            let found = complaints.iter().any(|one| one.contains(named));
            assert!(found, "seed {seed:#x}: {mistake}: {complaints:#?}\n{text}");
        }
        let count = chosen().count();
        assert_eq!(
            complaints.len(),
            count,
            "seed {seed:#x}: {complaints:#?}\n{text}"
        );
    }
}

/// A value that should be a table is answered with a table of that key, not of another one.
#[test]
fn hint_for_a_table_is_one_of_its_own_key() {
    let require = |key: &str| with(&format!("[require]\n{key} = '10ms'\n"));
    let ecu = |key: &str| CAR.replace("start =", &format!("{key} = 5\nstart ="));
    let secoc =
        "[[authentication]]\nscheme = 'secoc'\nmaster = 'A'\nprotect = ['m']\nfreshness = 5\n";
    let route = "[[route]]\ngateway = 'A'\nfrom = 'b'\nto = 'b'\nstreams = 'all'\nwarning = 5\n";
    for (text, hint) in [
        (require("latency"), "{ default = \"deadline\""),
        (require("bus_load"), "{ default = \"60%\""),
        (require("cpu_load"), "{ default = \"60%\""),
        (ecu("queue"), "{ order = \"fifo\", length = 32 }"),
        (
            ecu("tasks"),
            "{ receive = 4, send = 3, mac = 2, crypto = 1 }",
        ),
        (with(secoc), "{ trip = "),
        (with(route), "{ id = "),
        (
            with("[[replay]]\nlog = 'a.log'\nchannels = 'can0'\n"),
            "{ can0 = ",
        ),
        (format!("require = 5\n{CAR}"), "[require]"),
        (
            CAR.replace("[vehicle]\nname = 'car'", "vehicle = 'car'"),
            "[vehicle]",
        ),
    ] {
        let complaints = complaints(&text);
        let table = complaints
            .iter()
            .find(|one| one.contains("expected a table"));
        let table = table.unwrap_or_else(|| panic!("{complaints:#?}\n{text}"));
        assert!(table.contains(hint), "{hint}: {table}");
    }
}

/// Keys that depend on a broken one are neither missing nor unknown.
#[test]
fn broken_profile_is_the_only_complaint_about_its_table() {
    let tagged = "[[authentication]]\nscheme = 'secoc'\nmaster = 'A'\nprotect = ['m']\n\
                  announce = '1s'\nannounce_id = 0x7A0\n";
    for broken in ["freshness = { trip = 99 }", "freshness = 5"] {
        let complaints = complaints(&format!(
            "{}{tagged}{broken}\n",
            CAR.replace("length = 8", "length = 4")
        ));
        assert_eq!(complaints.len(), 1, "{broken}: {complaints:#?}");
    }
}

/// A reference that leads nowhere makes no other key of its table unknown.
#[test]
fn broken_reference_is_the_only_complaint_about_its_attacker() {
    for keys in [
        "kind = 'spoof'\nstream = 'z'\ndata = 'zero'\nperiod = '1ms'",
        "kind = 'spoof'\nbus = 'z'\nid = 1\nlength = 1\nformat = 'classic'\nperiod = '1ms'",
        "kind = 'replay'\nstream = 'z'\ndelay = '1ms'\nreorder = 2",
        "kind = 'flood'\nbus = 'z'\nid = 1\nrate = 'full'\nlength = 1\ndata = '00'",
        "kind = 'suppress'\ngateway = 'Z'\nstreams = ['m']\nprobability = '50%'",
        "kind = 'suppress'\ngateway = 'A'\nstreams = 5\nprobability = '50%'",
        "kind = 'modify'\ngateway = 'Z'\nstreams = ['m']\nxor = 'FF'\nat = 1\nprobability = '50%'",
        "kind = 'compromise'\necus = 'some'\nperiod = '1ms'",
        "kind = 'forge'\nstream = 'z'\ntrick = 'messages'\nburst = 2\nhold = '1ms'",
        "kind = 'relay'\nsource = 'z'\nbus = 'b'",
    ] {
        let complaints = complaints(&with(&format!("[[attacker]]\n{keys}\n")));
        assert_eq!(complaints.len(), 1, "{keys}: {complaints:#?}");
    }
}
