//! The call tree: a node for each way by which a function was reached, with the cycles spent there.

use std::collections::{BTreeSet, HashMap};

use super::functions::FunctionId;
use super::{FunctionCycles, Totals};

/// Nodes of a tree; calls beyond that count for their caller.
const MOST_NODES: usize = 1_000_000;

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NodeId(u32);

#[derive(Debug, Clone)]
struct Node {
    function: Option<FunctionId>,
    name: String,
    children: Vec<NodeId>,
    self_cycles: u64,
    calls: u64,
}

/// Who called whom, from each core down.
#[derive(Debug, Clone, Default)]
pub struct CallTree {
    nodes: Vec<Node>,
    cores: Vec<NodeId>,
    known: HashMap<(NodeId, FunctionId), NodeId>,
}

/// A node with its place in the tree, as a picture wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// The function.
    pub name: String,
    /// 0 for the cores.
    pub depth: usize,
    /// Cycles of all that stands to the left.
    pub start: u64,
    /// Cycles in itself and in what it called.
    pub cycles: u64,
}

impl CallTree {
    pub(super) fn core(&mut self, core: usize) -> NodeId {
        let root = self.add(None, format!("core {core}"));
        self.cores.push(root);
        root
    }

    fn add(&mut self, function: Option<FunctionId>, name: String) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { function, name, children: Vec::new(), self_cycles: 0, calls: 0 });
        id
    }

    /// The node of a function under another.
    pub(super) fn child(&mut self, parent: NodeId, function: FunctionId) -> NodeId {
        if let Some(&known) = self.known.get(&(parent, function)) {
            return known;
        }
        if self.nodes.len() >= MOST_NODES {
            return parent;
        }
        let child = self.add(Some(function), String::new());
        self.known.insert((parent, function), child);
        self.nodes[parent.0 as usize].children.push(child);
        child
    }

    pub(super) fn spend(&mut self, node: NodeId, cycles: u64) {
        self.nodes[node.0 as usize].self_cycles += cycles;
    }

    pub(super) fn call(&mut self, node: NodeId) {
        self.nodes[node.0 as usize].calls += 1;
    }

    pub(super) fn name_functions(&mut self, name: impl Fn(FunctionId) -> String) {
        for node in &mut self.nodes {
            if let Some(function) = node.function {
                node.name = name(function);
            }
        }
    }

    /// Nodes in the order in which a stack walks over them: each with its depth.
    fn walk(&self) -> Vec<(NodeId, usize)> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut left: Vec<(NodeId, usize)> = self.cores.iter().rev().map(|&core| (core, 0)).collect();
        while let Some((node, depth)) = left.pop() {
            order.push((node, depth));
            let mut children = self.nodes[node.0 as usize].children.clone();
            children.sort_by(|one, other| {
                let name = |id: &NodeId| &self.nodes[id.0 as usize].name;
                name(other).cmp(name(one))
            });
            left.extend(children.into_iter().map(|child| (child, depth + 1)));
        }
        order
    }

    /// Cycles of each node with those of its children, by the node's number.
    fn inclusive(&self, order: &[(NodeId, usize)]) -> Vec<u64> {
        let mut sums: Vec<u64> = self.nodes.iter().map(|node| node.self_cycles).collect();
        for (node, _) in order.iter().rev() {
            let children = &self.nodes[node.0 as usize].children;
            let below: u64 = children.iter().map(|child| sums[child.0 as usize]).sum();
            sums[node.0 as usize] += below;
        }
        sums
    }

    /// The tree as bars that lie upon each other, callers below.
    pub fn bars(&self) -> Vec<Bar> {
        let order = self.walk();
        let sums = self.inclusive(&order);
        // Where the next bar of each depth begins.
        let mut next: Vec<u64> = vec![0];
        let mut bars = Vec::new();
        for (node, depth) in order {
            let cycles = sums[node.0 as usize];
            next.truncate(depth + 1);
            let start = next[depth];
            next[depth] += cycles;
            next.push(start);
            if cycles > 0 {
                bars.push(Bar { name: self.nodes[node.0 as usize].name.clone(), depth, start, cycles });
            }
        }
        bars
    }

    /// The figures of each function.
    pub(super) fn totals(&self) -> Totals {
        let order = self.walk();
        let sums = self.inclusive(&order);
        let mut totals = Totals::new();
        // Functions on the way from the core to the node, for recursions.
        let mut path: Vec<&str> = Vec::new();
        let mut counted: BTreeSet<&str> = BTreeSet::new();
        for (id, depth) in &order {
            let node = &self.nodes[id.0 as usize];
            for left in path.drain(*depth..) {
                counted.remove(left);
            }
            let is_first = counted.insert(&node.name);
            // A name that stands farther up must not be forgotten when this node is left.
            path.push(if is_first { &node.name } else { "" });
            if node.function.is_none() && node.self_cycles == 0 {
                continue;
            }
            let name = node.name.clone();
            let entry = totals.entry(name.clone()).or_insert(FunctionCycles {
                name,
                self_cycles: 0,
                inclusive_cycles: 0,
                calls: 0,
            });
            entry.self_cycles += node.self_cycles;
            entry.calls += node.calls;
            if is_first {
                entry.inclusive_cycles += sums[id.0 as usize];
            }
        }
        totals
    }
}
