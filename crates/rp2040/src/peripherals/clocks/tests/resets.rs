//! Resets, and random traffic.

use super::*;

#[test]
fn a_reset_of_the_clocks_goes_back_to_the_ring() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.start_pll(ClockBlock::PllSys, 1, 125, (6, 2));
    bench.clocks(SYS_CTRL, SRC_AUX);
    bench.tree.reset(ClockBlock::Clocks, &mut bench.io);
    assert_eq!(bench.io.clocks.sys_hz, 6_500_000);
    bench.tree.reset(ClockBlock::PllSys, &mut bench.io);
    assert_eq!(bench.read(ClockBlock::PllSys, PLL_CS), 1);
}

proptest! {
    #[test]
    fn random_traffic_never_panics(
        steps in prop::collection::vec((0usize..5, 0u32..52, any::<bool>(), any::<u32>(), 0i64..100_000), 1..100),
    ) {
        const BLOCKS: [ClockBlock; 5] =
            [ClockBlock::Clocks, ClockBlock::Xosc, ClockBlock::Rosc, ClockBlock::PllSys, ClockBlock::PllUsb];
        let mut bench = Bench::new();
        bench.start_crystal();
        for (block, word, write, value, ns) in steps {
            bench.advance_ns(ns);
            let peeked = bench.tree.peek(BLOCKS[block], word * 4, &bench.io);
            if write {
                bench.write(BLOCKS[block], word * 4, value);
            } else {
                prop_assert_eq!(bench.read(BLOCKS[block], word * 4), peeked);
            }
        }
    }
}
