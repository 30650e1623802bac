//! A model's constants: each with its value, its unit and where it is from. They live in `params/*.toml`, one file
//! a link, and are read when the link is first used.

use std::collections::BTreeMap;

use serde::Deserialize;
use units::Picoseconds;

/// A constant of a model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// `"0.339 ms"`, a number, or a list of either.
    pub value: toml::Value,
    /// What it stands for.
    pub meaning: String,
    /// The document and section that states it.
    pub source: Option<String>,
    /// The capture, payload and statistic that it was fitted on.
    pub fitted: Option<String>,
    /// The captures that it was fitted on: paths below their folder without what says the format, `*` for any text. None
    /// where it was fitted on published figures.
    pub captures: Option<Vec<String>>,
    /// Another constant, fitted on other captures, of what is nearly the same: it stands in where those captures are left
    /// out.
    pub stand_in: Option<String>,
}

/// The constants of a link.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Params(BTreeMap<String, Param>);

impl Params {
    /// Reads a file of `params/`.
    ///
    /// # Panics
    /// When the file is not what it should be: it is part of the program.
    pub fn parse(text: &str) -> Self {
        let params: Self =
            toml::from_str(text).expect("params/*.toml holds value, meaning and source or fitted");
        for (name, param) in &params.0 {
            assert!(param.source.is_some() != param.fitted.is_some(), "{name} is either sourced or fitted");
            assert_eq!(
                param.fitted.is_some(),
                param.captures.is_some(),
                "{name} names what it was fitted on"
            );
        }
        params
    }

    /// All constants by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Param)> {
        self.0.iter().map(|(name, param)| (name.as_str(), param))
    }

    /// Whether a constant is a size: shares that belong to a list of times are the form of it.
    pub fn is_size(&self, name: &str) -> bool {
        !matches!(self.value(name), toml::Value::Array(list) if list.iter().any(|one| !one.is_str()))
    }

    /// The same constants with one of them multiplied; of a list, all of it.
    ///
    /// # Panics
    /// When there is none of that name.
    #[must_use]
    pub fn scaled(&self, name: &str, factor: f64) -> Self {
        let mut scaled = self.clone();
        let param = scaled.0.get_mut(name).unwrap_or_else(|| panic!("the link's params have {name}"));
        param.value = multiplied(&param.value, factor);
        scaled
    }

    /// The same constants, one of which has the value of its stand-in; nothing where it has none.
    ///
    /// # Panics
    /// When there is none of that name, or its stand-in is none of them: they are part of the program.
    pub fn stood_in(&self, name: &str) -> Option<Self> {
        let param = self.0.get(name).unwrap_or_else(|| panic!("the link's params have {name}"));
        let value = self.value(param.stand_in.as_ref()?).clone();
        let mut changed = self.clone();
        changed.0.insert(name.to_owned(), Param { value, ..param.clone() });
        Some(changed)
    }

    /// A time.
    ///
    /// # Panics
    /// When there is no such time.
    pub fn time(&self, name: &str) -> Picoseconds {
        time_of(name, self.value(name))
    }

    /// A list of times, such as the quantiles of an empirical tail.
    ///
    /// # Panics
    /// When there is no such list.
    pub fn times(&self, name: &str) -> Vec<Picoseconds> {
        let list = self.value(name).as_array().unwrap_or_else(|| panic!("{name} is a list of times"));
        list.iter().map(|value| time_of(name, value)).collect()
    }

    /// A list of numbers, such as the shares that belong to a list of times.
    ///
    /// # Panics
    /// When there is no such list.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        let list = self.value(name).as_array().unwrap_or_else(|| panic!("{name} is a list of numbers"));
        let number = |value: &toml::Value| value.as_float().or_else(|| value.as_integer().map(|n| n as f64));
        list.iter().map(|value| number(value).unwrap_or_else(|| panic!("{name} holds numbers"))).collect()
    }

    /// A number.
    ///
    /// # Panics
    /// When there is no such number.
    pub fn number(&self, name: &str) -> f64 {
        let value = self.value(name);
        value
            .as_float()
            .or_else(|| value.as_integer().map(|n| n as f64))
            .unwrap_or_else(|| panic!("{name} is a number"))
    }

    /// A whole number.
    ///
    /// # Panics
    /// When there is no such number.
    pub fn integer(&self, name: &str) -> i64 {
        self.value(name).as_integer().unwrap_or_else(|| panic!("{name} is a whole number"))
    }

    fn value(&self, name: &str) -> &toml::Value {
        &self.0.get(name).unwrap_or_else(|| panic!("the link's params have {name}")).value
    }
}

fn multiplied(value: &toml::Value, factor: f64) -> toml::Value {
    let of = |number: f64| libm::round(number * factor) as i64;
    match value {
        toml::Value::Integer(number) => toml::Value::Integer(of(*number as f64)),
        toml::Value::Float(number) => toml::Value::Float(number * factor),
        toml::Value::String(time) => {
            let ps = time_of("a constant", &toml::Value::String(time.clone())).ps();
            toml::Value::String(format!("{} ps", of(ps as f64)))
        }
        toml::Value::Array(list) => {
            toml::Value::Array(list.iter().map(|one| multiplied(one, factor)).collect())
        }
        other => other.clone(),
    }
}

fn time_of(name: &str, value: &toml::Value) -> Picoseconds {
    let text = value.as_str().unwrap_or_else(|| panic!("{name} is a time with its unit"));
    text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}
