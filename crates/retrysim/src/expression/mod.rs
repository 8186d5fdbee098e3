//! Statements about runs: `mean(herd.full.finish_s) < 13 and max(herd.full.crashes) <= 2`.
//!
//! A *path* names a column of totals, one value a run. Arithmetic and comparisons work run by run, a
//! single number counts for every run; functions such as `mean` make one number of a column. A value
//! that doesn't exist (a run that never finished) is missing: it makes every result that depends on it
//! missing, unless `fill(x, value)` replaces it or `existing(x)` leaves it out. True is 1, false is 0.
//!
//! | function | result |
//! |---|---|
//! | `mean median min max sum sd` | of a column |
//! | `quantile(x, p)` | the smallest value with share(<= it) >= p |
//! | `p50 p90 p95 p99` | such quantiles by name |
//! | `count(x)` `share(x)` `all(x)` | how many runs satisfy a condition, which share, whether all |
//! | `missing(x)` `existing(x)` `fill(x, v)` | about missing values |
//! | `first(x)` | the value of the first run |
//! | `abs log sqrt` | value by value; `log` is natural |
//! | `delay(scenario.policy, retry, u)` | delay in seconds with every draw fixed at `u` |
//! | `hinted(scenario.policy, hint, u)` | first delay in seconds when the server says `hint` seconds |
//! | `spread(x)` | (max - min) / mean |
//! | `chi_square_p(x)` | p-value of the counts `x` against equal ones |
//! | `uniform_spread(n, bins, p)` | p-quantile of `spread` for `n` uniform numbers in `bins` bins (4,000 draws) |

mod function;
mod parse;

use retrysim_core::callers::MAX_ATTEMPTS;

use self::parse::{Expr, Op};
use crate::error::Error;

/// What an expression can ask of its surroundings.
pub trait Resolve {
    /// The column that `path` names, one value a run, NaN where it is missing.
    ///
    /// # Errors
    /// If there is no such column.
    fn column(&mut self, path: &str) -> Result<Vec<f64>, Error>;

    /// The delay in seconds before `retry` of the policy that `path` names, all draws fixed at `u`;
    /// `hint` is the server's in seconds.
    ///
    /// # Errors
    /// If there is no such policy.
    fn delay(&mut self, path: &str, retry: u32, u: f64, hint: Option<f64>) -> Result<f64, Error>;
}

/// A value: one number, or one a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One number.
    Scalar(f64),
    /// One number a run.
    Column(Vec<f64>),
}

/// An expression that has been read.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    root: Expr,
}

impl Expression {
    /// Reads an expression.
    ///
    /// ```
    /// use retrysim::expression::Expression;
    ///
    /// let expression = Expression::parse("p99(finish_s) < 20 and mean(attempts) < 3")?;
    /// assert_eq!(expression.paths(), ["finish_s", "attempts"]);
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Expression`] with what was found where.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let root = parse::parse(text).map_err(|message| error(text, message))?;
        Ok(Self { text: text.to_owned(), root })
    }

    /// The text that was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The paths that it names, in order.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.root.visit(&mut |expr| {
            if let Expr::Path(path) = expr {
                paths.push(path.clone());
            }
        });
        paths
    }

    /// The functions that it applies to a bare path, with the path: `("p99", "finish_s")`.
    #[must_use]
    pub fn statistics(&self) -> Vec<(String, String)> {
        let mut statistics = Vec::new();
        self.root.visit(&mut |expr| {
            if let Expr::Call(name, args) = expr
                && let [Expr::Path(path)] = args.as_slice()
            {
                statistics.push((name.clone(), path.clone()));
            }
        });
        statistics
    }

    /// Evaluates to one number.
    ///
    /// # Errors
    /// [`Error::Expression`] for a column where a number is due, and whatever `resolve` says.
    pub fn number(&self, resolve: &mut dyn Resolve) -> Result<f64, Error> {
        match self.evaluate(&self.root, resolve)? {
            Value::Scalar(number) => Ok(number),
            Value::Column(column) => Err(error(
                &self.text,
                format!("{} values where one is due; use a function such as mean(...)", column.len()),
            )),
        }
    }

    /// Evaluates to true or false; a missing value is false.
    ///
    /// # Errors
    /// As [`Expression::number`].
    pub fn holds(&self, resolve: &mut dyn Resolve) -> Result<bool, Error> {
        Ok(is_true(self.number(resolve)?))
    }

    fn evaluate(&self, expr: &Expr, resolve: &mut dyn Resolve) -> Result<Value, Error> {
        match expr {
            Expr::Number(number) => Ok(Value::Scalar(*number)),
            Expr::List(list) => Ok(Value::Column(list.clone())),
            Expr::Path(path) => resolve.column(path).map(Value::Column),
            Expr::Negate(inner) => Ok(self.evaluate(inner, resolve)?.map(|x| -x)),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.evaluate(left, resolve)?, self.evaluate(right, resolve)?);
                left.zip(right, |a, b| op.apply(a, b)).map_err(|message| error(&self.text, message))
            }
            Expr::Call(name, args) => {
                if let "delay" | "hinted" = name.as_str() {
                    return self.policy_delay(name, args, resolve);
                }
                let values =
                    args.iter().map(|arg| self.evaluate(arg, resolve)).collect::<Result<Vec<_>, _>>()?;
                function::call(name, &values).map_err(|message| error(&self.text, message))
            }
        }
    }

    fn policy_delay(&self, name: &str, args: &[Expr], resolve: &mut dyn Resolve) -> Result<Value, Error> {
        let [Expr::Path(path), Expr::Number(n), Expr::Number(u)] = args else {
            return Err(error(&self.text, format!("{name} takes a policy's path and two numbers")));
        };
        if !(0.0..1.0).contains(u) {
            return Err(error(&self.text, format!("u = {u} is not allowed; allowed: 0 <= u < 1")));
        }
        if name == "delay" && *n > f64::from(MAX_ATTEMPTS) {
            return Err(error(
                &self.text,
                format!("retry {n} is not allowed; allowed: at most {MAX_ATTEMPTS}"),
            ));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked, or saturates at 0"
        )]
        let seconds = if name == "delay" {
            resolve.delay(path, (*n as u32).max(1), *u, None)
        } else {
            resolve.delay(path, 1, *u, Some(*n))
        };
        seconds.map(Value::Scalar)
    }
}

fn is_true(x: f64) -> bool {
    !x.is_nan() && x != 0.0
}

fn error(text: &str, message: String) -> Error {
    Error::Expression { expression: text.to_owned(), message }
}

impl Value {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Scalar(x) => Self::Scalar(f(x)),
            Self::Column(xs) => Self::Column(xs.into_iter().map(f).collect()),
        }
    }

    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Result<Self, String> {
        Ok(match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) => Self::Scalar(f(a, b)),
            (Self::Scalar(a), Self::Column(bs)) => Self::Column(bs.into_iter().map(|b| f(a, b)).collect()),
            (Self::Column(xs), Self::Scalar(b)) => Self::Column(xs.into_iter().map(|a| f(a, b)).collect()),
            (Self::Column(xs), Self::Column(ys)) if xs.len() == ys.len() => {
                Self::Column(xs.into_iter().zip(ys).map(|(a, b)| f(a, b)).collect())
            }
            (Self::Column(xs), Self::Column(ys)) => {
                return Err(format!("columns of {} and {} runs don't fit together", xs.len(), ys.len()));
            }
        })
    }
}

impl Op {
    /// The result; missing if an operand is, but for `and`, `or`, which take it as false.
    fn apply(self, a: f64, b: f64) -> f64 {
        let truth = |condition: bool| if a.is_nan() || b.is_nan() { f64::NAN } else { f64::from(condition) };
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Less => truth(a < b),
            Self::AtMost => truth(a <= b),
            Self::Greater => truth(a > b),
            Self::AtLeast => truth(a >= b),
            #[expect(clippy::float_cmp, reason = "equality is what was asked for")]
            Self::Equal => truth(a == b),
            #[expect(clippy::float_cmp, reason = "equality is what was asked for")]
            Self::Unequal => truth(a != b),
            Self::And => f64::from(is_true(a) && is_true(b)),
            Self::Or => f64::from(is_true(a) || is_true(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Runs;
    impl Resolve for Runs {
        fn column(&mut self, path: &str) -> Result<Vec<f64>, Error> {
            match path {
                "a.x" => Ok(vec![1.0, 2.0, 4.0]),
                "a.gap" => Ok(vec![1.0, f64::NAN, 3.0]),
                _ => Err(error(path, "no such column".into())),
            }
        }
        fn delay(&mut self, _: &str, retry: u32, u: f64, hint: Option<f64>) -> Result<f64, Error> {
            Ok(f64::from(retry) + u + hint.unwrap_or(0.0))
        }
    }

    fn number(text: &str) -> f64 {
        Expression::parse(text).and_then(|e| e.number(&mut Runs)).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn arithmetic_and_functions() {
        assert_eq!(number("1 + 2 * 3 - 8 / 4"), 5.0);
        assert_eq!(number("-(1 - 3) * 2e0"), 4.0);
        assert_eq!(number("mean(a.x * 3) - sum(a.x)"), 0.0);
        assert_eq!(number("median(a.x)"), 2.0);
        assert_eq!(number("share(a.x > 1)"), 2.0 / 3.0);
        assert_eq!(number("first(a.x) + max([3, 9, 5])"), 10.0);
        assert_eq!(number("delay(a.b, 3, 0.5) + hinted(a.b, 1, 0)"), 5.5);
        assert!(
            (number("chi_square_p([200, 212, 193, 193, 192, 189, 180, 213, 217, 211])") - 0.6339).abs()
                < 1e-3
        );
    }

    #[test]
    fn missing_values_stay_missing_until_told() {
        assert!(number("mean(a.gap)").is_nan());
        assert_eq!(number("mean(existing(a.gap))"), 2.0);
        assert_eq!(number("mean(fill(a.gap, 5))"), 3.0);
        assert_eq!(number("count(missing(a.gap))"), 1.0);
        assert_eq!(number("count(a.gap > 0)"), 2.0);
        assert_eq!(number("all(a.gap > 0)"), 0.0);
        assert_eq!(number("1 < 2 and not 3 < 2 or 1 > 2"), 1.0);
    }

    #[test]
    fn errors_say_where() {
        for (text, part) in [
            ("1 +", "end"),
            ("mean(a.x", "')'"),
            ("mode(a.x)", "mean"),
            ("a.x", "mean(...)"),
            ("1 2", "'2'"),
            ("a.x + [1, 2]", "don't fit"),
            ("", "end"),
            ("log(1, 2)", "1 argument"),
        ] {
            let message = match Expression::parse(text).and_then(|e| e.number(&mut Runs)) {
                Ok(value) => panic!("{text} gave {value}"),
                Err(error) => error.to_string(),
            };
            assert!(message.contains(part), "{text}: {message}");
        }
        // A stack has an end.
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "1 + ".repeat(100_000) + "1"] {
            assert!(Expression::parse(&deep).is_err());
        }
        let long = "1 + ".repeat(1_000) + "1";
        assert_eq!(number(&long), 1_001.0);
        let error = Expression::parse("delay(a.b, 4e9, 0)").and_then(|e| e.number(&mut Runs)).unwrap_err();
        assert!(error.to_string().contains("at most 1000000"), "{error}");
    }
}
