//! Routes of requests, by method and path.

use hyper::Method;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

/// The content type of a request \[TS 102 941 §6.2\].
pub const REQUEST_TYPE: &str = "application/x-its-request";

/// The content type of a response \[TS 102 941 §6.2\].
pub const RESPONSE_TYPE: &str = "application/x-its-response";

/// The endpoint to which a request is posted. The standard leaves the paths to the trust list,
/// which names a URL for each authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Of a station to the enrolment authority: `/enrolment`.
    Enrolment,
    /// Of a station to the authorization authority: `/authorization`.
    Authorization,
    /// Of the authorization authority to the enrolment authority: `/validation`.
    Validation,
}

impl Endpoint {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Enrolment, Self::Authorization, Self::Validation];

    /// Returns the path.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Enrolment => "/enrolment",
            Self::Authorization => "/authorization",
            Self::Validation => "/validation",
        }
    }
}

/// A public document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublicDocument {
    /// The certificates of the PKI's authorities, one after the other: `/certificates`.
    Certificates,
    /// The trust list of a root authority: `/getctl/HASHEDID8` \[TS 102 941, Annex D\].
    TrustList(HashedId8),
    /// The revocation list of a root authority: `/getcrl/HASHEDID8` \[TS 102 941, Annex D\].
    RevocationList(HashedId8),
}

impl PublicDocument {
    /// Returns its content type; those of lists are of TS 102 941, Annex D.
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Certificates => "application/octet-stream",
            Self::TrustList(_) => "application/x-its-ctl",
            Self::RevocationList(_) => "application/x-its-crl",
        }
    }
}

/// The route of a method and a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Post(Endpoint),
    Get(PublicDocument),
    /// The path is known, and takes another method.
    Method(&'static str),
    Unknown,
}

impl Route {
    /// A path may begin with two slashes: where a URL ends in one, clients that add a path make it
    /// so.
    pub(super) fn of(method: &Method, path: &str) -> Self {
        let path = match path.strip_prefix("//") {
            Some(_) => &path[1..],
            None => path,
        };
        if let Some(endpoint) = Endpoint::ALL.into_iter().find(|one| one.path() == path) {
            return match *method == Method::POST {
                true => Self::Post(endpoint),
                false => Self::Method("POST"),
            };
        }
        match (document(path), *method == Method::GET) {
            (Some(document), true) => Self::Get(document),
            (Some(_), false) => Self::Method("GET"),
            (None, _) => Self::Unknown,
        }
    }
}

fn document(path: &str) -> Option<PublicDocument> {
    if path == "/certificates" {
        return Some(PublicDocument::Certificates);
    }
    let list = |start: &str| path.strip_prefix(start).and_then(id);
    let trust = list("/getctl/").map(PublicDocument::TrustList);
    trust.or_else(|| list("/getcrl/").map(PublicDocument::RevocationList))
}

/// Reads a HashedId8 of 16 hexadecimal digits.
fn id(text: &str) -> Option<HashedId8> {
    let is_hexadecimal = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u64::from_str_radix(text, 16).ok();
    number
        .filter(|_| is_hexadecimal)
        .map(|number| HashedId8(number.to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_exact() {
        let id = HashedId8([0xBA, 0x23, 0xFB, 0xBE, 0xB9, 0x38, 0x8F, 0xAA]);
        for (method, path, expected) in [
            (Method::POST, "/enrolment", Route::Post(Endpoint::Enrolment)),
            (
                Method::POST,
                "/validation",
                Route::Post(Endpoint::Validation),
            ),
            (Method::GET, "/enrolment", Route::Method("POST")),
            (
                Method::GET,
                "/certificates",
                Route::Get(PublicDocument::Certificates),
            ),
            (Method::POST, "/certificates", Route::Method("GET")),
            (
                Method::GET,
                "/getctl/BA23FBBEB9388FAA",
                Route::Get(PublicDocument::TrustList(id)),
            ),
            (
                Method::GET,
                "/getcrl/ba23fbbeb9388faa",
                Route::Get(PublicDocument::RevocationList(id)),
            ),
            (
                Method::GET,
                "//getctl/BA23FBBEB9388FAA",
                Route::Get(PublicDocument::TrustList(id)),
            ),
            (Method::GET, "///getctl/BA23FBBEB9388FAA", Route::Unknown),
            (Method::GET, "/getcrl/BA23FBBEB9388FA", Route::Unknown),
            (Method::GET, "/getcrl/+A23FBBEB9388FAA", Route::Unknown),
            (Method::GET, "/getcrl/../../keys/a.p8", Route::Unknown),
            (Method::POST, "/enrolment/", Route::Unknown),
            (Method::GET, "/", Route::Unknown),
            (Method::GET, "", Route::Unknown),
        ] {
            assert_eq!(Route::of(&method, path), expected, "{method} {path}");
        }
    }
}
