//! Transfers in a row, which are as many single ones.

use super::sniffer::CRC32;
use super::*;

#[test]
fn a_batch_moves_the_same_as_single_transfers_in_the_same_time() {
    let run = |batched: bool| {
        let mut m = Machine::new();
        m.io.clocks.sys_hz = 133_000_000;
        m.write(SNIFF_CTRL, 1 | CRC32);
        m.start(0, 0x100, 0x800, 300, COPY | WORD | SNIFF | ring(6));
        let mut events = 0;
        while let Some(at) = m.io.due(Source::Dma) {
            m.io.now = at;
            m.io.cancel(Source::Dma);
            events += 1;
            let mut transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
            let batch = if batched { m.dma.batch() } else { 1 };
            for left in (0..batch).rev() {
                let value = transfer.written(m.load(transfer.read_address, 4).expect("it is memory"));
                m.store(transfer.write_address, 4, value).expect("it is memory");
                if left == 0 {
                    m.dma.transferred(transfer.channel, value, None, &mut m.io);
                } else {
                    transfer = m.dma.next_in_batch(value);
                }
            }
        }
        let registers: Vec<u32> =
            [READ, WRITE, COUNT, CTRL_TRIG, INTR, SNIFF_DATA].map(|at| m.read(at)).into();
        (m.memory, m.io.now, registers, events)
    };
    let (single, batched) = (run(false), run(true));
    assert_eq!((&single.0, single.1, &single.2), (&batched.0, batched.1, &batched.2));
    assert_eq!((single.3, batched.3), (300, 2));
}

#[test]
fn there_is_no_batch_while_another_channel_may_move() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 9, COPY);
    m.start(1, 0x100, FIFO, 9, EN | treq(m.fifo_request.0));
    m.io.now = m.io.due(Source::Dma).expect("it started");
    m.io.cancel(Source::Dma);
    assert!(m.dma.next_transfer(&mut m.io).is_some());
    assert_eq!(m.dma.batch(), 8);
    m.give_room(1);
    assert_eq!(m.dma.batch(), 1);
}
