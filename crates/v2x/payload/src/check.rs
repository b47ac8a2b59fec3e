//! The check itself, and its result.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use waywarden_v2x_security::Accepted;
use waywarden_v2x_security::region::{Borders, contains};
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::application::application_name;
use waywarden_v2x_wire::ieee1609dot2::{
    GeographicRegion, Ieee1609Dot2Content, Psid, ServiceSpecificPermissions,
};

use crate::content::{Content, Needs, Place, StationContainer, Unread, read};
use crate::ssp::SspBits;

/// A signed payload with the permissions and region of its certificate.
#[derive(Clone, Copy, Debug)]
pub struct SignedPayload<'a> {
    /// Application of the header.
    pub psid: Psid,
    /// Payload; `None` if the message does not carry it in the clear.
    pub payload: Option<&'a [u8]>,
    /// Permissions of the signer in this application; `None` if its certificate has no SSP.
    pub ssp: Option<ServiceSpecificPermissions<'a>>,
    /// Region of the certificate; `None` if it is valid everywhere.
    pub region: Option<GeographicRegion<'a>>,
    /// True if the header has a generation location, which verification has compared.
    pub has_generation_location: bool,
}

/// A property of a payload that a certificate or a standard binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The message is of the application that the header names.
    Application,
    /// The message's place lies in the certificate's region.
    Place,
    /// The certificate's SSP permits the content.
    Permissions,
    /// The station type fits the container.
    StationType,
}

impl Subject {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 4] = [
        Self::Application,
        Self::Place,
        Self::Permissions,
        Self::StationType,
    ];

    /// Returns its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Place => "place",
            Self::Permissions => "permissions",
            Self::StationType => "station-type",
        }
    }
}

/// Reason for not checking. As text it is a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotChecked {
    /// The message does not carry its payload in the clear.
    NoPayload,
    /// The application has no rules here.
    NoRules,
    /// The payload is another kind of message.
    OtherMessage,
    /// The payload is not readable.
    Unreadable(WireError),
    /// The header has a generation location, which verification has compared.
    LocationInHeader,
    /// The certificate is valid everywhere.
    NoRegion,
    /// The message does not know its place.
    NoPlace,
    /// Borders of the region are not known.
    UnknownBorders,
    /// The certificate has no SSP for the application.
    NoSsp,
    /// The SSP has a version or a form that is not known.
    UnknownSsp(Option<u8>),
    /// No bit of this version of the SSP stands for the cause.
    CauseWithoutBit(u8),
    /// The CAM has containers that are not read.
    UnknownContainers,
    /// The station does not know its type.
    UnknownStationType,
}

impl fmt::Display for NotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPayload => f.write_str("the message does not carry its payload in the clear"),
            Self::NoRules => f.write_str("no rule is known for this application"),
            Self::OtherMessage => f.write_str("the payload is another kind of message"),
            Self::Unreadable(error) => write!(f, "the payload cannot be read: {error}"),
            Self::LocationInHeader => {
                f.write_str("the header's generation location was compared instead")
            }
            Self::NoRegion => f.write_str("the certificate is valid everywhere"),
            Self::NoPlace => f.write_str("the message does not know its place"),
            Self::UnknownBorders => f.write_str("borders of the certificate's region are unknown"),
            Self::NoSsp => f.write_str("the certificate has no SSP for the application"),
            Self::UnknownSsp(Some(version)) => write!(f, "SSP version {version} is unknown"),
            Self::UnknownSsp(None) => f.write_str("the form of the SSP is unknown"),
            Self::CauseWithoutBit(cause) => write!(f, "the SSP has no bit for cause {cause}"),
            Self::UnknownContainers => f.write_str("the message has containers of a later version"),
            Self::UnknownStationType => f.write_str("the station type is unknown"),
        }
    }
}

/// Contradiction between a payload and its certificate. As text it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadContradiction {
    /// A message of another application than the header names.
    OtherApplication(Psid),
    /// A place outside of the certificate's region, in tenths of a microdegree.
    OutsideRegion(i32, i32),
    /// A part of a CAM that the SSP does not permit, by the name of its bit.
    CamNotPermitted(&'static str),
    /// A cause of a DENM that the SSP does not permit, with the name of its bit.
    CauseNotPermitted(u8, &'static str),
    /// A roadside unit with a vehicle's container, or the reverse.
    StationType,
}

impl PayloadContradiction {
    /// Returns the property that is at fault.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::OtherApplication(_) => Subject::Application,
            Self::OutsideRegion(..) => Subject::Place,
            Self::CamNotPermitted(_) | Self::CauseNotPermitted(..) => Subject::Permissions,
            Self::StationType => Subject::StationType,
        }
    }
}

impl fmt::Display for PayloadContradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherApplication(psid) => {
                let name = application_name(*psid).unwrap_or("message");
                write!(f, "{name} under another application's PSID")
            }
            Self::OutsideRegion(latitude, longitude) => {
                let degrees = |tenths: i32| f64::from(tenths) / 1e7;
                let (north, east) = (degrees(*latitude), degrees(*longitude));
                write!(
                    f,
                    "the place {north:.7}, {east:.7} is outside the certificate's region"
                )
            }
            Self::CamNotPermitted(bit) => write!(f, "the SSP does not permit {bit}"),
            Self::CauseNotPermitted(cause, bit) => {
                write!(f, "the SSP does not permit cause {cause}, {bit}")
            }
            Self::StationType => f.write_str("the container is not that of the station type"),
        }
    }
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PayloadCheck {
    /// Properties that were compared; those of failures, too.
    pub checked: Vec<Subject>,
    /// Properties that were not compared, and why.
    pub not_checked: Vec<(Subject, NotChecked)>,
    /// Contradictions.
    pub failures: Vec<PayloadContradiction>,
}

impl PayloadCheck {
    /// Returns `failed`, `passed`, or `not-checked` if nothing could be compared.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (self.failures.is_empty(), self.checked.is_empty()) {
            (false, _) => "failed",
            (true, false) => "passed",
            (true, true) => "not-checked",
        }
    }

    /// Returns the failures as text; `None` if there are none.
    #[must_use]
    pub fn failure_text(&self) -> Option<String> {
        let failures: Vec<String> = self
            .failures
            .iter()
            .map(PayloadContradiction::to_string)
            .collect();
        (!failures.is_empty()).then(|| failures.join("; "))
    }

    fn compared(&mut self, subject: Subject, failure: Option<PayloadContradiction>) {
        self.checked.push(subject);
        self.failures.extend(failure);
    }

    fn skipped(&mut self, subject: Subject, why: NotChecked) {
        self.not_checked.push((subject, why));
    }
}

/// Text for people: `checked application, place; not checked: permissions (why)`.
impl fmt::Display for PayloadCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for failure in &self.failures {
            write!(f, "{between}{failure}")?;
            between = "; ";
        }
        for (at, subject) in self.checked.iter().enumerate() {
            let before = if at == 0 { "checked " } else { "" };
            write!(f, "{between}{before}{}", subject.name())?;
            between = ", ";
        }
        if !self.checked.is_empty() {
            between = "; ";
        }
        for (subject, why) in &self.not_checked {
            write!(f, "{between}{} not checked: {why}", subject.name())?;
            between = "; ";
        }
        Ok(())
    }
}

/// Checks the payload of an accepted message.
#[must_use]
pub fn check_accepted(accepted: &Accepted<'_>, borders: &dyn Borders) -> PayloadCheck {
    let tbs = &accepted.data.tbs_data;
    let data = tbs.payload.data.as_ref().and_then(|data| data.view().ok());
    let payload = data.and_then(|data| match data.content {
        Ieee1609Dot2Content::Unsecured(bytes) => Some(bytes),
        _ => None,
    });
    let signed = SignedPayload {
        psid: tbs.header_info.psid,
        payload,
        ssp: accepted.permissions(),
        region: accepted.signer.region(),
        has_generation_location: tbs.header_info.generation_location.is_some(),
    };
    check(&signed, borders)
}

/// Checks a payload against its certificate. Linear in its length.
#[must_use]
pub fn check(signed: &SignedPayload<'_>, borders: &dyn Borders) -> PayloadCheck {
    let mut result = PayloadCheck::default();
    let content = match signed.payload {
        None => Err(NotChecked::NoPayload),
        Some(payload) => read(signed.psid, payload).map_err(|unread| match unread {
            Unread::Application => NotChecked::NoRules,
            Unread::Kind => NotChecked::OtherMessage,
            Unread::Error(error) => NotChecked::Unreadable(error),
        }),
    };
    match content {
        Err(why) => {
            result.skipped(Subject::Application, why);
            // Nothing compared the place then, neither here nor in verification.
            if signed.region.is_some() && !signed.has_generation_location {
                result.skipped(Subject::Place, why);
            }
        }
        Ok(content) => {
            let is_own = content.psid == signed.psid;
            let other = (!is_own).then_some(PayloadContradiction::OtherApplication(content.psid));
            result.compared(Subject::Application, other);
            check_place(signed, &content, borders, &mut result);
            // The SSP is of the header's application and says nothing of another one.
            if is_own {
                check_permissions(signed.ssp.as_ref(), &content.needs, &mut result);
            }
            match content.station {
                StationContainer::Absent => {}
                StationContainer::OfUnknownType => {
                    result.skipped(Subject::StationType, NotChecked::UnknownStationType);
                }
                StationContainer::OfType(fits) => {
                    let failure = (!fits).then_some(PayloadContradiction::StationType);
                    result.compared(Subject::StationType, failure);
                }
            }
        }
    }
    result
}

fn check_place(
    signed: &SignedPayload<'_>,
    content: &Content,
    borders: &dyn Borders,
    result: &mut PayloadCheck,
) {
    let why = match (&signed.region, content.place) {
        _ if signed.has_generation_location => NotChecked::LocationInHeader,
        (None, _) => NotChecked::NoRegion,
        (_, Place::Unknown) => NotChecked::NoPlace,
        (_, Place::Unread) => NotChecked::NoRules,
        (Some(region), Place::Known(place)) => match contains(region, &place, borders) {
            Some(inside) => {
                let outside =
                    PayloadContradiction::OutsideRegion(place.latitude.0, place.longitude.0);
                return result.compared(Subject::Place, (!inside).then_some(outside));
            }
            None => NotChecked::UnknownBorders,
        },
    };
    result.skipped(Subject::Place, why);
}

fn check_permissions(
    ssp: Option<&ServiceSpecificPermissions<'_>>,
    needs: &Needs,
    result: &mut PayloadCheck,
) {
    let bits = match (needs, ssp) {
        (Needs::Nothing, _) => Err(NotChecked::NoRules),
        (_, None) => Err(NotChecked::NoSsp),
        (_, Some(ssp)) => SspBits::of(ssp).ok_or(NotChecked::UnknownSsp(None)),
    };
    let compared = bits.and_then(|bits| match needs {
        Needs::Nothing => Err(NotChecked::NoRules),
        Needs::Cam(own, has_more) => cam_failures(bits, own, *has_more),
        Needs::Denm(cause) => denm_failures(bits, *cause),
    });
    match compared {
        Ok(failures) => {
            result.checked.push(Subject::Permissions);
            result.failures.extend(failures);
        }
        Err(why) => result.skipped(Subject::Permissions, why),
    }
}

fn cam_failures(
    bits: SspBits<'_>,
    needs: &[usize],
    has_more: bool,
) -> Result<Vec<PayloadContradiction>, NotChecked> {
    let names = bits.of_cam();
    let names = names.ok_or(NotChecked::UnknownSsp(bits.version()))?;
    let missing = needs.iter().filter(|bit| !bits.has(**bit));
    let missing = missing.filter_map(|bit| names.get(*bit));
    let failures: Vec<PayloadContradiction> = missing
        .map(|name| PayloadContradiction::CamNotPermitted(name))
        .collect();
    // A failure stands, whatever else the message has.
    match failures.is_empty() && has_more {
        true => Err(NotChecked::UnknownContainers),
        false => Ok(failures),
    }
}

fn denm_failures(
    bits: SspBits<'_>,
    cause: Option<u8>,
) -> Result<Vec<PayloadContradiction>, NotChecked> {
    let causes = bits.of_denm();
    let causes = causes.ok_or(NotChecked::UnknownSsp(bits.version()))?;
    let Some(cause) = cause else {
        return Ok(Vec::new());
    };
    let place = causes.iter().position(|(own, _)| *own == cause);
    let bit = place.ok_or(NotChecked::CauseWithoutBit(cause))?;
    let missing = causes.get(bit).filter(|_| !bits.has(bit));
    let failure = missing.map(|(_, name)| PayloadContradiction::CauseNotPermitted(cause, name));
    Ok(failure.into_iter().collect())
}
