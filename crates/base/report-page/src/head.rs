//! The head of a page: its title, its style sheet, its script, and the policy that allows these.

use std::fmt::{self, Display};

use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

use crate::escaped::Escaped;

/// Zooms and pans the drawings in elements of class `zoomable`; the page is complete without it.
///
/// It has no `<` and no `&`, so that the page stays well-formed XML.
const ZOOM: &str = include_str!("zoom.js");

/// Content of the head of a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head<'a> {
    /// The title of the window.
    pub title: &'a str,
    /// Rules behind those that every page has.
    pub style: &'a str,
    /// True if drawings in elements of class `zoomable` can be zoomed: only then the page has a
    /// script.
    pub is_zoomable: bool,
}

impl Display for Head<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = format!(
            "\n{}{}{}",
            include_str!("palette.css"),
            include_str!("page.css"),
            self.style
        );
        let script = self.is_zoomable.then_some(ZOOM);
        write!(
            f,
            concat!(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n",
                "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\" />\n",
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n",
                "<meta name=\"color-scheme\" content=\"light dark\" />\n",
                "<link rel=\"icon\" href=\"data:,\" />\n",
                "<title>{title}</title>\n<style>{style}</style>\n</head>\n"
            ),
            policy = policy(&style, script),
            title = Escaped(self.title),
            style = style,
        )
    }
}

impl Head<'_> {
    /// Returns the script as an element, empty if the page has none. It belongs at the end of the
    /// body: it looks for what stands before it.
    pub(crate) fn script(&self) -> String {
        match self.is_zoomable {
            true => format!("<script>{ZOOM}</script>\n"),
            false => String::new(),
        }
    }
}

/// Returns a policy that allows exactly this style sheet and this script, and no request.
fn policy(style: &str, script: Option<&str>) -> String {
    let mut policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src {}",
        source(style)
    );
    if let Some(script) = script {
        policy += &format!("; script-src {}", source(script));
    }
    policy
}

/// Returns the hash by which a policy names the content of an element (CSP Level 3, section 2.3.1).
fn source(content: &str) -> String {
    let hash = Sha256::digest(content);
    format!("'sha256-{}'", Base64::encode_string(&hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_exactly_the_style_and_the_script_of_the_page() {
        let head = Head {
            title: "a",
            style: "b { color: c; }",
            is_zoomable: true,
        };
        let (text, script) = (head.to_string(), head.script());
        let between = |text: &str, from: &str, to: &str| {
            let (_, rest) = text.split_once(from).unwrap();
            rest.split_once(to).unwrap().0.to_owned()
        };
        let style = between(&text, "<style>", "</style>");
        let script = between(&script, "<script>", "</script>");
        assert!(text.contains(&format!("style-src {}", source(&style))));
        assert!(text.contains(&format!("script-src {}\"", source(&script))));
        let plain = Head::default();
        assert!(!plain.to_string().contains("script-src") && plain.script().is_empty());
    }

    #[test]
    fn a_hash_is_that_of_the_specification() {
        // The example of CSP Level 3, section 7.2 (`alert('Hello, world.');`).
        let expected = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert_eq!(source("alert('Hello, world.');"), expected);
    }

    #[test]
    fn the_script_is_markup_in_no_language() {
        assert!(!ZOOM.contains(['<', '&']) && !ZOOM.contains("://"));
    }
}
