//! Memory that roles, suites and images take on a microcontroller, against that of a board.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::Board;

/// Memory that a role or a suite takes on a Cortex-M. A board that has less cannot have it as it is
/// built here; one that has as much may still lack room for the rest of its software.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryNeed {
    /// Its kind.
    pub kind: NeedKind,
    /// Name of the role or image, or of the suite as vehicle files have it.
    pub name: String,
    /// Code and constants, in bytes; none where it is not measured.
    pub flash: Option<u64>,
    /// Values in RAM besides the stack, in bytes; none where they are not measured.
    pub ram: Option<u64>,
    /// The deepest stack, in bytes.
    pub stack: u64,
    /// Source of these figures.
    pub origin: String,
}

/// Kind of what takes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeedKind {
    /// A role of an ECU in a protocol.
    Role,
    /// A suite of cryptography.
    Suite,
    /// A whole ECU image of several roles.
    Image,
}

impl NeedKind {
    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NeedKind::Role => "role",
            NeedKind::Suite => "suite",
            NeedKind::Image => "image",
        }
    }
}

/// A memory of a board that is too small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryShortage {
    /// True for program memory.
    pub is_flash: bool,
    /// Bytes that are needed at least.
    pub needed: u64,
    /// Bytes of the board.
    pub has: u64,
    /// The role or suite that takes most of it.
    pub most: String,
}

impl MemoryShortage {
    /// Returns the name of the memory.
    #[must_use]
    pub const fn memory(&self) -> &'static str {
        match self.is_flash {
            true => "flash",
            false => "RAM",
        }
    }
}

const DATA: &str = include_str!("../data/memory/needs.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedsForm {
    need: Vec<NeedForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedForm {
    role: Option<String>,
    suite: Option<String>,
    whole_image: Option<String>,
    flash: Option<u64>,
    ram: Option<u64>,
    stack: u64,
    image: Option<String>,
    example: Option<String>,
    table: Option<String>,
}

impl MemoryNeed {
    /// Returns all that is measured.
    #[must_use]
    pub fn all() -> &'static [MemoryNeed] {
        static READ: OnceLock<Vec<MemoryNeed>> = OnceLock::new();
        // A test reads the file.
        let read = || toml::from_str::<NeedsForm>(DATA).map(|form| form.need);
        READ.get_or_init(|| read().into_iter().flatten().filter_map(need).collect())
    }

    /// Returns that of a role or suite, if it is measured.
    #[must_use]
    pub fn of(kind: NeedKind, name: &str) -> Option<&'static MemoryNeed> {
        let mut all = Self::all().iter();
        all.find(|need| need.kind == kind && need.name == name)
    }
}

fn need(form: NeedForm) -> Option<MemoryNeed> {
    let (kind, name) = match (form.role, form.suite, form.whole_image) {
        (Some(name), None, None) => (NeedKind::Role, name),
        (None, Some(name), None) => (NeedKind::Suite, name),
        (None, None, Some(name)) => (NeedKind::Image, name),
        _ => return None,
    };
    let origin = match (form.image, form.example, form.table) {
        (Some(image), None, None) => {
            format!("measured in QEMU: firmware/budgets.toml, image {image}")
        }
        (None, Some(example), None) => {
            format!("read from the linked library: docs/embedding.md, {example}")
        }
        (None, None, Some(table)) => format!("measured in QEMU: {table}"),
        _ => return None,
    };
    Some(MemoryNeed {
        kind,
        name,
        flash: form.flash,
        ram: form.ram,
        stack: form.stack,
        origin,
    })
}

impl Board {
    /// Returns the memories of which this board has less than `needs` take together at least: of
    /// the flash the largest part, as parts share code; of the RAM the largest values, as those of
    /// a role are of an image with it alone and contain what all images share, and the deepest
    /// stack.
    /// Memory that the board's source does not state is not compared.
    #[must_use]
    pub fn lacks<'a>(
        &self,
        needs: impl IntoIterator<Item = &'a MemoryNeed>,
    ) -> Vec<MemoryShortage> {
        let needs: Vec<&MemoryNeed> = needs.into_iter().collect();
        // The bytes of the need that has most, and its name.
        let most = |bytes: fn(&MemoryNeed) -> Option<u64>| {
            let all = needs
                .iter()
                .filter_map(|need| Some((bytes(need)?, &*need.name)));
            all.max_by_key(|(bytes, _)| *bytes).unwrap_or_default()
        };
        let (flash, values, stack) = (
            most(|need| need.flash),
            most(|need| need.ram),
            most(|need| Some(need.stack)),
        );
        let memories = [
            (true, flash.0, self.characteristics().flash_bytes, flash.1),
            (
                false,
                values.0.saturating_add(stack.0),
                self.characteristics().ram_bytes,
                values.max(stack).1,
            ),
        ];
        let short = memories
            .into_iter()
            .filter_map(|(is_flash, needed, has, most)| {
                let has = has.filter(|has| needed > *has)?;
                Some(MemoryShortage {
                    is_flash,
                    needed,
                    has,
                    most: most.to_owned(),
                })
            });
        short.collect()
    }
}
