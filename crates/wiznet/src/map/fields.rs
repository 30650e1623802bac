//! The registers that any of the chips has, under one name each, and the store of their values. Where two chips differ in name
//! or address only (the W5200's IR2 is the W5500's SIR), the field is the same. The longest are addresses of IPv6.

use std::net::Ipv6Addr;

use super::Register;

macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name { $($field),* }

        impl $name {
            pub(crate) const COUNT: usize = [$(Self::$field),*].len();
        }

        impl Field for $name {
            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

/// Something that numbers registers.
pub(crate) trait Field: Copy + 'static {
    fn index(self) -> usize;
}

fields! {
    /// A common register.
    Common {
        Mr, Gar, Subr, Shar, Sipr, Intlevel, Ir, Imr, Sir, Simr, Rtr, Rcr, Rmsr, Tmsr, Patr, Ppalgo, Ptimer, Pmagic, Phar, Psid,
        Pmru, Uipr, Uportr, Phycfgr, Physr, Physr1, Phystatus, Unnamed, Versionr, Ir2, Imr2, Mr2, Phyar, Phyrar, Phydir, Phydor, Phyacr,
        Phydivr, Phycr0, Phycr1, Slcr, Slrtr, Slrcr, Slpipr, Slphar, Pingseqr, Pingidr, Slimr, Slir, Clklckr, Netlckr, Phylckr,
        Tcntr, Tcntclr, Cidr, Cidr2, Sysr, Sycr0, Sycr1, Irclr, Slirclr, Slpsr, Slhopr, Net4mr, Net6mr, Netmr, Netmr2, Icmp6blkr, Llar,
        Guar, Sub6r, Ga6r, Sldip6r, Uip6r, Uport6r, Plr, Pfr, Vltr, Pltr, Par, Chplckr,
    }
}

fields! {
    /// A register that each socket has.
    SocketRegister {
        Mr, Cr, Ir, Sr, Port, Dhar, Dipr, Dport, Mssr, Proto, Tos, Ttl, RxbufSize, TxbufSize, TxFsr, TxRd, TxWr, RxRsr, RxRd, RxWr,
        Imr, Frag, Mr2, Kpalvtr, Rtr, Rcr, Irclr, Psr, Esr, Dip6r,
    }
}

/// The values of a set of registers, each right-aligned in its word.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Registers<const COUNT: usize> {
    #[serde(with = "sim::state::array")]
    values: [u128; COUNT],
}

impl<const COUNT: usize> Registers<COUNT> {
    /// All as after a reset.
    pub(crate) fn at_reset<F: Field>(table: &[Register<F>]) -> Self {
        let mut registers = Self { values: [0; COUNT] };
        for register in table {
            registers.set(register.field, register.reset);
        }
        registers
    }

    pub(crate) fn set<F: Field>(&mut self, field: F, value: u64) {
        self.values[field.index()] = value.into();
    }

    /// The last eight bytes of a register, which are all of it but in an address of IPv6.
    pub(crate) fn get<F: Field>(&self, field: F) -> u64 {
        self.values[field.index()] as u64
    }

    /// All of a register.
    pub(crate) fn whole<F: Field>(&self, field: F) -> u128 {
        self.values[field.index()]
    }

    pub(crate) fn set_whole<F: Field>(&mut self, field: F, value: u128) {
        self.values[field.index()] = value;
    }

    pub(crate) fn u8<F: Field>(&self, field: F) -> u8 {
        self.get(field) as u8
    }

    pub(crate) fn u16<F: Field>(&self, field: F) -> u16 {
        self.get(field) as u16
    }

    /// Four bytes, as an address of IPv4 is sent.
    pub(crate) fn address<F: Field>(&self, field: F) -> [u8; 4] {
        (self.get(field) as u32).to_be_bytes()
    }

    pub(crate) fn set_address<F: Field>(&mut self, field: F, address: [u8; 4]) {
        self.set(field, u64::from(u32::from_be_bytes(address)));
    }

    /// Sixteen bytes, as an address of IPv6 is sent.
    pub(crate) fn ipv6<F: Field>(&self, field: F) -> Ipv6Addr {
        self.whole(field).into()
    }

    pub(crate) fn set_ipv6<F: Field>(&mut self, field: F, address: Ipv6Addr) {
        self.set_whole(field, address.into());
    }

    /// Six bytes, as a hardware address is sent.
    pub(crate) fn hardware_address<F: Field>(&self, field: F) -> [u8; 6] {
        let [_, _, address @ ..] = self.get(field).to_be_bytes();
        address
    }

    pub(crate) fn set_hardware_address<F: Field>(&mut self, field: F, address: [u8; 6]) {
        let [a, b, c, d, e, f] = address;
        self.set(field, u64::from_be_bytes([0, 0, a, b, c, d, e, f]));
    }

    /// Sets bits.
    pub(crate) fn raise<F: Field>(&mut self, field: F, bits: u8) {
        self.values[field.index()] |= u128::from(bits);
    }

    /// A byte of a register that is `bytes` wide, the most significant first.
    pub(crate) fn replace_byte<F: Field>(&mut self, field: F, bytes: u8, index: u8, value: u8) {
        let shift = shift(bytes, index);
        let word = &mut self.values[field.index()];
        *word = *word & !(0xFF << shift) | u128::from(value) << shift;
    }
}

/// A byte of a value that is `bytes` wide, the most significant first.
pub(crate) fn byte_of(value: u128, bytes: u8, index: u8) -> u8 {
    (value >> shift(bytes, index)) as u8
}

fn shift(bytes: u8, index: u8) -> u32 {
    8 * u32::from(bytes - 1 - index)
}
