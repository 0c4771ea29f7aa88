import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type * as Keytar from 'keytar'
import { builtModule } from '../../core/built-module.ts'
import { noteStuckKeychain } from './stuck.ts'

export type KeytarLike = Pick<typeof Keytar, 'getPassword' | 'setPassword' | 'deletePassword'>

export interface Keychain {
  get(address: string): Promise<string | null>
  /** Reads the secret back, because some keychains report success and store nothing. */
  set(address: string, secret: string): Promise<void>
  delete(address: string): Promise<void>
}

/** The keychain can't be used. The message is the reason, for a notice. */
export class KeychainUnavailable extends Error {}

const SERVICE = 'docsearch'
const LIMIT_MS = 3_000

/**
 * Opens the system's keychain through keytar, an optional dependency that loads at the first use.
 * Each step may take 3 s, because a locked keyring waits for a user who may be away. Every failure is a KeychainUnavailable.
 */
export function openKeychain(load: () => Promise<KeytarLike>, limitMs: number = LIMIT_MS): Keychain {
  let loaded: Promise<KeytarLike> | undefined
  async function use<T>(step: (keytar: KeytarLike) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (load === loadKeytar) noteStuckKeychain()
        reject(new KeychainUnavailable(`it did not answer within ${limitMs / 1000} s`))
      }, limitMs)
    })
    try {
      loaded ??= load()
      return await Promise.race([loaded.then(step), limit])
    } catch (error) {
      if (error instanceof KeychainUnavailable) throw error
      throw new KeychainUnavailable(firstLine(error), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    get: (address) => use((keytar) => keytar.getPassword(SERVICE, address)),
    set: (address, secret) =>
      use(async (keytar) => {
        await keytar.setPassword(SERVICE, address, secret)
        if ((await keytar.getPassword(SERVICE, address)) !== secret) throw new KeychainUnavailable('it did not store the key')
      }),
    delete: (address) =>
      use(async (keytar) => {
        await keytar.deletePassword(SERVICE, address)
      }),
  }
}

export async function loadKeytar(): Promise<KeytarLike> {
  try {
    return (await import('keytar')).default
  } catch (error) {
    throw new KeychainUnavailable('keytar could not be loaded', { cause: error })
  }
}

/** Runs keytar in a separate process that is killed at the time limit. The secret goes over standard input, never over the arguments. */
export function isolatedKeytar(limitMs: number = LIMIT_MS): KeytarLike {
  const ask = async (call: readonly string[]): Promise<unknown> => {
    const answer = (await runChild(JSON.stringify(call), limitMs)) as { value?: unknown; error?: string }
    if (answer.error !== undefined) throw new KeychainUnavailable(answer.error)
    return answer.value
  }
  return {
    getPassword: async (service, account) =>
      ((await ask(['getPassword', service, account])) as string | null | undefined) ?? null,
    setPassword: async (service, account, secret) => void (await ask(['setPassword', service, account, secret])),
    deletePassword: async (service, account) => (await ask(['deletePassword', service, account])) === true,
  }
}

function runChild(input: string, limitMs: number): Promise<unknown> {
  const file = fileURLToPath(builtModule(new URL('./keychain-process.ts', import.meta.url)))
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'ignore'], timeout: limitMs, killSignal: 'SIGKILL' })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part))
    child.stdin.on('error', () => {
      // The process ended before it read its input. The 'close' handler reports that.
    })
    child.once('error', (error) => reject(new KeychainUnavailable(error.message)))
    child.once('close', () => {
      if (output === '') reject(new KeychainUnavailable('it did not answer in time'))
      else resolve(JSON.parse(output))
    })
    child.stdin.end(input)
  })
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}
