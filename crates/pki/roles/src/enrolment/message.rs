//! Signing, encryption and opening of messages \[TS 102 941 §6.2.3\], \[TS 103 097 §7.1.4\].

use core::fmt;

use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore, Nonce, NonceForm, SoftwareStore};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_signing::{
    Credential, DecryptError, Decrypted, DecryptionKeys, EncryptError, PayloadToSign, Recipient,
    Seed, SignError, SignerForm, SigningOptions, UnsignedMessage, decrypt_with_key, encrypt_under,
    encrypt_with_key, sign, sign_for_oneself,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{EtsiTs102941Data, EtsiTs102941DataContent};
use waywarden_v2x_wire::etsi103097::{
    Deviation, MessageProfile, check_signed, its_aid::CERTIFICATE_REQUEST,
};
use waywarden_v2x_wire::ieee1609dot2::{
    HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignedData, Time64,
};
use waywarden_v2x_wire::{EmitError, WireError};
use zeroize::Zeroizing;

use crate::error::IssueError;
use crate::seeds::Seeds;

/// The key of a request, under which the response is encrypted, too.
pub(super) type MessageKey = Zeroizing<[u8; 16]>;

/// Bounds on messages that come. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnrolmentLimits {
    /// Maximum length of a message, in bytes.
    pub length_max: usize,
    /// A message that was made longer ago is refused. An [`AnswerStore`](super::AnswerStore) keeps
    /// answers at least for this long.
    pub past: u64,
    /// A message that was made later than so long after now is refused: clocks differ.
    pub future: u64,
}

impl EnrolmentLimits {
    /// 8 KiB, ten minutes and two seconds. A request has less than 2 KiB; the times are those of
    /// the receiver's profile for certificate requests.
    pub const DEFAULT: Self = Self {
        length_max: 8_192,
        past: 600_000_000,
        future: 2_000_000,
    };
}

/// Faults of a message, whatever it asks or answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFault {
    /// It is longer than [`EnrolmentLimits::length_max`].
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// It is not encrypted to exactly one recipient.
    Recipients(usize),
    /// It cannot be decrypted.
    Encryption(DecryptError),
    /// A structure in it cannot be read.
    Parse(WireError),
    /// It has something else in place of this.
    Content(&'static str),
    /// It is signed for another application than 623.
    Application(Psid),
    /// It deviates from the profile of TS 103 097.
    Profile(Deviation),
    /// It was made too long ago, or in the future.
    OutOfSync {
        /// Generation time of the message.
        made: Time64,
        /// Time of reception.
        now: Time64,
    },
}

impl From<WireError> for MessageFault {
    fn from(error: WireError) -> Self {
        Self::Parse(error)
    }
}

impl From<DecryptError> for MessageFault {
    fn from(error: DecryptError) -> Self {
        Self::Encryption(error)
    }
}

impl fmt::Display for MessageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { length } => write!(f, "{length} bytes are too long"),
            Self::Recipients(count) => write!(f, "recipients: {count}, and 1 is expected"),
            Self::Encryption(error) => error.fmt(f),
            Self::Parse(error) => error.fmt(f),
            Self::Content(what) => write!(f, "content: not {what}"),
            Self::Application(psid) => write!(f, "psid: {}, and 623 is expected", psid.0),
            Self::Profile(deviation) => deviation.fmt(f),
            Self::OutOfSync { made, now } if made > now => {
                f.write_str("generationTime: in the future")
            }
            Self::OutOfSync { .. } => f.write_str("generationTime: too long ago"),
        }
    }
}

impl core::error::Error for MessageFault {}

/// Reason why a message is not made.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageError {
    /// The requested contents of a certificate cannot be written.
    Contents(IssueError),
    /// It cannot be written.
    Emit(EmitError),
    /// It cannot be signed.
    Sign(SignError),
    /// It cannot be encrypted.
    Encrypt(EncryptError),
    /// The store of keys cannot.
    Key(KeyError),
    /// A certificate that was verified cannot be read.
    Certificate(WireError),
    /// The parts of a response do not go together.
    Response(&'static str),
}

macro_rules! from {
    ($($source:ty => $variant:ident;)*) => {$(
        impl From<$source> for MessageError {
            fn from(error: $source) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

from! {
    IssueError => Contents;
    EmitError => Emit;
    SignError => Sign;
    EncryptError => Encrypt;
    KeyError => Key;
    WireError => Certificate;
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contents(error) => error.fmt(f),
            Self::Emit(error) => error.fmt(f),
            Self::Sign(error) => error.fmt(f),
            Self::Encrypt(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
            Self::Certificate(error) => error.fmt(f),
            Self::Response(why) => f.write_str(why),
        }
    }
}

impl core::error::Error for MessageError {}

/// Signer of a message.
#[derive(Clone, Copy)]
pub(super) enum Signer<'s> {
    /// A key without a certificate.
    OwnKey(KeyHandle),
    /// The holder of a certificate, which the message names by its hash.
    Credential(&'s Credential),
}

/// Signs a payload with the header that all these messages have.
pub(super) fn sign_payload<S: KeyStore + ?Sized>(
    store: &mut S,
    signer: Signer<'_>,
    payload: PayloadToSign<'_>,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Vec<u8>, MessageError> {
    let nonce = seeds.next();
    let message = UnsignedMessage {
        payload,
        header: HeaderInfo {
            generation_time: Some(now),
            ..HeaderInfo::new(CERTIFICATE_REQUEST)
        },
    };
    let options = SigningOptions {
        signer: SignerForm::Digest,
        // Each is verified alone, and x-coordinates are what all receivers take.
        form: NonceForm::XOnly,
        nonce: Nonce::Hedged { entropy: &nonce },
    };
    Ok(match signer {
        Signer::OwnKey(key) => sign_for_oneself(store, key, &message, &options)?,
        Signer::Credential(credential) => sign(store, credential, &message, &options)?,
    })
}

/// Encrypts a request to an authority under a key of the caller's.
pub(super) fn seal_to(
    recipient: &Recipient,
    key: &MessageKey,
    data: &[u8],
    seeds: &mut Seeds,
) -> Result<Vec<u8>, MessageError> {
    // Ephemeral keys live for the call; the caller's store may be small, or slow.
    let mut store = SoftwareStore::<1>::new();
    let seed = Seed::new(*seeds.next());
    let recipients = core::slice::from_ref(recipient);
    Ok(encrypt_with_key(&mut store, recipients, key, data, &seed)?)
}

/// Encrypts a response under the key of its request.
pub(super) fn seal_under(
    key: &MessageKey,
    data: &[u8],
    seeds: &mut Seeds,
) -> Result<Vec<u8>, MessageError> {
    Ok(encrypt_under(key, data, &Seed::new(*seeds.next()))?)
}

/// Makes a key for a request and its response.
pub(super) fn message_key(seeds: &mut Seeds) -> MessageKey {
    Seed::new(*seeds.next()).derive("request key", 0)
}

/// The bytes of a request whose hash is the `requestHash` of its response.
///
/// TS 102 941 speaks of the signed data in the request. The implementations that were found hash
/// the whole message instead, as it was sent. Stations take either; an authority answers with one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestHashOf {
    /// The signed data, before it is encrypted. Of an authorization request without a proof of
    /// possession, which is not signed, the unsecured data in its place.
    #[default]
    SignedData,
    /// The encrypted message.
    Message,
}

/// The hashes of a request.
#[derive(Clone, Copy)]
pub(super) struct RequestHashes {
    /// Hash by which it is remembered: encrypted again it is the same request.
    pub(super) remembered: [u8; 32],
    /// Hash whose first half is in the response.
    pub(super) answered: [u8; 32],
}

impl RequestHashOf {
    /// Returns the hashes of a request, of which `data` is what was encrypted.
    pub(super) fn hashes(self, message: &[u8], data: &[u8]) -> RequestHashes {
        let remembered = request_hash(data);
        RequestHashes {
            remembered,
            answered: match self {
                Self::SignedData => remembered,
                Self::Message => request_hash(message),
            },
        }
    }
}

/// Returns the SHA-256 of a request.
pub(super) fn request_hash(data: &[u8]) -> [u8; 32] {
    let digest = hash(HashFunction::Sha256, data);
    let mut hash = [0; 32];
    hash.copy_from_slice(digest.as_bytes());
    hash
}

/// Returns the half of a request's hash that is in its response.
pub(super) fn first_half(hash: &[u8; 32]) -> &[u8; 16] {
    let half = hash.first_chunk();
    half.expect("32 bytes have 16 first ones")
}

/// Decrypts a message.
pub(super) fn open<S: KeyStore + ?Sized>(
    store: &mut S,
    keys: &DecryptionKeys,
    message: &[u8],
    limits: &EnrolmentLimits,
) -> Result<Decrypted, MessageFault> {
    if message.len() > limits.length_max {
        let length = message.len();
        return Err(MessageFault::TooLong { length });
    }
    let data: Ieee1609Dot2Data<'_> = parse(message)?;
    if let Ieee1609Dot2Content::Encrypted(data) = &data.content
        && data.recipients.len() != 1
    {
        return Err(MessageFault::Recipients(data.recipients.len()));
    }
    Ok(decrypt_with_key(store, keys, message)?)
}

/// Reads data that must be signed, for the application of these messages, by their profile, now.
pub(super) fn read_signed<'m>(
    data: &Ieee1609Dot2Data<'m>,
    now: Time64,
    limits: &EnrolmentLimits,
) -> Result<SignedData<'m>, MessageFault> {
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        return Err(MessageFault::Content("signedData"));
    };
    let header = &signed.tbs_data.header_info;
    if header.psid != CERTIFICATE_REQUEST {
        return Err(MessageFault::Application(header.psid));
    }
    let mut first = None;
    check_signed(&signed, MessageProfile::Management, &mut |deviation| {
        first.get_or_insert(deviation);
    });
    if let Some(deviation) = first {
        return Err(MessageFault::Profile(deviation));
    }
    let made = generation_time(&signed);
    let earliest = now.0.saturating_sub(limits.past);
    let latest = now.0.saturating_add(limits.future);
    match (earliest..=latest).contains(&made.0) {
        true => Ok(signed),
        false => Err(MessageFault::OutOfSync { made, now }),
    }
}

/// Returns when signed data was made, which the profile demands to be there.
pub(super) fn generation_time(signed: &SignedData<'_>) -> Time64 {
    let header = &signed.tbs_data.header_info;
    header.generation_time.unwrap_or(Time64(0))
}

/// Returns the octets that signed data carries.
pub(super) fn payload<'m>(signed: &SignedData<'m>) -> Result<&'m [u8], MessageFault> {
    let payload = &signed.tbs_data.payload;
    match (&payload.data, &payload.external_hash) {
        (Some(data), None) => unsecured(&data.view()?),
        _ => Err(MessageFault::Content("a payload of data alone")),
    }
}

/// Returns the octets of unsecured data.
pub(super) fn unsecured<'m>(data: &Ieee1609Dot2Data<'m>) -> Result<&'m [u8], MessageFault> {
    match data.content {
        Ieee1609Dot2Content::Unsecured(bytes) => Ok(bytes),
        _ => Err(MessageFault::Content("unsecuredData")),
    }
}

/// Reads what a message carries.
pub(super) fn content(payload: &[u8]) -> Result<EtsiTs102941DataContent<'_>, MessageFault> {
    let data: EtsiTs102941Data<'_> = parse(payload)?;
    Ok(data.content)
}
