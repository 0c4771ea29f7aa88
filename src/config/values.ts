import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { isCallbackScheme } from '../core/oauth-policy.ts'

const BYTE_UNITS: Record<string, number> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 }
const TIME_UNITS: Record<string, number> = { '': 1, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** An amount with or without a unit (`200000000`, `"200 MB"`, `"1GiB"`), returned as a whole number of the smallest unit. */
function quantity(units: Record<string, number>, example: string) {
  return z.union([z.number(), z.string()], `must be a positive amount such as ${example}`).transform((value, context) => {
    const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value))
    const unit = match ? units[match[2]!.toLowerCase()] : undefined
    if (!match || unit === undefined || Number(match[1]) <= 0) {
      context.addIssue({ code: 'custom', message: `must be a positive amount such as ${example}` })
      return z.NEVER
    }
    return Math.round(Number(match[1]) * unit)
  })
}

export const bytes = quantity(BYTE_UNITS, '"200 MB"')
/** A size, or 0 for no limit. */
export const bytesOrZero = z.union([z.literal([0, '0']).transform(() => 0), bytes], 'must be 0 or an amount such as "5 GB"')
export const milliseconds = quantity(TIME_UNITS, '"60s"')
/** With a shorter period, the instance would back itself up without a pause. */
export const backupPeriod = milliseconds.refine((ms) => ms >= 60_000, 'must be at least "1min"')
/** A time, or 0 for never. */
export const millisecondsOrZero = z.union(
  [z.literal([0, '0']).transform(() => 0), milliseconds],
  'must be 0 or a time such as "2s"',
)

/** A whole number, also as text: the environment and flags have nothing else. */
export function integer(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\s*\d+\s*$/)
          .transform(Number),
      ],
      message,
    )
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, message)
}

/** A number with or without decimals, also as text. */
export function decimal(min: number, max: number) {
  const message = `must be a number from ${min} to ${max}`
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\s*\d+(?:\.\d+)?\s*$/)
          .transform(Number),
      ],
      message,
    )
    .refine((value) => value >= min && value <= max, message)
}

export const flag = z.union(
  [z.boolean(), z.enum(['true', 'false', '1', '0', 'yes', 'no']).transform((text) => ['true', '1', 'yes'].includes(text))],
  'must be true or false',
)

/** An http or https address without query or credentials, returned without a trailing slash. */
export const httpAddress = z.string('must be an address such as https://docs.example.org').transform((text, context) => {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    context.addIssue({ code: 'custom', message: 'must be an address such as https://docs.example.org' })
    return z.NEVER
  }
  return url.href.replace(/\/+$/, '')
})

/** An address whose path, if it has one, every proxy and browser spells alike. */
export const publicAddress = httpAddress.refine(
  (address) => /^(?:\/[A-Za-z0-9._~-]+)*$/.test(address.replace(/^https?:\/\/[^/]+/, '')),
  'must have a path of letters, digits, dots, hyphens, underscores and tildes, such as https://example.org/docs',
)

/** A list, also as text with commas. */
export const textList = z.union(
  [
    z.array(z.string().min(1)),
    z.string().transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    ),
  ],
  'must be a list of names',
)

const LISTEN = 'must be an IP address or a host name with a port, such as 127.0.0.1:9464 or [::1]:9464'

/** A host and a port to listen on. */
export const listenAddress = z
  .string(LISTEN)
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/, LISTEN)
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, LISTEN)

/** Returns the parts of a `listenAddress`. */
export function partsOfAddress(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
}

const SCHEMES = 'must be a list of schemes of applications, such as cursor'

/** A list of schemes without a dot. The `:` or `://` after a scheme may be there. */
export const callbackSchemes = textList
  .transform((list) => list.map((scheme) => scheme.replace(/:(?:\/\/)?$/, '').toLowerCase()))
  .refine((list) => list.every(isCallbackScheme), SCHEMES)

export const absolutePath = z.string('must be an absolute path').refine((text) => isAbsolute(text), 'must be an absolute path')

export const embedderSetting = z
  .string('must be auto, builtin or ollama:MODEL')
  .regex(/^(auto|builtin|ollama:\S+)$/, 'must be auto, builtin or ollama:MODEL')

const RERANKER = 'must be auto, builtin, none, ollama:MODEL or an http address without user name, password or parameters'

export const rerankerSetting = z.string(RERANKER).refine((text) => {
  if (/^(auto|builtin|none|ollama:\S+)$/.test(text)) return true
  return /^https?:\/\//i.test(text) && httpAddress.safeParse(text).success
}, RERANKER)

/** A program and its arguments, as a list or as one line in which quotes keep spaces together. No shell runs it. Each text in `needed` must occur. */
export function commandLine(needed: readonly string[]) {
  const message = `must be a program and its arguments, including ${needed.join(' and ')}`
  return z
    .union([z.array(z.string()).readonly(), z.string().transform(splitCommand)], message)
    .refine(
      (parts) => (parts[0] ?? '') !== '' && needed.every((text) => parts.slice(1).some((part) => part.includes(text))),
      message,
    )
}

function splitCommand(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([part]) =>
    part.replace(/"([^"]*)"|'([^']*)'/g, (_quoted, double?: string, single?: string) => double ?? single ?? ''),
  )
}
