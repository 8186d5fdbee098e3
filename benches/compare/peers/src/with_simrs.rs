//! Contention with simrs: one component, four events an attempt.

use std::time::Duration;

use rand::rngs::SmallRng;
use simrs::{Component, ComponentId, Executor, Key, Scheduler, Simulation, State};

use crate::{CLIENTS, Run, luck::Luck};

#[derive(Debug)]
enum Message {
    Read,
    ReadReply { version: u32 },
    Write { version: u32 },
    WriteReply { written: bool },
}

#[derive(Debug)]
struct Event {
    client: usize,
    message: Message,
}

struct World {
    luck: Luck,
    version: u32,
    writes: u32,
    failures: [i32; CLIENTS],
}

struct Row {
    world: Key<World>,
}

impl Component for Row {
    type Event = Event;

    fn process_event(
        &self,
        self_id: ComponentId<Event>,
        event: &Event,
        scheduler: &mut Scheduler,
        state: &mut State,
    ) {
        let world = state.get_mut(self.world).expect("inserted before the start");
        let client = event.client;
        let (wait, message) = match event.message {
            Message::Read => (0.0, Message::ReadReply { version: world.version }),
            Message::ReadReply { version } => (0.0, Message::Write { version }),
            Message::Write { version } => {
                let written = version == world.version;
                world.version += u32::from(written);
                world.writes += 1;
                (0.0, Message::WriteReply { written })
            }
            Message::WriteReply { written: true } => return,
            Message::WriteReply { written: false } => {
                world.failures[client] += 1;
                (world.luck.wait(world.failures[client]), Message::Read)
            }
        };
        scheduler.schedule(millis(wait + world.luck.hop()), self_id, Event { client, message });
    }
}

fn millis(millis: f64) -> Duration {
    Duration::from_secs_f64(millis / 1000.0)
}

pub fn run(rng: SmallRng) -> Run {
    let mut simulation = Simulation::default();
    let mut luck = Luck::new(rng);
    let hops: Vec<f64> = (0..CLIENTS).map(|_| luck.hop()).collect();
    let world = simulation.state.insert(World { luck, version: 0, writes: 0, failures: [0; CLIENTS] });
    let row = simulation.add_component(Row { world });
    for (client, hop) in hops.into_iter().enumerate() {
        simulation.schedule(millis(hop), row, Event { client, message: Message::Read });
    }
    simulation.execute(Executor::unbound());
    let world = simulation.state.get(world).expect("inserted before the start");
    (f64::from(world.writes), Some(simulation.scheduler.time().as_secs_f64()))
}
