import { parseFormat, type Section, type Token } from './format-code.ts'

/** Excel keeps this many digits of a number. */
const PRECISION = 15
/** Digits of a number without a format. */
const GENERAL_DIGITS = 10
/** A larger number has no digits after the point, and formats with digits are of no use. */
const MAX_FORMATTED = 1e21
const MAX_DECIMALS = 30
const MAX_DENOMINATOR_DIGITS = 4

const formats = new Map<string, Section[]>()
const MAX_FORMATS = 2_000

/** Returns a number as a spreadsheet shows it in a format, such as `#,##0.00 [$€-407]` or `d.m.yyyy`. */
export function formatNumber(value: number, code: string): string {
  let sections = formats.get(code)
  if (sections === undefined) {
    sections = parseFormat(code)
    if (formats.size >= MAX_FORMATS) formats.clear()
    formats.set(code, sections)
  }
  const [section, isAbsolute] = chooseSection(sections, value)
  if (section === undefined || !Number.isFinite(value)) return formatGeneral(value)
  if (section.isDate) return formatDate(value, section) ?? formatGeneral(value)
  return formatDigits(isAbsolute ? Math.abs(value) : value, section.tokens)
}

/** True if the format shows a date or a time. */
export function isDateFormat(code: string): boolean {
  return parseFormat(code)[0]?.isDate === true
}

/** Returns a number without a format. Unlike Excel, which shortens long numbers to the column, it keeps all digits of a whole number. */
export function formatGeneral(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 10 ** PRECISION) return String(value)
  const short = String(Number(value.toPrecision(GENERAL_DIGITS)))
  return short.replace('e', 'E')
}

function chooseSection(sections: readonly Section[], value: number): [section: Section | undefined, isAbsolute: boolean] {
  const conditional = sections.find(({ condition }) => condition?.(value))
  if (conditional !== undefined) return [conditional, false]
  if (sections.some(({ condition }) => condition !== null)) return [sections.find(({ condition }) => condition === null), false]
  if (value < 0 && sections.length > 1) return [sections[1], true]
  return [value === 0 && sections.length > 2 ? sections[2] : sections[0], false]
}

function formatDigits(value: number, tokens: readonly Token[]): string {
  const kinds = new Set(tokens.map(({ kind }) => kind))
  const percents = tokens.filter(({ kind }) => kind === 'percent').length
  let scaled = Math.abs(value) * 100 ** percents
  if (kinds.has('general') || kinds.has('text'))
    return tokens
      .map((token) => (token.kind === 'general' || token.kind === 'text' ? formatGeneral(value) : plain(token)))
      .join('')
      .trim()
  if (!kinds.has('digit')) return tokens.map(plain).join('').trim()
  if (scaled >= MAX_FORMATTED) return formatGeneral(value)
  const exponent = tokens.find((token) => token.kind === 'exponent')
  const sign = value < 0 ? '-' : ''
  if (exponent !== undefined) return sign + scientific(scaled, tokens, exponent)
  if (isFraction(tokens)) return sign + fraction(scaled, tokens)
  const whole = tokens.findLastIndex(({ kind }, i) => kind === 'digit' && !isAfterPoint(tokens, i))
  const last = tokens.findLastIndex(({ kind }) => kind === 'digit')
  // Commas behind the digits divide by thousands.
  for (const digit of new Set([whole, last])) for (let i = digit + 1; tokens[i]?.kind === 'comma'; i++) scaled /= 1000
  const text = placeDigits(scaled, tokens)
  return (/[1-9]/.test(text) || !/\d/.test(text) ? sign + text : text).trim()
}

function plain(token: Token): string {
  if (token.kind === 'literal') return token.text
  return token.kind === 'percent' ? '%' : token.kind === 'slash' ? '/' : ''
}

function isAfterPoint(tokens: readonly Token[], index: number): boolean {
  const point = tokens.findIndex(({ kind }) => kind === 'point')
  return point >= 0 && point < index
}

/** Puts the digits of a number into the places that the format has for them. */
function placeDigits(value: number, tokens: readonly Token[]): string {
  const point = tokens.findIndex(({ kind }) => kind === 'point')
  const before = point < 0 ? tokens : tokens.slice(0, point)
  const after = point < 0 ? [] : tokens.slice(point + 1)
  const decimals = Math.min(MAX_DECIMALS, after.filter(({ kind }) => kind === 'digit').length)
  const [whole = '0', rest = ''] = rounded(value, decimals).split('.')
  const first = before.findIndex(({ kind }) => kind === 'digit')
  const last = before.findLastIndex(({ kind }) => kind === 'digit')
  const isGrouped = before.slice(first, last).some(({ kind }) => kind === 'comma')
  const digits = whole === '0' ? [] : [...whole]
  let placed = ''
  let count = 0
  const put = (digit: string): void => {
    placed = digit + (isGrouped && count > 0 && count % 3 === 0 && digit !== ' ' ? ',' : '') + placed
    count++
  }
  for (let i = before.length - 1; i >= 0; i--) {
    const token = before[i]!
    if (token.kind !== 'digit') {
      placed = plain(token) + placed
      continue
    }
    const digit = digits.pop() ?? (token.text === '0' ? '0' : token.text === '?' ? ' ' : undefined)
    if (digit !== undefined) put(digit)
    if (i === first) while (digits.length > 0) put(digits.pop()!)
  }
  return placed + (point < 0 ? '' : placeDecimals(rest, after))
}

function placeDecimals(digits: string, tokens: readonly Token[]): string {
  let text = '.'
  let place = 0
  for (const token of tokens) {
    if (token.kind !== 'digit') text += plain(token)
    else {
      const isNeeded = token.text !== '#' || /[1-9]/.test(digits.slice(place))
      if (isNeeded) text += digits[place] ?? '0'
      place++
    }
  }
  return text
}

/** Rounds half away from zero on the decimal digits, as spreadsheets do: 1.005 becomes 1.01. */
function rounded(value: number, decimals: number): string {
  const exact = Number(value.toPrecision(PRECISION))
  const [mantissa, exponent = '0'] = String(exact).split('e')
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + decimals}`))
  if (!Number.isSafeInteger(shifted)) return exact.toFixed(Math.min(decimals, 20))
  const digits = String(shifted).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function scientific(value: number, tokens: readonly Token[], { digits, hasPlus }: { digits: number; hasPlus: boolean }): string {
  const decimals = tokens.filter(({ kind }, i) => kind === 'digit' && isAfterPoint(tokens, i)).length
  const [mantissa, exponent = '0'] = value.toExponential(Math.min(decimals, 20)).split('e')
  const power = Number(exponent)
  return `${mantissa}E${power < 0 ? '-' : hasPlus ? '+' : ''}${String(Math.abs(power)).padStart(digits, '0')}`
}

function isFraction(tokens: readonly Token[]): boolean {
  const slash = tokens.findIndex(({ kind }) => kind === 'slash')
  return slash > 0 && tokens[slash - 1]?.kind === 'digit'
}

/** `# ?/?` shows 0.75 as 3/4. The denominator has as many digits as the format, or is the number that the format names. */
function fraction(value: number, tokens: readonly Token[]): string {
  const slash = tokens.findIndex(({ kind }) => kind === 'slash')
  const below = tokens.slice(slash + 1)
  const named = below.map((token) => (token.kind === 'literal' || token.kind === 'digit' ? token.text : '')).join('')
  const fixed = Number(/^[1-9]\d*$/.exec(named.trim())?.[0] ?? 0)
  const isMixed = tokens.slice(0, slash).some(({ kind }, i, all) => kind === 'literal' && all[i - 1]?.kind === 'digit')
  const whole = isMixed ? Math.floor(value) : 0
  const places = below.filter(({ kind }) => kind === 'digit').length
  const [above, under] = fixed > 0 ? [Math.round((value - whole) * fixed), fixed] : nearest(value - whole, places)
  if (above === 0) return String(whole)
  return `${isMixed && whole > 0 ? `${whole} ` : ''}${above}/${under}`
}

function nearest(value: number, places: number): [above: number, under: number] {
  const max = 10 ** Math.min(Math.max(places, 1), MAX_DENOMINATOR_DIGITS) - 1
  let best: [number, number] = [Math.round(value), 1]
  for (let under = 1; under <= max; under++) {
    const above = Math.round(value * under)
    if (Math.abs(above / under - value) < Math.abs(best[0] / best[1] - value) - 1e-12) best = [above, under]
  }
  return best
}

const DAY_MS = 86_400_000
/** Excel counts days from here. It believes that 1900 was a leap year, so its first 59 days are one day off. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
const FALSE_LEAP_DAY = 60
/** The first day that Excel cannot show, 1 January 10000. */
const END_SERIAL = 2_958_466

/** Languages by Windows locale ID, without the country. */
const LANGUAGES: Readonly<Record<number, string>> = {
  0x01: 'ar',
  0x02: 'bg',
  0x03: 'ca',
  0x04: 'zh',
  0x05: 'cs',
  0x06: 'da',
  0x07: 'de',
  0x08: 'el',
  0x09: 'en',
  0x0a: 'es',
  0x0b: 'fi',
  0x0c: 'fr',
  0x0d: 'he',
  0x0e: 'hu',
  0x10: 'it',
  0x11: 'ja',
  0x12: 'ko',
  0x13: 'nl',
  0x14: 'nb',
  0x15: 'pl',
  0x16: 'pt',
  0x18: 'ro',
  0x19: 'ru',
  0x1a: 'hr',
  0x1b: 'sk',
  0x1d: 'sv',
  0x1e: 'th',
  0x1f: 'tr',
  0x22: 'uk',
  0x24: 'sl',
}

/** Returns a date or time as the format shows it; null for a number that is not a date. */
function formatDate(serial: number, { tokens, locale }: Section): string | null {
  if (serial < 0 || serial >= END_SERIAL) return null
  const fraction = tokens.find((token) => token.kind === 'date' && token.text.startsWith('.'))
  const unit = fraction?.kind === 'date' ? 1000 / 10 ** Math.min(3, fraction.text.length - 1) : 1000
  const ms = Math.round((serial * DAY_MS) / unit) * unit
  const date = new Date(EPOCH_MS + ms + (serial < FALSE_LEAP_DAY ? DAY_MS : 0))
  const isTwelve = tokens.some((token) => token.kind === 'date' && (token.text === 'am/pm' || token.text === 'a/p'))
  const language = (locale !== null && LANGUAGES[locale & 0x3ff]) || 'en'
  return tokens
    .map((token) => {
      if (token.kind === 'literal') return token.text
      if (token.kind === 'elapsed') return elapsed(ms, token.text)
      return token.kind === 'date' ? part(date, token.text, isTwelve, language) : ''
    })
    .join('')
    .trim()
}

function elapsed(ms: number, text: string): string {
  const unit = text.startsWith('h') ? 3_600_000 : text.startsWith('m') ? 60_000 : 1000
  return String(Math.floor(ms / unit)).padStart(text.length, '0')
}

function part(date: Date, text: string, isTwelve: boolean, language: string): string {
  const padded = (value: number, width = text.length): string => String(value).padStart(Math.min(2, width), '0')
  const named = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(date)
  const hours = date.getUTCHours()
  if (text === 'am/pm') return hours < 12 ? 'AM' : 'PM'
  if (text === 'a/p') return hours < 12 ? 'A' : 'P'
  if (text.startsWith('minutes')) return padded(date.getUTCMinutes(), Number(text.slice('minutes'.length)))
  switch (text[0]) {
    case 'y':
      return text.length <= 2 ? padded(date.getUTCFullYear() % 100, 2) : String(date.getUTCFullYear())
    case 'm':
      if (text.length <= 2) return padded(date.getUTCMonth() + 1)
      return text.length === 5 ? named({ month: 'long' }).slice(0, 1) : named({ month: text.length === 3 ? 'short' : 'long' })
    case 'd':
      return text.length <= 2 ? padded(date.getUTCDate()) : named({ weekday: text.length === 3 ? 'short' : 'long' })
    case 'h':
      return padded(isTwelve ? hours % 12 || 12 : hours)
    case 's':
      return padded(date.getUTCSeconds())
    default:
      return `.${String(date.getUTCMilliseconds())
        .padStart(3, '0')
        .padEnd(text.length - 1, '0')
        .slice(0, text.length - 1)}`
  }
}
