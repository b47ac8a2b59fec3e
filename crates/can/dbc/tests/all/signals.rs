//! Signals in frames, beside cantools.

use std::fmt::Write as _;
use std::process::Command;

use waywarden_can::Id;
use waywarden_can_dbc::{MessageSignals, Number, ReadOptions, SignalMatrix, decode};
use waywarden_testkit::{Random, cases, corpus_bytes, output_of, python_with};

const MATRIX: &str = "VERSION \"\"\n\nNS_ :\n\nBS_:\n\nBU_: A B\n\n\
BO_ 291 Plain: 8 A\n \
 SG_ Little : 4|12@1+ (0.25,-10) [0|0] \"km/h\" B\n \
 SG_ Big : 23|12@0- (1,0) [0|0] \"\" B\n \
 SG_ Half : 32|32@1- (2,1) [0|0] \"V\" B\n\n\
BO_ 292 Selected: 8 A\n \
 SG_ Selector M : 0|8@1+ (1,0) [0|0] \"\" B\n \
 SG_ First m0 : 8|8@1+ (1,0) [0|0] \"\" B\n \
 SG_ Second m1M : 8|8@1+ (1,0) [0|0] \"\" B\n \
 SG_ Third m3 : 16|8@1- (1,0) [0|0] \"\" B\n\n\
BO_ 2147484000 Long: 64 A\n \
 SG_ Double : 448|64@1- (1,0) [0|0] \"\" B\n\n\
VAL_ 292 Third 1 \"one\" -1 \"minus one\" ;\n\
SIG_VALTYPE_ 291 Half : 1;\n\
SIG_VALTYPE_ 2147484000 Double : 2;\n\
SG_MUL_VAL_ 292 First Selector 0-0;\n\
SG_MUL_VAL_ 292 Second Selector 1-2, 5-5;\n\
SG_MUL_VAL_ 292 Third Second 3-4;\n";

fn matrix(text: &str) -> SignalMatrix {
    SignalMatrix::read(text, ReadOptions::default()).unwrap()
}

fn values(matrix: &SignalMatrix, id: u16, data: &[u8]) -> Vec<Option<Number>> {
    let message = matrix.message(Id::standard(id).unwrap()).unwrap();
    let mut values = Vec::new();
    message.decode(data, &mut values);
    values
        .into_iter()
        .map(|value| Some(value?.physical))
        .collect()
}

#[test]
fn byte_orders_scales_and_floats() {
    let matrix = matrix(MATRIX);
    let mut data = [0x50, 0x12, 0xFF, 0xE0, 0, 0, 0, 0];
    data[4..].copy_from_slice(&1.5_f32.to_le_bytes());
    let expected = [
        Number::Float(63.25),
        Number::Integer(-2),
        Number::Float(4.0),
    ];
    assert_eq!(values(&matrix, 291, &data), expected.map(Some));
    let long = matrix.message(Id::extended(352).unwrap()).unwrap();
    let mut data = [0; 64];
    data[56..].copy_from_slice(&(-0.1_f64).to_le_bytes());
    assert_eq!(
        long.signals[0].value(&data).unwrap().physical,
        Number::Float(-0.1)
    );
}

#[test]
fn multiplexers_select_over_ranges_and_levels() {
    let matrix = matrix(MATRIX);
    let integer = |number| Some(Number::Integer(number));
    for (data, expected) in [
        ([0, 3, 9, 0], [integer(0), integer(3), None, None]),
        ([5, 3, 0xFF, 0], [integer(5), None, integer(3), integer(-1)]),
        ([2, 5, 9, 0], [integer(2), None, integer(5), None]),
        ([3, 3, 9, 0], [integer(3), None, None, None]),
    ] {
        assert_eq!(values(&matrix, 292, &data), expected, "{data:?}");
    }
    let message = matrix.message(Id::standard(292).unwrap()).unwrap();
    let value = message.signals[3].value(&[0, 0, 0xFF]).unwrap();
    assert_eq!(message.signals[3].label(&value), Some("minus one"));
    let mut decoded = Vec::new();
    assert_eq!(message.decode(&[0], &mut decoded), 1);
    assert_eq!(decoded[1], None);
}

/// Our own matrix and those of the corpus, by name.
fn matrices() -> Vec<(String, Vec<u8>)> {
    let mut texts = vec![("own".to_owned(), MATRIX.as_bytes().to_vec())];
    for name in [
        "ford_lincoln_base_pt",
        "gm_global_a_object",
        "hyundai_canfd",
        "toyota_secoc_pt",
        "vw_mqb",
        "vw_pq",
    ] {
        if let Some(bytes) = corpus_bytes(&format!("can/dbc/{name}.dbc")) {
            texts.push((name.to_owned(), bytes));
        }
    }
    texts
}

/// Makes random frames of a matrix for the oracle, and tells their values as it does; a line each.
fn random_frames(random: &mut Random, matrix: &SignalMatrix, count: usize) -> (String, String) {
    let (mut frames, mut ours) = (String::new(), String::new());
    for _ in 0..count {
        let message = &matrix.messages()[random.index(matrix.messages().len())];
        // Random bits seldom select anything, so that half of them are small.
        let mut data = random.bytes(64);
        if random.once_in(2) {
            data.iter_mut().for_each(|byte| *byte &= 7);
        }
        let (raw, mark) = (
            message.id.raw(),
            if message.id.is_extended() { "x" } else { "" },
        );
        let digits: String = data.iter().map(|byte| format!("{byte:02X}")).collect();
        writeln!(frames, "{raw:X}{mark} {digits}").unwrap();
        let mut fields = fields(message, &data);
        if fields.is_empty() {
            fields.push("-".to_owned());
        }
        writeln!(ours, "{}", fields.join(" ")).unwrap();
    }
    (frames, ours)
}

/// Tells the values of a frame by the bits of their numbers.
fn fields(message: &MessageSignals, data: &[u8]) -> Vec<String> {
    let mut values = Vec::new();
    message.decode(data, &mut values);
    let fields = message.signals.iter().zip(&values);
    let mut fields: Vec<String> = fields
        .filter_map(|(signal, value)| {
            let value = value.as_ref()?;
            let label = signal.label(value).unwrap_or_default();
            let label: String = label.bytes().map(|b| format!("{b:02x}")).collect();
            let (raw, physical) = (value.raw.as_f64(), value.physical.as_f64());
            let name = &signal.name;
            Some(format!(
                "{name}={:x}:{:x}:{label}",
                raw.to_bits(),
                physical.to_bits()
            ))
        })
        .collect();
    fields.sort();
    fields
}

/// Leaves out what the oracle does not have: a multiplexer of `vw_pq` has no mark (`m`), but
/// `SG_MUL_VAL_` names it, and cantools leaves out what it selects.
fn as_the_oracle_has_them(ours: &str, name: &str, frame: &str) -> String {
    let is_unmarked = name == "vw_pq" && frame.starts_with("288 ");
    let is_kept = |field: &&str| {
        let selected = [
            "MO2_Getr_Code",
            "MO2_max_Mo",
            "MO2_CAN_Vers",
            "MO2_Motor_Code",
        ];
        !(is_unmarked && selected.iter().any(|name| field.starts_with(name)))
    };
    let kept: Vec<&str> = ours.split(' ').filter(is_kept).collect();
    kept.join(" ")
}

/// Messages and frames of the corpus, each value to the last bit.
#[test]
fn values_are_those_of_cantools() {
    let Some(python) = python_with("cantools") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::of_test("values_are_those_of_cantools");
    let count = cases(300);
    let mut compared = 0;
    for (name, bytes) in matrices() {
        let matrix = matrix(&decode(&bytes));
        let (frames, ours) = random_frames(&mut random, &matrix, count);
        let (dbc, list) = (
            folder.path().join(format!("{name}.dbc")),
            folder.path().join("list"),
        );
        // cantools is told the encoding, which ours finds.
        std::fs::write(&dbc, decode(&bytes).as_ref()).unwrap();
        std::fs::write(&list, &frames).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/signals_oracle.py");
        let theirs = output_of(Command::new(&python).arg(script).arg(&dbc).arg(&list));
        let (mut same, mut refused) = (0, 0);
        for ((ours, theirs), frame) in ours.lines().zip(theirs.lines()).zip(frames.lines()) {
            // cantools refuses a frame whose multiplexer selects nothing; ours has the others.
            if theirs == "-" {
                refused += 1;
                continue;
            }
            let ours = as_the_oracle_has_them(ours, &name, frame);
            assert_eq!(ours, in_bits(theirs), "{name}, frame {frame}");
            same += 1;
        }
        println!("{name}: {same} frames equal, {refused} refused by cantools");
        compared += same;
    }
    assert!(compared > count);
}

/// Turns the oracle's numbers into their bits, so that they compare exactly.
fn in_bits(line: &str) -> String {
    let bits = |number: &str| format!("{:x}", number.parse::<f64>().unwrap().to_bits());
    let field = |field: &str| {
        let (name, values) = field.rsplit_once('=').unwrap();
        let values: Vec<&str> = values.split(':').collect();
        format!(
            "{name}={}:{}:{}",
            bits(values[0]),
            bits(values[1]),
            values[2]
        )
    };
    let mut fields: Vec<String> = line.split(' ').map(field).collect();
    fields.sort();
    fields.join(" ")
}

/// A backslash takes the meaning of a quotation mark only.
#[test]
fn quotation_marks_of_labels_and_units_are_taken_as_meant() {
    let matrix = matrix(
        "VERSION \"\"\nNS_ :\nBS_:\nBU_: A\nBO_ 1 M: 8 A\n \
         SG_ s : 0|8@1+ (1,0) [0|0] \"5\\\" a\\b\" A\n\
         VAL_ 1 s 0 \"say \\\"on\\\"\" 1 \"C:\\d\" ;\n",
    );
    let signal = &matrix.messages()[0].signals[0];
    assert_eq!(signal.unit, "5\" a\\b");
    let label = |raw: u8| signal.label(&signal.value(&[raw]).unwrap()).unwrap();
    assert_eq!((label(0), label(1)), ("say \"on\"", "C:\\d"));
}
