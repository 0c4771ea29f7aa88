/** The longest word that the WordPiece of the reference implementation takes apart. It reads a longer word as one unknown word. */
const MAX_WORD_CHARS = 100
/** A Phoenician letter that no vocabulary of these models has. The unknown word that Ollama makes of it is the same as any other. */
const UNKNOWN_WORD = '\u{10900}'
const NOT_ASCII = /[^\t\n\r\x20-\x7e]/
const REMOVED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\uFFFD]/gu
const CHINESE = /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/gu
const WORD = /\S+/g
/**
 * Ollama 0.24 takes the bytes of a punctuation mark outside ASCII for two unknown words. No text makes it find the mark's own token, so it gets
 * the ASCII mark whose vector is nearest: cosine to the reference .97 to 1 for texts with several of them, .8 to .97 with unknown words.
 */
const LOOKALIKES = new Map(
  Object.entries({ '"': '“”„«»″「」『』', "'": '‘’‚‛‹›′', '-': '‐‑‒–—―•·', ',': '…、', '.': '。', ';': '§¶†‡' }).flatMap(
    ([ascii, marks]) => [...marks].map((mark) => [mark, ascii] as const),
  ),
)
const OTHER_PUNCTUATION = /(?![\x00-\x7F])\p{P}/gu

/** For models whose tokenizer in Ollama prepares the text itself, or needs no preparation. */
export function asWritten(text: string): string {
  return text
}

/** For the tokenizer of Qwen, whose reference implementation composes letters and their marks. Ollama's does not. */
export function composed(text: string): string {
  return text.normalize('NFC')
}

/**
 * Prepares a text as `BertNormalizer` and `BertPreTokenizer` of Hugging Face do for models without case: no control characters, accents and
 * capitals, and blanks around each punctuation mark and Chinese character. Ollama's WordPiece does little of this itself, so that letters with
 * accents and ASCII symbols make the words around them unknown to the model. It would also spend minutes on a word of 100,000 letters.
 */
export function bertUncased(text: string): string {
  let prepared = text
  if (NOT_ASCII.test(text)) {
    prepared = prepared
      .replace(REMOVED, '')
      .replace(CHINESE, ' $& ')
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      // The reference makes letters small one by one. JavaScript has a special rule for a sigma at the end of a word.
      .replaceAll('Σ', 'σ')
      .replace(OTHER_PUNCTUATION, (mark) => ` ${toAscii(mark)} `)
  }
  const words = prepared.toLowerCase().replace(PUNCTUATION, ' $& ').match(WORD) ?? []
  return words.map((word) => (isTooLong(word) ? UNKNOWN_WORD : word)).join(' ')
}

/** Wide marks have an ASCII form. The reference, too, knows hardly any other mark. */
function toAscii(mark: string): string {
  const ascii = LOOKALIKES.get(mark) ?? mark.normalize('NFKC')
  return NOT_ASCII.test(ascii) ? UNKNOWN_WORD : ascii
}

function isTooLong(word: string): boolean {
  return word.length > MAX_WORD_CHARS && [...word].length > MAX_WORD_CHARS
}
