//! Which capture was made with which link: rules by path, in `validation/*.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::ledger::Class;

const FILES: &[(&str, &str)] = &[
    ("gpio", include_str!("../../validation/gpio.toml")),
    ("uart", include_str!("../../validation/uart.toml")),
    ("sik", include_str!("../../validation/sik.toml")),
    ("lora", include_str!("../../validation/lora.toml")),
    ("nrf24", include_str!("../../validation/nrf24.toml")),
    ("espnow", include_str!("../../validation/espnow.toml")),
    ("esp32-802154", include_str!("../../validation/esp32-802154.toml")),
    ("hc05", include_str!("../../validation/hc05.toml")),
    ("esp32-spp", include_str!("../../validation/esp32-spp.toml")),
    ("ble", include_str!("../../validation/ble.toml")),
    ("wifi", include_str!("../../validation/wifi.toml")),
];

/// Says of a capture with which link and settings it was made.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureRule {
    /// The path below the captures' folder; `*` stands for any text.
    pub path: String,
    /// The link.
    pub link: String,
    /// What the ledger calls it.
    pub variant: String,
    /// How well the link is understood.
    pub class: Class,
    /// Settings that differ from the link's defaults, as a user writes them.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Settings that the capture was as likely made with, in place of those of `set`: a row keeps its goals where it keeps
    /// them with all of these as well.
    #[serde(default)]
    pub or_set: Vec<BTreeMap<String, String>>,
    /// The payload, where the file's name does not say it.
    pub payload_bytes: Option<u64>,
    /// The link's gate that the capture's trigger followed, where it did.
    pub locked_to: Option<String>,
    /// How many fitted values of the link's params act in this variant.
    #[serde(default)]
    pub fitted_physics: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    capture: Vec<CaptureRule>,
}

/// The first rule that a path below the captures' folder meets.
pub fn rule_of(path: &str) -> Option<&'static CaptureRule> {
    static RULES: OnceLock<Vec<CaptureRule>> = OnceLock::new();
    let rules = RULES.get_or_init(|| {
        let parse = |(name, text): &(&str, &str)| {
            toml::from_str::<RuleFile>(text)
                .unwrap_or_else(|error| panic!("validation/{name}.toml: {error}"))
                .capture
        };
        FILES.iter().flat_map(parse).collect()
    });
    rules.iter().find(|rule| matches(&rule.path, path))
}

/// Whether a text is one that a pattern with `*` stands for.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|tail| {
            (0..=tail.len()).any(|skip| tail.is_char_boundary(skip) && matches(rest, &tail[skip..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("rfm95/250k-*B.csv", "rfm95/250k-SF128-12B.csv"));
        assert!(matches("*", ""));
        assert!(!matches("rfm95/*.csv", "nrf24/12B.csv"));
    }

    #[test]
    fn every_rule_names_a_link_and_settings_that_exist() {
        let _ = rule_of("");
        for (name, text) in FILES {
            for rule in toml::from_str::<RuleFile>(text).unwrap().capture {
                let link = links::find(&rule.link).unwrap();
                for set in [&rule.set].into_iter().chain(&rule.or_set) {
                    let set = set.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                    link.program(&link.settings_with(set).unwrap())
                        .unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
        }
    }
}
