//! Codes and names of statuses.

use std::collections::BTreeSet;

use waywarden_v2x_service_protocol::{
    ExhaustedShare, ProtocolForm, RefusedRequest, Response, ResponseBody, Status,
};

#[test]
fn statuses_have_their_own_codes_and_names() {
    let codes: BTreeSet<_> = Status::ALL.iter().map(|one| *one as u16).collect();
    let names: BTreeSet<_> = Status::ALL.iter().map(|one| one.name()).collect();
    assert_eq!(codes.len(), Status::ALL.len());
    assert_eq!(names.len(), Status::ALL.len());
    for status in Status::ALL {
        assert_eq!(Status::of_code(*status as u16), Some(*status));
    }
    assert_eq!(Status::of_code(u16::MAX), None);
}

#[test]
fn shares_have_their_own_codes_and_names() {
    let codes: BTreeSet<_> = ExhaustedShare::ALL.iter().map(|one| *one as u8).collect();
    let names: BTreeSet<_> = ExhaustedShare::ALL.iter().map(|one| one.name()).collect();
    assert_eq!(codes.len(), ExhaustedShare::ALL.len());
    assert_eq!(names.len(), ExhaustedShare::ALL.len());
    for share in ExhaustedShare::ALL {
        assert_eq!(ExhaustedShare::of_code(*share as u8), Some(*share));
        assert_eq!(ExhaustedShare::of_name(share.name()), Some(*share));
    }
    assert_eq!(ExhaustedShare::of_code(0), None);
}

#[test]
fn overloaded_names_the_share_in_both_forms() {
    let refused = RefusedRequest::overloaded(ExhaustedShare::Connection, "too much");
    let response = Response {
        id: 7,
        body: Err(refused.clone()),
    };
    let line = ProtocolForm::Json.encode_response(&response);
    let expected = r#"{"id":7,"status":"overloaded","share":"connection","reason":"too much"}"#;
    assert_eq!(String::from_utf8(line).unwrap().trim_end(), expected);
    let frame = ProtocolForm::Binary.encode_response(&response);
    // Length, version, refused, number, status 10, reason, share 1.
    let expected = [
        &[0, 0, 0, 23, 1, 0x80][..],
        &7_u64.to_be_bytes(),
        &[0, 10, 0, 8],
        b"too much",
        &[1],
    ];
    assert_eq!(frame, expected.concat());
    // Within an answer for many messages, too.
    let many = Response {
        id: 8,
        body: Ok(ResponseBody::VerifiedMany(vec![
            Err(refused),
            Err(RefusedRequest::new(Status::Overloaded, "no share")),
            Err(RefusedRequest::new(Status::DeadlineExceeded, "late")),
        ])),
    };
    for form in [ProtocolForm::Json, ProtocolForm::Binary] {
        let mut frames = waywarden_v2x_service_protocol::Frames::new();
        let bytes = form.encode_response(&many);
        let frame = frames.next(&mut &bytes[..]).unwrap().unwrap();
        assert_eq!(form.decode_response(&frame).unwrap(), many, "{form:?}");
    }
}

#[test]
fn share_belongs_to_overloaded_and_may_be_missing() {
    let read = |line: &str| ProtocolForm::Json.decode_response(line.as_bytes());
    let without = read(r#"{"id":1,"status":"overloaded","reason":"x"}"#).unwrap();
    assert_eq!(without.body.unwrap_err().share, None);
    assert!(read(r#"{"id":1,"status":"overloaded","share":"other","reason":"x"}"#).is_err());
    assert!(read(r#"{"id":1,"status":"internal","share":"queue","reason":"x"}"#).is_err());
}
