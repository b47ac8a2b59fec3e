//! Holders that are revoked by linkage values, in TOML.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Deserializer};
use waywarden_v2x_pki::crl::{CrlEntries, RevokedGroup, RevokedHolder, RevokedSeeds};
use waywarden_v2x_wire::ieee1609dot2::{IValue, LaId, LinkageSeed};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_v2x_input::digits;

/// The seeds of holders and groups for one period. Publishing them in a list is what revokes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeedsFile {
    /// The period of the seeds, from which on certificates are revoked.
    i_rev: u16,
    /// Number of earlier lists of this period.
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
    /// Reads the file; refuses one with an entry that revokes nothing.
    pub(crate) fn read(path: &Path) -> Result<CrlEntries, Failure> {
        let wrong = |why: &str| Failure::new(format_args!("{}: {}", path.display(), why.trim()));
        let text = files::text(path)?;
        let file: Self = toml::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
        if file.holders.is_empty() && file.groups.is_empty() {
            return Err(wrong(
                "has no holder and no group, so it revokes nothing; add a table [[holder]] or \
                 [[group]]",
            ));
        }
        let holders = file
            .holders
            .iter()
            .map(|one| (one.seeds.as_slice(), one.i_max));
        let holders = file.entries("holder", holders).map_err(|why| wrong(&why))?;
        let groups = file
            .groups
            .iter()
            .map(|one| (one.seeds.as_slice(), one.i_max));
        let groups = file.entries("group", groups).map_err(|why| wrong(&why))?;
        let holder = |(one, seeds): (&HolderTable, RevokedSeeds)| RevokedHolder {
            seeds,
            j_max: one.j_max,
            i_max: one.i_max,
        };
        let group = |(one, seeds): (&GroupTable, RevokedSeeds)| RevokedGroup {
            seeds,
            i_max: one.i_max,
        };
        Ok(CrlEntries::Holders {
            i_rev: IValue(file.i_rev),
            index: file.index,
            holders: file.holders.iter().zip(holders).map(holder).collect(),
            groups: file.groups.iter().zip(groups).map(group).collect(),
        })
    }

    /// Reads the seeds of tables of one kind, each with the last period that it revokes.
    fn entries<'t>(
        &self,
        kind: &str,
        tables: impl Iterator<Item = (&'t [SeedTable], u16)>,
    ) -> Result<Vec<RevokedSeeds>, String> {
        let mut known = HashMap::new();
        let mut all = Vec::new();
        for (at, (tables, i_max)) in tables.enumerate() {
            let number = at + 1;
            let place = format!("[[{kind}]] number {number}");
            let seeds = seeds(tables).map_err(|why| format!("{place}: seeds: {why}"))?;
            if i_max < self.i_rev {
                let i_rev = self.i_rev;
                return Err(format!(
                    "{place}: i_max = {i_max} is before i_rev = {i_rev}, so it revokes nothing; \
                     give the last period with certificates, or leave the table out"
                ));
            }
            // The two seeds of a pair may stand in either order.
            let mut key: Vec<_> = tables.iter().map(|one| (one.la, one.seed)).collect();
            key.sort_unstable();
            if let Some(other) = known.insert(key, number) {
                return Err(format!(
                    "{place}: has the seeds of number {other}; leave one of them out"
                ));
            }
            all.push(seeds);
        }
        Ok(all)
    }
}

fn seeds(tables: &[SeedTable]) -> Result<RevokedSeeds, &'static str> {
    let of = |table: &SeedTable| (LaId(table.la), LinkageSeed(table.seed));
    match tables {
        [one] => Ok(RevokedSeeds::One(of(one).0, of(one).1)),
        [one, other] if (one.la, one.seed) == (other.la, other.seed) => {
            Err("both are the same, and no certificate has that pair; give one of each authority")
        }
        [one, other] => Ok(RevokedSeeds::Two([of(one), of(other)])),
        _ => Err("a holder or group has one seed, or two"),
    }
}
