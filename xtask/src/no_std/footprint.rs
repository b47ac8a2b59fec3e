//! Flash and stack of a function of a static library: an estimate from its object files.
//!
//! Each function and each constant has a section of its own. Relocations say which section uses
//! which; `.stack_sizes`, which the compiler writes when asked to, how large each function's frame
//! is. Flash is what a function reaches, tables and all. Stack is the deepest path of frames; what
//! a function's address is taken of counts as called; panics and their messages do not. A path that
//! comes back to itself has no bound, and is named.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context as _, Result, ensure};

/// Section types of ELF: symbols, relocations without addends.
const SYMBOLS: u32 = 2;
const RELOCATIONS: u32 = 9;
/// The section is in memory at run time.
const ALLOCATED: u32 = 2;

/// Parts of mangled names whose functions are left out of the stack.
const DIVERGING: &[&str] = &["9panicking", "rust_begin_unwind", "3fmt"];

/// Flash and stack of one function, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Footprint {
    pub(super) flash: u64,
    pub(super) stack: u64,
    /// A function that calls itself, if the path meets one.
    pub(super) recursive: Option<String>,
}

/// One section: code, or data.
#[derive(Debug, Default)]
struct Node {
    /// One of its symbols.
    name: String,
    size: u64,
    frame: u64,
    uses: Vec<usize>,
}

/// All sections of a library, and where each symbol is.
#[derive(Debug)]
pub(super) struct Library {
    nodes: Vec<Node>,
    symbols: HashMap<String, usize>,
}

impl Library {
    /// Reads a static library of 32-bit little-endian objects.
    pub(super) fn read(archive: &[u8]) -> Result<Self> {
        let mut library = Self {
            nodes: Vec::new(),
            symbols: HashMap::new(),
        };
        let mut open = Vec::new();
        for member in members(archive)? {
            // Besides objects there are tables of names and the compiler's metadata.
            if member.starts_with(b"\x7fELF\x01\x01") {
                library.add(member, &mut open).context("an object file")?;
            }
        }
        for (from, name) in open {
            if let Some(&to) = library.symbols.get(&name) {
                library.nodes[from].uses.push(to);
            }
        }
        Ok(library)
    }

    /// Finds functions whose mangled name holds a text.
    pub(super) fn functions(&self, part: &str) -> Vec<(&str, usize)> {
        let symbols = self.symbols.iter();
        let found = symbols.filter(|(name, _)| name.contains(part));
        found.map(|(name, &node)| (name.as_str(), node)).collect()
    }

    pub(super) fn footprint(&self, node: usize) -> Footprint {
        let mut seen = HashSet::new();
        let mut left = vec![node];
        let mut flash = 0;
        while let Some(node) = left.pop() {
            if seen.insert(node) {
                flash += self.nodes[node].size;
                left.extend(&self.nodes[node].uses);
            }
        }
        let mut depth = Depth {
            nodes: &self.nodes,
            known: HashMap::new(),
            path: HashSet::new(),
            recursive: None,
        };
        let stack = depth.of(node);
        Footprint {
            flash,
            stack,
            recursive: depth.recursive,
        }
    }

    /// Adds the sections of one object; names of other objects go to `open`.
    fn add(&mut self, object: &[u8], open: &mut Vec<(usize, String)>) -> Result<()> {
        let sections = sections(object)?;
        let first = self.nodes.len();
        for section in &sections {
            let is_in_memory = section.flags & ALLOCATED != 0;
            self.nodes.push(Node {
                size: if is_in_memory { section.size as u64 } else { 0 },
                ..Node::default()
            });
        }
        let table = sections.iter().find(|section| section.kind == SYMBOLS);
        let Some(table) = table else { return Ok(()) };
        let names = sections
            .get(table.link)
            .context("no names")?
            .bytes(object)?;
        let mut symbols = Vec::new();
        for entry in table.bytes(object)?.chunks_exact(16) {
            let name = text(names, word(entry, 0)?);
            let section = usize::from(half(entry, 14)?);
            // Local symbols, sections among them, are found by their section alone.
            let is_local = entry[12] >> 4 == 0;
            let place = (1..sections.len())
                .contains(&section)
                .then_some(first + section);
            if let Some(place) = place {
                if self.nodes[place].name.is_empty() || !is_local {
                    self.nodes[place].name.clone_from(&name);
                }
                if !is_local {
                    self.symbols.entry(name.clone()).or_insert(place);
                }
            }
            symbols.push((place, name));
        }
        for section in &sections {
            if section.name == ".stack_sizes" {
                let frame = frame(section.bytes(object)?);
                let node = &mut self.nodes[first + section.link];
                node.frame = node.frame.max(frame);
            }
            let of_data = sections.get(section.info);
            let counts = of_data.is_some_and(|of| of.flags & ALLOCATED != 0);
            if section.kind != RELOCATIONS || !counts {
                continue;
            }
            // Unwinding tables name the functions that they are about.
            if of_data.is_some_and(|of| of.name.starts_with(".ARM.ex")) {
                continue;
            }
            for entry in section.bytes(object)?.chunks_exact(8) {
                let symbol = (word(entry, 4)? >> 8) as usize;
                match symbols.get(symbol).context("a symbol that is not there")? {
                    (Some(place), _) => self.nodes[first + section.info].uses.push(*place),
                    (None, name) => open.push((first + section.info, name.clone())),
                }
            }
        }
        Ok(())
    }
}

/// The search for the deepest path.
struct Depth<'n> {
    nodes: &'n [Node],
    known: HashMap<usize, u64>,
    path: HashSet<usize>,
    recursive: Option<String>,
}

impl Depth<'_> {
    fn of(&mut self, node: usize) -> u64 {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let own = &self.nodes[node];
        // What panics does not come back, and what formats is named by messages of panics alone.
        if DIVERGING.iter().any(|part| own.name.contains(part)) {
            return 0;
        }
        if !self.path.insert(node) {
            self.recursive.get_or_insert_with(|| own.name.clone());
            return 0;
        }
        let uses = own.uses.iter();
        let below = uses.map(|&one| self.of(one)).max().unwrap_or(0);
        self.path.remove(&node);
        self.known.insert(node, own.frame + below);
        own.frame + below
    }
}

/// The files in an archive, without their names.
fn members(archive: &[u8]) -> Result<Vec<&[u8]>> {
    let mut rest = archive.strip_prefix(b"!<arch>\n").context("no archive")?;
    let mut members = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(60) {
        let size = std::str::from_utf8(&header[48..58])?.trim().parse()?;
        let (member, after) = after.split_at_checked(size).context("cut short")?;
        members.push(member);
        rest = after.get(size % 2..).unwrap_or(&[]);
    }
    Ok(members)
}

struct Section {
    name: String,
    kind: u32,
    flags: u32,
    offset: usize,
    size: usize,
    link: usize,
    info: usize,
}

impl Section {
    fn bytes<'o>(&self, object: &'o [u8]) -> Result<&'o [u8]> {
        let bytes = object.get(self.offset..self.offset + self.size);
        bytes.context("a section beyond the end")
    }
}

fn sections(object: &[u8]) -> Result<Vec<Section>> {
    let start = word(object, 32)? as usize;
    let (count, names) = (
        usize::from(half(object, 48)?),
        usize::from(half(object, 50)?),
    );
    let mut sections = Vec::new();
    for index in 0..count {
        let field = |field: usize| word(object, start + 40 * index + 4 * field);
        sections.push((
            field(0)?,
            Section {
                name: String::new(),
                kind: field(1)?,
                flags: field(2)?,
                offset: field(4)? as usize,
                size: field(5)? as usize,
                link: field(6)? as usize,
                info: field(7)? as usize,
            },
        ));
    }
    ensure!(names < sections.len(), "no names of sections");
    let names = sections[names].1.bytes(object)?;
    let named = sections.iter().map(|(name, _)| text(names, *name));
    let named: Vec<String> = named.collect();
    let sections = sections.into_iter().zip(named);
    Ok(sections
        .map(|((_, section), name)| Section { name, ..section })
        .collect())
}

fn word(bytes: &[u8], offset: usize) -> Result<u32> {
    let word = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    Ok(u32::from_le_bytes(*word.context("cut short")?))
}

fn half(bytes: &[u8], offset: usize) -> Result<u16> {
    let half = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    Ok(u16::from_le_bytes(*half.context("cut short")?))
}

fn text(names: &[u8], offset: u32) -> String {
    let rest = names.get(offset as usize..).unwrap_or(&[]);
    let end = rest
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(rest.len());
    String::from_utf8_lossy(&rest[..end]).into_owned()
}

/// The largest of the frames that a section `.stack_sizes` lists: addresses of four bytes, each
/// with a number of seven bits a byte.
fn frame(mut list: &[u8]) -> u64 {
    let mut largest = 0;
    while let Some((_, rest)) = list.split_at_checked(4) {
        let length = rest.iter().take_while(|byte| **byte >= 0x80).count() + 1;
        let digits = rest.iter().take(length).rev();
        let size = digits.fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7F));
        largest = largest.max(size);
        list = rest.get(length..).unwrap_or(&[]);
    }
    largest
}

/// Returns the footprint of each function of an example, by its name: those of the crate's root,
/// and methods of types in it. Of a function and its closures, whose names begin alike, the largest
/// counts.
pub(super) fn of_example(archive: &[u8], example: &str) -> Result<BTreeMap<String, Footprint>> {
    let library = Library::read(archive)?;
    let package = format!("example_{example}");
    let mark = format!("{}{package}", package.len());
    let mut found: BTreeMap<String, Footprint> = BTreeMap::new();
    for (symbol, node) in library.functions(&mark) {
        let (_, rest) = symbol.split_once(&mark).context("the mark")?;
        if let (Some(name), 1) = (name_in_root(rest), symbol.matches(&mark).count()) {
            let footprint = library.footprint(node);
            match found.get(&name) {
                Some(other) if other.flash >= footprint.flash => {}
                _ => drop(found.insert(name, footprint)),
            }
        }
    }
    Ok(found)
}

/// Reads the name behind a crate in a mangled name (v0): `4name`, or `NtB2_4Type4name`.
fn name_in_root(rest: &str) -> Option<String> {
    let Some(of_type) = rest.strip_prefix("NtB") else {
        return Some(identifier(rest)?.0.to_owned());
    };
    let (_, path) = of_type.split_once('_')?;
    let (of, rest) = identifier(path)?;
    let (name, _) = identifier(rest)?;
    Some(format!("{of}::{name}"))
}

/// Splits an identifier, which its length precedes, from the rest.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = text.split_at(digits);
    rest.split_at_checked(length.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, size: u64, frame: u64, uses: &[usize]) -> Node {
        Node {
            name: name.to_owned(),
            size,
            frame,
            uses: uses.to_vec(),
        }
    }

    #[test]
    fn flash_is_all_that_is_reached_and_stack_the_deepest_path() {
        let mut library = Library {
            nodes: vec![
                node("a", 10, 100, &[1, 2, 4]),
                node("b", 20, 50, &[3]),
                node("c", 30, 60, &[3]),
                node("table", 40, 0, &[]),
                node("_ZN4core9panicking5panic", 50, 1_000, &[]),
                node("apart", 60, 9_999, &[]),
            ],
            symbols: HashMap::new(),
        };
        let expected = Footprint {
            flash: 150,
            stack: 160,
            recursive: None,
        };
        assert_eq!(library.footprint(0), expected);
        library.nodes[3].uses.push(0);
        assert_eq!(library.footprint(0).recursive.as_deref(), Some("a"));
    }

    #[test]
    fn frames_are_numbers_of_seven_bits_a_byte() {
        assert_eq!(frame(&[]), 0);
        assert_eq!(frame(&[0, 0, 0, 0, 24]), 24);
        assert_eq!(
            frame(&[1, 0, 0, 0, 0xE5, 0x8E, 0x26, 9, 0, 0, 0, 8]),
            624_485
        );
        assert_eq!(frame(&[0, 0, 0, 0]), 0);
        assert_eq!(frame(&[0, 0, 0, 0, 0x80]), 0);
    }

    #[test]
    fn an_archive_is_cut_into_its_members() {
        let header = |size: usize| format!("{:<48}{size:<10}`\n", "name/");
        let archive = format!("!<arch>\n{}abc\n{}xy", header(3), header(2));
        let found = members(archive.as_bytes()).unwrap();
        assert_eq!(found, [b"abc".as_slice(), b"xy"]);
        assert!(members(b"no archive").is_err());
        let short = format!("!<arch>\n{}abc", header(30));
        assert!(members(short.as_bytes()).is_err());
    }

    #[test]
    fn functions_and_methods_of_the_root_have_names() {
        assert_eq!(name_in_root("4sign0B3_").as_deref(), Some("sign"));
        let method = name_in_root("NtB2_5Brake3newB3_");
        assert_eq!(method.as_deref(), Some("Brake::new"));
        assert_eq!(name_in_root("NtB2_5Brake"), None);
        assert_eq!(name_in_root("INtB2_"), None);
    }
}
