//! What it means to extend: one policy's table laid over another's.

use toml::{Table, Value};

/// Tables that are laid over key by key rather than replaced: `stop`, and `on` with its classes.
const LAID_OVER: [&str; 5] = ["stop", "on", "throttle", "timeout", "error"];

/// Two ways to say the same: the one that is given takes the other's place.
const RIVALS: [(&str, &str); 2] = [("attempts", "retries"), ("retries", "attempts")];

/// Lays `own` over `base`. A value that is given replaces the one below, and `"none"` takes it away.
pub(super) fn over(base: &mut Table, own: Table) {
    for (key, value) in own {
        match value {
            Value::String(none) if none == "none" => {
                base.remove(&key);
            }
            Value::Table(own) if LAID_OVER.contains(&key.as_str()) => {
                match base.entry(key).or_insert_with(|| Value::Table(Table::new())) {
                    Value::Table(below) => over(below, own),
                    below => *below = Value::Table(own),
                }
            }
            value => {
                if let Some((_, rival)) = RIVALS.iter().find(|(given, _)| *given == key) {
                    base.remove(*rival);
                }
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(base: &str, own: &str) -> Table {
        let mut table = base.parse().unwrap();
        over(&mut table, own.parse().unwrap());
        table
    }

    #[test]
    fn slots_are_replaced_and_stop_and_on_are_merged() {
        let base = "delay = [1, 2]\nbudget = [3]\nhint = { use = 4, over = 5 }\n\
                    stop = { retries = 2, elapsed = 6 }\n[on.throttle]\ndelay = [7]\nretry = true";
        let own = "budget = []\nhint = { use = 8 }\nstop = { attempts = 9 }\n[on]\n\
                   throttle = { delay = [10] }\ntimeout = { retry = false }";
        let expected = "delay = [1, 2]\nbudget = []\nhint = { use = 8 }\n\
                        stop = { elapsed = 6, attempts = 9 }\n\
                        on = { throttle = { delay = [10], retry = true }, timeout = { retry = false } }";
        assert_eq!(laid(base, own), expected.parse().unwrap());
    }

    #[test]
    fn none_takes_away() {
        let base = "limiter = 1\nstop = { attempts = 2, elapsed = 3 }\non = { error = { delay = [] } }";
        let own = "limiter = 'none'\nstop = { elapsed = 'none' }\non = { error = 'none' }";
        assert_eq!(laid(base, own), "stop = { attempts = 2 }\non = {}".parse().unwrap());
    }
}
