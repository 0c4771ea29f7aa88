import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { DocsearchError } from '../core/errors.ts'

const WINDOW_SECONDS = 15 * 60

export interface LoginLimits {
  /**
   * Counts an attempt as failed before it is made, so that many attempts at the same time can't all pass. The account need not exist.
   * Throws DocsearchError `too_many_failures` with `retryAfter` if the account or the address has no attempt left. Such an attempt doesn't count.
   */
  begin(attempt: { account: string; address: string }): Promise<{ succeeded(): Promise<void> }>
}

/**
 * Limits failed logins for each account and for each address. The 15 minutes start with the first failure; a restart forgets all failures.
 * @param failures Failures allowed in 15 minutes; 0 for no limit.
 */
export function createLoginLimits(failures: number): LoginLimits {
  if (failures === 0) return { begin: async () => ({ async succeeded() {} }) }
  const options = { points: failures, duration: WINDOW_SECONDS }
  const accounts = new RateLimiterMemory(options)
  const addresses = new RateLimiterMemory(options)
  return {
    async begin({ account, address }) {
      const network = networkOf(address)
      // The address comes first: otherwise one address could fill the memory with invented accounts.
      await count(addresses, network)
      try {
        await count(accounts, account)
      } catch (error) {
        await takeBack(addresses, network)
        throw error
      }
      return {
        async succeeded() {
          await accounts.delete(account)
          // Only this attempt: a user who logs in between guesses must not get more guesses at other accounts.
          await takeBack(addresses, network)
        },
      }
    },
  }
}

async function count(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    await takeBack(limiter, key)
    throw tooManyFailures(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)))
  }
}

/** Uncounts one attempt. A reward in a window that has ended would leave one attempt more than the limit. */
async function takeBack(limiter: RateLimiterMemory, key: string): Promise<void> {
  const state = await limiter.get(key)
  if (state !== null && state.msBeforeNext > 0 && state.consumedPoints > 0) await limiter.reward(key)
}

function tooManyFailures(seconds: number): DocsearchError {
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new DocsearchError('too_many_failures', `Too many failed logins. Try again in ${wait}.`, { retryAfter: seconds })
}

/** Returns the /64 network of an IPv6 address, because one customer can use every address in it. An IPv4 address stays as it is. */
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
