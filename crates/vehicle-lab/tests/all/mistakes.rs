//! Mistakes in vehicle files that a helpful reader names at their place, once, and in few words.

use waywarden_vehicle_file::VehicleFile;

const CAR: &str = "\
[vehicle]
name = 'car'
[[bus]]
name = 'b'
bitrate = '500k'
[[ecu]]
name = 'A'
ports = ['b']
start = '5ms'
sends = [ { name = 'm', id = 0x100, length = 8, period = '10ms' } ]
";

/// Everything that is said about a file, or nothing.
fn complaints(text: &str) -> Vec<String> {
    match VehicleFile::parse("car.toml", text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.to_string().lines().map(str::to_owned).collect(),
    }
}

fn with(more: &str) -> String {
    format!("{CAR}{more}")
}

#[test]
fn a_reset_of_an_ecu_that_is_not_up_is_placed() {
    let reset = |from: &str, until: &str| {
        format!("[[fault]]\nkind = 'reset'\necu = 'A'\nfrom = '{from}'\nuntil = '{until}'\n")
    };
    let fine = [reset("10ms", "20ms"), reset("20001us", "30ms")].concat();
    assert!(complaints(&with(&fine)).is_empty());
    for (text, line, named) in [
        (reset("1ms", "20ms"), 11, "it boots at 5 ms"),
        (
            [reset("10ms", "30ms"), reset("20ms", "40ms")].concat(),
            16,
            "it boots at 30 ms",
        ),
        (
            [reset("20ms", "40ms"), reset("10ms", "20ms")].concat(),
            11,
            "it boots at 20 ms",
        ),
    ] {
        let complaints = complaints(&with(&text));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        let complaint = &complaints[0];
        assert!(
            complaint.starts_with(&format!("car.toml:{line}:")),
            "{complaint}"
        );
        assert!(complaint.contains(named), "{complaint}");
    }
}

#[test]
fn numbers_out_of_range_are_named_as_they_stand() {
    let negative = complaints(&CAR.replace("0x100", "-1"));
    assert!(
        negative[0].contains("identifier -1 is out of range: 0 to 0x7FF"),
        "{negative:?}"
    );
    for (period, good) in [("1ns", false), ("999ns", false), ("1us", true)] {
        let complaints = complaints(&CAR.replace("10ms", period));
        assert_eq!(complaints.is_empty(), good, "{period}: {complaints:?}");
        assert!(good || complaints[0].contains("1 us or more"));
    }
}

#[test]
fn a_list_too_long_is_the_only_complaint() {
    let mut text = CAR.to_owned();
    for ecu in 0..1_100 {
        text += &format!("[[ecu]]\nname = 'e{ecu}'\nports = ['b']\n");
    }
    text += "[[stream]]\nname = 's'\nid = 1\nlength = 1\nperiod = '1ms'\nsender = 'e1099'\n";
    let complaints = complaints(&text);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(
        complaints[0].contains("1101 ecu are too many: at most 1024"),
        "{complaints:?}"
    );
}

#[test]
fn what_is_long_or_deep_is_not_repeated() {
    let long = "x".repeat(5_000);
    for text in [
        CAR.replace("'A'", &format!("'{long}'")),
        CAR.replace("['b']", &format!("['{long}']")),
        CAR.replace("'10ms'", &format!("'10ms', format = '{long}'")),
    ] {
        let complaints = complaints(&text);
        let longest = complaints.iter().map(String::len).max().unwrap();
        assert!(longest < 300, "{longest}: {}", &complaints[0][..300]);
    }
    let deep = with(&format!("x = {}{}\n", "[".repeat(500), "]".repeat(500)));
    let complaints = complaints(&deep);
    let mut distinct: Vec<&str> = complaints
        .iter()
        .filter_map(|one| one.split_once(": ").map(|(_, what)| what))
        .collect();
    distinct.dedup();
    assert_eq!(distinct.len(), complaints.len(), "{complaints:?}");
}

/// A car with streams that can and cannot carry tags, and a gateway.
const TAGGED: &str = "\
[vehicle]
name = 'car'
[[bus]]
name = 'a'
bitrate = '500k'
[[bus]]
name = 'b'
bitrate = '500k'
[[ecu]]
name = 'A'
ports = ['a']
[[ecu]]
name = 'G'
ports = ['a', 'b']
[[ecu]]
name = 'B'
ports = ['b']
[[stream]]
name = 'even'
id = 0x100
sender = 'A'
receivers = ['B']
length = 4
period = '10ms'
[[stream]]
name = 'odd'
id = 0x103
sender = 'A'
length = 8
period = '10ms'
[[stream]]
name = 'tag'
id = 0x101
sender = 'A'
length = 1
period = '10ms'
[[stream]]
name = 'wide'
id = 0x4000000
extended = true
sender = 'A'
length = 1
period = '10ms'
";

#[test]
fn what_cannot_carry_a_tag_is_placed() {
    let table = |lines: &str| format!("{TAGGED}[[authentication]]\n{lines}\n");
    let secoc = "scheme = 'secoc'\nmaster = 'G'\n";
    for (lines, named) in [
        ("protect = ['even']".to_owned(), "needs the key `scheme`"),
        (
            "scheme = 'vatican'\nprotect = ['odd']".to_owned(),
            "odd identifier 0x103",
        ),
        (
            "scheme = 'vatican'\nprotect = ['even']".to_owned(),
            "\"tag\" has the identifier of the tags",
        ),
        (
            "scheme = 'leia'\nprotect = ['even']".to_owned(),
            "\"wide\" has the identifier of the tags",
        ),
        (
            "scheme = 'leia'\nprotect = ['wide']".to_owned(),
            "29-bit identifier",
        ),
        (
            "scheme = 'leia'\nprotect = []\nunchecked = ['B']".to_owned(),
            "LeiA's frames have 29-bit",
        ),
        (
            format!("{secoc}protect = ['odd']"),
            "freshness and code take 4 of the 8",
        ),
        (
            "scheme = 'secoc'\nprotect = ['even']".to_owned(),
            "needs the key `master`",
        ),
        (
            "scheme = 'secoc'\nprofile = 'autosar-1'\nmaster = 'G'\nprotect = ['even']".to_owned(),
            "no trip and reset counters",
        ),
        (format!("{secoc}attempts = 9\nprotect = ['even']"), "1 to 8"),
        (
            format!("{secoc}freshness_bits = 40\nprotect = ['even']"),
            "bits are to travel",
        ),
        (
            format!("{secoc}announce = '1ms'\nprotect = ['even']"),
            "10 ms or more",
        ),
        (
            format!("{secoc}announce_id = 0x103\nprotect = ['even']"),
            "of stream \"odd\"",
        ),
        (
            format!(
                "{secoc}areas = [{{ stream = 'even', offset = 2, length = 3 }}]\nprotect = ['even']"
            ),
            "within the 4 bytes",
        ),
        (
            format!("{secoc}areas = [{{ stream = 'odd', length = 3 }}]\nprotect = ['even']"),
            "not one of `protect`",
        ),
    ] {
        let text = table(&lines);
        // The gateway carries the stream to its receiver.
        let text =
            format!("{text}[[route]]\ngateway = 'G'\nfrom = 'a'\nto = 'b'\nstreams = ['even']\n");
        let complaints = complaints(&text);
        assert!(
            complaints.iter().any(|one| one.contains(named)),
            "{lines}: {complaints:?}"
        );
    }
}

#[test]
fn routes_that_verify_nothing_and_streams_protected_twice_are_placed() {
    let route = "[[route]]\ngateway = 'G'\nfrom = 'a'\nto = 'b'\nstreams = ['even']\n";
    let nine = "data = '00 01 02 03 04 05 06 07 08'";
    let tagged = "[[authentication]]\nscheme = 'secoc'\nmaster = 'G'\nprotect = ['even']\n";
    for (more, named) in [
        (
            format!("{route}verify = true\n"),
            "without a tag that a gateway could verify",
        ),
        (
            format!("{route}warning = {{ id = 1, data = '00' }}\n"),
            "nothing to warn of",
        ),
        (
            format!("{route}verify = true\nwarning = {{ id = 1, {nine} }}\n{tagged}"),
            "up to 8 bytes",
        ),
        (
            format!("{route}{tagged}{tagged}"),
            "protected already, by [[authentication]] \"authentication-1\"",
        ),
        (
            format!("{route}{}", tagged.replace("master = 'G'", "master = 'A'")),
            "freshness master \"A\" is not on bus \"b\"",
        ),
        (
            format!("{route}[[software]]\necu = 'B'\nprogram = 'wheel'\nshows = 'even'\n"),
            "has 4 bytes, and this program's `shows` has 1",
        ),
        (
            format!("{route}[require]\nundeceived = ['C']\n"),
            "no ECU \"C\"",
        ),
        (
            format!("{route}[[attacker]]\nkind = 'compromise'\necus = []\n"),
            "no ECU is compromised",
        ),
    ] {
        let text = format!("{TAGGED}{more}");
        let complaints = complaints(&text);
        assert!(
            complaints.iter().any(|one| one.contains(named)),
            "{more}: {complaints:?}"
        );
    }
    assert_eq!(
        complaints(&format!("{TAGGED}{route}verify = true\n{tagged}")),
        [""; 0]
    );
}

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
        (ecu("tasks"), "{ receive = 3, send = 2, crypto = 1 }"),
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
