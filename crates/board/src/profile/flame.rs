//! A flame graph as one SVG file: callers below, width in proportion to cycles, sorted by name. It shows the same picture
//! for the same profile, needs nothing from elsewhere, and names and figures stand in tooltips.

use std::fmt::Write;

use super::Profile;
use super::tree::Bar;

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 10.0;
const BAR_HEIGHT: usize = 17;
const TITLE_HEIGHT: usize = 34;
/// Narrower bars would not be seen.
const NARROWEST: f64 = 0.1;
/// About the width of a letter of 12 pixels.
const LETTER: f64 = 6.6;
/// Names of C++ templates go on for long.
const MOST_LETTERS_IN_TOOLTIP: usize = 400;

/// The picture.
pub fn flame_graph(profile: &Profile, title: &str) -> String {
    let bars = profile.tree.bars();
    let total = total_cycles(&bars);
    let scale = (WIDTH - 2.0 * MARGIN) / total.max(1) as f64;
    let seen: Vec<&Bar> = bars.iter().filter(|bar| bar.cycles as f64 * scale >= NARROWEST).collect();
    let depth = seen.iter().map(|bar| bar.depth + 1).max().unwrap_or(1);
    let height = TITLE_HEIGHT + depth * BAR_HEIGHT + BAR_HEIGHT;
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{}\" y=\"22\" font-size=\"16\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        escaped(title)
    );
    for bar in seen {
        draw(&mut svg, bar, total, scale, height);
    }
    svg.push_str("</svg>\n");
    svg
}

fn total_cycles(bars: &[Bar]) -> u64 {
    bars.iter().filter(|bar| bar.depth == 0).map(|bar| bar.cycles).sum()
}

fn draw(svg: &mut String, bar: &Bar, total: u64, scale: f64, height: usize) {
    let x = MARGIN + bar.start as f64 * scale;
    let width = bar.cycles as f64 * scale;
    let y = height - (bar.depth + 2) * BAR_HEIGHT;
    let share = 100.0 * bar.cycles as f64 / total.max(1) as f64;
    let name: String = bar.name.chars().take(MOST_LETTERS_IN_TOOLTIP).collect();
    let _ = write!(
        svg,
        "<g><title>{}: {} cycles, {share:.2} %</title>\
         <rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\" rx=\"1\" fill=\"{}\"/>",
        escaped(&name),
        bar.cycles,
        BAR_HEIGHT - 1,
        colour(&bar.name)
    );
    let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
    if letters >= 3 {
        let _ = write!(
            svg,
            "<text x=\"{:.2}\" y=\"{}\">{}</text>",
            x + 3.0,
            y + 12,
            escaped(&cut(&name, letters))
        );
    }
    svg.push_str("</g>\n");
}

fn cut(name: &str, letters: usize) -> String {
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    name.chars().take(letters - 2).chain("..".chars()).collect()
}

/// A warm colour that belongs to the name (FNV-1a), so that a function looks alike in every picture.
fn colour(name: &str) -> String {
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("#{:02x}{:02x}{:02x}", 205 + hash % 50, 120 + (hash >> 8) % 110, 40 + (hash >> 16) % 60)
}

fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::CallTree;
    use super::*;

    #[test]
    fn names_from_an_image_do_no_harm_in_a_picture() {
        assert_eq!(escaped("Vec<u8>&\"\u{7}"), "Vec&lt;u8&gt;&amp;&quot; ");
        assert_eq!(cut("put_character", 6), "put_..");
    }

    #[test]
    fn an_empty_profile_is_an_empty_picture() {
        let profile =
            Profile { functions: Vec::new(), cycles: 0, asleep_cycles: 0, tree: CallTree::default() };
        let picture = flame_graph(&profile, "nothing");
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n") && !picture.contains("NaN"));
    }
}
