//! Random traffic, and every transfer in its order.

use super::*;

proptest! {
    #[test]
    fn random_register_traffic_neither_panics_nor_loops(
        traffic in prop::collection::vec((0u32..66, any::<bool>(), any::<u32>(), 0u8..4, any::<bool>()), 1..300),
        hz in prop::sample::select(vec![0u64, 1, 48_000_000, 125_000_000, 133_000_000]),
    ) {
        let mut bench = Bench::new();
        bench.io.clocks.sys_hz = hz;
        bench.io.pins.record(u32::MAX);
        bench.io.pins.set_control(bench.io.now, 4, Function::I2c as u8, Overrides::default());
        for (register, write, value, wakes, data) in traffic {
            let offset = if data { IC_DATA_CMD } else { register * 4 };
            let peeked = bench.i2c.peek(offset, &bench.io);
            if write {
                bench.write(offset, value);
            } else {
                prop_assert_eq!(bench.read(offset), peeked);
            }
            for _ in 0..wakes {
                bench.step();
            }
        }
        bench.run();
    }

    #[test]
    fn every_transfer_of_an_acknowledging_device_is_carried_out_in_order(
        bytes in prop::collection::vec(0u8..0xee, 1..40),
    ) {
        let mut bench = Bench::new();
        for (n, &byte) in bytes.iter().enumerate() {
            while bench.read(IC_STATUS) & 2 == 0 {
                prop_assert!(bench.step());
            }
            let stop = if n + 1 == bytes.len() { STOP } else { 0 };
            bench.command(&[u32::from(byte) | stop]);
        }
        bench.run();
        let mut expected = vec![Said::Start(0x3c, false)];
        expected.extend(bytes.iter().map(|&byte| Said::Write(byte)));
        expected.push(Said::Stop);
        prop_assert_eq!(bench.said(), expected);
    }
}
