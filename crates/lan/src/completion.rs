//! What a shell offers while a user writes a client or a server of the PC, or impairments of the cable, from the tables that
//! their parsers read.

use ::traffic::{KINDS, kind};
use ethernet::IMPAIRMENT_OPTIONS;
use fields::{Candidate, Field, assignments};

use super::schema::COMMON;

/// What may be written in place of `typed`, such as `ping to=bo`: the name of a kind, then its options.
pub fn complete_traffic(typed: &str) -> Vec<Candidate> {
    let Some((before, word)) = typed.rsplit_once(' ') else {
        let fitting = KINDS.iter().filter(|kind| kind.name.starts_with(typed));
        let candidate =
            |kind: &::traffic::Kind| Candidate { text: kind.name.to_owned(), help: kind.title.to_owned() };
        return fitting.map(candidate).collect();
    };
    let mut words = before.split_whitespace();
    let name = words.next().unwrap_or_default();
    let said = words.clone().find_map(|word| word.strip_prefix("kind=")).unwrap_or(name);
    let options = kind(said).map_or(&[][..], |kind| kind.options);
    let given: Vec<&str> = words.filter_map(|word| Some(word.split_once('=')?.0)).collect();
    let left = options.iter().chain(&COMMON).filter(|field| !given.contains(&field.name));
    behind(&format!("{before} "), &left.copied().collect::<Vec<Field>>(), word)
}

/// The same of impairments, such as `loss=1%,de`.
pub fn complete_impairments(typed: &str) -> Vec<Candidate> {
    let (before, part) = typed.rfind(',').map_or(("", typed), |comma| typed.split_at(comma + 1));
    let is_given = |field: &Field| {
        before.split(',').any(|part| part.split_once('=').is_some_and(|(name, _)| name.trim() == field.name))
    };
    let left = IMPAIRMENT_OPTIONS.iter().map(|option| option.field).filter(|field| !is_given(field));
    behind(before, &left.collect::<Vec<Field>>(), part)
}

/// The candidates for the last part of a text, with what stands before it.
fn behind(before: &str, declared: &[Field], part: &str) -> Vec<Candidate> {
    let whole = |candidate: Candidate| Candidate { text: format!("{before}{}", candidate.text), ..candidate };
    assignments(declared, part).into_iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(candidates: Vec<Candidate>) -> Vec<String> {
        candidates.into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn a_client_is_a_kind_and_then_its_options_each_once() {
        assert_eq!(texts(complete_traffic("pingp")), ["pingpong", "pingpong-server"]);
        assert_eq!(texts(complete_traffic("ping to")), ["ping to=", "ping to=192.168.1.20"]);
        let rest = texts(complete_traffic("page kind=ping to=board "));
        assert!(rest.contains(&"page kind=ping to=board count=".to_owned()), "{rest:?}");
        assert!(!rest.iter().any(|text| text.ends_with(" to=") || text.ends_with(" kind=")), "{rest:?}");
    }

    #[test]
    fn impairments_go_on_behind_a_comma() {
        assert_eq!(texts(complete_impairments("los")), ["loss=", "loss=0%", "loss=1%"]);
        let next = texts(complete_impairments("loss=1%,l"));
        assert_eq!(next[0], "loss=1%,limit=");
        assert!(!next.contains(&"loss=1%,loss=".to_owned()), "{next:?}");
    }
}
