//! Security profiles: demands of an application beyond those of the standard on all messages
//! \[1609.2 Annex C\].

use alloc::collections::BTreeMap;

use waywarden_v2x_wire::etsi103097::{MessageProfile, its_aid};
use waywarden_v2x_wire::ieee1609dot2::{CurvePoint, EcdsaSignature, Psid, Signature};

const SECOND: u64 = 1_000_000;

/// The application of revocation lists \[1609.2 §7\].
pub const CRL_PSID: Psid = Psid(256);

/// A form in which a message may give the `r` of its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedNonceForm {
    /// In any that can be verified.
    Any,
    /// As a point, with which many signatures can be verified together.
    Point,
    /// As an x-coordinate.
    XOnly,
}

/// Demands of an application on its messages. Durations are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecurityProfile {
    /// Name of the application, for reports.
    pub name: &'static str,
    /// True if messages must have a generation time.
    pub needs_generation_time: bool,
    /// True if messages must have a generation location.
    pub needs_generation_location: bool,
    /// True if messages must have an expiry time.
    pub needs_expiry_time: bool,
    /// Greatest age of a message; `None` for no limit.
    pub past: Option<u64>,
    /// Most by which a message may lie in the future, since clocks differ; `None` for no limit.
    pub future: Option<u64>,
    /// True if messages that have expired are refused.
    pub checks_expiry: bool,
    /// Greatest distance of a message's origin from the receiver, in metres; `None` for no limit.
    pub distance: Option<u32>,
    /// True if replayed messages are refused.
    pub checks_replay: bool,
    /// True if messages of certificates that have expired by now are refused, whenever they were
    /// made.
    pub checks_certificate_expiry: bool,
    /// True if the certificate has to be valid at the place where the message was made.
    pub checks_region: bool,
    /// Most certificates of a chain, the trusted one among them.
    pub chain_max: u8,
    /// The form of the `r` of messages' signatures.
    pub nonce_form: AcceptedNonceForm,
    /// The same for certificates that messages bring along; the standard leaves it to the issuer.
    pub certificate_nonce_form: AcceptedNonceForm,
    /// Longest delay of an overdue revocation list; `None` if no list is demanded.
    pub crl_tolerance: Option<u64>,
    /// Longest delay of the next list, for messages that are lists of TS 102 941; `None` for
    /// others. Lists that are more overdue are refused.
    pub list_tolerance: Option<u64>,
    /// Profile of ETSI TS 103 097 that messages must keep; `None` for none.
    pub message_profile: Option<MessageProfile>,
}

impl SecurityProfile {
    /// Demands on messages of unknown applications: consistent, at most ten minutes old, at most
    /// two seconds in the future, no replay.
    pub const DEFAULT: Self = Self {
        name: "default",
        needs_generation_time: false,
        needs_generation_location: false,
        needs_expiry_time: false,
        past: Some(600 * SECOND),
        future: Some(2 * SECOND),
        checks_expiry: true,
        distance: None,
        checks_replay: true,
        checks_certificate_expiry: false,
        checks_region: true,
        chain_max: 8,
        nonce_form: AcceptedNonceForm::Any,
        certificate_nonce_form: AcceptedNonceForm::Any,
        crl_tolerance: None,
        list_tolerance: None,
        message_profile: None,
    };

    /// Basic safety messages: ten times a second, of use for a moment.
    pub const BASIC_SAFETY_MESSAGE: Self = Self {
        name: "BSM",
        needs_generation_time: true,
        past: Some(30 * SECOND),
        ..Self::DEFAULT
    };

    /// Traveller information (TIM): signed once and repeated for hours or weeks, until it expires.
    pub const TRAVELLER_INFORMATION: Self = Self {
        name: "TIM",
        needs_generation_time: true,
        needs_expiry_time: true,
        past: None,
        checks_replay: false,
        ..Self::DEFAULT
    };

    /// Messages of Europe other than CAM and DENM \[TS 103 097 §7.1.3\]: with time and place, as
    /// the generic profile has them and tests of receivers in TS 103 096-2 (RCV_GENMSG) demand.
    pub const EUROPEAN: Self = Self {
        name: "ETSI",
        needs_generation_time: true,
        needs_generation_location: true,
        message_profile: Some(MessageProfile::Other),
        ..Self::DEFAULT
    };

    /// Cooperative awareness messages \[TS 103 097 §7.1.1\].
    pub const COOPERATIVE_AWARENESS: Self = Self {
        name: "CAM",
        past: Some(2 * SECOND),
        needs_generation_location: false,
        message_profile: Some(MessageProfile::Cam),
        ..Self::EUROPEAN
    };

    /// Decentralized environmental notification messages \[TS 103 097 §7.1.2\]: from where
    /// something is.
    pub const ENVIRONMENTAL_NOTIFICATION: Self = Self {
        name: "DENM",
        message_profile: Some(MessageProfile::Denm),
        ..Self::EUROPEAN
    };

    /// Requests for certificates, and their answers \[TS 102 941 §6\].
    pub const CERTIFICATE_REQUEST: Self = Self {
        name: "SCR",
        needs_generation_location: false,
        message_profile: Some(MessageProfile::Management),
        ..Self::EUROPEAN
    };

    /// Revocation lists \[1609.2 §7.4\]: valid as long as the next one is not there.
    pub const REVOCATION_LIST: Self = Self {
        name: "CRL",
        past: None,
        checks_replay: false,
        ..Self::DEFAULT
    };

    /// Trust lists and revocation lists of authorities \[TS 102 941 Annex A\]: valid until the next
    /// one is due, as they say themselves, however long ago they were made and however often they
    /// come.
    pub const TRUST_LIST: Self = Self {
        name: "CTL",
        past: None,
        needs_generation_location: false,
        checks_replay: false,
        list_tolerance: Some(0),
        message_profile: Some(MessageProfile::Management),
        ..Self::EUROPEAN
    };
}

impl AcceptedNonceForm {
    /// Returns the human-readable reason for refusing a signature of another form.
    pub(crate) fn refusal(self) -> &'static str {
        match self {
            Self::Any => "not in a form that can be verified",
            Self::Point => "an x-coordinate, where a point is demanded",
            Self::XOnly => "a point, where an x-coordinate is demanded",
        }
    }

    /// Returns true if a signature has this form.
    pub(crate) fn allows(self, signature: &Signature<'_>) -> bool {
        fn is_x_only<const N: usize>(signature: &EcdsaSignature<'_, N>) -> bool {
            matches!(signature.r, CurvePoint::XOnly(_))
        }
        let is_x_only = match signature {
            Signature::EcdsaNistP256(own) | Signature::EcdsaBrainpoolP256r1(own) => is_x_only(own),
            Signature::EcdsaNistP384(own) | Signature::EcdsaBrainpoolP384r1(own) => is_x_only(own),
            Signature::Sm2(_) => true,
        };
        match self {
            Self::Any => true,
            Self::Point => !is_x_only,
            Self::XOnly => is_x_only,
        }
    }
}

/// The profiles of applications.
#[derive(Clone, Debug)]
pub struct Profiles {
    named: BTreeMap<Psid, SecurityProfile>,
    other: SecurityProfile,
}

impl Default for Profiles {
    /// Those of BSM (32), CAM (36), DENM (37), TIM (131), revocation lists of IEEE 1609.2 (256),
    /// revocation and trust lists of TS 102 941 (622, 624), and other applications of Europe; the
    /// default for all others.
    fn default() -> Self {
        let named = [
            (32, SecurityProfile::BASIC_SAFETY_MESSAGE),
            (36, SecurityProfile::COOPERATIVE_AWARENESS),
            (37, SecurityProfile::ENVIRONMENTAL_NOTIFICATION),
            (131, SecurityProfile::TRAVELLER_INFORMATION),
            (256, SecurityProfile::REVOCATION_LIST),
            (622, SecurityProfile::TRUST_LIST),
            (624, SecurityProfile::TRUST_LIST),
        ];
        let european = its_aid::EUROPEAN.map(|psid| (psid.0, SecurityProfile::EUROPEAN));
        let requests = (
            its_aid::CERTIFICATE_REQUEST.0,
            SecurityProfile::CERTIFICATE_REQUEST,
        );
        let named = named.into_iter().chain(european).chain([requests]);
        Self {
            named: named.map(|(psid, own)| (Psid(psid), own)).collect(),
            other: SecurityProfile::DEFAULT,
        }
    }
}

impl Profiles {
    /// Makes one profile hold for every application.
    #[must_use]
    pub fn all(profile: SecurityProfile) -> Self {
        Self {
            named: BTreeMap::new(),
            other: profile,
        }
    }

    /// Sets an application's profile.
    pub fn set(&mut self, psid: Psid, profile: SecurityProfile) {
        self.named.insert(psid, profile);
    }

    /// Drops what ETSI TS 103 097 demands of messages beyond IEEE 1609.2: which header fields and
    /// which form of signer each application has. Times, places, permissions and signatures are
    /// checked as before.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        let others = core::iter::once(&mut self.other);
        for profile in self.named.values_mut().chain(others) {
            if profile.message_profile.take().is_some() {
                profile.needs_generation_location = false;
            }
        }
        self
    }

    /// Makes every profile demand this form of a message's signature.
    #[must_use]
    pub fn with_nonce_form(mut self, form: AcceptedNonceForm) -> Self {
        let others = core::iter::once(&mut self.other);
        for profile in self.named.values_mut().chain(others) {
            profile.nonce_form = form;
        }
        self
    }

    /// Sets the profile of all others.
    pub fn set_other(&mut self, profile: SecurityProfile) {
        self.other = profile;
    }

    /// Returns an application's profile.
    #[must_use]
    pub fn of(&self, psid: Psid) -> &SecurityProfile {
        self.named.get(&psid).unwrap_or(&self.other)
    }
}
