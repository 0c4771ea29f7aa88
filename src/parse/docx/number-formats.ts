/** Word itself counts no further than 32,767. Beyond this, and in formats that are unknown here, a number is written in digits. */
const MAX_ROMAN = 3999
const MAX_LETTERS = 26 * 10
const MAX_HAN = 9999
const ROMAN: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]
const HAN_DIGITS = '〇一二三四五六七八九'
const HAN_UNITS = ['', '十', '百', '千']
const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

/** Writes a number in a format of Word (`w:numFmt`). */
export function formatNumber(value: number, format: string): string {
  switch (format) {
    case 'none':
    case 'bullet':
      return ''
    case 'decimalZero':
      return String(value).padStart(2, '0')
    case 'lowerRoman':
      return roman(value)
    case 'upperRoman':
      return roman(value).toUpperCase()
    case 'lowerLetter':
      return letters(value)
    case 'upperLetter':
      return letters(value).toUpperCase()
    case 'ordinal':
      return `${value}${ordinalEnd(value)}`
    case 'cardinalText':
      return capitalized(words(value))
    case 'ordinalText':
      return capitalized(ordinal(value))
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'taiwaneseCounting':
    case 'taiwaneseCountingThousand':
    case 'japaneseCounting':
      return han(value)
    default:
      return String(value)
  }
}

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return String(value)
  let rest = value
  let written = ''
  for (const [size, sign] of ROMAN) {
    written += sign.repeat(Math.floor(rest / size))
    rest %= size
  }
  return written
}

/** After z comes aa, then bb. */
function letters(value: number): string {
  if (value < 1 || value > MAX_LETTERS) return String(value)
  return String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26))
}

function ordinalEnd(value: number): string {
  const isTeen = Math.floor((value % 100) / 10) === 1
  return (isTeen ? undefined : ['th', 'st', 'nd', 'rd'][value % 10]) ?? 'th'
}

function words(value: number): string {
  if (value < 0 || value > 99) return String(value)
  if (value < UNITS.length) return UNITS[value]!
  return TENS[Math.floor(value / 10)]! + (value % 10 === 0 ? '' : `-${UNITS[value % 10]}`)
}

function ordinal(value: number): string {
  const written = words(value)
  if (/\d/.test(written)) return written + ordinalEnd(value)
  const last = /[a-z]+$/.exec(written)?.[0] ?? ''
  return written.slice(0, -last.length) + (ORDINALS[last] ?? `${last.replace(/y$/, 'ie')}th`)
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function han(value: number): string {
  if (value < 1 || value > MAX_HAN) return String(value)
  const digits = [...String(value)].map(Number)
  const written = digits.map((digit, i) => (digit === 0 ? '〇' : HAN_DIGITS[digit]! + HAN_UNITS[digits.length - 1 - i]!)).join('')
  return written.replace(/〇+/g, '〇').replace(/〇$/, '').replace(/^一十/, '十')
}
