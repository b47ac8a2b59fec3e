//! Features of the JSON form alone: names, aliases, and error messages.

use waywarden_v2x_service_protocol::json::{decode_request, encode_response};
use waywarden_v2x_service_protocol::{
    OperationKind, RequestedOperation, Response, ResponseBody, Status,
};
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

#[test]
fn the_standards_names_are_taken_for_operations() {
    for (name, kind, rest) in [
        (
            "SN-SIGN",
            OperationKind::Sign,
            r#""psid":36,"payload":"00""#,
        ),
        (
            "Sec-SignedData",
            OperationKind::Sign,
            r#""psid":36,"payload":"00""#,
        ),
        (
            "WME_SEC_SIGN_DATA",
            OperationKind::Sign,
            r#""psid":36,"payload":"00""#,
        ),
        ("SN-VERIFY", OperationKind::Verify, r#""message":"00""#),
        (
            "Sec-SignedDataVerification",
            OperationKind::Verify,
            r#""message":"00""#,
        ),
        (
            "WME_SEC_VERIFY_DATA",
            OperationKind::Verify,
            r#""message":"00""#,
        ),
        (
            "SN-ENCRYPT",
            OperationKind::Encrypt,
            r#""data":"00","recipients":[{"certificateId":"0011223344556677"}]"#,
        ),
        ("SN-DECRYPT", OperationKind::Decrypt, r#""message":"00""#),
        (
            "SN-IDCHANGE-TRIGGER",
            OperationKind::ChangeCertificate,
            r#""psid":36"#,
        ),
    ] {
        let line = format!(r#"{{"operation":"{name}",{rest}}}"#);
        let request = decode_request(line.as_bytes()).unwrap();
        assert_eq!(request.operation.kind(), kind, "{name}");
        assert!(kind.aliases().contains(&name));
    }
    let aliases = OperationKind::ALL.iter().map(|kind| kind.aliases().len());
    assert_eq!(aliases.sum::<usize>(), 9);
}

#[test]
fn optional_fields_have_defaults() {
    let line = br#"{"operation":"sign","psid":36,"payload":"C0fe"}"#;
    let request = decode_request(line).unwrap();
    assert_eq!((request.id, request.deadline), (0, None));
    let RequestedOperation::Sign(sign) = request.operation else {
        panic!("another operation");
    };
    assert_eq!((sign.psid, sign.payload), (Psid(36), vec![0xC0, 0xFE]));
    assert_eq!(sign.lifetime, None);
}

/// A line, the number and the status of the refusal, and what its reason contains.
type Unreadable = (&'static str, u64, Status, &'static str);

const UNREADABLE: [Unreadable; 16] = [
    (
        r#"{"id":4,"operation":"health","pisd":1}"#,
        4,
        Status::Malformed,
        "`pisd`",
    ),
    (
        r#"{"id":4,"operation":"verify","message":"00","payload":"00"}"#,
        4,
        Status::Malformed,
        "`payload`",
    ),
    (
        r#"{"id":4,"operation":"verify"}"#,
        4,
        Status::Malformed,
        "`message`",
    ),
    (
        r#"{"id":4,"operation":"verify","message":"00","message":"01"}"#,
        4,
        Status::Malformed,
        "duplicate field `message`",
    ),
    (
        r#"{"id":4,"operation":"verify","message":"0"}"#,
        4,
        Status::Malformed,
        "hexadecimal digits",
    ),
    (
        r#"{"id":4,"operation":"certificateStatus"}"#,
        4,
        Status::Malformed,
        "`certificateId`",
    ),
    (
        concat!(
            r#"{"id":4,"operation":"sign","psid":36,"payload":"","location":"#,
            r#"{"latitude":900000002,"longitude":0,"elevation":0}}"#
        ),
        4,
        Status::Malformed,
        "latitude",
    ),
    (r#"{"id":4}"#, 4, Status::Malformed, "`operation`"),
    (
        r#"{"id":4,"operation":"health"} x"#,
        4,
        Status::Malformed,
        "trailing characters",
    ),
    (
        r#"{"id":4,"operation":"health","#,
        0,
        Status::Malformed,
        "EOF",
    ),
    (
        r#"{"id":4,"operation":"health","id":5}"#,
        0,
        Status::Malformed,
        "duplicate field",
    ),
    (
        r#"{"id":4,"operation":"health","deadlineMicroseconds":0}"#,
        4,
        Status::Malformed,
        "nonzero",
    ),
    (
        r#"{"id":4,"operation":"erase"}"#,
        4,
        Status::Unsupported,
        "\"erase\"",
    ),
    (
        r#"{"id":4,"operation":"authenticate","token":"a b"}"#,
        4,
        Status::Malformed,
        "token",
    ),
    (
        r#"{"id":-4,"operation":"health"}"#,
        0,
        Status::Malformed,
        "-4",
    ),
    (
        r#"{"id":4,"operation":"health""#,
        0,
        Status::Malformed,
        "EOF",
    ),
];

#[test]
fn errors_name_the_field_and_keep_the_number() {
    for (line, id, status, text) in UNREADABLE {
        let unreadable = decode_request(line.as_bytes()).unwrap_err();
        assert_eq!(
            (unreadable.id, unreadable.refused.status),
            (id, status),
            "{line}"
        );
        let reason = &unreadable.refused.reason;
        assert!(reason.contains(text), "{line}: {reason}");
    }
}

#[test]
fn times_are_written_for_readers_and_for_programs() {
    let response = Response {
        id: 3,
        body: Ok(ResponseBody::Signed {
            message: vec![0x03],
            expires: Time64(722_500_000_250_000),
        }),
    };
    let line = String::from_utf8(encode_response(&response).unwrap()).unwrap();
    let expected = concat!(
        r#"{"id":3,"status":"ok","operation":"sign","message":"03","#,
        r#""expires":{"utc":"2026-11-23T06:26:35.250000Z","tai":722500000250000}}"#,
        "\n"
    );
    assert_eq!(line, expected);
}

#[test]
fn reports_stay_on_one_line() {
    let response = Response {
        id: 3,
        body: Ok(ResponseBody::Health("{\n  \"works\": true\n}".to_owned())),
    };
    let line = encode_response(&response).unwrap();
    let expected = br#"{"id":3,"status":"ok","operation":"health","health":{   "works": true }}"#;
    assert_eq!(line.strip_suffix(b"\n").unwrap(), expected);
    let response = Response {
        id: 3,
        body: Ok(ResponseBody::Statistics("no JSON".to_owned())),
    };
    let refused = encode_response(&response).unwrap_err();
    assert_eq!(refused.status, Status::Internal);
}
