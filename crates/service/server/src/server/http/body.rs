//! The JSON bodies of HTTP requests and responses.
//!
//! Octets are in base64 here, as jpo-ode and the signing services behind it have them.

use base64ct::{Base64, Encoding as _};
use serde::{Deserialize, Deserializer, Serialize, de};
use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use waywarden_v2x_service_protocol::verdict::Verification;
use waywarden_v2x_service_protocol::{ExhaustedShare, RefusedRequest, Status, json};

/// The body of `POST /sign`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SignBody {
    /// The payload.
    pub(super) message: Octets,
    /// Validity of the message in seconds; not above 0: that of the profile.
    #[serde(default)]
    pub(super) sig_validity_override: Seconds,
    /// The application: ours.
    #[serde(default)]
    pub(super) psid: Option<u64>,
    /// The kind of message: V2X-Hub's.
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
}

/// The JSON body of `POST /verify`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct VerifyBody {
    /// The message.
    pub(super) message: Octets,
    /// The application that it is for.
    #[serde(default)]
    pub(super) psid: Option<u64>,
    /// True if the verdict reports the payload check whatever its result.
    #[serde(default)]
    pub(super) payload_check: bool,
}

/// Octets in base64.
pub(super) struct Octets(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Base64::decode_vec(&text)
            .map(Self)
            .map_err(|_| de::Error::custom("base64 with padding is expected"))
    }
}

/// Seconds as a number or, as jpo-security-svcs sends them on, as a text.
#[derive(Default)]
pub(super) struct Seconds(pub(super) i64);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(i64),
            Text(String),
        }
        let wrong = || de::Error::custom("sigValidityOverride: a number of seconds is expected");
        match Form::deserialize(deserializer).map_err(|_| wrong())? {
            Form::Number(seconds) => Ok(Self(seconds)),
            Form::Text(text) => text.trim().parse().map(Self).map_err(|_| wrong()),
        }
    }
}

/// The answer of `POST /sign`: under the names of the signing service behind jpo-security-svcs, and
/// under those of jpo-security-svcs itself.
#[derive(Serialize)]
struct Signed {
    #[serde(rename = "message-signed")]
    message: String,
    #[serde(rename = "message-expiry")]
    expiry: Option<i64>,
    #[serde(rename = "messageSigned")]
    message_again: String,
    #[serde(rename = "messageExpiry")]
    expiry_again: String,
    /// The name of V2X-Hub, for requests with a type.
    #[serde(rename = "signedMessage", skip_serializing_if = "Option::is_none")]
    message_of_type: Option<String>,
}

/// The answer of `POST /verify`.
#[derive(Serialize)]
struct Verified {
    verification: json::JsonVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<String>,
}

/// The answer to a request that is refused.
#[derive(Serialize)]
struct Refusal<'a> {
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<&'a str>,
    reason: &'a str,
    /// The HTTP status, and the reason again: V2X-Hub finds a refusal by them.
    code: u16,
    message: &'a str,
}

/// Reads a body.
pub(super) fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, RefusedRequest> {
    // serde would take an array for an object as well.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(RefusedRequest::new(
            Status::Malformed,
            "a JSON object is expected",
        ));
    }
    serde_json::from_slice(body)
        .map_err(|error| RefusedRequest::new(Status::Malformed, error.to_string()))
}

/// Writes what was signed, for a request with a type or without. The expiry is in seconds since
/// 1970 UTC.
pub(super) fn signed(
    message: &[u8],
    expires: Time64,
    is_typed: bool,
) -> Result<Vec<u8>, RefusedRequest> {
    let message = Base64::encode_string(message);
    let expiry = to_unix(expires).map(|microseconds| microseconds.div_euclid(1_000_000));
    write(&Signed {
        message: message.clone(),
        expiry,
        message_of_type: is_typed.then(|| message.clone()),
        message_again: message,
        expiry_again: expiry.map_or_else(|| "null".to_owned(), |seconds| seconds.to_string()),
    })
}

/// Writes a verdict, with the payload in base64 beside it.
pub(super) fn verified(mut verification: Verification) -> Result<Vec<u8>, RefusedRequest> {
    let payload = verification.payload.take();
    write(&Verified {
        verification: json::JsonVerdict::from(&verification),
        payload: payload.map(|payload| Base64::encode_string(&payload)),
    })
}

/// Writes a refusal.
pub(super) fn refused(refused: &RefusedRequest, code: u16) -> Vec<u8> {
    let refusal = Refusal {
        status: refused.status.name(),
        share: refused.share.map(ExhaustedShare::name),
        reason: &refused.reason,
        code,
        message: &refused.reason,
    };
    write(&refusal).unwrap_or_default()
}

fn write(body: &impl Serialize) -> Result<Vec<u8>, RefusedRequest> {
    serde_json::to_vec(body)
        .map_err(|error| RefusedRequest::new(Status::Internal, error.to_string()))
}
