//! From text to a tree, by precedence: `or`, `and`, `not`, comparison, sum, product, sign.

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(f64),
    List(Vec<f64>),
    Path(String),
    Negate(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

impl Expr {
    /// Shows every node, a parent before its children.
    pub(super) fn visit(&self, see: &mut dyn FnMut(&Self)) {
        see(self);
        match self {
            Self::Number(_) | Self::List(_) | Self::Path(_) => {}
            Self::Negate(inner) => inner.visit(see),
            Self::Binary(_, left, right) => {
                left.visit(see);
                right.visit(see);
            }
            Self::Call(_, args) => args.iter().for_each(|arg| arg.visit(see)),
        }
    }
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Operators by level of precedence, lowest first.
const LEVELS: [&[(&str, Op)]; 5] = [
    &[("or", Op::Or)],
    &[("and", Op::And)],
    &[
        ("<=", Op::AtMost),
        (">=", Op::AtLeast),
        ("==", Op::Equal),
        ("!=", Op::Unequal),
        ("<", Op::Less),
        (">", Op::Greater),
    ],
    &[("+", Op::Add), ("-", Op::Subtract)],
    &[("*", Op::Multiply), ("/", Op::Divide)],
];

/// The level of comparisons, above which `not` binds.
const COMPARISON: usize = 2;

/// Parentheses and signs may nest this deep.
const MAX_DEPTH: u32 = 100;

/// Operators between two values at the most: each of them makes the tree deeper.
const MAX_OPERATORS: u32 = 1_000;

pub(super) fn parse(text: &str) -> Result<Expr, String> {
    let mut parser = Parser { rest: text, depth: 0, operators: 0 };
    let expr = parser.level(0)?;
    parser.skip_space();
    if parser.rest.is_empty() { Ok(expr) } else { Err(parser.found("an operator or the end")) }
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
    operators: u32,
}

impl Parser<'_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn found(&self, wanted: &str) -> String {
        match self.rest.chars().next() {
            Some(c) => format!("'{c}' where {wanted} is due"),
            None => format!("the end where {wanted} is due"),
        }
    }

    /// Takes `token` if it comes next; a word must end there.
    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        let is_word = token.ends_with(|c: char| c.is_ascii_alphabetic());
        if is_word && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_.(".contains(c)) {
            return false;
        }
        self.rest = rest;
        true
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn level(&mut self, level: usize) -> Result<Expr, String> {
        let Some(operators) = LEVELS.get(level) else { return self.factor() };
        if level == COMPARISON && self.take("not") {
            let inner = self.deeper(|parser| parser.level(level))?;
            return Ok(Expr::Call("not".into(), vec![inner]));
        }
        let mut left = self.level(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(token, _)| self.take(token)) {
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(format!("more than {MAX_OPERATORS} operators"));
            }
            let right = self.level(level + 1)?;
            left = Expr::Binary(*op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expr, String> {
        if self.take("-") {
            return Ok(Expr::Negate(Box::new(self.deeper(Self::factor)?)));
        }
        if self.take("(") {
            let inner = self.deeper(|parser| parser.level(0))?;
            return if self.take(")") { Ok(inner) } else { Err(self.found("')'")) };
        }
        if self.take("[") {
            return self.list();
        }
        self.skip_space();
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() => self.number().map(Expr::Number),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            _ => Err(self.found("a number, a name or '('")),
        }
    }

    fn number(&mut self) -> Result<f64, String> {
        self.skip_space();
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        while let Some(byte) = bytes.get(end) {
            let in_exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            match byte {
                b'0'..=b'9' | b'.' | b'e' | b'E' => end += 1,
                b'+' | b'-' if in_exponent => end += 1,
                _ => break,
            }
        }
        let (digits, rest) = self.rest.split_at(end);
        let number = digits.parse::<f64>().map_err(|_| self.found("a number"))?;
        self.rest = rest;
        if number.is_finite() { Ok(number) } else { Err(format!("{digits} is too large")) }
    }

    fn list(&mut self) -> Result<Expr, String> {
        let mut numbers = Vec::new();
        loop {
            numbers.push(self.number()?);
            if self.take("]") {
                return Ok(Expr::List(numbers));
            }
            if !self.take(",") {
                return Err(self.found("',' or ']'"));
            }
        }
    }

    /// A path, or a function and its arguments.
    fn name(&mut self) -> Result<Expr, String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        let name = name.to_owned();
        self.rest = rest;
        if !self.take("(") {
            return Ok(Expr::Path(name));
        }
        let mut args = Vec::new();
        loop {
            args.push(self.deeper(|parser| parser.level(0))?);
            if self.take(")") {
                return Ok(Expr::Call(name, args));
            }
            if !self.take(",") {
                return Err(self.found("',' or ')'"));
            }
        }
    }
}
