//! The chips: for each one file with its [`Facts`], and one line in the table here. Nothing else in this crate asks which chip it is; it
//! asks for a fact, or whether the map has a register.

mod facts;
mod modes;
mod w5100;
mod w5100s;
mod w5200;
mod w5500;
mod w6100;

pub use facts::Facts;
pub(crate) use facts::{AddressLock, Errand, Filter, PacketInfo, is_set};
pub(crate) use modes::{Family, Mode};

/// Makes [`Model`], and the way from a chip to its facts.
macro_rules! chips {
    ($($model:ident in $file:ident: $is:literal;)*) => {
        /// Which chip.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum Model {
            $(#[doc = $is] $model,)*
        }

        impl Model {
            /// Every chip that there is.
            pub const ALL: &'static [Self] = &[$(Self::$model),*];

            /// What is known of the chip.
            pub fn facts(self) -> &'static Facts {
                const FACTS: &[&Facts] = &[$(&$file::FACTS),*];
                FACTS[self as usize]
            }
        }
    };
}

// A saved state counts the chips in this order: a new one comes last.
chips! {
    W5100 in w5100: "Four sockets, 16 KiB, one byte for each SPI transaction.";
    W5100S in w5100s: "Four sockets, 16 KiB, bursts.";
    W5200 in w5200: "Eight sockets, 32 KiB, bursts with a length.";
    W5500 in w5500: "Eight sockets, 32 KiB, bursts with a control byte.";
    W6100 in w6100: "Eight sockets, 32 KiB, bursts with a control byte, IPv4 and IPv6.";
}

impl Model {
    /// The chip of a name, as board files and commands give it: `w5500`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|model| model.facts().name == name)
    }
}

/// In a saved state facts are their chip's.
pub(crate) mod by_model {
    use serde::de::{Deserialize, Deserializer};
    use serde::{Serialize, Serializer};

    use super::{Facts, Model};

    pub(crate) fn serialize<S: Serializer>(facts: &&'static Facts, serializer: S) -> Result<S::Ok, S::Error> {
        facts.model.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Facts, D::Error> {
        Model::deserialize(from).map(Model::facts)
    }
}

#[cfg(test)]
mod tests {
    use super::facts::Flag;
    use super::*;
    use crate::map::{Common, SocketRegister};

    #[test]
    fn a_chip_is_found_by_its_name_and_has_its_own_facts() {
        for &model in Model::ALL {
            let facts = model.facts();
            assert_eq!((facts.model, Model::named(facts.name)), (model, Some(model)));
            assert_eq!(facts.name.to_uppercase(), format!("{model:?}"));
        }
        assert_eq!(Model::named("W5500"), None);
    }

    #[test]
    fn registers_of_no_chip_overlap() {
        for model in Model::ALL {
            let map = &model.facts().map;
            for pair in map.common.registers.windows(2) {
                assert!(
                    pair[0].address + u16::from(pair[0].bytes) <= pair[1].address,
                    "{model:?}: {}",
                    pair[1].name
                );
            }
            for pair in map.sockets.registers.windows(2) {
                assert!(
                    pair[0].address + u16::from(pair[0].bytes) <= pair[1].address,
                    "{model:?}: {}",
                    pair[1].name
                );
            }
        }
    }

    #[test]
    fn the_bits_of_a_fact_are_in_registers_that_the_chip_has() {
        for model in Model::ALL {
            let facts = model.facts();
            let has = |flag: Option<Flag<SocketRegister>>| {
                flag.is_none_or(|flag| facts.map.sockets_have(flag.register))
            };
            let Filter { strangers, broadcast, multicast, multicast_ipv6, ipv6, .. } = facts.filter;
            assert!(
                [strangers, broadcast, multicast, multicast_ipv6, ipv6].into_iter().all(has),
                "{model:?}"
            );
            let Filter { datagrams_to_all, datagrams_to_one, datagrams_to_solicited, .. } = facts.filter;
            let of_datagrams = [datagrams_to_all, datagrams_to_one, datagrams_to_solicited];
            let of_sockets =
                [facts.force_arp_of_socket, facts.given_hardware_address, facts.protocols.force_push];
            assert!(of_datagrams.into_iter().chain(of_sockets).all(has), "{model:?}");
            let switches = facts.protocols.switches;
            let of_both = [
                switches.ping_block,
                switches.unreachable_block,
                switches.reset_block,
                switches.packet_block,
                [switches.pppoe, switches.interrupt_enable],
                [facts.force_arp, None],
            ];
            let has = |flag: Option<Flag<Common>>| flag.is_none_or(|flag| facts.map.has(flag.register));
            assert!(of_both.into_iter().flatten().all(has), "{model:?}");
        }
    }

    #[test]
    fn what_is_told_of_a_clock_begins_where_the_highest_one_ends() {
        const ROUNDED_HZ: u64 = 100_000;
        for model in Model::ALL {
            let facts = model.facts();
            let lowest = facts.clock_limits.last().expect("every datasheet has a highest clock");
            let beyond = lowest.above_hz - facts.highest_sck_hz;
            assert!(beyond <= ROUNDED_HZ, "{model:?}: {beyond} Hz above the highest nothing is told yet");
            assert!(facts.clock_limits.is_sorted_by_key(|limit| std::cmp::Reverse(limit.above_hz)));
        }
    }
}
