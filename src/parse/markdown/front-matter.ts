/** What a Markdown file says of itself before its text begins. */
export interface FrontMatter {
  title: string | null
  tags: string[]
  /** How many lines it takes, its marks included. */
  lines: number
}

/** Longer than anybody writes it: what goes on beyond this began with a rule. */
const MAX_LINES = 300
const MAX_TAGS = 100
const MAX_TAG_CHARS = 100
/** Of one value. */
const MAX_CHARS = 20_000
/** Of YAML and of TOML; a table's name in TOML ends what is the document's own. */
const FORMATS = [
  { open: '---', close: /^(?:---|\.\.\.)[ \t]*$/, key: /^([\w-]+)[ \t]*:(?:[ \t]+(.*))?$/, end: null },
  { open: '+++', close: /^\+\+\+[ \t]*$/, key: /^([\w-]+)[ \t]*=[ \t]*(.*)$/, end: /^\s*\[/ },
] as const

/** The YAML between `---` and `---`, or the TOML between `+++` and `+++`, at the very beginning; null where the file begins otherwise. */
export function readFrontMatter(lines: readonly string[]): FrontMatter | null {
  const format = FORMATS.find(({ open }) => lines[0]?.trimEnd() === open)
  if (format === undefined) return null
  const end = lines.findIndex((line, i) => i > 0 && i < MAX_LINES && format.close.test(line))
  if (end < 0) return null
  const inside = lines.slice(1, end)
  const values = topLevel(inside, format)
  // A rule followed by a heading that is underlined looks alike, but for its lines.
  if (values.size === 0 && inside.some((line) => line.trim() !== '')) return null
  return { title: titleOf(values.get('title') ?? []), tags: tagsOf(values.get('tags') ?? []), lines: end + 1 }
}

/** The lines of each key's value, trimmed, the one beside the key first. Nested keys are part of the value. */
function topLevel(inside: readonly string[], { key: pattern, end }: (typeof FORMATS)[number]): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let open: string[] | null = null
  for (const line of inside) {
    const [, key, value = ''] = pattern.exec(line) ?? []
    if (key !== undefined) {
      open = value.trim() === '' ? [] : [value.trim()]
      values.set(key.toLowerCase(), open)
    } else if (end?.test(line) && !isOpenList(open)) break
    else if (line.trim() !== '' && !line.trimStart().startsWith('#')) open?.push(line.trim())
  }
  return values
}

function isOpenList(value: readonly string[] | null): boolean {
  return value?.[0]?.startsWith('[') === true && value.at(-1)?.endsWith(']') === false
}

/** Null for none, and for what is a list or an object: not a title, or not sound. */
function titleOf(value: readonly string[]): string | null {
  const text = value
    .join(' ')
    .slice(0, MAX_CHARS)
    .replace(/^[>|][+-]?\d?\s+/, '')
  return /^[[{]/.test(text) ? null : scalar(text) || null
}

/** `[a, "b c"]`, `a, b` or a list of lines that begin with a dash; without the `#` that some programs write before each. */
function tagsOf(value: readonly string[]): string[] {
  const isLines = value.some((line) => line.startsWith('- '))
  const inOne = value
    .join(' ')
    .slice(0, MAX_CHARS)
    .replace(/^[>|][+-]?\d?\s+/, '')
    .replace(/^\[(.*?),?\s*\](?:\s+#.*)?$/, '$1')
  const items = isLines
    ? value.filter((line) => line.startsWith('- ')).map((line) => line.slice(2))
    : (inOne.match(/(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'])(?:"(?:[^"\\]|\\.)*"|[^,])*/g) ?? [])
  // A comma parts tags wherever they are given.
  const tags = items.flatMap((item) => scalar(item).split(',')).map((tag) => tag.trim().replace(/^#+/, ''))
  // An object, or what is left of a list that was never closed, is no tag.
  const sound = tags.filter((tag) => tag !== '' && tag.length <= MAX_TAG_CHARS && !/[[\]{}]|:(?:\s|$)/.test(tag))
  return [...new Set(sound)].slice(0, MAX_TAGS)
}

/** Without its quotes and their escapes, and without a comment where it has none. */
function scalar(text: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')(?:\s+#.*)?$/.exec(text.trim()) ?? []
  if (single !== undefined) return single.replaceAll("''", "'").trim()
  if (double !== undefined) return unescape(double).trim()
  return text
    .trim()
    .replace(/(?:^|\s)#\s.*$/, '')
    .trim()
}

function unescape(text: string): string {
  return text
    .replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_all, code: string | undefined, character: string | undefined) =>
      code === undefined
        ? character === 'n' || character === 't'
          ? ' '
          : character!
        : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .toWellFormed()
}
