//! Mapping of results of IEEE 1609.2 to reports of ETSI TS 102 723-8.

use std::collections::BTreeSet;

use waywarden_v2x_security::{Reason, Refusal, ResultCode};
use waywarden_v2x_service_protocol::verdict::Report;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

/// Every code with its report: numbers of both are the order, which the binary form has.
const TABLE: [(&str, &str); 36] = [
    ("success", "SUCCESS"),
    ("inconsistentInputParameters", "INCOMPATIBLE_PROTOCOL"),
    ("spduParsingInvalidInput", "INCOMPATIBLE_PROTOCOL"),
    (
        "spduParsingUnsupportedCriticalInformationField",
        "INCOMPATIBLE_PROTOCOL",
    ),
    (
        "spduParsingCertificateNotFound",
        "SIGNER_CERTIFICATE_NOT_FOUND",
    ),
    ("spduParsingGenerationTimeNotAvailable", "INVALID_TIMESTAMP"),
    (
        "spduParsingGenerationLocationNotAvailable",
        "INVALID_MOBILITY_DATA",
    ),
    (
        "spduCertificateChainNotEnoughInformationToConstructChain",
        "INCONSISTENT_CHAIN",
    ),
    (
        "spduCertificateChainChainEndedAtUntrustedRoot",
        "INCONSISTENT_CHAIN",
    ),
    (
        "spduCertificateChainChainWasTooLongForImplementation",
        "INCONSISTENT_CHAIN",
    ),
    (
        "spduCertificateChainCertificateRevoked",
        "REVOKED_CERTIFICATE",
    ),
    ("spduCertificateChainOverdueCRL", "REVOKED_CERTIFICATE"),
    (
        "spduCertificateChainInconsistentExpiryTimes",
        "INCONSISTENT_CHAIN",
    ),
    (
        "spduCertificateChainInconsistentStartTimes",
        "INCONSISTENT_CHAIN",
    ),
    (
        "spduCertificateChainInconsistentChainPermissions",
        "INCONSISTENT_CHAIN",
    ),
    ("spduCryptoVerificationFailure", "FALSE_SIGNATURE"),
    (
        "spduConsistencyFutureCertificateAtGenerationTime",
        "INVALID_CERTIFICATE",
    ),
    (
        "spduConsistencyExpiredCertificateAtGenerationTime",
        "INVALID_CERTIFICATE",
    ),
    ("spduConsistencyExpiryDateTooEarly", "INVALID_TIMESTAMP"),
    ("spduConsistencyExpiryDateTooLate", "INVALID_TIMESTAMP"),
    (
        "spduConsistencyGenerationLocationOutsideValidityRegion",
        "INVALID_MOBILITY_DATA",
    ),
    (
        "spduConsistencyNoGenerationLocation",
        "INVALID_MOBILITY_DATA",
    ),
    ("spduConsistencyUnauthorizedPSID", "INVALID_CERTIFICATE"),
    (
        "spduInternalConsistencyExpiryTimeBeforeGenerationTime",
        "INVALID_TIMESTAMP",
    ),
    (
        "spduInternalConsistencyextDataHashDoesntMatch",
        "FALSE_SIGNATURE",
    ),
    (
        "spduInternalConsistencynoExtDataHashProvided",
        "INCOMPATIBLE_PROTOCOL",
    ),
    (
        "spduInternalConsistencynoExtDataHashPresent",
        "INCOMPATIBLE_PROTOCOL",
    ),
    (
        "spduLocalConsistencyPSIDsDontMatch",
        "INCOMPATIBLE_PROTOCOL",
    ),
    (
        "spduLocalConsistencyChainWasTooLongForSDEE",
        "INCONSISTENT_CHAIN",
    ),
    (
        "spduRelevanceGenerationTimeTooFarInPast",
        "INVALID_TIMESTAMP",
    ),
    (
        "spduRelevanceGenerationTimeTooFarInFuture",
        "INVALID_TIMESTAMP",
    ),
    ("spduRelevanceExpiryTimeInPast", "INVALID_TIMESTAMP"),
    (
        "spduRelevanceGenerationLocationTooDistant",
        "INVALID_MOBILITY_DATA",
    ),
    ("spduRelevanceReplayedSpdu", "DUPLICATE_MESSAGE"),
    ("spduCertificateExpired", "INVALID_CERTIFICATE"),
    ("unknown", "INCOMPATIBLE_PROTOCOL"),
];

#[test]
fn every_result_code_has_its_report_and_number() {
    assert_eq!(ResultCode::ALL.len(), TABLE.len());
    for (number, (code, (name, report))) in ResultCode::ALL.iter().zip(TABLE).enumerate() {
        assert_eq!((*code as usize, code.name()), (number, name));
        assert_eq!(Report::of_code(*code).name(), report, "{name}");
    }
}

#[test]
fn reports_have_their_own_numbers_and_names() {
    let names: BTreeSet<_> = Report::ALL.iter().map(|one| one.name()).collect();
    assert_eq!(names.len(), Report::ALL.len());
    for (number, report) in Report::ALL.iter().enumerate() {
        assert_eq!(*report as usize, number);
    }
}

#[test]
fn reports_tell_more_apart_where_the_refusal_does() {
    let report = |code, field, certificate| {
        Report::of(&Refusal {
            code,
            certificate,
            field,
            reason: Reason::Words(""),
        })
    };
    let certificate = Some(HashedId8([1; 8]));
    for (code, field, certificate, expected) in [
        (
            ResultCode::InconsistentInputParameters,
            "content",
            None,
            Report::UnsignedMessage,
        ),
        (
            ResultCode::InconsistentInputParameters,
            "signer",
            None,
            Report::UnsupportedSignerIdentifierType,
        ),
        (
            ResultCode::InconsistentInputParameters,
            "pduFunctionalType",
            None,
            Report::IncompatibleProtocol,
        ),
        (
            ResultCode::CryptoVerificationFailure,
            "signature",
            None,
            Report::FalseSignature,
        ),
        (
            ResultCode::CryptoVerificationFailure,
            "signature",
            certificate,
            Report::InvalidCertificate,
        ),
        (
            ResultCode::ParsingInvalidInput,
            "id",
            certificate,
            Report::InvalidCertificate,
        ),
        (
            ResultCode::ChainCertificateRevoked,
            "",
            certificate,
            Report::RevokedCertificate,
        ),
    ] {
        assert_eq!(report(code, field, certificate), expected, "{code} {field}");
    }
}
