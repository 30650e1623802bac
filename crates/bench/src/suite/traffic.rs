//! A client or a server in a suite: a text as on the command line, or a table with kind, name and options.

use fields::toml_file::{Misplaced, Told, TomlFile, Value, fields_of, plain, shown, told};
use lan::TrafficSetup;
use toml::de::{DeTable, DeValue};

/// The one that a value stands for.
pub(super) fn read(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Result<TrafficSetup, Misplaced> {
    let wrong = |message: Told| file.error(value.span(), message);
    if let DeValue::String(words) = value.get_ref() {
        return TrafficSetup::from_words(words).map_err(|error| wrong(told(field, format!(": {error}"))));
    }
    let table: &DeTable<'_> = file.table_of(field, value)?;
    let mut options = Vec::new();
    for (name, _, value) in fields_of(table) {
        let text = plain(value.get_ref()).ok_or_else(|| {
            let message =
                told(field, format!(": {name} is {}, but it takes a value", shown(value.get_ref())));
            file.error(value.span(), message)
        })?;
        options.push((name.to_owned(), text));
    }
    let given = |wanted: &str| options.iter().find(|(name, _)| name == wanted).map(|(_, text)| text.clone());
    let name = given("name").or_else(|| given("kind"));
    let name = name.ok_or_else(|| wrong(told(field, ": kind is missing, such as kind = \"ping\"")))?;
    options.retain(|(option, _)| option != "name");
    TrafficSetup::parse(&name, options).map_err(|error| wrong(told(field, format!(": {name}{error}"))))
}
