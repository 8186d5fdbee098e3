//! Who shares a state: a budget, a limiter, a breaker, a count of retries, a sequence of draws.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Who shares a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every call has its own.
    Call,
    /// Every client has its own.
    #[default]
    Client,
    /// The clients of a process share one.
    Process,
    /// All clients share one.
    Fleet,
}

/// How many clients there are, and in how many processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Population {
    /// Clients.
    pub clients: u32,
    /// Processes; client `c` belongs to process `c % processes`.
    pub processes: u32,
}

/// A state for each owner.
#[derive(Clone, Debug)]
pub(crate) struct Ledger<S> {
    scope: Scope,
    processes: u32,
    start: S,
    /// The states of calls that are under way; they come and go.
    by_call: HashMap<u32, S>,
    /// The states of everybody else, from the beginning.
    others: Vec<S>,
}

impl<S: Clone> Ledger<S> {
    /// How many states there are from the beginning.
    pub const fn owners(scope: Scope, population: Population) -> u32 {
        match scope {
            Scope::Call => 0,
            Scope::Client => population.clients,
            Scope::Process => population.processes,
            Scope::Fleet => 1,
        }
    }

    pub fn new(scope: Scope, population: Population, start: S) -> Self {
        let others = vec![start.clone(); Self::owners(scope, population) as usize];
        Self { scope, processes: population.processes, start, by_call: HashMap::new(), others }
    }

    /// The state that `call` of `client` uses.
    #[inline(always)]
    pub fn of(&mut self, call: u32, client: u32) -> &mut S {
        let owner = match self.scope {
            Scope::Call => return self.of_call(call),
            Scope::Client => client,
            Scope::Process => client % self.processes,
            Scope::Fleet => 0,
        };
        &mut self.others[owner as usize]
    }

    #[inline(never)]
    fn of_call(&mut self, call: u32) -> &mut S {
        self.by_call.entry(call).or_insert_with(|| self.start.clone())
    }

    /// A call is over: nobody will ask for its state again.
    #[inline]
    pub fn forget(&mut self, call: u32) {
        if self.scope == Scope::Call {
            self.by_call.remove(&call);
        }
    }
}
