//! Loading of a module, and selection of one of its tokens.

use std::path::Path;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::Error;
use cryptoki::slot::Slot;

use crate::error::TokenError;
use crate::uri::KeyUri;

/// Selection of one token of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenSelector {
    /// Label of the token; `None`: the only one that is present.
    pub label: Option<String>,
    /// Serial number of the token.
    pub serial: Option<String>,
}

impl TokenSelector {
    /// Selects the token that holds a key.
    #[must_use]
    pub fn of(uri: &KeyUri) -> Self {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            label: given(&uri.token),
            serial: given(&uri.serial),
        }
    }

    fn matches(&self, label: &str, serial: &str) -> bool {
        let fits =
            |wanted: &Option<String>, own: &str| wanted.as_ref().is_none_or(|one| one == own);
        fits(&self.label, label) && fits(&self.serial, serial)
    }

    fn describe(&self) -> String {
        match (&self.label, &self.serial) {
            (Some(label), Some(serial)) => {
                format!("the token {label:?} with the serial number {serial:?}")
            }
            (Some(label), None) => format!("the token {label:?}"),
            (None, Some(serial)) => format!("the token with the serial number {serial:?}"),
            (None, None) => "a token".to_owned(),
        }
    }
}

pub(super) fn load(module: &Path) -> Result<Pkcs11, TokenError> {
    let wrong = |why: String| TokenError::Module {
        path: module.to_owned(),
        why,
    };
    // The loader would look for a bare name in the folders of the system.
    let path = std::path::absolute(module).map_err(|error| wrong(error.to_string()))?;
    std::fs::metadata(&path).map_err(|error| wrong(error.to_string()))?;
    let context = Pkcs11::new(&path).map_err(|error| wrong(error.to_string()))?;
    let arguments = CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK);
    let begun = context.initialize(arguments);
    match begun {
        Ok(()) | Err(Error::Pkcs11(cryptoki::error::RvError::CryptokiAlreadyInitialized, _)) => {
            Ok(context)
        }
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Finds the selected token, which has to be present and initialized.
pub(super) fn find(
    context: &Pkcs11,
    selector: &TokenSelector,
) -> Result<(Slot, String, String), TokenError> {
    let failed = |error: Error| TokenError::of(&error);
    let mut present = Vec::new();
    for slot in context.get_slots_with_token().map_err(failed)? {
        // A token that is removed meanwhile is not there.
        if let Ok(info) = context.get_token_info(slot)
            && info.token_initialized()
        {
            let (label, serial) = (info.label().trim_end(), info.serial_number().trim_end());
            present.push((slot, label.to_owned(), serial.to_owned()));
        }
    }
    let is_wanted = |one: &&(Slot, String, String)| selector.matches(&one.1, &one.2);
    let wanted: Vec<_> = present.iter().filter(is_wanted).collect();
    let labels = |some: &[&(Slot, String, String)]| some.iter().map(|one| one.1.clone()).collect();
    match wanted[..] {
        [one] => Ok(one.clone()),
        [] => Err(TokenError::NoSuchToken {
            wanted: selector.describe(),
            present: labels(&present.iter().collect::<Vec<_>>()),
        }),
        _ => Err(TokenError::Ambiguous {
            present: labels(&wanted),
        }),
    }
}
