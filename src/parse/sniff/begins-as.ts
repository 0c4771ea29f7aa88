const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
const TIFF = [Buffer.from('II*\0'), Buffer.from('MM\0*')]

/** Which kind of picture begins with these bytes; null for another file. */
export function pictureKind(head: Buffer): 'png' | 'jpeg' | 'tiff' | null {
  const begins = (mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark)
  if (begins(PNG)) return 'png'
  if (begins(JPEG)) return 'jpeg'
  return TIFF.some(begins) ? 'tiff' : null
}

const MARK = /^(?:\xef\xbb\xbf)?\s*\{\s*\\rtf/

/** True for a file that begins like RTF. */
export function beginsAsRtf(head: Uint8Array): boolean {
  return MARK.test(Buffer.from(head.subarray(0, 50)).toString('latin1'))
}

/**
 * True for a text that begins with a tag of an HTML page, after any comments.
 * It skips the comments one by one: an expression for any number of them can take exponential time, and this runs in the daemon.
 */
export function beginsAsHtml(start: string): boolean {
  let at = /^[^\w<]*/.exec(start)?.[0].length ?? 0
  const step = /(?:<\?xml[^>]*>|<!--[^]*?-->)\s*/y
  for (step.lastIndex = at; step.test(start);) at = step.lastIndex
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start.slice(at, at + 50))
}

/** True for a text that begins with an object and its first key. A list could also be a text with a note in brackets. */
export function beginsAsJson(start: string): boolean {
  return /^(?:\xef\xbb\xbf|\uFEFF)?\s{0,100}(?:\[\s{0,100})?\{\s{0,100}"(?:[^"\\\n]|\\.){0,200}"\s{0,20}:/.test(start)
}

/** True for a text that begins with a document class, after any comments. */
export function beginsAsLatex(start: string): boolean {
  return /^\s{0,100}(?:%[^\n]{0,500}\n\s{0,100}){0,40}\\(?:documentclass|documentstyle)\b/.test(start)
}

/** Headers that only mail and news have. */
const OF_MAIL = new Set(
  'received return-path message-id mime-version delivered-to x-mailer in-reply-to references content-transfer-encoding dkim-signature list-id reply-to envelope-to x-originating-ip user-agent thread-topic x-received authentication-results content-type newsgroups nntp-posting-host'.split(
    ' ',
  ),
)
/** Headers that other texts can begin with as well. */
const OF_LETTERS = new Set('from to cc bcc date subject sender'.split(' '))
const HEADER = /^([\x21-\x39\x3b-\x7e]{1,76})[ \t]*:/
/** Lines that the first line of a file of mailboxes begins with. Its date has the form of the function asctime of C. */
const SEPARATOR = /^>?From \S.* (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d(?::\d\d)?(?: .*)?$/
const MIN_HEADERS = 3

/** True for a text that begins with the header of a message. `isNamedSo` is true if the name of the file says that it is one. */
export function beginsAsMail(start: string, isNamedSo: boolean): boolean {
  const { ofMail, ofLetters } = countHeaders(linesOf(start))
  if (isNamedSo) return ofMail + ofLetters > 0
  return ofMail > 0 && ofLetters > 0 && ofMail + ofLetters >= MIN_HEADERS
}

/** True for a text that begins like a mailbox: with a separator, and the header of a message after it. */
export function beginsAsMailbox(start: string): boolean {
  const { ofMail, ofLetters } = countHeaders(linesOf(start))
  return SEPARATOR.test(linesOf(start)[0] ?? '') && ofMail + ofLetters > 0
}

/**
 * True for a text that begins with the separator of a mailbox. A sentence can begin with `From ` too. So either the line has a date and is
 * followed by a header, or it has a date and a blank line before it.
 */
export function isSeparatorOfMailbox(start: string, isAfterBlank: boolean): boolean {
  const [first, second] = start.split(/\r?\n/, 2)
  if (!SEPARATOR.test(first ?? '')) return false
  return isAfterBlank || headerName(second ?? '') !== null
}

function linesOf(start: string): string[] {
  // The last line may be cut off.
  return start.replace(/^(?:\u00ef\u00bb\u00bf)?[\r\n]*/, '').split(/\r?\n|\r/)
}

function countHeaders(lines: readonly string[]): { ofMail: number; ofLetters: number } {
  const count = { ofMail: 0, ofLetters: 0 }
  for (const [i, line] of lines.entries()) {
    if (i === 0 && /^>?From /.test(line)) continue
    if (/^[ \t]/.test(line) && i > 0) continue
    const name = headerName(line)
    if (name === null) break
    if (isOfMail(name)) count.ofMail++
    else if (OF_LETTERS.has(name)) count.ofLetters++
  }
  return count
}

function headerName(line: string): string | null {
  return HEADER.exec(line)?.[1]?.toLowerCase() ?? null
}

function isOfMail(name: string): boolean {
  return OF_MAIL.has(name) || name.startsWith('x-')
}

/**
 * Returns the number of the line with which the body of a message begins that has no blank line in front of it, which broken programs write; null
 * for any other message. Readers would take the body for a header and drop it.
 */
export function bodyWithoutBlankLine(lines: readonly string[]): number | null {
  const end = lines.indexOf('')
  const header = end < 0 ? lines : lines.slice(0, end)
  const isHeader = (line: string): boolean => {
    const name = headerName(line)
    return name !== null && (isOfMail(name) || OF_LETTERS.has(name))
  }
  const last = header.findLastIndex(isHeader)
  if (last < 0) return null
  // Lines that continue the last known header, and headers of other names.
  const rest = header.slice(last + 1)
  const first = rest.findIndex((line) => line.trim() === '' || (headerName(line) === null && !/^[ \t]/.test(line)))
  return first < 0 ? null : last + 1 + first
}
