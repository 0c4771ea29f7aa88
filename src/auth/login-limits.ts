import { isIPv6 } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'

const WINDOW_MS = 15 * 60 * 1000
/** Accounts and addresses remembered. Above that the oldest are forgotten: memory matters more than one guess more. */
const REMEMBERED = 50_000

export interface LoginLimits {
  /**
   * Counts an attempt as failed before it is made, so that many at once do not all pass. `account` need not exist.
   * Throws DocsearchError `too_many_failures` (retryAfter) when account or address has had too many; nothing is counted then.
   */
  begin(attempt: { account: string; address: string }): { succeeded(): void }
}

/** So many failures for an account and for an address within 15 minutes; 0 for no limit. In memory: a restart forgives. */
export function createLoginLimits({ failures, clock }: { failures: number; clock: Clock }): LoginLimits {
  const accounts = new FailureLog(failures)
  const addresses = new FailureLog(failures)
  return {
    begin({ account, address }) {
      if (failures === 0) return { succeeded() {} }
      const now = clock.now().getTime()
      const network = networkOf(address)
      const free = Math.max(accounts.freeAt(account, now), addresses.freeAt(network, now))
      if (free > now) throw tooManyFailures(Math.ceil((free - now) / 1000))
      accounts.add(account, now)
      addresses.add(network, now)
      return {
        succeeded() {
          accounts.clear(account)
          // Only this attempt: whoever has an account of their own could otherwise guess at others for ever.
          addresses.takeBack(network, now)
        },
      }
    },
  }
}

/** Moments of failures by key, the latest ones only. */
class FailureLog {
  readonly #limit: number
  readonly #moments = new Map<string, number[]>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** When the next attempt is allowed; in the past when it is allowed now. */
  freeAt(key: string, now: number): number {
    const recent = this.#recent(key, now)
    return recent.length < this.#limit ? now : recent[0]! + WINDOW_MS
  }

  add(key: string, now: number): void {
    const recent = [...this.#recent(key, now), now]
    // Put in anew, so that the map is in the order of the last failure.
    this.#moments.delete(key)
    this.#moments.set(key, recent)
    for (const [other, moments] of this.#moments) {
      const isOver = moments.at(-1)! <= now - WINDOW_MS
      if (!isOver && this.#moments.size <= REMEMBERED) break
      this.#moments.delete(other)
    }
  }

  takeBack(key: string, moment: number): void {
    const moments = this.#moments.get(key)
    const index = moments?.indexOf(moment) ?? -1
    if (index >= 0) moments!.splice(index, 1)
    if (moments?.length === 0) this.#moments.delete(key)
  }

  clear(key: string): void {
    this.#moments.delete(key)
  }

  #recent(key: string, now: number): number[] {
    return (this.#moments.get(key) ?? []).filter((moment) => moment > now - WINDOW_MS)
  }
}

/** An IPv6 customer has at least a /64 to choose addresses from, so that counts as one address. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

function tooManyFailures(seconds: number): DocsearchError {
  return new DocsearchError(
    'too_many_failures',
    `Too many failed logins. Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
    { retryAfter: seconds },
  )
}
