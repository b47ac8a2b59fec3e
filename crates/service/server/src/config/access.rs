//! `[[access]]`: who may have private keys used, and for what.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::quantity::psids;
use crate::access::Grant;

/// A grant to one client, or to all clients of a group.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessSection {
    uid: Option<u32>,
    gid: Option<u32>,
    user: Option<String>,
    group: Option<String>,
    token_file: Option<PathBuf>,
    #[serde(deserialize_with = "psids")]
    sign: BTreeSet<Psid>,
    decrypt: bool,
}

/// Whom a grant is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grantee<'c> {
    /// Processes of a user, by number, over a Unix-domain socket.
    Uid(u32),
    /// Processes whose main group is this one, over a Unix-domain socket.
    Gid(u32),
    /// Processes of a user, by name.
    User(&'c str),
    /// Processes of a group, by name.
    Group(&'c str),
    /// Clients that show the token in this file.
    TokenFile(&'c std::path::Path),
}

impl AccessSection {
    /// Returns whom the grant is for.
    #[must_use]
    pub fn client(&self) -> Option<Grantee<'_>> {
        let mut all = self.clients();
        all.next()
    }

    /// Returns the grant.
    #[must_use]
    pub fn grant(&self) -> Grant {
        Grant {
            sign: self.sign.clone(),
            decrypt: self.decrypt,
        }
    }

    fn clients(&self) -> impl Iterator<Item = Grantee<'_>> {
        [
            self.uid.map(Grantee::Uid),
            self.gid.map(Grantee::Gid),
            self.user.as_deref().map(Grantee::User),
            self.group.as_deref().map(Grantee::Group),
            self.token_file.as_deref().map(Grantee::TokenFile),
        ]
        .into_iter()
        .flatten()
    }

    pub(super) fn token_file(&mut self) -> Option<&mut PathBuf> {
        self.token_file.as_mut()
    }

    /// Checks that the section names one client, and grants something.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.clients().count() != 1 {
            return Err(
                "[[access]]: give exactly one of uid, gid, user, group and token_file".to_owned(),
            );
        }
        if self.sign.is_empty() && !self.decrypt {
            return Err(
                "[[access]]: grants nothing; give sign = [\"CAM\"], or decrypt = true".to_owned(),
            );
        }
        Ok(())
    }
}
