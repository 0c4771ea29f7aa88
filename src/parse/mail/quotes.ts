/** A line that quotes, with its marks: `> `, `>> `, `> > `. */
const QUOTING = /^[ \t]?((?:>[ \t]?)+)/

/** Programs for mail put such a line in front of the message that a reply answers. */
const SEPARATORS: readonly RegExp[] = [
  /^[-_\s]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|forwarded message|begin forwarded message)[-_\s:]*(?:\n|$)/i,
  // Outlook writes the header of the answered message in the language of its user: four lines with a colon, the first and the second about people and time.
  /^(?:from|von|de|da|van|från|fra): .+\n(?:sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden|skickat|sendt): .+\n(?:to|an|à|para|a|aan|till|til)\s?: /i,
]

/** A line of a text without its marks of quoting, and whether it had any. */
export function unquoted(line: string): { text: string; isQuoted: boolean } {
  const marks = QUOTING.exec(line)
  return marks === null ? { text: line, isQuoted: false } : { text: line.slice(marks[0].length), isQuoted: true }
}

/** True if everything after a paragraph with this text is the message that is answered. */
export function isSeparator(paragraph: string): boolean {
  return paragraph.length < 1000 && SEPARATORS.some((separator) => separator.test(paragraph))
}

/**
 * The reader of messages joins the lines of `format=flowed` paragraphs, and of quoted paragraphs too, whose marks it leaves within the line. Cuts
 * such a line where the depth of the quote changes, and drops the other marks.
 */
export function joinFlowedQuotes(text: string): string {
  if (!text.includes('>')) return text
  return text
    .split('\n')
    .map((line) => (line.startsWith('>') ? joinFlowedQuote(line) : line))
    .join('\n')
}

function joinFlowedQuote(line: string): string {
  const lines: { marks: string; text: string }[] = []
  for (const part of line.split(/ (?=>)/)) {
    const marks = /^>+/.exec(part)![0]
    const last = lines.at(-1)
    const rest = part.slice(marks.length).trimStart()
    if (last?.marks === marks) last.text += ` ${rest}`
    else lines.push({ marks, text: rest })
  }
  return lines.map(({ marks, text }) => `${marks} ${text}`).join('\n')
}
