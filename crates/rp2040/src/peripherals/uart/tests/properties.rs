//! Random traffic, and every byte once.

use super::*;

proptest! {
    #[test]
    fn random_register_traffic_neither_panics_nor_loops(
        traffic in prop::collection::vec((0u32..22, any::<bool>(), any::<u32>(), 0u8..4, any::<u8>()), 1..300),
        hz in prop::sample::select(vec![0u64, 1, 48_000_000, 125_000_000, 133_000_000]),
    ) {
        let mut bench = Bench::with(hz, 3, 7, EIGHT_BITS | LCR_FEN);
        bench.io.pins.record(u32::MAX);
        for (register, write, value, wakes, byte) in traffic {
            let offset = register * 4;
            let peeked = bench.uart.peek(offset, &bench.io);
            if write {
                bench.write(offset, value);
            } else {
                prop_assert_eq!(bench.read(offset), peeked);
            }
            bench.receive(&[byte]);
            for _ in 0..wakes {
                bench.step();
            }
        }
        bench.run();
    }

    #[test]
    fn every_byte_is_sent_once_and_in_order(bytes in prop::collection::vec(any::<u8>(), 1..100), fifo: bool) {
        let mut bench = Bench::new(EIGHT_BITS | if fifo { LCR_FEN } else { 0 });
        for &byte in &bytes {
            while bench.read(UARTFR) & FR_TXFF != 0 {
                prop_assert!(bench.step());
            }
            bench.send(&[byte]);
        }
        bench.run();
        prop_assert_eq!(bench.heard(), bytes);
    }
}
