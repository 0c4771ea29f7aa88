/** A piece of a section of a number format: a literal, a digit, a part of a date, or another sign with a meaning. */
export type Token =
  | { kind: 'literal'; text: string }
  /** `0` shows a zero where a number has no digit, `?` a space, and `#` nothing. */
  | { kind: 'digit'; text: '0' | '#' | '?' }
  | { kind: 'point' | 'comma' | 'percent' | 'slash' | 'general' | 'text' }
  | { kind: 'exponent'; digits: number; hasPlus: boolean }
  /** `yyyy`, `m`, `hh`, `AM/PM`, `.00` of a second. `minutes` for an `m` that is not a month. */
  | { kind: 'date'; text: string }
  /** `[h]`: hours, minutes or seconds since the beginning, which can be more than 24 or 60. */
  | { kind: 'elapsed'; text: string }

export interface Section {
  tokens: readonly Token[]
  isDate: boolean
  /** The language of the names of months and days, as a Windows locale ID. */
  locale: number | null
  condition: ((value: number) => boolean) | null
}

const CONDITION = /^(<=|>=|<>|<|>|=)\s*(-?[\d.]+)$/
const TOKEN = /"([^"]*)"?|\\(.)|_.|\*.|\[([^\]]*)\]|general|am\/pm|a\/p|E[+-]0+|y+|m+|d+|h+|s+|[0#?.,%/@]|[^]/giy
/** Excel allows no longer format codes. */
const MAX_CODE_CHARS = 255

/** Returns the sections of a number format (ECMA-376 part 1, 18.8.31): for positive numbers, negative ones, zero and text. */
export function parseFormat(code: string): Section[] {
  const sections: Section[] = []
  let tokens: Token[] = []
  let [locale, condition]: [Section['locale'], Section['condition']] = [null, null]
  const end = (): void => {
    const isDate = tokens.some(({ kind }) => kind === 'date' || kind === 'elapsed')
    sections.push({ tokens: isDate ? asDate(tokens) : tokens, isDate, locale, condition })
    tokens = []
    locale = null
    condition = null
  }
  for (const match of code.slice(0, MAX_CODE_CHARS).matchAll(TOKEN)) {
    const [all, quoted, escaped, bracket] = match
    if (all === ';') end()
    else if (bracket !== undefined) {
      const currency = /^\$([^-]*)(?:-([0-9a-f]+))?/i.exec(bracket)
      if (currency !== null) {
        tokens.push({ kind: 'literal', text: currency[1] ?? '' })
        if (currency[2] !== undefined) locale = Number.parseInt(currency[2], 16) & 0xffff
      } else if (/^(?:h+|m+|s+)$/i.test(bracket)) tokens.push({ kind: 'elapsed', text: bracket.toLowerCase() })
      else condition ??= conditionOf(bracket)
    } else tokens.push(tokenOf(all, quoted ?? escaped))
  }
  end()
  return sections
}

function tokenOf(all: string, literal: string | undefined): Token {
  if (literal !== undefined) return { kind: 'literal', text: literal }
  const lower = all.toLowerCase()
  if (all.startsWith('_')) return { kind: 'literal', text: ' ' }
  // The filling of a column has no width here.
  if (all.startsWith('*')) return { kind: 'literal', text: '' }
  if (lower === 'general') return { kind: 'general' }
  if (all === '0' || all === '#' || all === '?') return { kind: 'digit', text: all }
  if (all === '.') return { kind: 'point' }
  if (all === ',') return { kind: 'comma' }
  if (all === '%') return { kind: 'percent' }
  if (all === '/') return { kind: 'slash' }
  if (all === '@') return { kind: 'text' }
  if (/^e[+-]/.test(lower)) return { kind: 'exponent', digits: all.length - 2, hasPlus: all[1] === '+' }
  if (lower === 'am/pm' || lower === 'a/p' || /^[ymdhs]/.test(lower)) return { kind: 'date', text: lower }
  return { kind: 'literal', text: all }
}

function conditionOf(text: string): Section['condition'] {
  const [, operator, digits] = CONDITION.exec(text) ?? []
  if (operator === undefined) return null
  const limit = Number(digits)
  const tests: Record<string, (value: number) => boolean> = {
    '<': (value) => value < limit,
    '>': (value) => value > limit,
    '<=': (value) => value <= limit,
    '>=': (value) => value >= limit,
    '=': (value) => value === limit,
    '<>': (value) => value !== limit,
  }
  return tests[operator] ?? null
}

/** In a date, points and slashes are literals, zeros after a second are its fraction, and an `m` next to hours or seconds means minutes. */
function asDate(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  for (const [i, token] of tokens.entries()) {
    const last = result.at(-1)
    const before = result.findLast(({ kind }) => kind === 'date' || kind === 'elapsed')
    if (token.kind === 'slash') result.push({ kind: 'literal', text: '/' })
    else if (token.kind === 'comma') result.push({ kind: 'literal', text: ',' })
    else if (token.kind === 'point') {
      const next = tokens[i + 1]
      const isFraction = isSeconds(last) && next?.kind === 'digit'
      result.push(isFraction ? { kind: 'date', text: '.' } : { kind: 'literal', text: '.' })
    } else if (token.kind === 'digit') {
      if (last?.kind === 'date' && last.text.startsWith('.')) last.text += '0'
      else result.push({ kind: 'literal', text: token.text === '0' ? '0' : '' })
    } else if (token.kind === 'date' && /^mm?$/.test(token.text)) {
      const next = tokens.slice(i + 1).find(({ kind }) => kind === 'date' || kind === 'elapsed')
      const isMinutes = isHours(before) || isSeconds(next)
      result.push(isMinutes ? { kind: 'date', text: `minutes${token.text.length}` } : { ...token })
    } else result.push({ ...token })
  }
  return result
}

function isHours(token: Token | undefined): boolean {
  return (token?.kind === 'date' || token?.kind === 'elapsed') && token.text.startsWith('h')
}

function isSeconds(token: Token | undefined): boolean {
  return (token?.kind === 'date' || token?.kind === 'elapsed') && token.text.startsWith('s')
}
