//! Matrices of every format written as DBC: read back the same, here and by cantools.

use std::process::Command;

use super::{ARXML, KCD, SYM, read};
use waywarden_can_dbc::{ReadOptions, SignalMatrix};
use waywarden_can_matrix::{Cluster, MatrixFormat, MatrixMessage, MessageMatrix};
use waywarden_testkit::{Random, cases, output_of, python_with};

fn dbc(cluster: &Cluster, format: MatrixFormat) -> String {
    cluster.to_dbc(format).text
}

/// The parts of a message that a DBC file holds.
fn held(message: &MatrixMessage) -> MatrixMessage {
    let mut message = message.clone();
    message.signals.clear();
    message.remarks.clear();
    message.protection = None;
    message.kind = Default::default();
    message.name.retain(|letter| letter != ' ' && letter != '_');
    message
}

fn all(matrix: &MessageMatrix) -> Vec<MatrixMessage> {
    matrix.messages().map(held).collect()
}

#[test]
fn messages_are_read_back_as_they_were() {
    for text in [ARXML, KCD, SYM] {
        let matrix = read(text);
        for cluster in &matrix.clusters {
            let again = read(&dbc(cluster, matrix.format));
            assert_eq!(again.format, MatrixFormat::Dbc);
            assert_eq!(again.skipped, []);
            let mut own = cluster.clone();
            for message in &mut own.messages {
                // Receivers stand at signals.
                if message.signals.is_empty() {
                    message.receivers.clear();
                }
            }
            let own = MessageMatrix {
                clusters: vec![own],
                ..MessageMatrix::default()
            };
            let mut before = all(&own);
            if matrix.format == MatrixFormat::Sym {
                // The identifiers of a range are messages of one name, which are numbered.
                before[3].name += "2";
                before[4].name += "3";
            }
            assert_eq!(all(&again), before, "{}", matrix.format.label());
            // Nodes that only messages name are listed, too.
            let nodes = &again.clusters[0].nodes;
            assert_eq!(nodes[..cluster.nodes.len()], cluster.nodes);
            assert_eq!(again.clusters[0].bit_rate, cluster.bit_rate);
            assert_eq!(again.clusters[0].data_bit_rate, cluster.data_bit_rate);
        }
    }
}

/// The multiplexers of a SYM symbol have a name for each value; in a DBC file they are one.
#[test]
fn multiplexed_signals_have_their_values() {
    let text = "FormatVersion=6.0\n{SEND}\n[M]\nID=10h\nMux=A 0,8 1\nVar=a unsigned 8,8\n\
                Var=both float 16,32\n[M]\nMux=B 0,8 2h\nVar=b unsigned 8,8 /u:V\n\
                Var=both float 16,32\n";
    let matrix = read(text);
    let written = matrix.clusters[0].to_dbc(matrix.format);
    for line in [
        " SG_ A M : 0|8@1+ (1,0) [0|0] \"\" Peripherals",
        " SG_ a m1 : 8|8@1+ (1,0) [0|0] \"\" Peripherals",
        " SG_ both m1 : 16|32@1- (1,0) [0|0] \"\" Peripherals",
        " SG_ b m2 : 8|8@1+ (1,0) [0|0] \"V\" Peripherals",
        "SIG_VALTYPE_ 16 both : 1;",
        "SG_MUL_VAL_ 16 both A 1-2;",
    ] {
        let has = |text: &str| text.lines().any(|one| one == line);
        assert!(has(&written.text), "{line}\n{}", written.text);
    }
    let losses = written.losses.join("\n");
    assert!(
        losses.contains("1 multiplexers have the bits of another"),
        "{losses}"
    );
    let signals = SignalMatrix::read(&written.text, ReadOptions::default()).unwrap();
    assert_eq!(signals.skipped, Vec::<String>::new());
    let mut values = Vec::new();
    signals.messages()[0].decode(&[2, 7, 0, 0, 0, 0, 0, 0], &mut values);
    let has_value: Vec<bool> = values.iter().map(Option::is_some).collect();
    assert_eq!(has_value, [true, false, true, true]);
}

/// Multiplexed signals of one name and place are one only if their values mean the same.
#[test]
fn multiplexed_signals_that_differ_stay_apart() {
    let with = |options: &str, count: usize| {
        let kind = if options == "signed" {
            "signed"
        } else {
            "unsigned"
        };
        let options = options.replace("signed", "");
        let text = format!(
            "FormatVersion=6.0\n{{SEND}}\n[M]\nID=10h\nMux=A 0,8 1\nVar=a unsigned 8,8\n\
             [M]\nMux=B 0,8 2h\nVar=a {kind} 8,8 {options}\n"
        );
        let matrix = read(&text);
        let written = matrix.clusters[0].to_dbc(matrix.format);
        let lines = written.text.lines();
        let signals = lines.filter(|line| line.starts_with(" SG_ a")).count();
        assert_eq!(signals, count, "{options}\n{}", written.text);
        let is_named = written.losses.join("\n").contains("1 names have letters");
        assert_eq!(is_named, count == 2, "{options}\n{:?}", written.losses);
    };
    with("", 1);
    for options in ["/f:2", "/o:2", "/u:V", "signed"] {
        with(options, 2);
    }
}

/// Words of DBC are no names, and long names of nodes stand in an attribute.
#[test]
fn words_of_dbc_and_long_names_of_nodes_are_kept_apart() {
    let long = "ThisIsAVeryLongNodeNameThatIsLongerThan32Letters";
    let other = format!("{long}AndAnother");
    let mut text = format!(
        "<NetworkDefinition><Node id=\"1\" name=\"{long}\"/><Node id=\"2\" name=\"{other}\"/>\
         <Node id=\"3\" name=\"BU_\"/><Bus name=\"B\">"
    );
    for (at, name) in ["VECTOR__INDEPENDENT_SIG_MSG", "SG_", "BO_"]
        .iter()
        .enumerate()
    {
        text += &format!(
            "<Message id=\"{at}\" name=\"{name}\" length=\"8\"><Producer><NodeRef id=\"1\"/>\
             </Producer><Signal name=\"SG_\" offset=\"0\" length=\"8\"/></Message>"
        );
    }
    let matrix = read(&(text + "</Bus></NetworkDefinition>"));
    let written = matrix.clusters[0].to_dbc(matrix.format);
    let losses = written.losses.join("\n");
    assert!(losses.contains("7 names have letters"), "{losses}");
    let again = read(&written.text);
    assert_eq!(again.skipped, []);
    assert_eq!(again.clusters[0].nodes, [long, other.as_str(), "BU__2"]);
    let messages = &again.clusters[0].messages;
    let names: Vec<&str> = messages.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["VECTOR__INDEPENDENT_SIG__2", "SG__2", "BO__2"]);
    assert_eq!(messages[0].senders, [long]);
}

#[test]
fn losses_are_named() {
    let matrix = read(ARXML);
    let losses = matrix.clusters[0].to_dbc(matrix.format).losses.join("\n");
    assert!(losses.contains("are not taken over from ARXML"), "{losses}");
    assert!(
        losses.contains("3 messages are secured by SecOC"),
        "{losses}"
    );
}

/// Any names and places: the text is a DBC file without damage, of as many messages.
#[test]
fn any_names_become_a_dbc_file() {
    let mut random = Random::of_test("any_names_become_a_dbc_file");
    let letters: Vec<char> = "aZ09_ .-\"\\;:\n\u{e9}\u{4e00}".chars().collect();
    let name = |random: &mut Random| -> String {
        let length = random.index(50);
        (0..length)
            .map(|_| letters[random.index(letters.len())])
            .collect()
    };
    for text in [ARXML, KCD, SYM] {
        for _ in 0..cases(60) {
            let mut matrix = read(text);
            for cluster in &mut matrix.clusters {
                cluster.name = Some(name(&mut random));
                cluster.nodes.push(name(&mut random));
                for message in &mut cluster.messages {
                    message.name = name(&mut random);
                    message.senders.push(name(&mut random));
                    for signal in &mut message.signals {
                        signal.name = name(&mut random);
                        signal.unit = name(&mut random);
                        signal.length = random.below(70) as u32;
                        signal.factor = f64::from_bits(random.below(u64::MAX));
                        if !signal.factor.is_finite() {
                            signal.factor = 1.0;
                        }
                    }
                }
                let text = dbc(cluster, matrix.format);
                let again = read(&text);
                assert_eq!(again.skipped, [], "{text}");
                assert_eq!(
                    again.clusters[0].messages.len(),
                    cluster.messages.len(),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn cantools_reads_the_dbc_file_as_the_source() {
    let Some(python) = python_with("cantools") else {
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/to_dbc_oracle.py");
    let folder = std::env::temp_dir().join(format!("waywarden-to-dbc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let print = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        output_of(Command::new(&python).arg(script).arg(&path))
    };
    // It has no J1939 clusters, takes a cryptographic I-PDU for one that carries its payload,
    // refuses identifiers above 11 bits and two of one, and keeps one multiplexer of a symbol.
    let (arxml, rest) = ARXML.split_once("<J-1939-CLUSTER>").unwrap();
    let arxml = [arxml, rest.split_once("</J-1939-CLUSTER>").unwrap().1].concat();
    let kcd = KCD
        .replace("<Message id=\"0x800\" name=\"TooHigh\" length=\"1\"/>", "")
        .replace("<Message id=\"256\" name=\"Again\" length=\"1\"/>", "");
    let sym = SYM
        .replace("Mux=Second", "Mux=First")
        .replace("Dia gnosis", "Diagnosis")
        .replace("7E0h-7E2h", "7E0h")
        .replace("Wheel speed", "Wheel_speed");
    for (name, text) in [("arxml", arxml), ("kcd", kcd), ("sym", sym)] {
        let matrix = read(&text);
        let theirs = print(&format!("matrix.{name}"), &text);
        let mut ours = String::new();
        for (at, cluster) in matrix.clusters.iter().enumerate() {
            ours += &print(&format!("{name}-{at}.dbc"), &dbc(cluster, matrix.format));
        }
        let sorted = |text: &str| {
            let kept = text.lines().filter(|line| !line.contains("Steering"));
            let mut lines: Vec<String> = kept.map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert!(theirs.lines().count() > 2, "{name}");
        assert_eq!(sorted(&ours), sorted(&theirs), "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
