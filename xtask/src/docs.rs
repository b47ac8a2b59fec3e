//! `cargo xtask docs`: the pages as a site that can be searched, in target/docs-site.
//!
//! mdBook renders the pages of `docs/SUMMARY.md` from a copy in target/docs-book, which has the
//! places of the project and, besides the pages, each file that one of them links to. So a link
//! leads to the same file in the project and in the site. Every link of the site is checked.

mod site;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::tidy::links::page_links;
use crate::tidy::pages::SUMMARY;
use crate::tidy::tree::Tree;

/// Builds the site with the program `mdbook`, prints each dead link, and returns true if there is
/// none.
///
/// # Errors
/// When the tree cannot be read, mdBook is missing or fails, or target/ cannot be written.
pub(crate) fn run(root: &Path, mdbook: &str) -> Result<bool> {
    let root = root.canonicalize()?;
    let tree = Tree::read(&root)?;
    let (book, site) = (root.join("target/docs-book"), root.join("target/docs-site"));
    for folder in [&book, &site] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    let summary = tree.text(SUMMARY).context("docs/SUMMARY.md is missing")?;
    let pages = book.join("pages");
    for path in staged(&tree, summary) {
        let to = pages.join(&path);
        fs::create_dir_all(to.parent().unwrap_or(&pages))?;
        fs::copy(root.join(&path), &to).with_context(|| format!("cannot copy {path}"))?;
    }
    fs::write(pages.join("SUMMARY.md"), from_root(summary))?;
    fs::copy(root.join("docs/book.toml"), book.join("book.toml"))?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&book).arg("--dest-dir").arg(&site);
    let status = build.status();
    let status = status.with_context(|| format!("cannot run {mdbook}; `make docs` installs it"))?;
    ensure!(status.success(), "{mdbook} failed");
    for folder in folders(&tree, summary) {
        fs::write(
            site.join(&folder).join("index.html"),
            listing(&tree, &folder),
        )?;
    }
    let pages = site::read(&site)?;
    let dead = site::dead_links(&site, &pages);
    for link in &dead {
        println!("{link}");
    }
    println!(
        "docs: {} pages in target/docs-site, {} dead links",
        pages.len(),
        dead.len()
    );
    Ok(dead.is_empty())
}

/// Returns the files of the site: the pages of the summary, and the targets of their links.
fn staged(tree: &Tree, summary: &str) -> BTreeSet<String> {
    let mut staged = BTreeSet::new();
    for path in linked(tree, summary) {
        let inside = format!("{path}/");
        let files = tree.files.iter().map(|file| &file.path);
        staged.extend(
            files
                .filter(|file| **file == path || file.starts_with(&inside))
                .cloned(),
        );
    }
    staged
}

/// The folders that pages link to, and those in them.
fn folders(tree: &Tree, summary: &str) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    for path in linked(tree, summary) {
        let inside = format!("{path}/");
        for file in tree
            .files
            .iter()
            .filter(|file| file.path.starts_with(&inside))
        {
            let above = Path::new(&file.path).ancestors().skip(1);
            let above = above.take_while(|folder| folder.starts_with(&path));
            folders.extend(above.map(|folder| folder.display().to_string()));
        }
    }
    folders
}

/// The pages of the summary and the targets of their links, from the root, without a last `/`.
fn linked(tree: &Tree, summary: &str) -> BTreeSet<String> {
    let targets = |page: &str, text: &str| -> Vec<String> {
        page_links(page, text)
            .filter_map(|(_, _, path)| path)
            .collect()
    };
    let mut linked: BTreeSet<String> = targets(SUMMARY, summary).into_iter().collect();
    for page in linked.clone() {
        linked.extend(targets(&page, tree.text(&page).unwrap_or_default()));
    }
    linked.remove(SUMMARY);
    linked.into_iter().filter(|path| !path.is_empty()).collect()
}

/// Returns the summary as it stands at the root of the project. It has one link in a line.
fn from_root(summary: &str) -> String {
    let mut lines: Vec<String> = summary.lines().map(str::to_owned).collect();
    for (line, target, path) in page_links(SUMMARY, summary) {
        if let (Some(text), Some(path)) = (lines.get_mut(line - 1), path) {
            *text = text.replace(&format!("]({target})"), &format!("]({path})"));
        }
    }
    lines.join("\n") + "\n"
}

/// A page that lists the files of a folder, which a web server may not do.
fn listing(tree: &Tree, folder: &str) -> String {
    let inside = format!("{folder}/");
    let entries: BTreeSet<String> = tree
        .files
        .iter()
        .filter_map(|file| file.path.strip_prefix(&inside))
        .map(|rest| match rest.split_once('/') {
            Some((next, _)) => format!("{next}/index.html"),
            None => rest.to_owned(),
        })
        .collect();
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <title>{folder}</title></head>\n<body><h1>{folder}</h1>\n<ul>\n"
    );
    for entry in &entries {
        let name = entry.trim_end_matches("index.html");
        let target = match entry.strip_suffix(".md") {
            Some(page) => format!("{page}.html"),
            None => entry.clone(),
        };
        let _ = writeln!(page, "<li><a href=\"{target}\">{name}</a></li>");
    }
    page.push_str("</ul></body></html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        Tree::of(&[
            (
                SUMMARY,
                "[a](../README.md)\n- [r](README.md)\n- [b](b.md)\n",
            ),
            ("docs/README.md", ""),
            ("README.md", "[b](docs/b.md#part)"),
            ("docs/b.md", "[cars](../cars/)"),
            ("cars/a.toml", ""),
            ("cars/more/b.toml", ""),
            ("other.toml", ""),
        ])
    }

    #[test]
    fn pages_and_what_they_link_to_are_staged() {
        let tree = tree();
        let summary = tree.text(SUMMARY).unwrap();
        let files = [
            "README.md",
            "cars/a.toml",
            "cars/more/b.toml",
            "docs/README.md",
            "docs/b.md",
        ];
        assert_eq!(staged(&tree, summary), files.map(str::to_owned).into());
        let expected = ["cars", "cars/more"];
        assert_eq!(folders(&tree, summary), expected.map(str::to_owned).into());
        let moved = "[a](README.md)\n- [r](docs/README.md)\n- [b](docs/b.md)\n";
        assert_eq!(from_root(summary), moved);
    }

    #[test]
    fn a_listing_names_files_and_folders() {
        let page = listing(&tree(), "cars");
        assert!(page.contains("<a href=\"a.toml\">a.toml</a>"), "{page}");
        assert!(
            page.contains("<a href=\"more/index.html\">more/</a>"),
            "{page}"
        );
    }
}
