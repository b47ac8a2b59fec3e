//! The reference page says what the code does.

use std::time::Duration;

use waywarden_testkit::{bytes_of, workspace};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service_protocol::verdict::Report;
use waywarden_v2x_service_protocol::{
    CertificateValidity, OperationKind, ProtocolForm, RefusedRequest, Request, RequestedOperation,
    Response, ResponseBody, SignRequest, Status,
};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use crate::stub::{EXPIRES, MARK};

fn page() -> String {
    std::fs::read_to_string(workspace().join("docs/service-protocol.md")).unwrap()
}

/// Returns the blocks of a kind behind a heading.
fn blocks<'p>(page: &'p str, heading: &str, kind: &str) -> Vec<&'p str> {
    let (_, section) = page.split_once(heading).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let begin = format!("```{kind}\n");
    let blocks = section.split(&begin).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

fn sign_request(id: u64, psid: u64) -> Request {
    Request {
        id,
        deadline: None,
        operation: RequestedOperation::Sign(SignRequest {
            psid: Psid(psid),
            permissions: None,
            payload: b"hello".to_vec(),
            signer: None,
            location: None,
            lifetime: None,
        }),
    }
}

/// The requests and responses of both worked examples.
fn example() -> (Request, Response, Request, Response) {
    let mut request = sign_request(7, 36);
    request.deadline = Some(Duration::from_millis(50));
    if let RequestedOperation::Sign(sign) = &mut request.operation {
        sign.lifetime = Some(Duration::from_secs(1));
    }
    let signed = Response {
        id: 7,
        body: Ok(ResponseBody::Signed {
            message: [&MARK[..], b"hello"].concat(),
            expires: EXPIRES,
        }),
    };
    let refused = Response {
        id: 8,
        body: Err(RefusedRequest::new(
            Status::PsidNotAuthorized,
            "psid: 38 is not granted",
        )),
    };
    (request, signed, sign_request(8, 38), refused)
}

#[test]
fn the_worked_example_in_hexadecimal_is_what_the_code_writes() {
    let page = page();
    let (request, signed, _, refused) = example();
    let frames: Vec<_> = blocks(&page, "### A worked example", "text")
        .iter()
        .map(|block| {
            let digits = block
                .lines()
                .filter_map(|line| line.split_whitespace().next());
            bytes_of(&digits.collect::<String>())
        })
        .collect();
    let expected = [
        ProtocolForm::Binary.encode_request(&request).unwrap(),
        ProtocolForm::Binary.encode_response(&signed),
        ProtocolForm::Binary.encode_response(&refused),
    ];
    assert_eq!(frames, expected);
}

#[test]
fn the_lines_of_json_are_what_the_code_writes() {
    let page = page();
    let (first, signed, second, refused) = example();
    let expected = [
        ProtocolForm::Json.encode_request(&first).unwrap(),
        ProtocolForm::Json.encode_response(&signed),
        ProtocolForm::Json.encode_request(&second).unwrap(),
        ProtocolForm::Json.encode_response(&refused),
    ];
    let expected = String::from_utf8(expected.concat()).unwrap();
    assert_eq!(blocks(&page, "## The JSON form", "json"), [expected]);
}

#[test]
fn the_tables_have_every_operation_status_result_and_validity() {
    let page = page();
    let has = |row: &str| assert!(page.contains(row), "the page has no row `{row}`");
    for kind in OperationKind::ALL {
        let aliases: Vec<_> = kind
            .aliases()
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let aliases = aliases.join(", ");
        let row = format!("\n| {} | `{kind}` | {aliases} |", *kind as u8);
        has(&row.replace("|  |", "| |"));
    }
    for status in Status::ALL {
        has(&format!("\n| {} | `{status}` | ", *status as u16));
    }
    for code in ResultCode::ALL {
        let report = Report::of_code(*code);
        let (result_number, report_number) = (*code as u8, report as u8);
        has(&format!(
            "\n| {result_number} | `{code}` | {report_number} | `{}` |",
            report.name()
        ));
    }
    for validity in CertificateValidity::ALL {
        has(&format!(
            "\n| {} | `{}` | ",
            *validity as u8,
            validity.name()
        ));
    }
}
