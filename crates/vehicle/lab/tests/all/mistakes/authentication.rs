//! Streams and routes whose authentication cannot work.

use super::complaints;

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
