//! PDUs within PDUs of system descriptions: their SecOC, their number, and the time they take.

use std::fmt::Write as _;

use super::{matrix, read};
use waywarden_can_matrix::{AuthenticatorPlace, MessageMatrix};

/// Returns a system description: a channel with triggerings, and elements that they refer to.
fn system(channel: &str, elements: &str) -> String {
    format!(
        "<AUTOSAR><AR-PACKAGES><AR-PACKAGE><SHORT-NAME>P</SHORT-NAME><ELEMENTS>\n<CAN-CLUSTER>\
         <SHORT-NAME>C</SHORT-NAME><CAN-CLUSTER-VARIANTS><CAN-CLUSTER-CONDITIONAL>\
         <PHYSICAL-CHANNELS><CAN-PHYSICAL-CHANNEL><SHORT-NAME>Ch</SHORT-NAME>{channel}\
         </CAN-PHYSICAL-CHANNEL></PHYSICAL-CHANNELS></CAN-CLUSTER-CONDITIONAL>\
         </CAN-CLUSTER-VARIANTS></CAN-CLUSTER>\n{elements}</ELEMENTS></AR-PACKAGE></AR-PACKAGES>\
         </AUTOSAR>"
    )
}

fn triggering(frame: &str, id: usize) -> String {
    format!(
        "<CAN-FRAME-TRIGGERING><SHORT-NAME>T{frame}</SHORT-NAME><FRAME-REF>/P/{frame}</FRAME-REF>\
         <IDENTIFIER>{id}</IDENTIFIER></CAN-FRAME-TRIGGERING>"
    )
}

fn frame(name: &str, length: usize, pdus: &[&str]) -> String {
    let mappings: String = pdus
        .iter()
        .enumerate()
        .map(|(at, pdu)| {
            format!(
                "<PDU-TO-FRAME-MAPPING><PDU-REF>/P/{pdu}</PDU-REF><START-POSITION>{}\
                 </START-POSITION></PDU-TO-FRAME-MAPPING>",
                32 * at
            )
        })
        .collect();
    format!(
        "<CAN-FRAME><SHORT-NAME>{name}</SHORT-NAME><FRAME-LENGTH>{length}</FRAME-LENGTH>\
         <PDU-TO-FRAME-MAPPINGS>{mappings}</PDU-TO-FRAME-MAPPINGS></CAN-FRAME>"
    )
}

fn secured(name: &str, payload: &str, data_id: usize) -> String {
    format!(
        "<I-SIGNAL-I-PDU><SHORT-NAME>{payload}</SHORT-NAME><LENGTH>1</LENGTH></I-SIGNAL-I-PDU>\
         <SECURED-I-PDU><SHORT-NAME>{name}</SHORT-NAME><LENGTH>4</LENGTH>\
         <PAYLOAD-REF>/P/{payload}</PAYLOAD-REF><SECURE-COMMUNICATION-PROPS>\
         <AUTH-INFO-TX-LENGTH>24</AUTH-INFO-TX-LENGTH><DATA-ID>{data_id}</DATA-ID>\
         </SECURE-COMMUNICATION-PROPS></SECURED-I-PDU>"
    )
}

fn triggerings(list: &str) -> String {
    format!("<FRAME-TRIGGERINGS>{list}</FRAME-TRIGGERINGS>")
}

#[track_caller]
fn the_message(matrix: &MessageMatrix) -> &waywarden_can_matrix::MatrixMessage {
    assert!(matrix.skipped.is_empty(), "{:?}", matrix.skipped);
    matrix.messages().next().unwrap()
}

#[test]
fn first_of_two_secured_pdus_in_a_frame_counts_and_the_other_is_named() {
    let elements = frame("F", 8, &["A", "B"]) + &secured("A", "a", 7) + &secured("B", "b", 8);
    let matrix = read(&system(&triggerings(&triggering("F", 16)), &elements));
    let message = the_message(&matrix);
    let own = message.protection.as_ref().unwrap();
    assert_eq!(
        (own.data_id, own.carrier),
        (Some(7), AuthenticatorPlace::Trailer)
    );
    let remarks = message.remarks.join("\n");
    let lost = "the SecOC of 1 of its secured I-PDUs is not carried over (B)";
    assert!(remarks.contains(lost), "{remarks}");
    assert!(
        remarks.contains("that of A alone is carried over"),
        "{remarks}"
    );
    let remarks = matrix.remarks.join("\n");
    assert!(
        remarks.contains("line 3, SECURED-I-PDU /P/B: 1 secured I-PDU"),
        "{remarks}"
    );
    assert!(
        remarks.contains("map each to a frame of its own"),
        "{remarks}"
    );
}

#[test]
fn secoc_within_containers_and_multiplexed_pdus_is_named() {
    let container = "<CONTAINER-I-PDU><SHORT-NAME>X</SHORT-NAME><LENGTH>32</LENGTH>\
                     <CONTAINED-PDU-TRIGGERING-REFS><CONTAINED-PDU-TRIGGERING-REF>/P/C/Ch/PT\
                     </CONTAINED-PDU-TRIGGERING-REF></CONTAINED-PDU-TRIGGERING-REFS>\
                     </CONTAINER-I-PDU>";
    let multiplexed = "<MULTIPLEXED-I-PDU><SHORT-NAME>X</SHORT-NAME><LENGTH>8</LENGTH>\
                       <STATIC-PARTS><STATIC-PART><I-PDU-REF>/P/S</I-PDU-REF></STATIC-PART>\
                       </STATIC-PARTS></MULTIPLEXED-I-PDU>";
    let channel = triggerings(&triggering("F", 16))
        + "<PDU-TRIGGERINGS><PDU-TRIGGERING><SHORT-NAME>PT</SHORT-NAME>\
           <I-PDU-REF>/P/S</I-PDU-REF></PDU-TRIGGERING></PDU-TRIGGERINGS>";
    for outer in [container, multiplexed] {
        let elements = frame("F", 32, &["X"]) + outer + &secured("S", "s", 7);
        let matrix = read(&system(&channel, &elements));
        let message = the_message(&matrix);
        assert_eq!(message.protection, None);
        let remarks = message.remarks.join("\n");
        assert!(
            remarks.contains("I-PDUs is not carried over (S)"),
            "{remarks}"
        );
        let remarks = matrix.remarks.join("\n");
        assert!(
            remarks.contains("SECURED-I-PDU /P/S: 1 secured I-PDU"),
            "{remarks}"
        );
    }
}

#[test]
fn file_without_ecus_says_so() {
    let matrix = read(&system(
        &triggerings(&triggering("F", 16)),
        &frame("F", 8, &[]),
    ));
    let remarks = matrix.remarks.join("\n");
    assert!(remarks.contains("no ECU-INSTANCE"), "{remarks}");
}

/// Eight levels of sixty references each would be 60^8 PDUs.
#[test]
fn pdus_that_multiply_are_refused_by_their_number() {
    let mut elements = frame("F", 8, &["M0"]);
    for level in 0..9 {
        let part = format!(
            "<DYNAMIC-PART-ALTERNATIVE><I-PDU-REF>/P/M{}</I-PDU-REF></DYNAMIC-PART-ALTERNATIVE>",
            level + 1
        );
        write!(
            elements,
            "<MULTIPLEXED-I-PDU><SHORT-NAME>M{level}</SHORT-NAME><LENGTH>8</LENGTH><DYNAMIC-PARTS>\
             <DYNAMIC-PART><DYNAMIC-PART-ALTERNATIVES>{}</DYNAMIC-PART-ALTERNATIVES>\
             </DYNAMIC-PART></DYNAMIC-PARTS></MULTIPLEXED-I-PDU>",
            part.repeat(60)
        )
        .unwrap();
    }
    let many: String = (0..200).map(|id| triggering("F", id)).collect();
    for channel in [triggering("F", 16), many] {
        let matrix = matrix(system(&triggerings(&channel), &elements).as_bytes()).unwrap();
        assert_eq!(matrix.messages().count(), 0);
        let reason = &matrix.skipped[0].reason;
        assert!(
            reason.contains("more than 16384 times, the limit of a message"),
            "{reason}"
        );
    }
}

/// Wide elements, relative references, groups and duplicate names of `count` frames.
fn wide(count: usize) -> String {
    let mut channel = String::new();
    let (mut elements, mut refs) = (String::new(), String::new());
    for at in 0..count {
        write!(
            channel,
            "<CAN-FRAME-TRIGGERING><SHORT-NAME>T{at}</SHORT-NAME><CAN-ADDRESSING-MODE>EXTENDED\
             </CAN-ADDRESSING-MODE><FRAME-REF BASE=\"P\">F{at}</FRAME-REF>\
             <IDENTIFIER>{at}</IDENTIFIER></CAN-FRAME-TRIGGERING>"
        )
        .unwrap();
        elements += &frame(&format!("F{at}"), 8, &["I", "Gone"]);
        write!(refs, "<I-PDU-REF>/P/I</I-PDU-REF>").unwrap();
        if at >= 40 {
            continue;
        }
        write!(
            elements,
            "<ECU-INSTANCE><SHORT-NAME>E{at}</SHORT-NAME><ASSOCIATED-I-PDU-GROUP-REFS>\
             <ASSOCIATED-I-PDU-GROUP-REF>/P/G</ASSOCIATED-I-PDU-GROUP-REF>\
             </ASSOCIATED-I-PDU-GROUP-REFS></ECU-INSTANCE>"
        )
        .unwrap();
    }
    write!(
        elements,
        "<I-PDU-GROUP><SHORT-NAME>G</SHORT-NAME><COMMUNICATION-DIRECTION>IN\
         </COMMUNICATION-DIRECTION><I-PDU-REFS>{refs}</I-PDU-REFS></I-PDU-GROUP>\
         <I-SIGNAL-I-PDU><SHORT-NAME>I</SHORT-NAME>{}<LENGTH>8</LENGTH></I-SIGNAL-I-PDU>",
        "<X/>".repeat(count)
    )
    .unwrap();
    let bases = "<REFERENCE-BASES><REFERENCE-BASE><SHORT-LABEL>P</SHORT-LABEL>\
                 <PACKAGE-REF>/P</PACKAGE-REF></REFERENCE-BASE></REFERENCE-BASES>";
    let text = system(&triggerings(&channel), &elements);
    text.replacen(
        "</ELEMENTS></AR-PACKAGE>",
        &format!("</ELEMENTS>{bases}</AR-PACKAGE>"),
        1,
    )
}

/// As many messages as a large system has: by the square of them, this would take minutes.
#[test]
fn files_of_many_messages_are_read() {
    let count = 10_000 * waywarden_testkit::cases(1).clamp(1, 10);
    let matrix = matrix(wide(count).as_bytes()).unwrap();
    assert_eq!(matrix.messages().count(), count);
}
