//! The member `metadata` of a sigrok session: an INI file with the channels, the sample rate and the layout of
//! the samples.

use units::Hertz;

use crate::change::Channel;
use crate::read::clock;

/// Far more than any analyser has; bounds what a damaged file can make us allocate.
const UNIT_BYTES_MAX: usize = 128;

#[derive(Debug)]
pub(super) struct Metadata {
    /// The members with samples are named by it.
    pub(super) capture_file: String,
    /// The size of one sample.
    pub(super) unit_bytes: usize,
    pub(super) sample_rate: Hertz,
    /// The logic channels; `index` is also the position of the bit in a sample.
    pub(super) channels: Vec<Channel>,
}

/// Reads the metadata, or says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Metadata, String> {
    let device = device_section(text).ok_or("it has no section [device 1]; save the session again")?;
    let channels = channels(&device)?;
    if channels.is_empty() {
        return Err(
            "the session has no logic channels, only analogue ones; record the trigger and the done pin \
                    with logic channels"
                .to_owned(),
        );
    }
    let capture_file = device.value("capturefile").ok_or("it does not name the member with the samples")?;
    let rate = device.value("samplerate").ok_or(
        "it gives no samplerate, so that the samples have no times; set the rate and record again, or import the \
         data with a rate",
    )?;
    let sample_rate = clock::parse_rate(rate).ok_or_else(|| format!("`{rate}` is no samplerate"))?;
    let bits = channels.iter().map(|channel| channel.index as usize + 1).max().unwrap_or(0);
    let unit_bytes = match device.value("unitsize") {
        Some(size) => size.parse().map_err(|_| format!("`{size}` is no unitsize"))?,
        None => bits.div_ceil(8),
    };
    if unit_bytes > UNIT_BYTES_MAX || bits > unit_bytes * 8 {
        return Err(format!(
            "a unitsize of {unit_bytes} bytes has no room for probe{bits} or is above {UNIT_BYTES_MAX}; \
             save the session again"
        ));
    }
    Ok(Metadata { capture_file: capture_file.to_owned(), unit_bytes, sample_rate, channels })
}

/// Keys and values of one section.
#[derive(Default)]
struct Section<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Section<'a> {
    fn value(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

/// The first section of a device; sigrok writes only one.
fn device_section(text: &str) -> Option<Section<'_>> {
    let mut section: Option<Section> = None;
    for line in text.split(['\r', '\n']).map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            if section.is_some() {
                break;
            }
            if name.starts_with("device ") {
                section = Some(Section::default());
            }
        } else if let (Some(section), Some((key, value)), false) =
            (section.as_mut(), line.split_once('='), line.starts_with('#'))
        {
            section.0.push((key.trim(), value.trim()));
        }
    }
    section
}

/// The named probes; where none is named, as many as there are, by their numbers.
fn channels(device: &Section<'_>) -> Result<Vec<Channel>, String> {
    let mut channels = Vec::new();
    for (key, label) in &device.0 {
        let Some(number) = key.strip_prefix("probe").and_then(|number| number.parse::<u32>().ok()) else {
            continue;
        };
        let index = number.checked_sub(1).ok_or("it has a probe0, but probes count from 1")?;
        if index as usize >= UNIT_BYTES_MAX * 8 {
            return Err(format!("it has a probe{number}, but {} is the highest", UNIT_BYTES_MAX * 8));
        }
        channels.push(Channel { index, label: (*label).to_owned() });
    }
    channels.sort_by_key(|channel| channel.index);
    if channels.is_empty() {
        let total = device.value("total probes").and_then(|total| total.parse().ok()).unwrap_or(0);
        let total = u32::min(total, UNIT_BYTES_MAX as u32 * 8);
        channels.extend((0..total).map(|index| Channel { index, label: index.to_string() }));
    }
    Ok(channels)
}
