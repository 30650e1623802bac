//! `meta.json` of a `.sal` file: the channels' labels, and the members that the archive should have. Its
//! layout changed often (versions 5 to 20 were seen), so labels are found by their neighbourhood and not by
//! their path.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Keys under which the labels of the rows on the screen stand; other places may name stale ones.
const LABEL_LISTS: [&str; 2] = ["rowsSettings", "channelSettings"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meta {
    /// Labels of digital channels by the device's channel number.
    pub(super) labels: BTreeMap<u32, String>,
    /// The members that hold digital channels, by their name in the archive.
    pub(super) digital_members: Vec<String>,
}

/// Reads the file's content.
pub(super) fn parse(bytes: &[u8]) -> Result<Meta, String> {
    let json: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("it is no valid JSON ({error}); save the capture again"))?;
    let mut meta = Meta::default();
    collect_lists(&json, &mut meta.labels);
    collect_labels(&json, &mut meta.labels);
    let listed = json.get("binData").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let digital = listed.iter().filter(|entry| entry.get("type").is_some_and(|kind| kind == "Digital"));
    let files = digital.filter_map(|entry| entry.get("file").and_then(Value::as_str));
    meta.digital_members = files.map(|file| file.strip_prefix("./").unwrap_or(file).to_owned()).collect();
    Ok(meta)
}

fn collect_lists(value: &Value, labels: &mut BTreeMap<u32, String>) {
    if let Value::Object(object) = value {
        for (key, inner) in object {
            if LABEL_LISTS.contains(&key.as_str()) {
                collect_labels(inner, labels);
            } else {
                collect_lists(inner, labels);
            }
        }
    }
}

/// Takes the label of every object that has one beside a reference to a digital channel. The depth is bounded
/// by the parser's.
fn collect_labels(value: &Value, labels: &mut BTreeMap<u32, String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|inner| collect_labels(inner, labels)),
        Value::Object(object) => {
            if let (Some(channel), Some(label)) = (digital_channel(object), label(object)) {
                labels.entry(channel).or_insert_with(|| label.to_owned());
            }
            object.values().for_each(|inner| collect_labels(inner, labels));
        }
        _ => {}
    }
}

fn label(object: &Map<String, Value>) -> Option<&str> {
    ["name", "label"].iter().find_map(|key| object.get(*key)?.as_str()).filter(|label| !label.is_empty())
}

/// The number of the digital channel that the object, or its member `channel`, refers to.
fn digital_channel(object: &Map<String, Value>) -> Option<u32> {
    let reference = object.get("channel").and_then(Value::as_object).unwrap_or(object);
    if reference.get("type")? != "Digital" {
        return None;
    }
    let number =
        ["deviceChannel", "index", "channelIndex"].iter().find_map(|key| reference.get(*key)?.as_u64());
    u32::try_from(number?).ok()
}
