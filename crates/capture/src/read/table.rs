//! What kind of table a text is that no reader knows: enough to say what to do with it. Oscilloscopes put lines of their own above
//! the table, and each maker others.

/// Lines in which the table must begin.
const LINES_ABOVE: usize = 64;
const SEPARATORS: [u8; 3] = [b',', b'\t', b';'];

/// What stands in the columns behind the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// Zeros and ones alone.
    Levels,
    /// Decimal numbers.
    Voltages,
    /// Something else.
    Other,
}

impl Table {
    /// The table in a text that begins with `head`: two lines with the same separators, of which the second has numbers
    /// where the values are measured. Nothing where there is none.
    pub(super) fn at_the_top_of(head: &[u8]) -> Option<Self> {
        // The last line may be cut off.
        let lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
        if lines.iter().take(LINES_ABOVE).any(|line| !is_text(line)) {
            return None;
        }
        let mut pairs = lines.windows(2).take(LINES_ABOVE).filter(|pair| has_like_columns(pair[0], pair[1]));
        let begins_so = lines.len() > 1 && has_like_columns(lines[0], lines[1]);
        pairs.find_map(|pair| of_row(pair[1])).or(begins_so.then_some(Self::Other))
    }
}

fn is_text(line: &[u8]) -> bool {
    line.iter().all(|byte| *byte >= b' ' || *byte == b'\t')
}

fn has_like_columns(line: &[u8], next: &[u8]) -> bool {
    SEPARATORS.into_iter().any(|separator| {
        let count = |line: &[u8]| line.iter().filter(|byte| **byte == separator).count();
        count(line) > 0 && count(line) == count(next)
    })
}

/// What a row of numbers holds behind its first column; nothing where it is no such row.
fn of_row(row: &[u8]) -> Option<Table> {
    let separator = SEPARATORS.into_iter().rfind(|separator| row.contains(separator))?;
    let mut fields = row.split(|byte| *byte == separator).map(<[u8]>::trim_ascii);
    // A decimal comma stands where columns are parted by semicolons.
    let is_number = |field: &[u8]| {
        let text = String::from_utf8_lossy(field).replace(',', ".");
        text.parse::<f64>().is_ok_and(f64::is_finite)
    };
    let is_first_a_number = is_number(fields.next()?);
    let values: Vec<&[u8]> = fields.filter(|field| !field.is_empty()).collect();
    let is_of_numbers =
        is_first_a_number && !values.is_empty() && values.iter().all(|value| is_number(value));
    let is_of_levels = values.iter().all(|value| matches!(*value, b"0" | b"1"));
    is_of_numbers.then_some(if is_of_levels { Table::Levels } else { Table::Voltages })
}
