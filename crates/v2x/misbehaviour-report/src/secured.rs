//! Reports signed, encrypted to the authority, and opened and verified by it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use waywarden_v2x_keys::{KeyStore, NonceForm};
use waywarden_v2x_security::{Refusal, Verified, Verifier, verify_signature_by};
use waywarden_v2x_signing::{
    Credential, DecryptError, Decrypted, DecryptionKeys, EncryptError, PayloadToSign, Recipient,
    Seed, SignError, SignerForm, SigningOptions, UnsignedMessage, decrypt_with_key, encrypt, sign,
};
use waywarden_v2x_wire::coer::{NestedEncoding, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, SignerIdentifier,
};
use waywarden_v2x_wire::{EmitError, WireError};

use crate::draft::encrypted_report;
use crate::evidence::first_certificate;
use crate::layout::{PSID_MISBEHAVIOUR_REPORT, SaeJ3287Data, SaeJ3287Mbr};

/// Maximum length of a report, in bytes: some hundred messages with their certificates.
pub const REPORT_BYTES_MAX: usize = 65_536;

/// Error in the creation of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealError {
    /// The reporter's certificate or key.
    Sign(SignError),
    /// The authority's certificate.
    Encrypt(EncryptError),
    /// A report of more than [`REPORT_BYTES_MAX`] bytes.
    TooLong,
    /// A value that a report cannot have.
    Emit(EmitError),
}

/// Reason why a report counts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportRefusal {
    /// A report of more than [`REPORT_BYTES_MAX`] bytes.
    TooLong,
    /// The bytes are no report.
    Wire(WireError),
    /// The report is for other keys, or was changed.
    Decrypt(DecryptError),
    /// The report is not signed.
    NotSigned,
    /// The signature, or the reporter's certificate.
    Signature(Refusal),
    /// The reporter's certificate is not in the report and not known.
    UnknownReporter(HashedId8),
    /// The header names another application than misbehaviour reports.
    OtherApplication,
    /// The reporter's certificate does not permit misbehaviour reports.
    NotPermitted,
    /// The reporter's certificate is not valid at the time of the report.
    OutsideValidity,
}

/// A report with a valid signature.
#[derive(Clone, Debug)]
pub struct VerifiedReport<'m> {
    /// Certificate of the reporter.
    pub reporter: Arc<Verified>,
    /// The report.
    pub report: SaeJ3287Mbr<'m>,
    /// Encoded report, without the signature.
    pub bytes: &'m [u8],
}

/// Signs an encoded report under PSID 38, with the certificate in it. As in recorded reports the
/// header has no time: the report has one.
///
/// # Errors
/// [`SealError::Sign`].
pub fn sign_report<S: KeyStore + ?Sized>(
    store: &mut S,
    credential: &Credential,
    report: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, SealError> {
    if report.len() > REPORT_BYTES_MAX {
        return Err(SealError::TooLong);
    }
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(report),
        header: HeaderInfo::new(PSID_MISBEHAVIOUR_REPORT),
    };
    let entropy = seed.derive::<32>("nonce of a misbehaviour report", 0);
    let options = SigningOptions {
        signer: SignerForm::Certificate,
        form: NonceForm::XOnly,
        nonce: store.capabilities(credential.curve()).nonce(&entropy),
    };
    sign(store, credential, &message, &options).map_err(SealError::Sign)
}

/// Encrypts a signed report to an authority, as it travels.
///
/// # Errors
/// [`SealError::Encrypt`], [`SealError::TooLong`].
pub fn encrypt_report<S: KeyStore + ?Sized>(
    store: &mut S,
    authority: &Recipient,
    signed: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, SealError> {
    let recipients = core::slice::from_ref(authority);
    let data = encrypt(store, recipients, signed, seed).map_err(SealError::Encrypt)?;
    let report = encrypted_report(&data).map_err(SealError::Emit)?;
    match report.len() > REPORT_BYTES_MAX {
        true => Err(SealError::TooLong),
        false => Ok(report),
    }
}

/// Opens a report: decrypts it if it is encrypted, and returns the signed data in it, which is not
/// verified. Costs one multiplication at most.
///
/// # Errors
/// [`ReportRefusal`].
pub fn open_report<S: KeyStore + ?Sized>(
    store: &mut S,
    keys: &DecryptionKeys,
    report: &[u8],
) -> Result<Vec<u8>, ReportRefusal> {
    if report.len() > REPORT_BYTES_MAX {
        return Err(ReportRefusal::TooLong);
    }
    match parse(report)? {
        SaeJ3287Data::Plaintext(_) => Err(ReportRefusal::NotSigned),
        SaeJ3287Data::Signed(NestedEncoding::Encoded(data)) => Ok(data.to_vec()),
        SaeJ3287Data::SignedThenEncrypted(NestedEncoding::Encoded(data)) => {
            let Decrypted { data, .. } =
                decrypt_with_key(store, keys, data).map_err(ReportRefusal::Decrypt)?;
            Ok(data.to_vec())
        }
        // Parts that were read are encoded: plaintext is left.
        _ => Err(ReportRefusal::NotSigned),
    }
}

/// Verifies a signed report: its signature, and a reporter's certificate that permits reports at
/// the time of this one. Its issuer must be known. The evidence is not looked at.
///
/// # Errors
/// [`ReportRefusal`].
pub fn verify_report<'m>(
    verifier: &Verifier,
    signed: &'m [u8],
) -> Result<VerifiedReport<'m>, ReportRefusal> {
    let data: Ieee1609Dot2Data<'m> = parse(signed)?;
    let Ieee1609Dot2Content::Signed(data) = data.content else {
        return Err(ReportRefusal::NotSigned);
    };
    let header = &data.tbs_data.header_info;
    if header.psid != PSID_MISBEHAVIOUR_REPORT {
        return Err(ReportRefusal::OtherApplication);
    }
    let payload = data.tbs_data.payload.data.as_ref();
    let payload = payload.ok_or(ReportRefusal::NotSigned)?.view()?;
    let Ieee1609Dot2Content::Unsecured(bytes) = payload.content else {
        return Err(ReportRefusal::NotSigned);
    };
    let report: SaeJ3287Mbr<'m> = parse(bytes)?;
    let reporter = match &data.signer {
        SignerIdentifier::Digest(id) => {
            let found = verifier.store().find(*id).cloned();
            found.ok_or(ReportRefusal::UnknownReporter(*id))?
        }
        other => {
            let bytes = first_certificate(other).ok_or(ReportRefusal::NotSigned)?;
            let verified = verifier.verify_certificate(bytes);
            verified.map_err(ReportRefusal::Signature)?
        }
    };
    verify_signature_by(&data, &reporter).map_err(ReportRefusal::Signature)?;
    if !permits_reports(&reporter) {
        return Err(ReportRefusal::NotPermitted);
    }
    let (start, end) = reporter.validity();
    if !(start..end).contains(&report.generation_time) {
        return Err(ReportRefusal::OutsideValidity);
    }
    Ok(VerifiedReport {
        reporter,
        report,
        bytes,
    })
}

fn permits_reports(reporter: &Verified) -> bool {
    let Ok(view) = reporter.view() else {
        return false;
    };
    let mut permissions = view.to_be_signed.app_permissions.iter().flatten().flatten();
    permissions.any(|one| one.psid == PSID_MISBEHAVIOUR_REPORT)
}

impl From<WireError> for ReportRefusal {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sign(error) => error.fmt(f),
            Self::Encrypt(error) => error.fmt(f),
            Self::TooLong => write!(f, "a report of more than {REPORT_BYTES_MAX} bytes"),
            Self::Emit(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for ReportRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "a report of more than {REPORT_BYTES_MAX} bytes"),
            Self::Wire(error) => write!(f, "no misbehaviour report: {error}"),
            Self::Decrypt(error) => error.fmt(f),
            Self::NotSigned => f.write_str("the report is not signed"),
            Self::Signature(refusal) => refusal.fmt(f),
            Self::UnknownReporter(id) => {
                f.write_str("the reporter's certificate ")?;
                id.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str(" is not known")
            }
            Self::OtherApplication => f.write_str("psid: not 38, that of misbehaviour reports"),
            Self::NotPermitted => f.write_str(
                "appPermissions: the reporter's certificate does not permit misbehaviour reports \
                 (PSID 38)",
            ),
            Self::OutsideValidity => f.write_str(
                "generationTime: the reporter's certificate is not valid at the time of the report",
            ),
        }
    }
}

impl core::error::Error for SealError {}
impl core::error::Error for ReportRefusal {}
