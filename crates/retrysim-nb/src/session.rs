//! The process in which cells run: what an interrupt and a panic do in it.

use std::{
    fmt,
    io::{self, Read},
    os::unix::net::UnixStream,
    panic::{self, PanicHookInfo},
    sync::{
        Once,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use signal_hook::{consts::SIGINT, low_level::pipe};

static BEGUN: Once = Once::new();

/// Simulations under way.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit status of a process that an interrupt ended (128 + SIGINT).
const ENDED_BY_INTERRUPT: i32 = 130;

/// Makes panics one line, and interrupts stop a simulation instead of the process. The kernel calls it when it
/// starts, and every simulation does, since the process is a new one after it was ended.
pub fn begin() {
    BEGUN.call_once(|| {
        panic::set_hook(Box::new(|panic| complain(format_args!("panic: {}", message(panic)))));
        // Without pipes or threads to be had, interrupts do what they did before.
        let _ = listen();
    });
}

/// From now on, interrupts are handled by a thread of their own: it may print, which a handler may not.
fn listen() -> io::Result<()> {
    let (mut signals, handler) = UnixStream::pair()?;
    thread::Builder::new().name("interrupts".into()).spawn(move || {
        while signals.read_exact(&mut [0]).is_ok() {
            interrupt();
        }
    })?;
    pipe::register(SIGINT, handler)?;
    Ok(())
}

/// Writes to stderr and gives the kernel time to pass it on: it takes a cell's end for the end of its stderr,
/// and what it reads later may be shown nowhere.
pub fn complain(what: fmt::Arguments<'_>) {
    std::eprintln!("{what}");
    thread::sleep(Duration::from_millis(30));
}

fn message(panic: &PanicHookInfo<'_>) -> String {
    // `unwrap` says the error after its own words; a reader wants it on the same line.
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a value that is no text").replace('\n', " ")
}

fn interrupt() {
    let again = INTERRUPTED.swap(true, Ordering::Relaxed);
    if RUNNING.load(Ordering::Relaxed) > 0 && !again {
        return;
    }
    println!(
        "Interrupted: the variables of this notebook are lost, its imports and functions are kept. \
         Run the cells from the top."
    );
    std::process::exit(ENDED_BY_INTERRUPT);
}

/// A simulation under way, which an interrupt stops.
pub(crate) struct Running;

impl Running {
    pub fn begin() -> Self {
        begin();
        INTERRUPTED.store(false, Ordering::Relaxed);
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    pub fn is_interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        INTERRUPTED.store(false, Ordering::Relaxed);
    }
}
