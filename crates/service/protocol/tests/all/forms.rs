//! Guarantees of both forms: every value survives, and every bound is kept.

use std::time::Duration;

use waywarden_testkit::{Random, bytes_of, cases, hex_of};
use waywarden_v2x_service_protocol::{
    ClientToken, EncryptRequest, EncryptionKeyOf, FRAME_BYTES_MAX, MESSAGE_BYTES_MAX, MESSAGES_MAX,
    OperationKind, PERMISSIONS_BYTES_MAX, ProtocolForm, REASON_BYTES_MAX, RECIPIENTS_MAX,
    RefusedRequest, Request, RequestedOperation, Response, ResponseBody, SECURED_BYTES_MAX,
    SignRequest, Status, TOKEN_BYTES_MAX, VerifyRequest, binary,
};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid};
use zeroize::Zeroizing;

use super::values;

const FORMS: [ProtocolForm; 2] = [ProtocolForm::Binary, ProtocolForm::Json];

/// Returns a frame without its length or line end.
pub(super) fn inner(form: ProtocolForm, bytes: &[u8]) -> &[u8] {
    match form {
        ProtocolForm::Binary => &bytes[4..],
        ProtocolForm::Json => bytes.strip_suffix(b"\n").unwrap(),
    }
}

#[test]
fn every_request_survives_both_forms() {
    let mut random = Random::of_test("every_request_survives_both_forms");
    for _ in 0..cases(200) {
        for kind in OperationKind::ALL {
            let request = values::request(&mut random, *kind);
            for form in FORMS {
                let bytes = form.encode_request(&request).unwrap();
                let again = form.decode_request(inner(form, &bytes));
                assert_eq!(again, Ok(request.clone()), "{form:?}");
            }
        }
    }
}

#[test]
fn every_response_survives_both_forms() {
    let mut random = Random::of_test("every_response_survives_both_forms");
    let kinds = OperationKind::ALL.iter().copied().map(Some);
    let kinds: Vec<_> = kinds.chain([None]).collect();
    for _ in 0..cases(200) {
        for kind in &kinds {
            let response = values::response(&mut random, *kind);
            for form in FORMS {
                let bytes = form.encode_response(&response);
                let again = form.decode_response(inner(form, &bytes));
                assert_eq!(again, Ok(response.clone()), "{form:?}");
            }
        }
    }
}

#[test]
fn every_byte_of_a_binary_frame_is_accounted_for() {
    let mut random = Random::of_test("every_byte_of_a_binary_frame_is_accounted_for");
    for kind in OperationKind::ALL {
        let request = values::request(&mut random, *kind);
        let frame = binary::encode_request(&request).unwrap()[4..].to_vec();
        for end in 0..frame.len() {
            let cut = binary::decode_request(&frame[..end]);
            let refused = cut.expect_err("a frame that is cut").refused;
            assert_eq!(refused.status, Status::Malformed, "{kind} {end}");
        }
        let longer = [&frame[..], &[0]].concat();
        let refused = binary::decode_request(&longer).unwrap_err();
        assert_eq!(refused.id, request.id);
        assert_eq!(refused.refused.status, Status::Malformed);

        let response = values::response(&mut random, Some(*kind));
        let frame = binary::encode_response(&response).unwrap()[4..].to_vec();
        for end in 0..frame.len() {
            assert!(binary::decode_response(&frame[..end]).is_err(), "{kind}");
        }
        assert!(binary::decode_response(&[&frame[..], &[0]].concat()).is_err());
    }
}

#[test]
fn a_field_that_announces_more_than_comes_is_refused() {
    // Decrypt: a message of 4 GiB, of which nothing comes.
    let frame = bytes_of("01 05 0000000000000007 00000000 ffffffff");
    let unreadable = binary::decode_request(&frame).unwrap_err();
    assert_eq!(unreadable.id, 7);
    assert_eq!(
        unreadable.refused.to_string(),
        "malformed: message: 4294967295 bytes are announced, and the frame has 0 more"
    );
}

#[test]
fn unknown_versions_operations_and_flags_are_refused_under_their_number() {
    for (frame, status) in [
        ("02 08 0000000000000009 00000000", Status::Unsupported),
        ("01 63 0000000000000009 00000000", Status::Unsupported),
        ("01 00 0000000000000009 00000000", Status::Unsupported),
        (
            "01 02 0000000000000009 00000000 80 00000000",
            Status::Malformed,
        ),
    ] {
        let unreadable = binary::decode_request(&bytes_of(frame)).unwrap_err();
        assert_eq!((unreadable.id, unreadable.refused.status), (9, status));
    }
}

#[test]
fn bounds_hold_in_both_forms() {
    let verify = |bytes: usize| VerifyRequest {
        message: vec![0; bytes],
        psid: None,
        reports_payload_check: false,
    };
    let sign = |payload: usize, permissions: usize| {
        RequestedOperation::Sign(SignRequest {
            psid: Psid(36),
            permissions: Some(vec![0; permissions]),
            payload: vec![0; payload],
            signer: None,
            location: None,
            lifetime: None,
        })
    };
    let encrypt = |count: usize| {
        RequestedOperation::Encrypt(EncryptRequest {
            recipients: vec![EncryptionKeyOf::Known(HashedId8([1; 8])); count],
            data: Vec::new(),
            is_secured: false,
        })
    };
    let token = |bytes: usize| {
        RequestedOperation::Authenticate(ClientToken(Zeroizing::new(vec![b'a'; bytes])))
    };
    let longest = [
        RequestedOperation::Verify(verify(SECURED_BYTES_MAX)),
        RequestedOperation::VerifyMany(vec![verify(0); MESSAGES_MAX]),
        sign(MESSAGE_BYTES_MAX, PERMISSIONS_BYTES_MAX),
        encrypt(RECIPIENTS_MAX),
        token(TOKEN_BYTES_MAX),
    ];
    let too_long = [
        RequestedOperation::Verify(verify(SECURED_BYTES_MAX + 1)),
        RequestedOperation::VerifyMany(vec![verify(0); MESSAGES_MAX + 1]),
        sign(MESSAGE_BYTES_MAX + 1, 0),
        sign(0, PERMISSIONS_BYTES_MAX + 1),
        encrypt(RECIPIENTS_MAX + 1),
        token(TOKEN_BYTES_MAX + 1),
        RequestedOperation::VerifyMany(vec![verify(MESSAGE_BYTES_MAX); 17]),
    ];
    let request = |operation| Request {
        id: 1,
        deadline: None,
        operation,
    };
    for form in FORMS {
        for operation in longest.clone() {
            let bytes = form.encode_request(&request(operation)).unwrap();
            assert!(form.decode_request(inner(form, &bytes)).is_ok());
        }
        for operation in too_long.clone() {
            let refused = form.encode_request(&request(operation)).unwrap_err();
            assert_eq!(refused.status, Status::TooLong);
        }
        for operation in [
            token(0),
            encrypt(0),
            RequestedOperation::VerifyMany(Vec::new()),
        ] {
            let refused = form.encode_request(&request(operation)).unwrap_err();
            assert_eq!(refused.status, Status::Malformed);
        }
    }
}

#[test]
fn what_comes_too_long_is_refused_as_it_is_read() {
    // A verifyMany that announces 257 messages; a JSON list of as many; long octets in both.
    let many = bytes_of("01 03 0000000000000001 00000000 0101");
    let octets = vec![0; SECURED_BYTES_MAX + 1];
    let length = (octets.len() as u32).to_be_bytes();
    let head = bytes_of("01 05 0000000000000001 00000000");
    let long = [&head[..], &length, &octets].concat();
    let line = format!(
        r#"{{"id":1,"operation":"decrypt","message":"{}"}}"#,
        hex_of(&octets)
    );
    for (form, frame) in [
        (ProtocolForm::Binary, many),
        (ProtocolForm::Binary, long),
        (ProtocolForm::Json, line.into_bytes()),
    ] {
        let unreadable = form.decode_request(&frame).unwrap_err();
        assert_eq!(unreadable.refused.status, Status::TooLong);
        assert_eq!(unreadable.id, 1);
    }
    let list = vec![r#"{"message":""}"#; MESSAGES_MAX + 1].join(",");
    let line = format!(r#"{{"id":1,"operation":"verifyMany","messages":[{list}]}}"#);
    let unreadable = ProtocolForm::Json
        .decode_request(line.as_bytes())
        .unwrap_err();
    assert!(
        unreadable.refused.reason.contains("1 to 256 entries"),
        "{unreadable}"
    );
}

#[test]
fn a_response_that_is_too_long_becomes_a_refusal() {
    let response = Response {
        id: 5,
        body: Ok(ResponseBody::Decrypted(vec![0; FRAME_BYTES_MAX + 1])),
    };
    for form in FORMS {
        let bytes = form.encode_response(&response);
        let again = form.decode_response(inner(form, &bytes)).unwrap();
        assert_eq!(again.id, 5);
        assert_eq!(again.body.unwrap_err().status, Status::TooLong);
    }
}

#[test]
fn reasons_are_cut_between_characters() {
    let response = Response {
        id: 5,
        body: Err(RefusedRequest::new(
            Status::Internal,
            format!("a{}", "€".repeat(1_000)),
        )),
    };
    for form in FORMS {
        let bytes = form.encode_response(&response);
        let again = form.decode_response(inner(form, &bytes)).unwrap();
        let reason = again.body.unwrap_err().reason;
        assert_eq!(reason.len(), REASON_BYTES_MAX);
    }
}

#[test]
fn the_shortest_deadline_is_not_the_default_one() {
    for form in FORMS {
        let request = Request {
            id: 1,
            deadline: Some(Duration::ZERO),
            operation: RequestedOperation::Health,
        };
        let bytes = form.encode_request(&request).unwrap();
        let again = form.decode_request(inner(form, &bytes)).unwrap();
        assert_eq!(again.deadline, Some(Duration::from_micros(1)));
    }
}

#[test]
fn tokens_are_not_printed() {
    let token = ClientToken(Zeroizing::new(b"sesame".to_vec()));
    assert_eq!(
        format!("{:?}", RequestedOperation::Authenticate(token)),
        "Authenticate(Token)"
    );
}
