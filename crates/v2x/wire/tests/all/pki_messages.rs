//! Requests and responses of ETSI's PKI, by hand: what is refused, and where.

use waywarden_v2x_wire::ParseFault;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorityResponse, AuthorizationResponseCode, AuthorizationValidationResponseCode,
    EcResponseParts, EnrolmentResponseCode, EtsiTs102941Data, EtsiTs102941DataContent,
    InnerEcRequest, InnerEcResponse,
};

use crate::support::comes_back;

/// Version 1, an enrolment response without additions and without a certificate, the code.
fn enrolment_response(code: u8) -> Vec<u8> {
    [&[1, 0x81, 0][..], &[0xAA; 16], &[code]].concat()
}

#[test]
fn response_is_read_from_bytes_written_by_hand() {
    let bytes = enrolment_response(6);
    let data: EtsiTs102941Data<'_> = comes_back(&bytes).unwrap();
    let EtsiTs102941DataContent::EnrolmentResponse(response) = data.content else {
        panic!("{data:?}");
    };
    assert_eq!(response.request_hash, &[0xAA; 16]);
    assert_eq!(response.response_code, EnrolmentResponseCode::UnknownIts);
    assert_eq!(response.response_code.label(), "unknownits");
    assert_eq!(data.content.label(), "enrolmentResponse");
}

#[test]
fn response_has_a_result_exactly_if_its_code_is_ok() {
    let error = parse::<EtsiTs102941Data<'_>>(&enrolment_response(0)).unwrap_err();
    let why = "responseCode is ok, and the result is missing";
    assert_eq!(error.fault, ParseFault::Inconsistent(why));
    let refused = enrolment_response(6);
    let parts = *parse::<InnerEcResponse<'_>>(&refused[2..]).unwrap();
    let parts = EcResponseParts {
        response_code: EnrolmentResponseCode::Ok,
        ..parts
    };
    assert_eq!(AuthorityResponse::new(parts).unwrap_err(), why);
}

#[test]
fn response_codes_are_numbered_as_in_the_standard() {
    let names = |labels: Vec<&str>| labels.join(" ");
    let enrolment = EnrolmentResponseCode::ALL;
    assert_eq!(enrolment.len(), 14);
    assert_eq!(EnrolmentResponseCode::DeniedRequest as usize, 13);
    assert!(names(enrolment.iter().map(|code| code.label()).collect()).starts_with("ok cantparse"));
    let authorization = AuthorizationResponseCode::ALL;
    assert_eq!(authorization.len(), 27);
    let last = authorization[26];
    assert_eq!((last as u8, last.label()), (26, "deniedtoomanycerts"));
    let validation = AuthorizationValidationResponseCode::ALL;
    assert_eq!(
        (validation.len(), validation[14].label()),
        (15, "deniedrequest")
    );
    let error = parse::<EtsiTs102941Data<'_>>(&enrolment_response(14)).unwrap_err();
    assert_eq!(error.fault, ParseFault::UnknownCritical(14));
    assert_eq!(error.field, "responseCode");
}

#[test]
fn request_names_its_fault() {
    // No additions; an identifier of two bytes, format 1, a key on P-256, attributes without any.
    let good = [&[0, 2, 0xAB, 0xCD, 1, 0, 0x80, 0x82][..], &[7; 32], &[0]].concat();
    let request: InnerEcRequest<'_> = comes_back(&good).unwrap();
    assert_eq!(request.its_id, [0xAB, 0xCD]);
    let fault = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        let error = parse::<InnerEcRequest<'_>>(&bytes).unwrap_err();
        (error.field, error.fault)
    };
    assert_eq!(fault(4, 0), ("certificateFormat", ParseFault::OutOfRange));
    assert_eq!(fault(0, 0x40), ("", ParseFault::PaddingNotZero));
    assert_eq!(
        fault(6, 0x89),
        ("verificationKey", ParseFault::UnknownCritical(9))
    );
    assert_eq!(
        fault(40, 1),
        ("requestedSubjectAttributes", ParseFault::PaddingNotZero)
    );
}

#[test]
fn unknown_content_is_refused() {
    let error = parse::<EtsiTs102941Data<'_>>(&[1, 0x8A, 0]).unwrap_err();
    assert_eq!(
        (error.field, error.fault),
        ("content", ParseFault::UnknownTag(10))
    );
}
