import { InvalidArgumentError } from 'commander'
import { SCOPES } from '../core/model.ts'

/** Parsers of option values, for commander: they say what is wrong with one. */

export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value]
}

export function scopes(value: string, previous: string[] | undefined): string[] {
  if (!SCOPES.some((scope) => scope === value)) throw new InvalidArgumentError(`Allowed choices are ${SCOPES.join(', ')}.`)
  return collect(value, previous)
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${min} on.`
        : `It must be a whole number from ${min} to ${max}.`,
    )
  }
}

/** From 0 to 1. */
export function fraction(value: string): number {
  const number = /^(\d+(\.\d*)?|\.\d+)$/.test(value) ? Number(value) : NaN
  if (number <= 1) return number
  throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.02.')
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** A time such as `90s`, `30m`, `12h` or `7d`, and `0` for none, in seconds. */
export function duration(maxSeconds: number): (value: string) => number {
  return (value) => {
    const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(value) ?? []
    const seconds = value === '0' ? 0 : Number(digits) * (UNITS[unit] ?? NaN)
    if (seconds <= maxSeconds) return seconds
    throw new InvalidArgumentError(`It must be a time such as 30m, 12h or 7d, at most ${maxSeconds / 86_400}d, or 0.`)
  }
}
