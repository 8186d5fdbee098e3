//! Contention with nexosim: one model that schedules its own inputs, four events an attempt, one thread.

use std::time::Duration;

use nexosim::{
    model::{Context, Model, schedulable},
    ports::{EventSinkReader, Output, SinkState, event_queue},
    simulation::{Mailbox, SimInit},
    time::MonotonicTime,
};
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

use crate::{CLIENTS, Run, luck::Luck};

#[derive(Serialize, Deserialize)]
pub struct Row {
    /// Writes, sent when the last client is done.
    writes: Output<u32>,
    #[serde(skip)]
    luck: Luck,
    version: u32,
    written: u32,
    done: usize,
    failures: Vec<i32>,
}

#[Model]
impl Row {
    fn new(rng: SmallRng) -> Self {
        Self {
            writes: Output::default(),
            luck: Luck::new(rng),
            version: 0,
            written: 0,
            done: 0,
            failures: vec![0; CLIENTS],
        }
    }

    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        for client in 0..CLIENTS {
            cx.schedule_event(self.after(0.0), schedulable!(Self::read), client).expect("in the future");
        }
    }

    #[nexosim(schedulable)]
    fn read(&mut self, client: usize, cx: &Context<Self>) {
        let reply = (client, self.version);
        cx.schedule_event(self.after(0.0), schedulable!(Self::read_reply), reply).expect("in the future");
    }

    #[nexosim(schedulable)]
    fn read_reply(&mut self, read: (usize, u32), cx: &Context<Self>) {
        cx.schedule_event(self.after(0.0), schedulable!(Self::write), read).expect("in the future");
    }

    #[nexosim(schedulable)]
    fn write(&mut self, (client, version): (usize, u32), cx: &Context<Self>) {
        let written = version == self.version;
        self.version += u32::from(written);
        self.written += 1;
        let reply = (client, written);
        cx.schedule_event(self.after(0.0), schedulable!(Self::write_reply), reply).expect("in the future");
    }

    #[nexosim(schedulable)]
    async fn write_reply(&mut self, (client, written): (usize, bool), cx: &Context<Self>) {
        if written {
            self.done += 1;
            if self.done == CLIENTS {
                self.writes.send(self.written).await;
            }
        } else {
            self.failures[client] += 1;
            let wait = self.luck.wait(self.failures[client]);
            cx.schedule_event(self.after(wait), schedulable!(Self::read), client).expect("in the future");
        }
    }

    /// After a wait and one message's way.
    fn after(&mut self, wait: f64) -> Duration {
        Duration::from_secs_f64((wait + self.luck.hop()) / 1000.0)
    }
}

pub fn run(rng: SmallRng) -> Run {
    let mut row = Row::new(rng);
    let (sink, mut writes) = event_queue(SinkState::Enabled);
    row.writes.connect_sink(sink);
    let mut simulation = SimInit::with_num_threads(1)
        .add_model(row, Mailbox::new(), "row")
        .init(MonotonicTime::EPOCH)
        .expect("a valid bench");
    simulation.run().expect("no input fails");
    let finish = simulation.time().duration_since(MonotonicTime::EPOCH).as_secs_f64();
    (f64::from(writes.try_read().expect("sent by the last client")), Some(finish))
}
