import { InvalidArgumentError } from 'commander'
import { FORMAT_IDS, namedMediaType } from '../core/formats.ts'
import type { ArgumentSpec, OptionSpec } from './define.ts'

/** An option with a value that may be given once. */
interface ValueOption<T> extends OptionSpec<T | undefined> {
  readonly parse: (value: string) => T
}

/** A switch: true when given. `--no-…` is the other way round. */
export function flag(
  flags: string,
  description: string,
  settings: { conflictsWith?: readonly string[] } = {},
): OptionSpec<boolean> {
  return { flags, description, fallback: flags.startsWith('--no-'), ...settings }
}

export function text(flags: string, description: string): ValueOption<string> {
  return option(flags, description, (value) => value)
}

/**
 * A file or folder. Refuses an empty name, which a script with an unset variable passes by mistake. An empty name would mean the current
 * folder or a default.
 */
export function path(flags: string, description: string): ValueOption<string> {
  return option(flags, description, (value) => {
    if (value === '') throw new InvalidArgumentError('It must not be empty.')
    return value
  })
}

export function option<T>(flags: string, description: string, parse: (value: string) => T): ValueOption<T> {
  return { flags, description, fallback: undefined, parse }
}

export function choice<const C extends string>(flags: string, description: string, choices: readonly C[]): ValueOption<C> {
  return { ...option(flags, description, oneOf(choices)), choices }
}

/** Collects the values of an option that may be given several times. */
export function repeatable<T>({ parse, flags, description, choices }: ValueOption<T>): OptionSpec<T[]> {
  return {
    flags,
    description,
    fallback: [],
    parse: (value, previous = []) => [...previous, parse(value)],
    ...(choices !== undefined && { choices }),
  }
}

export const TAG_FILTER = repeatable(
  text('-t, --tag <tag>', 'Only documents with this tag; if repeated, with at least one of the tags'),
)
export const TYPE_FILTER = repeatable(
  option('--type <type>', `Only documents of this type: ${FORMAT_IDS.join(', ')}, or a media type; repeatable`, mediaType),
)

export function required<T>(spec: OptionSpec<T>): OptionSpec<NonNullable<T>> {
  return { ...spec, isRequired: true } as OptionSpec<NonNullable<T>>
}

export function argument(syntax: `<${string}>`, description = ''): ArgumentSpec<string> {
  return { syntax, description, read: ([value = '']) => value }
}

/** A file or folder, like `path`. */
export function pathArgument(syntax: `<${string}>`, description = ''): ArgumentSpec<string> {
  return { syntax, description, read: ([value = '']) => notEmpty(value, syntax) }
}

export function optionalArgument(syntax: `[${string}]`, description = ''): ArgumentSpec<string | undefined> {
  return { syntax, description, read: ([value]) => value }
}

/** Files or folders, like `path`. */
export function pathList(syntax: `[${string}...]`, description = ''): ArgumentSpec<readonly string[]> {
  return { syntax, description, read: (values) => values.map((value) => notEmpty(value, syntax)) }
}

export function optionalPath(syntax: `[${string}]`, description = ''): ArgumentSpec<string | undefined> {
  return { syntax, description, read: ([value]) => (value === undefined ? undefined : notEmpty(value, syntax)) }
}

function notEmpty(value: string, syntax: string): string {
  if (value === '') throw new InvalidArgumentError(`The argument ${syntax} is empty. Name a file or a folder.`)
  return value
}

export function argumentList(syntax: `<${string}...>` | `[${string}...]`, description = ''): ArgumentSpec<readonly string[]> {
  return { syntax, description, read: (values) => values }
}

export function choiceArgument<const C extends string>(
  syntax: `<${string}>`,
  description: string,
  choices: readonly C[],
): ArgumentSpec<C> {
  const parse = oneOf(choices)
  return { syntax, description, choices, read: ([value = '']) => parse(value) }
}

function oneOf<C extends string>(choices: readonly C[]): (value: string) => C {
  return (value) => {
    const chosen = choices.find((one) => one === value)
    if (chosen !== undefined) return chosen
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }
}

/** Asks before deleting, unless given. */
export const yes = flag('-y, --yes', "Don't ask for confirmation")

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number, ${min} or more.`
        : `It must be a whole number from ${min} to ${max}.`,
    )
  }
}

/** A number from 0 to 1. */
export function fraction(value: string): number {
  const number = /^(\d+(\.\d*)?|\.\d+)$/.test(value) ? Number(value) : NaN
  if (number <= 1) return number
  throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.02.')
}

const EXPONENTS = ['', 'k', 'm', 'g', 't']

/** A size such as `500kB`, `20MB`, `1.5GB` or `512KiB`, in bytes. Units are powers of 1000, or with an `i` of 1024. */
export function bytes(value: string): number {
  const [, digits, unit = '', binary] = /^(\d{1,12}(?:\.\d{1,3})?) ?(?:([kmgt])(i?))?b?$/i.exec(value) ?? []
  if (digits === undefined) throw new InvalidArgumentError('It must be a size such as 500kB, 20MB or 1GB.')
  return Math.round(Number(digits) * (binary ? 1024 : 1000) ** EXPONENTS.indexOf(unit.toLowerCase()))
}

/** A media type, by the short name of a format, such as `pdf`, or in full. */
export function mediaType(value: string): string {
  const mediaType = namedMediaType(value)
  if (mediaType !== null) return mediaType
  throw new InvalidArgumentError(`It must be ${FORMAT_IDS.join(', ')}, or a media type such as application/pdf.`)
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** A duration such as `90s`, `30m`, `12h` or `7d`, or `0`, in seconds. */
export function duration(maxSeconds: number): (value: string) => number {
  return (value) => {
    const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(value) ?? []
    const seconds = value === '0' ? 0 : Number(digits) * (UNITS[unit] ?? NaN)
    if (seconds <= maxSeconds) return seconds
    throw new InvalidArgumentError(`It must be 0 or a duration such as 30m, 12h or 7d, at most ${maxSeconds / 86_400}d.`)
  }
}

/** A day, which begins at midnight here, or a time with its zone. Returns RFC 3339. */
export function time(value: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)?.map(Number) ?? []
  const date =
    day === undefined ? new Date(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) ? value : NaN) : new Date(year!, month! - 1, day)
  // The 31st of February would become the 3rd of March.
  if (!Number.isNaN(date.getTime()) && (day === undefined || date.getDate() === day)) return date.toISOString()
  throw new InvalidArgumentError('It must be a day such as 2026-03-31, or a time such as 2026-03-31T12:00:00Z.')
}
