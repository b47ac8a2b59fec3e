//! Users and groups by name: those of /etc/passwd and /etc/group. Others are given by number.

use std::fmt;
use std::path::Path;

use super::read_bounded;

/// The longest file of accounts, in bytes.
const ACCOUNTS_BYTES_MAX: usize = 4 << 20;
const PASSWD: &str = "/etc/passwd";
const GROUP: &str = "/etc/group";

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The number.
    pub uid: u32,
    /// The main group; `None` for a number that /etc/passwd does not have.
    pub gid: Option<u32>,
    /// The other groups of the user.
    pub groups: Vec<u32>,
}

/// A user or group that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountError {
    what: &'static str,
    name: String,
    why: String,
}

impl fmt::Display for AccountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, name, why } = self;
        write!(f, "{what} {name:?}: {why}; give its number")
    }
}

impl std::error::Error for AccountError {}

/// Finds a user by name or number.
///
/// # Errors
/// [`AccountError`]: /etc/passwd has no such name.
pub fn user(name: &str) -> Result<Account, AccountError> {
    let unknown = |why: String| AccountError {
        what: "user",
        name: name.to_owned(),
        why,
    };
    let passwd = accounts(PASSWD).map_err(unknown)?;
    let groups = accounts(GROUP).map_err(unknown)?;
    user_in(name, &passwd, &groups).ok_or_else(|| unknown(format!("is not in {PASSWD}")))
}

/// Finds the number of a group by name or number.
///
/// # Errors
/// [`AccountError`]: /etc/group has no such name.
pub fn group_id(name: &str) -> Result<u32, AccountError> {
    let unknown = |why: String| AccountError {
        what: "group",
        name: name.to_owned(),
        why,
    };
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let groups = accounts(GROUP).map_err(unknown)?;
    let mut found = groups.lines().filter_map(|line| fields(line, name));
    let id = found.find_map(|fields| fields.get(2)?.parse().ok());
    id.ok_or_else(|| unknown(format!("is not in {GROUP}")))
}

fn accounts(path: &str) -> Result<String, String> {
    let bytes = read_bounded(Path::new(path), ACCOUNTS_BYTES_MAX);
    let bytes = bytes.map_err(|error| format!("{path}: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn user_in(name: &str, passwd: &str, groups: &str) -> Option<Account> {
    let number: Option<u32> = name.parse().ok();
    let found = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let (own, uid, gid) = (fields.first()?, fields.get(2)?, fields.get(3)?);
        let (uid, gid): (u32, u32) = (uid.parse().ok()?, gid.parse().ok()?);
        let is_it = number.map_or(*own == name, |number| number == uid);
        is_it.then(|| (own.to_string(), uid, gid))
    });
    let Some((name, uid, gid)) = found else {
        return number.map(|uid| Account {
            uid,
            gid: None,
            groups: Vec::new(),
        });
    };
    let groups = groups.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let is_member = fields.get(3)?.split(',').any(|member| member == name);
        is_member.then(|| fields[2].parse().ok()).flatten()
    });
    Some(Account {
        uid,
        gid: Some(gid),
        groups: groups.collect(),
    })
}

fn fields<'l>(line: &'l str, name: &str) -> Option<Vec<&'l str>> {
    let fields: Vec<&str> = line.split(':').collect();
    (*fields.first()? == name).then_some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_number_with_their_groups() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nv2x:x:990:991::/:/bin/false\nbroken\n";
        let groups = "root:x:0:\nv2x:x:991:\ncan:x:50:other,v2x\nbroken\n";
        let expected = Account {
            uid: 990,
            gid: Some(991),
            groups: vec![50],
        };
        assert_eq!(user_in("v2x", passwd, groups), Some(expected.clone()));
        assert_eq!(user_in("990", passwd, groups), Some(expected));
        assert_eq!(user_in("nothing", passwd, groups), None);
        let unlisted = user_in("4242", passwd, groups).unwrap();
        assert_eq!((unlisted.uid, unlisted.gid), (4242, None));
    }

    #[test]
    fn unknown_names_are_errors_that_ask_for_a_number() {
        let error = user("no such user").unwrap_err().to_string();
        assert!(error.contains("give its number"), "{error}");
        assert_eq!(group_id("17"), Ok(17));
        assert_eq!(group_id("root"), Ok(0));
        assert!(group_id("no such group").is_err());
    }
}
