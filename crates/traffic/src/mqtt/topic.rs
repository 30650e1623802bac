//! Topic filters of MQTT 3.1.1, section 4.7.

/// Whether a text is a filter: not empty, `#` alone in the last level, `+` alone in its level.
pub(super) fn is_filter(filter: &str) -> bool {
    let mut levels = filter.split('/').rev();
    let last = levels.next().unwrap_or_default();
    let plain = |level: &str| level == "+" || !level.contains(['+', '#']);
    !filter.is_empty() && (last == "#" || plain(last)) && levels.all(plain)
}

/// Whether a topic matches a filter.
pub(super) fn matches(filter: &str, topic: &str) -> bool {
    if topic.starts_with('$') && filter.starts_with(['+', '#']) {
        return false;
    }
    let mut levels = topic.split('/');
    let mut wanted = filter.split('/');
    loop {
        match (wanted.next(), levels.next()) {
            (Some("#"), _) | (None, None) => return true,
            (Some("+"), Some(_)) => {}
            (Some(wanted), Some(level)) if wanted == level => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_match_as_it_says() {
        for (filter, topic, expected) in [
            ("sport/tennis/player1/#", "sport/tennis/player1", true),
            ("sport/tennis/player1/#", "sport/tennis/player1/ranking", true),
            ("sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", true),
            ("sport/#", "sport", true),
            ("#", "sport/tennis", true),
            ("sport/tennis/+", "sport/tennis/player1", true),
            ("sport/tennis/+", "sport/tennis/player1/ranking", false),
            ("sport/+", "sport", false),
            ("sport/+", "sport/", true),
            ("+/+", "/finance", true),
            ("/+", "/finance", true),
            ("+", "/finance", false),
            ("#", "$SYS/monitor", false),
            ("+/monitor/Clients", "$SYS/monitor/Clients", false),
            ("$SYS/#", "$SYS/", true),
            ("$SYS/monitor/+", "$SYS/monitor/Clients", true),
            ("ACCOUNTS", "Accounts", false),
        ] {
            assert_eq!(matches(filter, topic), expected, "{filter} {topic}");
        }
    }

    #[test]
    fn a_misplaced_wildcard_is_no_filter() {
        for (filter, expected) in [
            ("sport/tennis#", false),
            ("sport/tennis/#/ranking", false),
            ("sport+", false),
            ("", false),
            ("+", true),
            ("#", true),
            ("+/tennis/#", true),
            ("sport/+/player1", true),
            ("/", true),
        ] {
            assert_eq!(is_filter(filter), expected, "{filter}");
        }
    }
}
