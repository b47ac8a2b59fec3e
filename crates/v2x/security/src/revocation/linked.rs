//! Lists by linkage values, and what is expanded of them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId3, IValue, LinkageData, LinkageSeed, Time32,
};

use super::continuity::Continuity;
use super::expansion::{ExpandedPart, ListWork, RevocationExpansion, Task};
use super::groups::GroupValues;
use super::in_force::InForce;
use super::refusal::{CrlRefusal, ExpansionRefusal};
use super::seeds::SeedList;
use super::series::SeriesName;
use super::table::{Value, ValueTable};
use super::{GROUPS_MAX, LISTS_MAX, PERIODS_MAX, Revokes, VALUES_MAX};

/// Revocation status of a certificate by its linkage values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkageStatus {
    /// No list that is expanded for its period revokes it.
    NotRevoked,
    /// A list revokes the certificate.
    Revoked,
    /// There are lists for its period, and they are not expanded for it.
    NotExpanded,
}

/// The values of a series that are revoked in one period.
#[derive(Clone, Debug)]
struct Expanded {
    /// Generation of the lists that it was expanded from.
    generation: u64,
    /// Serial number of the installation.
    installed: u64,
    values: ValueTable,
    groups: Vec<GroupValues>,
}

/// The lists of a series of a CRACA, and what is expanded of them.
#[derive(Clone, Debug, Default)]
struct Lists {
    in_force: InForce,
    /// Number of changes to the lists.
    generation: u64,
    tables: BTreeMap<u16, Expanded>,
}

impl Lists {
    fn all(&self) -> impl Iterator<Item = &SeedList> {
        self.in_force.all()
    }

    fn replace(&mut self, in_force: InForce) {
        self.in_force = in_force;
        self.generation += 1;
    }

    fn status(&self, linkage: &LinkageData) -> LinkageStatus {
        let period = linkage.period.0;
        match self.tables.get(&period) {
            Some(table) if table.has(linkage) => LinkageStatus::Revoked,
            None if self.all().any(|list| list.covers(period)) => LinkageStatus::NotExpanded,
            _ => LinkageStatus::NotRevoked,
        }
    }

    /// Keeps the seeds of a period, from which the next one is near.
    fn keep_seeds(&mut self, period: u16, evolved: Vec<Option<Vec<LinkageSeed>>>) {
        for (list, seeds) in self.in_force.all_mut().zip(evolved) {
            if let Some(seeds) = seeds {
                list.latest = Some((period, seeds.into()));
            }
        }
    }
}

impl Expanded {
    fn has(&self, linkage: &LinkageData) -> bool {
        let in_group = |own| self.groups.iter().any(|group| group.has(own));
        self.values.has(&linkage.value.0) || linkage.group.as_ref().is_some_and(in_group)
    }
}

/// Revocations by linkage values.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkedRevocations {
    series: BTreeMap<SeriesName, Lists>,
    /// Number of tables installed so far.
    installed: u64,
}

impl LinkedRevocations {
    pub(super) fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    pub(super) fn status(
        &self,
        craca: HashedId3,
        series: CrlSeries,
        linkage: &LinkageData,
    ) -> LinkageStatus {
        let mut status = LinkageStatus::NotRevoked;
        for (_, lists) in self.series.range(SeriesName::all_of(craca, series)) {
            match lists.status(linkage) {
                LinkageStatus::Revoked => return LinkageStatus::Revoked,
                LinkageStatus::NotExpanded => status = LinkageStatus::NotExpanded,
                LinkageStatus::NotRevoked => {}
            }
        }
        status
    }

    pub(super) fn next_due(&self, craca: HashedId3, series: CrlSeries) -> Option<Time32> {
        let lists = self.series.range(SeriesName::all_of(craca, series));
        lists
            .filter_map(|(_, lists)| Some(lists.in_force.full()?.next))
            .max()
    }

    pub(super) fn memory(&self) -> usize {
        let tables = self
            .tables()
            .map(|table| table.values.memory() + table.groups.len() * size_of::<GroupValues>());
        let lists = self.series.values().flat_map(Lists::all);
        tables.sum::<usize>() + lists.map(SeedList::memory).sum::<usize>()
    }

    fn tables(&self) -> impl Iterator<Item = &Expanded> {
        self.series.values().flat_map(|lists| lists.tables.values())
    }

    /// Returns the completeness of the lists of each series.
    pub(super) fn continuity(&self) -> impl Iterator<Item = (SeriesName, Continuity)> {
        let series = self.series.iter();
        series.map(|(name, lists)| (*name, lists.in_force.continuity()))
    }

    /// Takes a list whose signature was verified.
    pub(super) fn apply(
        &mut self,
        contents: &CrlContents<'_>,
    ) -> Result<(Revokes, Continuity), CrlRefusal> {
        let name = SeriesName::new(contents.crl_craca, contents.crl_series);
        let list = SeedList::read(contents)?;
        let none = InForce::default();
        let known = self
            .series
            .get(&name)
            .map_or(&none, |lists| &lists.in_force);
        if let Some(next) = known.with(&list)? {
            self.replace(BTreeMap::from([(name, next)]))?;
        }
        let lists = self.series.get(&name);
        let continuity = lists.map(|lists| lists.in_force.continuity());
        let revokes = Revokes::Holders {
            from: IValue(list.i_rev),
            holders: list.holders(),
            groups: list.groups,
            values: list.values,
        };
        Ok((revokes, continuity.unwrap_or(Continuity::NoFullList)))
    }

    /// Puts these lists in the place of those of their series, if there is room for them.
    fn replace(&mut self, lists: BTreeMap<SeriesName, InForce>) -> Result<(), CrlRefusal> {
        let staying = self.series.iter();
        let staying = staying.filter(|(name, _)| !lists.contains_key(name));
        let all = staying
            .map(|(_, lists)| &lists.in_force)
            .chain(lists.values());
        let (mut series, mut values, mut groups) = (0, 0_usize, 0_usize);
        for in_force in all {
            series += 1;
            for list in in_force.all() {
                values = values.saturating_add(list.values);
                groups = groups.saturating_add(list.groups);
            }
        }
        if series > LISTS_MAX || values > VALUES_MAX || groups > GROUPS_MAX {
            return Err(CrlRefusal::TooMany);
        }
        for (name, in_force) in lists {
            self.series.entry(name).or_default().replace(in_force);
        }
        Ok(())
    }

    /// Revokes what another receiver has revoked. Returns how many holders and groups only that one
    /// had. A series that changes loses its tables: what they lack must not pass.
    ///
    /// # Errors
    /// [`CrlRefusal::TooMany`] if both together are more than is remembered; nothing is changed
    /// then.
    pub(super) fn merge(&mut self, before: &Self) -> Result<usize, CrlRefusal> {
        let (mut merged, mut more) = (BTreeMap::new(), 0);
        let none = InForce::default();
        for (name, before) in &before.series {
            let own = self.series.get(name).map_or(&none, |lists| &lists.in_force);
            if let Some(next) = own.with_all(&before.in_force)? {
                more += next.entries().saturating_sub(own.entries());
                merged.insert(*name, next);
            }
        }
        let names: Vec<SeriesName> = merged.keys().copied().collect();
        self.replace(merged)?;
        for name in names {
            if let Some(lists) = self.series.get_mut(&name) {
                lists.tables.clear();
            }
        }
        Ok(more)
    }

    pub(super) fn unexpanded(&self, period: IValue) -> impl Iterator<Item = SeriesName> {
        let is_current = move |lists: &Lists| {
            let table = lists.tables.get(&period.0);
            table.is_some_and(|table| table.generation == lists.generation)
        };
        let series = self
            .series
            .iter()
            .filter(move |(_, lists)| !is_current(lists));
        series.map(|(name, _)| *name)
    }

    pub(super) fn expansion(
        &self,
        series: SeriesName,
        period: IValue,
    ) -> Result<RevocationExpansion, ExpansionRefusal> {
        let lists = self
            .series
            .get(&series)
            .ok_or(ExpansionRefusal::UnknownSeries)?;
        let task = Task {
            series,
            period: period.0,
            generation: lists.generation,
        };
        RevocationExpansion::new(task, lists.all())
    }

    pub(super) fn install(
        &mut self,
        expansion: &RevocationExpansion,
        mut parts: Vec<ExpandedPart>,
    ) -> Result<(), ExpansionRefusal> {
        let Task {
            series,
            period,
            generation,
        } = expansion.task;
        check_complete(expansion, &mut parts)?;
        let held: usize = self.tables().map(|table| table.values.len()).sum();
        let lists = self
            .series
            .get_mut(&series)
            .ok_or(ExpansionRefusal::UnknownSeries)?;
        if lists.generation != generation {
            return Err(ExpansionRefusal::Outdated);
        }
        let displaced = displaced(lists, period);
        let freed = displaced.map_or(0, |old| lists.tables[&old].values.len());
        if held - freed + expansion.values() > PERIODS_MAX * VALUES_MAX {
            return Err(ExpansionRefusal::TooManyValues);
        }
        let evolved: Vec<Vec<LinkageSeed>> = evolved_seeds(expansion, &parts);
        let slices: Vec<&[Value]> = parts.iter().map(|part| &*part.values).collect();
        self.installed += 1;
        let table = Expanded {
            generation,
            installed: self.installed,
            values: ValueTable::new(&slices),
            groups: groups(expansion, &evolved),
        };
        if let Some(old) = displaced {
            lists.tables.remove(&old);
        }
        lists.tables.insert(period, table);
        let kept = evolved.into_iter().zip(&expansion.lists);
        let kept = kept.map(|(seeds, work)| work.is_later.then_some(seeds));
        lists.keep_seeds(period, kept.collect());
        Ok(())
    }

    pub(super) fn forget_before(&mut self, period: IValue) {
        for lists in self.series.values_mut() {
            lists.tables = lists.tables.split_off(&period.0);
        }
    }
}

/// Returns the period of the table to replace: the same period's, or the first one installed.
fn displaced(lists: &Lists, period: u16) -> Option<u16> {
    if lists.tables.contains_key(&period) {
        return Some(period);
    }
    let oldest = lists.tables.iter().min_by_key(|(_, table)| table.installed);
    oldest
        .filter(|_| lists.tables.len() >= PERIODS_MAX)
        .map(|(period, _)| *period)
}

/// The parts are those of the expansion, each once; they are put in order.
fn check_complete(
    expansion: &RevocationExpansion,
    parts: &mut [ExpandedPart],
) -> Result<(), ExpansionRefusal> {
    parts.sort_unstable_by_key(|part| part.place.number);
    let expected = expansion.parts().len();
    let mut numbered = parts.iter().enumerate();
    let is_in_place = |(at, part): (usize, &ExpandedPart)| {
        part.place.number == at && part.place.task == expansion.task
    };
    match parts.len() == expected && numbered.all(is_in_place) {
        true => Ok(()),
        false => Err(ExpansionRefusal::Incomplete),
    }
}

/// The seeds of the period, for each list.
fn evolved_seeds(expansion: &RevocationExpansion, parts: &[ExpandedPart]) -> Vec<Vec<LinkageSeed>> {
    let seeds = expansion.lists.iter().map(|work| work.seeds.to_vec());
    let mut seeds: Vec<Vec<LinkageSeed>> = seeds.collect();
    for part in parts {
        let start = part.place.start;
        seeds[part.place.list][start..start + part.seeds.len()].copy_from_slice(&part.seeds);
    }
    seeds
}

/// The groups that are revoked in the period.
fn groups(expansion: &RevocationExpansion, evolved: &[Vec<LinkageSeed>]) -> Vec<GroupValues> {
    let of = |(work, seeds): (&ListWork, &Vec<LinkageSeed>)| {
        let active = work.active(expansion.task.period);
        let groups = active.filter(|(_, batch)| batch.j_max.is_none());
        let values = groups.filter_map(|(_, batch)| {
            let own = seeds.get(batch.start..batch.start + batch.seeds())?;
            GroupValues::new(batch.authorities, own)
        });
        values.collect::<Vec<_>>()
    };
    expansion.lists.iter().zip(evolved).flat_map(of).collect()
}
