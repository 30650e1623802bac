//! What the fuzz target of packet recordings does with its bytes: reads them as a recording and follows its connections. The
//! target calls it under libFuzzer; a test of crate `packets` replays the corpus through the same function.

/// A recording, pcap or pcapng; gives whether it is one.
pub fn recording(data: &[u8]) -> Result<(), String> {
    let report = packets::report(data, None).map_err(|error| error.to_string())?;
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    assert!(report.waits.iter().all(|waits| is_share(waits.share)), "{report:?}");
    assert!(report.blocked_share.into_iter().all(is_share), "{report:?}");
    assert!(report.busy_ps >= 0, "{report:?}");
    Ok(())
}
