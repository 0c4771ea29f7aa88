import type { Section } from './format-code.ts'

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
export function formatDate(serial: number, { tokens, locale }: Section): string | null {
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
