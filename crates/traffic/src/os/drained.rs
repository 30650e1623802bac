//! How much of a connection's data the peer has not acknowledged, from `/proc/net/tcp` (proc(5), column `tx_queue`, which is
//! what SIOCOUTQ tells, without an ioctl).

use std::fs;
use std::net::{SocketAddr, SocketAddrV4};

/// The bytes that the kernel keeps for a connection, or nothing where the system does not tell.
pub(super) fn unacknowledged_bytes(local: SocketAddr, remote: SocketAddr) -> Option<u64> {
    let (SocketAddr::V4(local), SocketAddr::V4(remote)) = (local, remote) else { return None };
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    send_queue(&table, local, remote)
}

fn send_queue(table: &str, local: SocketAddrV4, remote: SocketAddrV4) -> Option<u64> {
    let (local, remote) = (in_proc_form(local), in_proc_form(remote));
    let row = table.lines().map(str::split_ascii_whitespace).find(|columns| {
        let mut columns = columns.clone().skip(1);
        columns.next() == Some(&local) && columns.next() == Some(&remote)
    })?;
    let queues = row.into_iter().nth(4)?;
    u64::from_str_radix(queues.split(':').next()?, 16).ok()
}

/// The kernel prints the address as the 32-bit number that it keeps in memory, in network order.
fn in_proc_form(address: SocketAddrV4) -> String {
    format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn the_send_queue_stands_in_the_fifth_column() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n\
                     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0\n\
                     1: 0100007F:1F90 0200A8C0:C350 01 000000FF:00000007 00:00000000 00000000 0\n";
        let queue =
            |local: &str, remote: &str| send_queue(table, local.parse().unwrap(), remote.parse().unwrap());
        assert_eq!(queue("127.0.0.1:8080", "192.168.0.2:50000"), Some(255));
        assert_eq!(queue("127.0.0.1:8080", "192.168.0.2:50001"), None);
    }
}
