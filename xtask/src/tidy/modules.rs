//! Resolution of files to modules, and of paths to modules.

use std::collections::BTreeMap;

use super::tree::{File, Tree, inside};

/// The modules of one crate.
pub(super) struct Crate<'a> {
    /// Module path to file; the root is the empty path.
    pub(super) modules: BTreeMap<Vec<String>, &'a File>,
    /// Re-exports of a module from elsewhere: module and name to the path meant.
    exports: BTreeMap<(Vec<String>, String), Vec<String>>,
}

/// The crates of the tree: every folder `src` with a `lib.rs` or a `main.rs`.
pub(super) fn crates(tree: &Tree) -> Vec<Crate<'_>> {
    tree.files
        .iter()
        .filter_map(|file| {
            let folder = file.path.strip_suffix("src/lib.rs");
            let folder = folder.or_else(|| file.path.strip_suffix("src/main.rs"))?;
            Some(Crate::new(tree, &format!("{folder}src")))
        })
        .collect()
}

impl<'a> Crate<'a> {
    fn new(tree: &'a Tree, folder: &str) -> Self {
        let mut made = Crate {
            modules: BTreeMap::new(),
            exports: BTreeMap::new(),
        };
        for (file, _) in tree.sources() {
            let inside = inside(&file.path);
            if let Some(module) = inside.strip_prefix(folder)
                && (module.is_empty() || module.starts_with('/'))
            {
                let module = module.split('/').filter(|part| !part.is_empty());
                made.modules
                    .insert(module.map(str::to_owned).collect(), file);
            }
        }
        for (module, file) in &made.modules {
            for path in file.source.iter().flat_map(|source| &source.paths) {
                if path.is_use
                    && let Some(name) = path.segments.last()
                {
                    let full = made.absolute(module, &path.segments);
                    made.exports.insert((module.clone(), name.clone()), full);
                }
            }
        }
        made
    }

    /// A path as seen from the crate's root; empty if it leads out of the crate.
    fn absolute(&self, module: &[String], segments: &[String]) -> Vec<String> {
        let (mut base, skipped) = match segments[0].as_str() {
            "crate" => (Vec::new(), 1),
            "self" => (module.to_vec(), 1),
            "super" => {
                let up = segments.iter().take_while(|part| *part == "super").count();
                (module[..module.len().saturating_sub(up)].to_vec(), up)
            }
            child => {
                let mut path = module.to_vec();
                path.push(child.to_owned());
                if !self.modules.contains_key(&path) {
                    return Vec::new();
                }
                (module.to_vec(), 0)
            }
        };
        base.extend_from_slice(&segments[skipped..]);
        base
    }

    /// The module that owns what a path names, seen through re-exports; none if that is outside.
    pub(super) fn owner(&self, module: &[String], segments: &[String]) -> Option<Vec<String>> {
        let mut path = self.absolute(module, segments);
        // A chain of re-exports is short; the bound ends a circle.
        for _ in 0..8 {
            let depth = (0..=path.len())
                .rev()
                .find(|&depth| self.modules.contains_key(&path[..depth]))?;
            if path.is_empty() {
                return None;
            }
            let Some(name) = path.get(depth) else {
                return Some(path);
            };
            match self.exports.get(&(path[..depth].to_vec(), name.clone())) {
                Some(target) if !target.is_empty() && *target != path => {
                    let rest = path[depth + 1..].to_vec();
                    path = target.clone();
                    path.extend(rest);
                }
                _ => {
                    path.truncate(depth);
                    return Some(path);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_re_export_leads_to_the_module_that_owns_the_name() {
        let tree = Tree::of(&[
            (
                "crates/can/src/lib.rs",
                "mod frame;\npub use frame::{Format, Frame};",
            ),
            ("crates/can/src/frame.rs", ""),
            ("crates/can/src/frame/bits.rs", ""),
            ("crates/can/src/id.rs", ""),
        ]);
        let crates = crates(&tree);
        let owner = |from: &[&str], path: &str| {
            let from: Vec<String> = from.iter().map(|&part| part.to_owned()).collect();
            let path: Vec<String> = path.split("::").map(str::to_owned).collect();
            crates[0].owner(&from, &path).map(|found| found.join("::"))
        };
        assert_eq!(owner(&["id"], "crate::Frame").as_deref(), Some("frame"));
        assert_eq!(
            owner(&["id"], "super::frame::bits::X").as_deref(),
            Some("frame::bits")
        );
        assert_eq!(
            owner(&["frame", "bits"], "super::super::id").as_deref(),
            Some("id")
        );
        assert_eq!(owner(&["id"], "core::fmt::Display"), None);
    }
}
