//! A token that was opened: one session, one login, and the keys that were asked for.

mod discovery;

use std::path::Path;

use cryptoki::context::Pkcs11;
use cryptoki::error::Error;
use cryptoki::mechanism::{Mechanism, MechanismType};
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::slot::Slot;
use cryptoki::types::RawAuthPin;
use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{Capabilities, KeyError, KeyHandle, Uses};

use crate::curve;
use crate::error::TokenError;
use crate::uri::KeyUri;

pub use discovery::TokenSelector;
use discovery::{find, load};

/// Maximum number of open keys of a process.
const KEYS_MAX: usize = 4_096;

/// Length of the identifier of a new key (`CKA_ID`), in bytes.
const ID_BYTES: u32 = 16;

/// A key that was made or found.
pub(crate) struct TokenKey {
    handle: KeyHandle,
    pub(crate) uses: Uses,
    pub(crate) private: ObjectHandle,
    public_object: Option<ObjectHandle>,
    pub(crate) public: Point,
    id: Vec<u8>,
    label: String,
    /// True if this process made the key and has not kept it yet.
    is_new: bool,
}

/// A token, logged in.
pub struct Pkcs11Token {
    pub(crate) session: Session,
    slot: Slot,
    context: Pkcs11,
    label: String,
    serial: String,
    mechanisms: Vec<MechanismType>,
    keys: Vec<TokenKey>,
    /// Number of handles that were given out.
    made: u32,
    /// Full error of the last operation, with more detail than [`KeyError`] has.
    pub(crate) failure: Option<TokenError>,
}

impl Pkcs11Token {
    /// Loads a module, finds a token and logs in as its user, exactly once.
    ///
    /// # Errors
    /// [`TokenError`]. After a wrong PIN, do not call again without asking the user: tokens lock.
    pub fn open(module: &Path, selector: &TokenSelector, pin: &[u8]) -> Result<Self, TokenError> {
        let context = load(module)?;
        let failed = |error: Error| TokenError::of(&error);
        let (slot, label, serial) = find(&context, selector)?;
        let info = context.get_token_info(slot).map_err(failed)?;
        if info.user_pin_locked() {
            return Err(TokenError::PinLocked);
        }
        let session = context.open_rw_session(slot).map_err(failed)?;
        let pin = RawAuthPin::new(Box::new(pin.to_vec()));
        if let Err(error) = session.login_with_raw(UserType::User, &pin) {
            return Err(match TokenError::of(&error) {
                TokenError::WrongPin { .. } => {
                    let info = context.get_token_info(slot);
                    let is_final = |own: &cryptoki::slot::TokenInfo| own.user_pin_final_try();
                    TokenError::WrongPin {
                        is_final_try: info.as_ref().is_ok_and(is_final),
                    }
                }
                other => other,
            });
        }
        let mechanisms = context.get_mechanism_list(slot).map_err(failed)?;
        Ok(Self {
            session,
            slot,
            context,
            label,
            serial,
            mechanisms,
            keys: Vec::new(),
            made: 0,
            failure: None,
        })
    }

    /// Returns the label of the token.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the serial number of the token.
    #[must_use]
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Returns the full error of the last failed operation, with more detail than [`KeyError`] has.
    pub fn take_failure(&mut self) -> Option<TokenError> {
        self.failure.take()
    }

    /// Makes a key with a label, which survives the process once [`keep`](Self::keep) was called;
    /// until then it is deleted when this is dropped.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn generate_labelled(
        &mut self,
        curve: Curve,
        uses: Uses,
        label: &str,
    ) -> Result<KeyHandle, TokenError> {
        check_uses(curve, uses)?;
        if !self.capabilities_of(curve).sign {
            return Err(unsupported("keys", curve));
        }
        self.check_room()?;
        let id = self.session.generate_random_vec(ID_BYTES);
        let id = id.map_err(|error| TokenError::of(&error))?;
        let (signs, agrees) = (uses.contains(Uses::SIGN), uses.contains(Uses::AGREE));
        let public = [
            Attribute::Token(true),
            Attribute::Private(false),
            Attribute::EcParams(curve::parameters(curve).to_vec()),
            Attribute::Verify(signs),
            Attribute::Derive(agrees),
            Attribute::Label(label.as_bytes().to_vec()),
            Attribute::Id(id.clone()),
        ];
        let private = [
            Attribute::Token(true),
            Attribute::Private(true),
            Attribute::Sensitive(true),
            Attribute::Extractable(false),
            Attribute::Sign(signs),
            Attribute::Derive(agrees),
            Attribute::Label(label.as_bytes().to_vec()),
            Attribute::Id(id.clone()),
        ];
        let made = self
            .session
            .generate_key_pair(&Mechanism::EccKeyPairGen, &public, &private);
        let (public_object, private) = made.map_err(|error| of_curve(&error, curve))?;
        let read = self.read_point(public_object, curve);
        let handle = read.map(|public| {
            let handle = self.handle(&public);
            self.keys.push(TokenKey {
                handle,
                uses,
                private,
                public_object: Some(public_object),
                public,
                id,
                label: label.to_owned(),
                is_new: true,
            });
            handle
        });
        if handle.is_err() {
            for object in [private, public_object] {
                let _ = self.session.destroy_object(object);
            }
        }
        handle
    }

    /// Finds a key by its identifier.
    ///
    /// # Errors
    /// [`TokenError::NoSuchKey`], [`TokenError::UnsuitableKey`], and what the token says.
    pub fn find(&mut self, id: &[u8]) -> Result<KeyHandle, TokenError> {
        if let Some(known) = self.keys.iter().find(|key| key.id == id) {
            return Ok(known.handle);
        }
        self.check_room()?;
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let unsuitable = |why| TokenError::UnsuitableKey {
            id: hex.clone(),
            why,
        };
        let of_class = |class| {
            let template = [Attribute::Class(class), Attribute::Id(id.to_vec())];
            let found = self.session.find_objects(&template);
            found.map_err(|error| TokenError::of(&error))
        };
        let private = match of_class(ObjectClass::PRIVATE_KEY)?[..] {
            [] => return Err(TokenError::NoSuchKey { id: hex }),
            [one] => one,
            _ => return Err(unsuitable("the token has several with it")),
        };
        let wanted = [
            AttributeType::KeyType,
            AttributeType::EcParams,
            AttributeType::Sign,
            AttributeType::Derive,
            AttributeType::Label,
        ];
        let attributes = self.session.get_attributes(private, &wanted);
        let attributes = attributes.map_err(|error| TokenError::of(&error))?;
        let (mut of_type, mut curve, mut label) = (false, None, String::new());
        let mut uses: Option<Uses> = None;
        let mut add = |own: bool, one: Uses| {
            if own {
                uses = Some(uses.map_or(one, |uses| uses | one));
            }
        };
        for attribute in attributes {
            match attribute {
                Attribute::KeyType(own) => of_type = own == KeyType::EC,
                Attribute::EcParams(own) => curve = curve::of_parameters(&own),
                Attribute::Sign(own) => add(own, Uses::SIGN),
                Attribute::Derive(own) => add(own, Uses::AGREE),
                Attribute::Label(own) => label = String::from_utf8_lossy(&own).into_owned(),
                _ => {}
            }
        }
        let curve = curve.filter(|_| of_type).ok_or_else(|| {
            unsuitable("it is not on P-256, P-384, brainpoolP256r1 or brainpoolP384r1")
        })?;
        let uses = uses.ok_or_else(|| unsuitable("it neither signs nor agrees on secrets"))?;
        let public_object = of_class(ObjectClass::PUBLIC_KEY)?.first().copied();
        let public_object =
            public_object.ok_or_else(|| unsuitable("its public key is not in the token"))?;
        let public = self.read_point(public_object, curve)?;
        let handle = self.handle(&public);
        self.keys.push(TokenKey {
            handle,
            uses,
            private,
            public_object: Some(public_object),
            public,
            id: id.to_vec(),
            label,
            is_new: false,
        });
        Ok(handle)
    }

    /// Returns the URI of a key.
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`].
    pub fn uri(&self, key: KeyHandle) -> Result<KeyUri, KeyError> {
        let key = self.key(key)?;
        Ok(KeyUri {
            token: self.label.clone(),
            serial: self.serial.clone(),
            object: key.label.clone(),
            id: key.id.clone(),
        })
    }

    /// Returns true if the handle is that of an open key of this token.
    #[must_use]
    pub fn has(&self, key: KeyHandle) -> bool {
        self.key(key).is_ok()
    }

    /// Leaves the keys that this process made in the token.
    pub fn keep(&mut self) {
        for key in &mut self.keys {
            key.is_new = false;
        }
    }

    pub(crate) fn key(&self, handle: KeyHandle) -> Result<&TokenKey, KeyError> {
        let mut keys = self.keys.iter();
        keys.find(|key| key.handle == handle)
            .ok_or(KeyError::NoSuchKey)
    }

    /// Deletes a key from the token.
    pub(crate) fn delete(&mut self, handle: KeyHandle) -> Result<(), TokenError> {
        let place = self.keys.iter().position(|key| key.handle == handle);
        let place = place.ok_or(KeyError::NoSuchKey)?;
        let key = self.keys.remove(place);
        let objects = [Some(key.private), key.public_object];
        for object in objects.into_iter().flatten() {
            let deleted = self.session.destroy_object(object);
            deleted.map_err(|error| TokenError::of(&error))?;
        }
        Ok(())
    }

    pub(crate) fn capabilities_of(&self, curve: Curve) -> Capabilities {
        let has = |mechanism| {
            let fits = || {
                let info = self.context.get_mechanism_info(self.slot, mechanism);
                info.is_ok_and(|info| {
                    let bits = curve::bits(curve);
                    // Some modules state no range.
                    info.max_key_size() == 0
                        || (info.min_key_size()..=info.max_key_size()).contains(&bits)
                })
            };
            self.mechanisms.contains(&mechanism) && fits()
        };
        let makes = has(MechanismType::ECC_KEY_PAIR_GEN) && has(MechanismType::ECDSA);
        Capabilities {
            sign: makes,
            own_nonce: makes,
            agree: makes && has(MechanismType::ECDH1_DERIVE),
            ..Capabilities::default()
        }
    }

    /// The high half is of the public key: a handle of another store is no key of this one.
    fn handle(&mut self, public: &Point) -> KeyHandle {
        let mark: [u8; 4] = public.x().first_chunk().copied().unwrap_or_default();
        self.made += 1;
        KeyHandle(u64::from(u32::from_be_bytes(mark)) << 32 | u64::from(self.made))
    }

    fn check_room(&self) -> Result<(), TokenError> {
        match self.keys.len() < KEYS_MAX && self.made < u32::MAX {
            true => Ok(()),
            false => Err(KeyError::Full.into()),
        }
    }

    fn read_point(&self, object: ObjectHandle, curve: Curve) -> Result<Point, TokenError> {
        let read = self
            .session
            .get_attributes(object, &[AttributeType::EcPoint]);
        let read = read.map_err(|error| TokenError::of(&error))?;
        let point = read.into_iter().find_map(|attribute| match attribute {
            Attribute::EcPoint(bytes) => curve::point(curve, &bytes),
            _ => None,
        });
        let why = "the public key in the token is no point of its curve";
        point.ok_or_else(|| TokenError::Failed(why.to_owned()))
    }
}

impl Drop for Pkcs11Token {
    fn drop(&mut self) {
        let new = self.keys.iter().filter(|key| key.is_new);
        let new: Vec<KeyHandle> = new.map(|key| key.handle).collect();
        for key in new {
            let _ = self.delete(key);
        }
        let _ = self.session.logout();
    }
}

/// Refuses uses that take arithmetic with scalars, where the key is made.
fn check_uses(curve: Curve, uses: Uses) -> Result<(), TokenError> {
    for (use_of, operation) in [
        (Uses::RECONSTRUCT, "implicit certificates"),
        (Uses::ISSUE_IMPLICIT, "implicit certificates"),
        (Uses::EXPAND, "butterfly expansion"),
    ] {
        if uses.contains(use_of) {
            return Err(unsupported(operation, curve));
        }
    }
    Ok(())
}

pub(crate) fn unsupported(operation: &'static str, curve: Curve) -> TokenError {
    KeyError::Unsupported { operation, curve }.into()
}

/// Takes an error where a key is made: a token may lack the curve.
fn of_curve(error: &Error, curve: Curve) -> TokenError {
    use cryptoki::error::RvError;
    match error {
        Error::Pkcs11(
            RvError::CurveNotSupported
            | RvError::DomainParamsInvalid
            | RvError::AttributeValueInvalid
            | RvError::TemplateInconsistent,
            _,
        ) => unsupported("keys", curve),
        _ => TokenError::of(error),
    }
}
