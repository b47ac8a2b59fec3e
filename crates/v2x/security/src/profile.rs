//! What an application demands of its messages, beyond what the standard demands of all
//! \[1609.2 Annex C\].

use alloc::collections::BTreeMap;

use waywarden_v2x_wire::etsi103097::{MessageProfile, its_aid};
use waywarden_v2x_wire::ieee1609dot2::{CurvePoint, EcdsaSignature, Psid, Signature};

const SECOND: u64 = 1_000_000;

/// The application of revocation lists \[1609.2 §7\].
pub const CRL_PSID: Psid = Psid(256);

/// In which form a message may give the `r` of its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceForm {
    /// In any that can be verified.
    Any,
    /// As a point, with which many signatures can be verified together.
    Point,
    /// As an x-coordinate.
    XOnly,
}

/// What an application demands. Durations are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecurityProfile {
    /// The application's name.
    pub name: &'static str,
    /// Messages say when they were made.
    pub needs_generation_time: bool,
    /// Messages say where they were made.
    pub needs_generation_location: bool,
    /// Messages say when they expire.
    pub needs_expiry_time: bool,
    /// Messages that were made longer ago are too old.
    pub past: Option<u64>,
    /// Messages that were made later than so long after now are refused: clocks differ.
    pub future: Option<u64>,
    /// Messages that have expired are refused.
    pub checks_expiry: bool,
    /// Messages that were made farther away, in metres, are refused.
    pub distance: Option<u32>,
    /// Messages that came before are refused.
    pub checks_replay: bool,
    /// Messages of certificates that have expired now are refused, whenever they were made.
    pub checks_certificate_expiry: bool,
    /// The certificate has to be valid where the message was made.
    pub checks_region: bool,
    /// A chain has at most so many certificates, the trusted one among them.
    pub chain_max: u8,
    /// In which form signatures come.
    pub nonce_form: NonceForm,
    /// In which form the signatures of certificates come that messages bring along; the standard
    /// leaves it to the issuer.
    pub certificate_nonce_form: NonceForm,
    /// Revocation lists have to be there, and may be overdue for so long.
    pub crl_tolerance: Option<u64>,
    /// Messages are lists of TS 102 941, which are refused when the next one has been due for this
    /// long.
    pub list_tolerance: Option<u64>,
    /// Messages keep this profile of ETSI TS 103 097; `None`: they need not.
    pub message_profile: Option<MessageProfile>,
}

impl SecurityProfile {
    /// What is demanded of messages of applications that are not known: consistent, not older than
    /// ten minutes, not from the future by more than two seconds, not here before.
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
        nonce_form: NonceForm::Any,
        certificate_nonce_form: NonceForm::Any,
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

impl NonceForm {
    /// What is wrong with a signature of another form.
    pub(crate) fn refusal(self) -> &'static str {
        match self {
            Self::Any => "not in a form that can be verified",
            Self::Point => "an x-coordinate, where a point is demanded",
            Self::XOnly => "a point, where an x-coordinate is demanded",
        }
    }

    /// Whether a signature has this form.
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
    pub fn with_nonce_form(mut self, form: NonceForm) -> Self {
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
