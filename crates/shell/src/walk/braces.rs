//! Braces in words: `{a,b}` and `{1..5}`.

use crate::syntax::{BashWord, WordPiece};

/// The most words that one word with braces gives.
const MAX_WORDS: usize = 64;
/// The longest word whose braces are looked at.
const MAX_LETTERS: usize = 2048;

/// The alternatives of a pattern with braces.
pub(crate) fn brace_alternatives(pattern: &str) -> Vec<String> {
    let (words, _) = expand_braces(&BashWord::literal(pattern));
    words.iter().map(|word| word.pieces.iter().map(text_of).collect()).collect()
}

fn text_of(piece: &WordPiece) -> &str {
    match piece {
        WordPiece::Literal(text) | WordPiece::Quoted(text) => text,
        _ => "",
    }
}

/// The words that a word with braces gives, and whether these are all; the word itself if the braces are only text.
pub(super) fn expand_braces(bash_word: &BashWord) -> (Vec<BashWord>, bool) {
    let letters = |piece: &WordPiece| if let WordPiece::Literal(text) = piece { text.len() } else { 1 };
    if bash_word.pieces.iter().map(letters).sum::<usize>() > MAX_LETTERS {
        return (vec![bash_word.clone()], false);
    }
    let mut done: Vec<BashWord> = Vec::new();
    let mut open = vec![bash_word.clone()];
    let mut is_whole = true;
    while let Some(next) = open.pop() {
        match split_first_brace(&next) {
            Some(alternatives) if done.len() + open.len() + alternatives.len() <= MAX_WORDS => {
                open.extend(alternatives.into_iter().rev());
            }
            Some(_) => {
                is_whole = false;
                done.push(next);
            }
            None => done.push(next),
        }
    }
    (done, is_whole)
}

/// One letter of a word, or a piece that is not a literal.
#[derive(Debug, Clone)]
enum BraceToken {
    Letter(char),
    Piece(WordPiece),
}

impl BraceToken {
    fn letter(&self) -> Option<char> {
        match self {
            Self::Letter(letter) => Some(*letter),
            Self::Piece(_) => None,
        }
    }
}

/// Braces that belong together: where they are, and the commas between them.
struct BracePair {
    open: usize,
    commas: Vec<usize>,
    close: usize,
}

/// The first pair of braces that has alternatives.
fn find_pair(tokens: &[BraceToken]) -> Option<BracePair> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut first: Option<BracePair> = None;
    for (index, token) in tokens.iter().enumerate() {
        match token.letter() {
            Some('{') => open.push((index, Vec::new())),
            Some(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(index);
                }
            }
            Some('}') => {
                let Some((begin, commas)) = open.pop() else { continue };
                let has_alternatives = !commas.is_empty() || range_between(tokens, begin, index).is_some();
                if has_alternatives && first.as_ref().is_none_or(|first| begin < first.open) {
                    first = Some(BracePair { open: begin, commas, close: index });
                }
                // Nothing to the left of it can still begin a pair.
                if first.is_some() && open.is_empty() {
                    break;
                }
            }
            _ => {}
        }
    }
    first
}

fn range_between(tokens: &[BraceToken], open: usize, close: usize) -> Option<Vec<String>> {
    let inner = tokens.get(open + 1..close).filter(|inner| inner.len() <= 24)?;
    brace_range(&inner.iter().map(BraceToken::letter).collect::<Option<String>>()?)
}

fn split_first_brace(bash_word: &BashWord) -> Option<Vec<BashWord>> {
    let mut tokens: Vec<BraceToken> = Vec::new();
    for piece in &bash_word.pieces {
        match piece {
            WordPiece::Literal(text) => tokens.extend(text.chars().map(BraceToken::Letter)),
            piece => tokens.push(BraceToken::Piece(piece.clone())),
        }
    }
    let BracePair { open, commas, close } = find_pair(&tokens)?;
    let slice = |from: usize, to: usize| tokens.get(from..to).unwrap_or_default().to_vec();
    let alternatives: Vec<Vec<BraceToken>> = if commas.is_empty() {
        let to_letters = |text: String| text.chars().map(BraceToken::Letter).collect();
        range_between(&tokens, open, close)?.into_iter().map(to_letters).collect()
    } else {
        let ends = commas.iter().copied().chain([close]);
        let begins = [open].into_iter().chain(commas.iter().copied());
        begins.zip(ends).take(MAX_WORDS + 1).map(|(begin, end)| slice(begin + 1, end)).collect()
    };
    let whole = |middle: Vec<BraceToken>| {
        to_word(slice(0, open).into_iter().chain(middle).chain(slice(close + 1, tokens.len())))
    };
    Some(alternatives.into_iter().map(whole).collect())
}

/// `1..5` or `a..e`.
fn brace_range(inner: &str) -> Option<Vec<String>> {
    let (from, to) = inner.split_once("..")?;
    if let (Ok(from), Ok(to)) = (from.parse::<i32>(), to.parse::<i32>()) {
        let (low, high) = (from.min(to), from.max(to));
        return Some((low..=high).take(MAX_WORDS / 2).map(|number| number.to_string()).collect());
    }
    let (mut from, mut to) = (from.chars(), to.chars());
    match (from.next(), from.next(), to.next(), to.next()) {
        (Some(low), None, Some(high), None) => {
            Some((low.min(high)..=low.max(high)).take(MAX_WORDS / 2).map(String::from).collect())
        }
        _ => None,
    }
}

fn to_word(tokens: impl Iterator<Item = BraceToken>) -> BashWord {
    let mut word = BashWord::default();
    for token in tokens {
        match (token, word.pieces.last_mut()) {
            (BraceToken::Letter(letter), Some(WordPiece::Literal(text))) => text.push(letter),
            (BraceToken::Letter(letter), _) => word.pieces.push(WordPiece::Literal(String::from(letter))),
            (BraceToken::Piece(piece), _) => word.pieces.push(piece),
        }
    }
    word
}
