//! What ends a row before its samples do, of links and boards alike.

use units::Picoseconds;

use fields::toml_file::{Misplaced, TomlFile, Value, plain, shown};

/// A day of virtual time takes many days of the host.
const LONGEST_LIMIT: Picoseconds = Picoseconds::new(86_400 * units::PS_PER_S);

/// The share of its figure that the interval of a row may reach to either side.
pub(super) fn stop_within(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<f64, Misplaced> {
    let text = plain(value.get_ref()).unwrap_or_default();
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    percent.filter(|percent| (0.01..=50.0).contains(percent)).map(|percent| percent / 100.0).ok_or_else(
        || {
            let shown = shown(value.get_ref());
            let message =
                format!("{field} is {shown}, but it takes a share from 0.01 % to 50 %, such as \"1 %\"");
            file.error(value.span(), message)
        },
    )
}

/// The virtual time at which a row ends at the latest.
pub(super) fn limit(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<Picoseconds, Misplaced> {
    let text = file.text_of(field, value)?;
    let limit = text.parse().ok().filter(|limit| *limit > Picoseconds::ZERO && *limit <= LONGEST_LIMIT);
    limit.ok_or_else(|| {
        let message =
            format!("{field} is {text:?}, but it takes a time of at most {LONGEST_LIMIT}, such as \"20 s\"");
        file.error(value.span(), message)
    })
}
