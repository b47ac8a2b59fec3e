//! Key frames among application frames with 29-bit identifiers, as J1939 has them: what is counted
//! as a key frame is one, attackers on key frames act on nothing else, and identifiers that two
//! have are refused with others that are free.

mod random;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use waywarden_can::Id;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::{FileErrors, KeyTable, Problem, VehicleFile};
use waywarden_vehicle_lab::exchange::{self, TimelineEntry};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

/// Counts frames that are not of a stream, by sender.
#[derive(Default)]
struct Others {
    streams: Vec<Id>,
    /// ECUs of the vehicle are below this number, attackers above.
    ecus: usize,
    own: u64,
    attackers: u64,
    /// Frames of attackers under a stream's identifier.
    strays: u64,
}

impl TraceSink for Others {
    fn record(&mut self, _at: Time, event: &VehicleEvent<'_>) {
        let VehicleEvent::Sent { ecu, frame, .. } = event else {
            return;
        };
        match (ecu.0 < self.ecus, self.streams.contains(&frame.id())) {
            (true, true) => {}
            (true, false) => self.own += 1,
            (false, true) => self.strays += 1,
            (false, false) => self.attackers += 1,
        }
    }
}

fn parse(text: &str) -> Result<VehicleFile, FileErrors> {
    VehicleFile::parse("truck.toml", text)
}

/// Runs a vehicle of one bus; returns its report, and what was sent besides the streams.
fn measured(text: &str) -> (Report, Others) {
    let file = parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let mut others = Others {
        streams: file.streams.iter().map(|one| one.id.value).collect(),
        ecus: file.ecus.len(),
        ..Others::default()
    };
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut others, &mut |_| {}).unwrap();
    (Report::new(&file, file.seed, &outcome), others)
}

/// A truck of three ECUs, of which the engine sends under these identifiers.
fn truck(ids: [&str; 2], keys: &str, more: &str) -> String {
    let [first, second] = ids;
    format!(
        "[vehicle]\nname = 'truck'\nduration = '4s'\n\
         [[bus]]\nname = 'one'\nbitrate = '500k'\ndata_bitrate = '2M'\n\
         [[ecu]]\nname = 'gateway'\nboard = 'tc297'\nports = ['one']\naddress = 1\n\
         [[ecu]]\nname = 'engine'\nboard = 'tc297'\nports = ['one']\naddress = 2\nsends = [\n\
         {{ name = 'EEC1', id = {first}, length = 8, format = 'classic', period = '10ms', \
         receivers = ['gateway'] }},\n\
         {{ name = 'CCVS1', id = {second}, length = 8, format = 'classic', period = '100ms', \
         receivers = ['gateway'] }},\n]\n\
         [[ecu]]\nname = 'brakes'\nboard = 'tc297'\nports = ['one']\naddress = 3\n\
         [[keys]]\nname = 'g'\n{keys}\n{more}\n"
    )
}

const J1939: [&str; 2] = ["0x0CF00400, extended = true", "0x18FEF100, extended = true"];
const ELEVEN: [&str; 2] = ["0x100", "0x101"];

const GROUP: &str = "orchestrator = 'gateway'";
const CLASSIC: &str = "orchestrator = 'gateway'\ntransport = 'classic'";
const MODULE: &str = "scheme = 'lasan'\nsecurity_module = 'gateway'";

/// Identifiers beside those of J1939.
const BESIDE: &str = "identifiers = { base = 0x03000000, mask = 0x03000000, extended = true }";

#[test]
fn two_trucks_agree_whatever_the_format_of_their_streams() {
    // The streams are classic, so that in classic CAN identifiers alone tell key frames.
    for (keys, frames) in [(GROUP, 25), (CLASSIC, 121)] {
        let rows = [J1939, ELEVEN].map(|ids| {
            let (report, others) = measured(&truck(ids, keys, ""));
            let group = &report.groups[0];
            assert_eq!(group.frames, others.own, "{ids:?}");
            assert_eq!((report.forgeries, group.agreements), (0, 1));
            assert!(group.agreed_at_end);
            (group.frames, group.bus_ms)
        });
        assert_eq!(rows[0], rows[1], "{keys}");
        assert_eq!(rows[0].0, frames, "{keys}");
    }
}

#[test]
fn an_exchange_counts_no_application_frame() {
    let module = &format!("{MODULE}\ntransport = 'classic'");
    for (keys, table) in [(CLASSIC, KeyTable::Group(0)), (module, KeyTable::Lasan(0))] {
        let foreign = ["0x0CF00400, extended = true", "0x1BFEF100, extended = true"];
        let counts = [foreign, ELEVEN].map(|ids| {
            let file = parse(&truck(ids, keys, "")).unwrap();
            let lowered = lower(&file, &Resources::default(), None).unwrap();
            let goes_on = &mut |_| ControlFlow::Continue(());
            let exchange = exchange::run(&file, lowered, &[table], goes_on).unwrap();
            let frames = exchange.time_line.iter();
            frames
                .filter(|one| matches!(one, TimelineEntry::Frame(_)))
                .count()
        });
        assert_eq!(counts[0], counts[1], "{keys}");
    }
}

#[test]
fn an_attacker_on_key_frames_acts_once_for_one_message() {
    let attacker = "[[attacker]]\nkind = 'replay'\nbus = 'one'\ndelay = '50ms'\n\
                    key_frames = { steps = ['end'] }";
    // A message of 64 bytes.
    for (keys, frames) in [(GROUP, 1), (CLASSIC, 8)] {
        for ids in [J1939, ELEVEN] {
            let (report, others) = measured(&truck(ids, keys, attacker));
            assert_eq!((others.strays, others.attackers), (0, frames), "{ids:?}");
            assert_eq!(report.attacks[0].actions, frames, "{ids:?}");
        }
    }
}

#[test]
fn truck_with_other_identifiers_exchanges_as_many_frames() {
    for keys in [GROUP, MODULE] {
        let plans = [
            "",
            BESIDE,
            "identifiers = { base = 0, mask = 0, extended = true }",
        ];
        let frames = plans.map(|plan| {
            let (report, others) = measured(&truck(ELEVEN, &format!("{keys}\n{plan}"), ""));
            if let Some(group) = report.groups.first() {
                assert!(group.agreed_at_end, "{plan}");
                assert_eq!(group.frames, others.own, "{plan}");
            } else {
                assert_eq!(report.security_modules[0].failed, 0);
                assert!(report.security_modules[0].authorized_ms.is_some(), "{plan}");
            }
            others.own
        });
        assert_eq!(frames, [frames[0]; 3], "{keys}");
    }
}

#[test]
fn group_of_two_agrees_under_eleven_bits() {
    let two = "orchestrator = 'gateway'\nmembers = ['engine']\n\
               identifiers = { base = 0, mask = 0 }";
    let (report, others) = measured(&truck(J1939, two, ""));
    assert!(report.groups[0].agreed_at_end);
    assert_eq!(report.groups[0].frames, others.own);
}

/// Two buses, and a gateway that only forwards.
fn behind_a_gateway(keys: &str) -> String {
    format!(
        "[vehicle]\nname = 'truck'\nduration = '2s'\n\
         [[bus]]\nname = 'front'\nbitrate = '500k'\n\
         [[bus]]\nname = 'rear'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'head'\nports = ['front']\naddress = 1\n\
         [[ecu]]\nname = 'lights'\nports = ['rear']\naddress = 2\n\
         [[ecu]]\nname = 'gateway'\nports = ['front', 'rear']\naddress = 200\n\
         [[keys]]\nname = 'g'\nmembers = ['lights']\nbuses = ['front', 'rear']\n\
         gateway = 'gateway'\n{keys}\n"
    )
}

#[test]
fn gateway_forwards_key_frames_under_every_plan() {
    let plans = [
        "",
        BESIDE,
        "identifiers = { base = 0x1FE, mask = 0xFFE, extended = true }",
    ];
    for plan in plans {
        let group = behind_a_gateway(&format!("orchestrator = 'head'\n{plan}"));
        let (report, others) = measured(&group);
        assert!(report.groups[0].agreed_at_end, "{plan}");
        // Each frame is on both buses; the gateway is no party, whose frames are not counted.
        assert_eq!(2 * report.groups[0].frames, others.own, "{plan}");
        let module = format!("scheme = 'lasan'\nsecurity_module = 'head'\n{plan}");
        let (report, others) = measured(&behind_a_gateway(&module));
        let module = &report.security_modules[0];
        assert!(module.authorized_ms.is_some(), "{plan}");
        assert_eq!(module.messages.frames, others.own, "{plan}");
    }
    let short = "orchestrator = 'head'\nidentifiers = { base = 0, mask = 0 }";
    let (report, _) = measured(&behind_a_gateway(short));
    assert!(report.groups[0].agreed_at_end);
}

/// Returns the errors of a text that is to be refused.
fn errors(text: &str) -> String {
    let Err(errors) = parse(text) else {
        panic!("it is taken:\n{text}");
    };
    errors.to_string()
}

#[test]
fn fields_that_do_not_fit_are_refused_with_their_number_of_bits() {
    for (keys, plan, expected) in [
        (
            GROUP,
            "identifiers = { base = 0x400, mask = 0x700 }",
            "the fields of its frames need 14 bits, and `mask` leaves 8",
        ),
        (
            MODULE,
            "identifiers = { base = 0, mask = 0 }",
            "the fields of its frames need 13 bits, and `mask` leaves 11",
        ),
        (
            GROUP,
            "identifiers = { base = 0x18EF0000, mask = 0x1FFF0000 }",
            "identifier 0x18EF0000 does not fit 11 bits",
        ),
        (
            GROUP,
            "identifiers = { base = 0x111, mask = 0x100 }",
            "base 0x111 has ones where mask 0x100 has none",
        ),
        (GROUP, "identifiers = { base = 0 }", "needs the key `mask`"),
        (
            GROUP,
            "identifiers = { base = -1, mask = 0 }",
            "base -1 is out of range",
        ),
        (
            GROUP,
            "identifiers = 7",
            "expected a table such as { base = ",
        ),
    ] {
        let found = errors(&truck(ELEVEN, &format!("{keys}\n{plan}"), ""));
        assert!(found.contains(expected), "{plan}\n{found}");
    }
}

/// Applies what errors of the file propose for each of its `[[keys]]`.
fn remedied(text: &str, errors: &FileErrors) -> String {
    let mut text = text.to_owned();
    let mut done = BTreeSet::new();
    for one in errors.listed() {
        let Problem::Identifiers { remedy, .. } = &one.problem else {
            panic!("{one}");
        };
        let mut quoted = remedy.split('`');
        let plan = quoted.nth(1).unwrap_or_else(|| panic!("{one}"));
        let name = remedy.split('"').nth(1).unwrap_or_else(|| panic!("{one}"));
        if done.insert(name.to_owned()) {
            let head = format!("[[keys]]\nname = '{name}'\n");
            assert!(text.contains(&head), "{one}\n{text}");
            text = text.replace(&head, &format!("{head}{plan}\n"));
        }
    }
    text
}

#[test]
fn identifiers_of_j1939_without_an_address_of_the_group_are_taken() {
    // TSC1, EEC1, ETC2 and EBC1 have steps of the protocol, and no exchange of the group.
    for ids in [["0x0C000003", "0x0CF00400"], ["0x18F00503", "0x18F0010B"]] {
        let ids = ids.map(|id| format!("{id}, extended = true"));
        let (report, others) = measured(&truck([&ids[0], &ids[1]], GROUP, ""));
        assert_eq!((report.groups[0].frames, others.own), (25, 25), "{ids:?}");
    }
}

#[test]
fn printed_remedy_is_taken() {
    // A proprietary message of page 0, PDU format 2, from address 4 to 3.
    let clash = ["0x0C020304, extended = true", "0x0CF00400, extended = true"];
    let text = truck(clash, GROUP, "");
    let refused = parse(&text).unwrap_err();
    let found = refused.to_string();
    assert!(
        found.contains(
            "truck.toml:19:23: identifier 0x0C020304 of stream \"EEC1\" may be a key frame's of \
             group \"g\"; write `identifiers = { base = 0x03000000, mask = 0x03000000, extended \
             = true }` in the [[keys]] \"g\""
        ),
        "{found}"
    );
    let (report, others) = measured(&remedied(&text, &refused));
    assert!(report.groups[0].agreed_at_end);
    assert_eq!(report.groups[0].frames, others.own);
}

#[test]
fn given_identifiers_do_not_meet_tags_with_a_counter() {
    let leia = "[[authentication]]\nscheme = 'leia'\nprotect = ['EEC1']";
    let group = |plan: &str| truck(["0x140", "0x101"], &format!("{GROUP}\n{plan}"), leia);
    // LeiA's frames begin with 0x140 and 0x141, 0x05000000 to 0x0507FFFF.
    let found = errors(&group(
        "identifiers = { base = 0x05000000, mask = 0x0F000000, extended = true }",
    ));
    assert!(
        found
            .contains("of the tags of stream \"EEC1\", may be a key frame's of group \"g\"; write"),
        "{found}"
    );
    assert!(parse(&group("")).is_ok());
    assert!(parse(&group(BESIDE)).is_ok());
}

#[test]
fn two_groups_share_a_bus_under_identifiers_of_their_own() {
    let other = "[[keys]]\nname = 'other'\norchestrator = 'brakes'";
    let text = truck(J1939, GROUP, other);
    let refused = parse(&text).unwrap_err();
    let found = refused.to_string();
    assert!(
        found.contains("group \"g\" is on one of its buses too"),
        "{found}"
    );
    let (report, others) = measured(&remedied(&text, &refused));
    assert!(report.groups.iter().all(|group| group.agreed_at_end));
    let frames: u64 = report.groups.iter().map(|group| group.frames).sum();
    assert_eq!(frames, others.own);
}
