/** A heading is a line. What is longer is a sentence, a paragraph or several rows. */
const MAX_GUESSED_CHARS = 100
/** An author's own heading is cut to this length elsewhere, and a longer one is a paragraph in the wrong style. */
const MAX_OWN_CHARS = 200
/** A row of a table has more figures than a heading. */
const MAX_NUMBERS = 3
/** A sentence has more words than a name that ends in a full stop, such as `Best Buy Co., Inc.` */
const MAX_WORDS_BEFORE_STOP = 4

const BULLET = /^[◦▪▫●○‣■□➢✓✔·|–—-]\s|^[•*†‡]/u
// `iPhone`, `p53`, `α-Synuclein` and `a)` may begin a heading.
const SMALL_LETTER = /^["'“‘„(]?\p{Ll}(?![\p{Lu}\p{N})-])/u
const NUMBER = /(?<![\p{L}\p{N}.,])\p{N}[\p{N}.,]*(?![\p{L}\p{N}])/gu
const HAS_WORD = /\p{L}{2}|[\p{Lo}\p{N}]/u
const NOTE = /^[([（［].*[)\]）］]$/u
const LEADERS = /\.{4,}|(?:\. ){4,}/
const UNFINISHED = /[,;，；、]$/u
const FULL_STOP = /[.。!！]["'”’)\]]*$/u
/** `Inc.`, `Co.`, `U.S.`, and other capitalised words that a stop shortens. */
const SHORTENED = /(?:^|[\s.])(?:Inc|INC|Co|CO|Corp|CORP|Ltd|LTD|plc|PLC|Bros|Jr|Sr|Dr|St|etc|No|\p{Lu})\.$/u

/**
 * Returns false for a text that looks like a heading because of its type or its place, but isn't one: a bullet, a row of a table, a note such as
 * `(In millions)`, a sentence or a part of one. Such a heading would stay with all passages up to the next one.
 */
export function canBeHeading(text: string, maxChars = MAX_GUESSED_CHARS): boolean {
  const line = text.trim()
  return line.length <= maxChars && canBeginHeading(line) && !isRow(line) && !UNFINISHED.test(line) && !isSentence(line)
}

/**
 * Returns false for the first line of a text if it can't be the title: a bullet, a row of a table, a note, a salutation. A title may be a sentence
 * and begin with a small letter.
 */
export function canBeTitle(text: string): boolean {
  const line = text.trim()
  return HAS_WORD.test(line) && !BULLET.test(line) && !NOTE.test(line) && !isRow(line) && !UNFINISHED.test(line)
}

/** Returns false for a line that neither is a heading nor begins one that goes on in the next line. */
export function canBeginHeading(text: string): boolean {
  const line = text.trim()
  return HAS_WORD.test(line) && !BULLET.test(line) && !SMALL_LETTER.test(line) && !NOTE.test(line)
}

/** Returns false for what an author marked as a heading if it can't be one: without a word, or as long as a paragraph. */
export function isOwnHeading(text: string): boolean {
  const line = text.trim()
  return line.length <= MAX_OWN_CHARS && /[\p{L}\p{N}]/u.test(line)
}

function isRow(line: string): boolean {
  return (line.match(NUMBER)?.length ?? 0) > MAX_NUMBERS || LEADERS.test(line)
}

function isSentence(line: string): boolean {
  return (
    FULL_STOP.test(line) && !SHORTENED.test(line) && (/[。！]/u.test(line) || line.split(/\s+/).length > MAX_WORDS_BEFORE_STOP)
  )
}
