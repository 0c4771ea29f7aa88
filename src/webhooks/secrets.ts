import { randomBytes, createHmac } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { translateDiskError } from '../core/disk-errors.ts'
import { openText, sealingKey, sealText } from '../core/sealed.ts'
import { syncFolder } from '../core/sync.ts'

const KEY_BYTES = 32

/**
 * Encrypts the secrets of webhooks for the database. They can't be hashed, because docsearch signs with them. The key is in a separate file, so
 * that the database alone, such as a copy of it, does not reveal them.
 */
export interface WebhookSecrets {
  /** Creates the key if there is none. Throws errors of the disk. */
  seal(secret: string, webhookId: string): Promise<string>
  /** Throws when the key is missing or another one. */
  open(sealed: string, webhookId: string): Promise<string>
}

/** Where the key is: in a file, or in the database, where all processes of the instance find it. */
export type KeySource = { file: string } | { read(): Promise<string> }

export function createWebhookSecrets(source: KeySource): WebhookSecrets {
  let known: Promise<Buffer> | undefined

  function key(find: () => Promise<Buffer>): Promise<Buffer> {
    const wanted = (known ??= find())
    wanted.catch(() => (known = undefined))
    return wanted
  }

  return {
    async seal(secret, webhookId) {
      return sealText(secret, await key(() => ('file' in source ? readOrCreateKey(source.file) : readShared(source))), webhookId)
    },
    async open(sealed, webhookId) {
      return openText(sealed, await key(() => ('file' in source ? readKey(source.file) : readShared(source))), webhookId)
    },
  }
}

async function readShared({ read }: Extract<KeySource, { read: unknown }>): Promise<Buffer> {
  const key = sealingKey(await read())
  if (key === null) throw new Error(`the shared key does not have ${KEY_BYTES} bytes`)
  return key
}

async function readKey(file: string): Promise<Buffer> {
  const key = sealingKey(await readFile(file, 'utf8'))
  if (key === null) throw new Error(`${file} does not contain a key of ${KEY_BYTES} bytes`)
  return key
}

async function readOrCreateKey(file: string): Promise<Buffer> {
  try {
    return await readKey(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw translateDiskError(error)
  }
  try {
    return await createKey(file)
  } catch (error) {
    throw translateDiskError(error)
  }
}

/** The file gets its name when it is complete, so that a crash leaves no half key. */
async function createKey(file: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES)
  const unnamed = `${file}.new`
  const handle = await open(unnamed, 'w', 0o600)
  try {
    await handle.writeFile(`${key.toString('base64')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unnamed, file)
  await syncFolder(dirname(file))
  return key
}

const PREFIX = 'whsec_'
/** The specification asks for 24 to 64 bytes. 30 need no padding in base64. */
const SECRET_BYTES = 30

/** Returns a new secret in the form of the Standard Webhooks specification. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

interface SignedMessage {
  id: string
  at: Date
  body: string
}

/** Returns the headers of the Standard Webhooks specification (version 1.0.0), with a signature for each secret. */
export function signedHeaders({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
