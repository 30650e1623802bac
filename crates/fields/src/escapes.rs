//! Bytes in a line of text: escapes for what a keyboard does not have.

/// Text with the escapes `\n`, `\r`, `\t`, `\e`, `\0`, `\\` and `\xNN` as the bytes that they mean.
///
/// # Errors
/// With a sentence for an escape that is none of these.
pub fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            bytes.extend(c.to_string().bytes());
            continue;
        }
        let known = match rest.next() {
            Some('n') => Some(b'\n'),
            Some('r') => Some(b'\r'),
            Some('t') => Some(b'\t'),
            Some('e') => Some(0x1b),
            Some('0') => Some(0),
            Some('\\') => Some(b'\\'),
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                u8::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 2)
            }
            _ => None,
        };
        bytes.push(known.ok_or_else(|| {
            format!("{text:?} has an escape that is none; there are \\n, \\r, \\t, \\e, \\0, \\\\ and \\xNN")
        })?);
    }
    Ok(bytes)
}

/// Bytes as [`unescaped`] reads them: printing ASCII as it is, and escapes for the rest.
pub fn escaped(bytes: &[u8]) -> String {
    let character = |&byte: &u8| match byte {
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    bytes.iter().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_the_bytes_that_they_mean() {
        assert_eq!(unescaped(r"print(1)\r\x03\\").unwrap(), b"print(1)\r\x03\\");
        assert_eq!(unescaped("é").unwrap(), "é".as_bytes());
        assert!(unescaped(r"\q").is_err() && unescaped(r"\x1").is_err() && unescaped("\\").is_err());
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescaped(&escaped(&all)).unwrap(), all);
        assert_eq!(escaped(b"a b\r\n\xff\\"), r"a b\r\n\xff\\");
    }
}
