//! The links of a built site: each leads to a file in it, and to a place that this file has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

/// A page of the site.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Targets of its links, as written.
    links: Vec<String>,
    /// Places in it that a link can name.
    places: BTreeSet<String>,
}

/// Reads every HTML file below a folder.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn read(site: &Path) -> Result<BTreeMap<PathBuf, Page>> {
    let mut open = vec![site.to_owned()];
    let mut pages = BTreeMap::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "html")
            {
                pages.insert(path.clone(), page(&fs::read_to_string(&path)?));
            }
        }
    }
    Ok(pages)
}

/// Returns the links of all pages that lead nowhere, each with its page.
pub(super) fn dead_links(site: &Path, pages: &BTreeMap<PathBuf, Page>) -> Vec<String> {
    let mut dead = Vec::new();
    for (path, page) in pages {
        // The server shows these in the place of any page; the page of all pages is for printing.
        let name = path.file_name().unwrap_or_default();
        if name == "404.html" || name == "print.html" {
            continue;
        }
        for link in &page.links {
            if !leads_somewhere(path, link, pages) {
                let path = path.strip_prefix(site).unwrap_or(path);
                dead.push(format!(
                    "{}: link to `{link}`, which leads nowhere",
                    path.display()
                ));
            }
        }
    }
    dead
}

fn leads_somewhere(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> bool {
    let outside = ["http:", "https:", "mailto:", "data:", "javascript:"];
    if outside.iter().any(|scheme| link.starts_with(scheme)) {
        return true;
    }
    let (file, place) = link.split_once('#').unwrap_or((link, ""));
    let mut target = match file {
        "" => from.to_owned(),
        file => plain(&from.parent().unwrap_or(from).join(file)),
    };
    if target.is_dir() {
        target.push("index.html");
    }
    match pages.get(&target) {
        Some(page) => place.is_empty() || page.places.contains(place),
        None => target.is_file(),
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn page(html: &str) -> Page {
    let values = |attribute: &str| -> Vec<String> {
        let parts = html.split(attribute).skip(1);
        let values = parts.filter_map(|rest| rest.split('"').next());
        values.map(|value| value.replace("&amp;", "&")).collect()
    };
    let mut links = values(" href=\"");
    links.extend(values(" src=\""));
    links.retain(|link| !link.is_empty());
    Page {
        links,
        places: values(" id=\"").into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_and_places_are_dead() {
        let site = Path::new("/site");
        let a = "<h1 id=\"top\"></h1><a href=\"#top\"><a href=\"#gone\">\
                 <a href=\"docs/b.html#part\">";
        let b = "<p id=\"part\"><a href=\"../a.html#top\"><img src=\"gone.svg\">\
                 <a href=\"https://c/\"><a href=\"../a.html#part\">";
        let pages = BTreeMap::from([
            (site.join("a.html"), page(a)),
            (site.join("docs/b.html"), page(b)),
        ]);
        let dead = dead_links(site, &pages);
        let expected = [
            "a.html: link to `#gone`, which leads nowhere",
            "docs/b.html: link to `../a.html#part`, which leads nowhere",
            "docs/b.html: link to `gone.svg`, which leads nowhere",
        ];
        assert_eq!(dead, expected);
    }
}
