//! Prints the ledger: `cargo run --release -p airwire-testbench --example ledger -- FOLDER [part of a path]`.

use std::path::{Path, PathBuf};

use capture::pairing::{Rule, Settings};
use testbench::Control;
use testbench::captures::{Options, analyze, discover, payload_bytes_of};
use testbench::validation::{Observed, rule_of, validate_capture};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder of captures"));
    let only = arguments.next().unwrap_or_default();
    let (sources, _) = discover(std::slice::from_ref(&folder));
    println!(
        "{:<44} {:>5} {:<10} {:>7} {:>7} {:>7} {:>6} {:>6} {:>5} {:>6}/{:<6} pass",
        "capture", "bytes", "mode", "med%", "uq%", "p95%", "ks", "n_eff", "cover", "lost", "model"
    );
    for source in sources {
        let name = source.path.strip_prefix(Path::new(&folder)).unwrap().to_string_lossy().into_owned();
        if !name.contains(&only) || name.ends_with(".sal") {
            continue;
        }
        let Some(rule) = rule_of(&name) else {
            println!("{name}: no rule");
            continue;
        };
        let options = Options {
            trigger: "0".parse().unwrap(),
            done: "1".parse().unwrap(),
            pairing: Settings { rule: Rule::Strict, ..Settings::default() },
            payload_bytes: None,
            seed: 1,
            intervals: false,
            findings: None,
        };
        let payload = rule.payload_bytes.or_else(|| payload_bytes_of(&source.path)).expect("a payload");
        let analysis = analyze(&[source], &options, &Control::default(), &mut |_| Ok(()));
        let Some(capture) = analysis.captures.first() else {
            println!("{name}: {:?}", analysis.failures);
            continue;
        };
        match validate_capture(rule, &name, payload, &Observed::of(capture), 1) {
            Err(error) => println!("{name}: {error}"),
            Ok(rows) => {
                for row in rows {
                    println!(
                        "{:<44} {:>5} {:<10} {:>+7.2} {:>+7.2} {:>+7.2} {:>6.3} {:>6.0} {:>5.2} {:>6.4}/{:<6.4} {:?}",
                        name,
                        row.payload_bytes,
                        format!("{:?}", row.mode),
                        100.0 * row.median_error,
                        100.0 * row.upper_quartile_error,
                        100.0 * row.p95_error,
                        row.ks,
                        row.n_eff,
                        row.phase_coverage,
                        row.lost,
                        row.lost_model,
                        row.passes
                    );
                }
            }
        }
    }
}
