//! What a network is made of, as a user says it.

use ethernet::{Cable, Network, Speed};

/// A network to be built.
#[derive(Debug, Clone)]
pub struct NetworkSetup {
    /// Where its random numbers start.
    pub seed: u64,
    /// What joins a board's chip with the switch.
    pub cable: Cable,
}

impl Default for NetworkSetup {
    fn default() -> Self {
        Self { seed: 1, cable: Cable::new(Speed::Mbps100) }
    }
}

impl NetworkSetup {
    /// Builds it.
    pub fn build(&self) -> Network {
        Network::new(self.seed)
    }
}
