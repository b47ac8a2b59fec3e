//! Holders that are revoked by linkage values, in TOML.

use std::path::Path;

use serde::{Deserialize, Deserializer};
use waywarden_v2x_pki::crl::{CrlEntries, RevokedGroup, RevokedHolder, RevokedSeeds};
use waywarden_v2x_wire::ieee1609dot2::{IValue, LaId, LinkageSeed};

use crate::exit::Failure;
use crate::files;
use crate::v2x::digits;

/// The seeds of holders and groups for one period. Publishing them in a list is what revokes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeedsFile {
    /// The period of the seeds, from which on certificates are revoked.
    i_rev: u16,
    /// How many lists of this period there were before.
    #[serde(default)]
    index: u8,
    #[serde(default, rename = "holder")]
    holders: Vec<HolderTable>,
    #[serde(default, rename = "group")]
    groups: Vec<GroupTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HolderTable {
    seeds: Vec<SeedTable>,
    j_max: u8,
    i_max: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupTable {
    seeds: Vec<SeedTable>,
    i_max: u16,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedTable {
    #[serde(deserialize_with = "octets")]
    la: [u8; 2],
    #[serde(deserialize_with = "octets")]
    seed: [u8; 16],
}

fn octets<'de, D: Deserializer<'de>, const N: usize>(from: D) -> Result<[u8; N], D::Error> {
    let text = String::deserialize(from)?;
    let bytes = digits::hex(&text).and_then(|bytes| bytes.try_into().ok());
    let wanted = || format!("give {} hexadecimal digits", 2 * N);
    bytes.ok_or_else(|| serde::de::Error::custom(wanted()))
}

impl SeedsFile {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<CrlEntries, Failure> {
        let wrong = |why: &str| Failure::new(format_args!("{}: {}", path.display(), why.trim()));
        let text = files::text(path)?;
        let file: Self = toml::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
        let holders = file.holders.iter().map(|one| {
            Ok(RevokedHolder {
                seeds: seeds(&one.seeds)?,
                j_max: one.j_max,
                i_max: one.i_max,
            })
        });
        let groups = file.groups.iter().map(|one| {
            Ok(RevokedGroup {
                seeds: seeds(&one.seeds)?,
                i_max: one.i_max,
            })
        });
        let failed = |why: &'static str| wrong(why);
        Ok(CrlEntries::Holders {
            i_rev: IValue(file.i_rev),
            index: file.index,
            holders: holders.collect::<Result<_, _>>().map_err(failed)?,
            groups: groups.collect::<Result<_, _>>().map_err(failed)?,
        })
    }
}

fn seeds(tables: &[SeedTable]) -> Result<RevokedSeeds, &'static str> {
    let of = |table: &SeedTable| (LaId(table.la), LinkageSeed(table.seed));
    match tables {
        [one] => Ok(RevokedSeeds::One(of(one).0, of(one).1)),
        [one, other] => Ok(RevokedSeeds::Two([of(one), of(other)])),
        _ => Err("seeds: a holder or group has one seed, or two"),
    }
}
