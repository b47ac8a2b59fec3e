//! The symbols of a static library: its definitions, its imports, and the imports that a crate of
//! its environment may not have.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::output;
use crate::layers::Environment;

/// Symbols that compiled Rust expects of any C library or of the linker.
pub(super) const EXPECTED: &[&str] = &[
    "bcmp",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "strlen",
    "_GLOBAL_OFFSET_TABLE_",
];

/// Marks of the standard library, as they stand in mangled names; its own allocator's among them.
const STD_MARKS: &[&str] = &["_ZN3std", "3std", "__rdl_dealloc"];

/// Marks of allocation.
const ALLOC_MARKS: &[&str] = &["_ZN5alloc", "5alloc", "__rust_alloc", "__rg_", "__rdl_"];

/// Symbols that the proof's allocator takes from the C library; and those that ARM's tables of
/// exceptions name because C functions could throw them, which firmware's linker scripts discard.
const HEAP: &[&str] = &["aligned_alloc", "free", "__aeabi_unwind_cpp_pr0"];

/// One symbol of a static library that the linker sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    /// The object file within the library.
    pub(super) member: String,
    name: String,
    defined: bool,
    /// Size in bytes, if it is a function.
    pub(super) code: u64,
}

/// Lists a library's symbols. `readelf` reads every processor's files and, unlike `nm`, takes the
/// bitcode that the toolchain's own objects carry for what it is.
pub(super) fn symbols(library: &Path) -> Result<Vec<Symbol>> {
    let listing = output(Command::new("readelf").arg("-sW").arg(library))?;
    let symbols = parse(&listing);
    ensure!(
        !symbols.is_empty(),
        "readelf lists no symbol of {}",
        library.display()
    );
    Ok(symbols)
}

/// Reads the output of `readelf -sW` for an archive.
fn parse(listing: &str) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut member = "";
    for line in listing.lines() {
        if let Some(file) = line.strip_prefix("File: ") {
            member = file
                .rsplit_once('(')
                .map_or(file, |(_, member)| member.trim_end_matches(')'));
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [number, _, size, kind, bind, _, section, name, ..] = fields[..] else {
            continue;
        };
        // A weak reference may stay open.
        let weak = section == "UND" && bind == "WEAK";
        if number.ends_with(':') && bind != "LOCAL" && bind != "Bind" && !weak {
            symbols.push(Symbol {
                member: member.to_owned(),
                name: name.to_owned(),
                defined: section != "UND",
                code: size.parse().ok().filter(|_| kind == "FUNC").unwrap_or(0),
            });
        }
    }
    symbols
}

/// Returns the symbols of the C library that a crate of this environment may allocate with.
pub(super) fn heap(environment: Environment) -> &'static [&'static str] {
    match environment {
        Environment::NoStdAlloc => HEAP,
        _ => &[],
    }
}

/// Returns the symbols that a library takes from outside beyond `expected`, and those of `std`, or
/// of `alloc` where the crate may not allocate, that are in it.
pub(super) fn foreign(
    symbols: &[Symbol],
    expected: &[&str],
    environment: Environment,
) -> Vec<String> {
    let may_allocate = environment == Environment::NoStdAlloc;
    let marks = |name: &str| {
        let std = STD_MARKS.iter().any(|mark| name.contains(mark));
        std || !may_allocate && ALLOC_MARKS.iter().any(|mark| name.contains(mark))
    };
    let defined: BTreeSet<&str> = symbols
        .iter()
        .filter(|s| s.defined)
        .map(|s| &*s.name)
        .collect();
    // On a desktop target `core` comes precompiled for unwinding: not the crate's doing.
    let toolchain = |member: &str| {
        ["core-", "compiler_builtins-"]
            .iter()
            .any(|name| member.starts_with(name))
            || may_allocate && member.starts_with("alloc-")
    };
    let mut foreign: BTreeSet<String> = BTreeSet::new();
    for symbol in symbols {
        let open = !symbol.defined
            && !defined.contains(&*symbol.name)
            && !expected.contains(&&*symbol.name)
            && (expected.is_empty() || !toolchain(&symbol.member));
        let marked = !toolchain(&symbol.member) && marks(&symbol.name);
        let whole = symbol.member.starts_with("std-")
            || !may_allocate && symbol.member.starts_with("alloc-");
        if open || marked || whole {
            let mut symbol_text = symbol.name.clone();
            let _ = write!(symbol_text, " ({})", symbol.member);
            foreign.insert(symbol_text);
        }
    }
    foreign.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
File: l.a(waywarden_can-1.o)

Symbol table '.symtab' contains 4 entries:
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND 
     1: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND _ZN4core3fmtE
     2: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND memcpy
     3: 0000000000000000     0 NOTYPE  WEAK   DEFAULT  UND perhaps
     4: 0000000000000010    52 FUNC    GLOBAL DEFAULT    3 _ZN13waywarden_canE

File: l.a(core-2.o)

     1: 0000000000000010    16 FUNC    GLOBAL DEFAULT    3 _ZN4core3fmtE
     2: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND rust_eh_personality
";

    #[test]
    fn what_is_defined_within_is_not_foreign() {
        let symbols = parse(LISTING);
        assert_eq!(symbols.len(), 5);
        assert_eq!(symbols[2].code, 52);
        assert_eq!(
            foreign(&symbols, EXPECTED, Environment::NoStd),
            Vec::<String>::new()
        );
        // Bare metal has no C library: there nothing may stay open.
        let open = [
            "memcpy (waywarden_can-1.o)",
            "rust_eh_personality (core-2.o)",
        ];
        assert_eq!(foreign(&symbols, &[], Environment::NoStd), open);
    }

    #[test]
    fn std_alloc_and_the_operating_system_are_foreign() {
        let names = [
            "_ZN3std2fs4openE",
            "__rust_alloc",
            "malloc",
            "_RNvNtCs1_5alloc3vec",
        ];
        for name in names {
            let listing = LISTING.replace("memcpy", name);
            assert_eq!(
                foreign(&parse(&listing), EXPECTED, Environment::NoStd).len(),
                1,
                "{name}"
            );
        }
        let whole = LISTING.replace("waywarden_can-1.o", "std-3.o");
        assert_eq!(
            foreign(&parse(&whole), EXPECTED, Environment::NoStd).len(),
            3
        );
        // A crate that may allocate has alloc, and no std.
        let found =
            |symbols: &str, environment| foreign(&parse(symbols), EXPECTED, environment).len();
        assert_eq!(found(&whole, Environment::NoStdAlloc), 3);
        let heap = LISTING.replace("waywarden_can-1.o", "alloc-3.o");
        assert_eq!(found(&heap, Environment::NoStd), 3);
        assert_eq!(found(&heap, Environment::NoStdAlloc), 0);
    }
}
