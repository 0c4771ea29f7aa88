const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/** Returns how long ago a time was, or how far ahead it is: "2 days ago", "in 3 months", "just now". */
export function relativeTime(at: string, now: Date = new Date()): string {
  const ms = new Date(at).getTime() - now.getTime()
  if (Number.isNaN(ms)) return at
  const unit = UNITS.find(([, size]) => Math.abs(ms) >= size)
  if (unit === undefined) return ms > 0 ? 'in less than a minute' : 'just now'
  // Ages count whole units. A key that was just made for 30 days expires in 30 days, not in 29.
  const count = ms < 0 ? Math.ceil(ms / unit[1]) : Math.round(ms / unit[1])
  return new Intl.RelativeTimeFormat('en').format(count, unit[0])
}

/** Returns a time in this time zone, to the second: "2026-03-31 14:05:09". */
export function localTime(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** Returns a time as people read it on a terminal, and as programs do on a pipe. A missing time is `otherwise`. */
export function shownTime(at: string | null | undefined, terminal: boolean, otherwise = '-'): string {
  if (at === null || at === undefined) return otherwise
  return terminal ? relativeTime(at) : at
}

/** The same for a single thing, where there is room for the exact time as well. A missing time is null. */
export function shownMoment(at: string | null | undefined, terminal: boolean): string | null {
  if (at === null || at === undefined) return null
  return terminal ? `${localTime(at)} (${relativeTime(at)})` : at
}
