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
const KEY = /^([\w-]+)[ \t]*:(?:[ \t]+(.*))?$/

/** The YAML between `---` and `---` at the very beginning; null where the file begins otherwise. */
export function readFrontMatter(lines: readonly string[]): FrontMatter | null {
  if (lines[0]?.trimEnd() !== '---') return null
  const end = lines.findIndex((line, i) => i > 0 && i < MAX_LINES && /^(?:---|\.\.\.)[ \t]*$/.test(line))
  if (end < 0) return null
  const yaml = lines.slice(1, end)
  const values = topLevel(yaml)
  // A rule followed by a heading that is underlined looks alike, but for its lines.
  if (values.size === 0 && yaml.some((line) => line.trim() !== '')) return null
  const title = scalar((values.get('title') ?? []).join(' ').replace(/^[>|][+-]?\s+/, ''))
  return { title: title || null, tags: tagsOf(values.get('tags') ?? []), lines: end + 1 }
}

/** The lines of each key's value, trimmed, the one beside the key first. Nested keys are part of the value. */
function topLevel(yaml: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let open: string[] | null = null
  for (const line of yaml) {
    const [, key, value = ''] = KEY.exec(line) ?? []
    if (key !== undefined) {
      open = value.trim() === '' ? [] : [value.trim()]
      values.set(key.toLowerCase(), open)
    } else if (line.trim() !== '' && !line.trimStart().startsWith('#')) open?.push(line.trim())
  }
  return values
}

/** `[a, "b c"]`, `a, b` or a list of lines that begin with a dash; without the `#` that some programs write before each. */
function tagsOf(value: readonly string[]): string[] {
  const items = value.some((line) => line.startsWith('- '))
    ? value.filter((line) => line.startsWith('- ')).map((line) => line.slice(2))
    : value
        .join(' ')
        .replace(/^\[(.*)\]$/, '$1')
        .split(',')
  const tags = items.flatMap((item) => scalar(item).split(',')).map((tag) => tag.trim().replace(/^#+/, ''))
  return [...new Set(tags.filter((tag) => tag !== '' && tag.length <= MAX_TAG_CHARS))].slice(0, MAX_TAGS)
}

/** Without its quotes, and without a comment where it has none. */
function scalar(text: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(text.trim())
  return quoted
    ? (quoted[2] ?? '')
    : text
        .trim()
        .replace(/(?:^|\s)#\s.*$/, '')
        .trim()
}
