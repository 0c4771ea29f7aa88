import type { Client } from '../client/client.ts'
import type { Credential } from '../client/credentials/secrets.ts'
import type { CredentialStore } from '../client/credentials/store.ts'
import type { Target } from '../client/profiles.ts'
import type { TokenSource } from '../client/transport.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'
import { wantsColor, widthOf } from './io.ts'
import type { Io } from './io.ts'
import { oneLine, safeJson, safeText } from './view/safe.ts'
import { styles } from './view/style.ts'
import type { Style } from './view/style.ts'
import type { TableOptions } from './view/table.ts'

/** No instance answered at this address, so a credential would not help. */
const NO_INSTANCE: ReadonlySet<ErrorCode> = new Set(['unreachable', 'timeout', 'aborted', 'redirected'])

/** Options that stand before or after every command. */
export interface Globals {
  server?: string
  profile?: string
  json?: boolean
  quiet?: boolean
  color: boolean
}

/** What a command works with. Everything costly is made when it is first asked for. */
export interface Context {
  io: Io
  globals: Globals
  json: boolean
  /** Standard output is a terminal, and nothing asked for another format. */
  terminal: boolean
  style: Style
  table: TableOptions
  /** Results. Already neutralised where they hold text from elsewhere. */
  print(text: string): void
  printJson(value: unknown): void
  /** One line for a person on standard error; silent with --quiet and --json. */
  notice(line: string): void
  /** For what must be seen even with --quiet, e.g. a table of failures. */
  report(text: string): void
  target(): Promise<Target>
  credentials(): Promise<CredentialStore>
  /** Throws DocsearchError `not_logged_in` when there is no credential for the address. */
  client(): Promise<Client>
  /** With this credential instead of the stored one. */
  clientWith(token: string | TokenSource | null, address: string): Promise<Client>
  /** How this program calls itself towards an instance. */
  userAgent: string
}

export function createContext(io: Io, globals: Globals, version: string): Context {
  const json = globals.json === true
  const terminal = io.stdout.isTTY === true && !json
  const style = styles(wantsColor(io.stdout, io.env, globals.color))
  let target: Promise<Target> | undefined
  let credentials: Promise<CredentialStore> | undefined

  const context: Context = {
    io,
    globals,
    json,
    terminal,
    style,
    table: { terminal, width: widthOf(io.stdout), style },
    print: (text) => void io.stdout.write(text),
    printJson: (value) => void io.stdout.write(safeJson(value, io.stdout.isTTY === true ? 2 : undefined) + '\n'),
    notice(line) {
      if (!json && globals.quiet !== true) io.stderr.write(`${oneLine(line)}\n`)
    },
    report(text) {
      if (!json) io.stderr.write(safeText(text))
    },
    target: () => (target ??= resolve(io, globals)),
    credentials: () => (credentials ??= openStore(context)),
    async client() {
      const { address } = await context.target()
      const credential = await (await context.credentials()).get(address)
      if (credential === null) throw await notLoggedIn(context, address)
      return context.clientWith(await tokenOf(context, credential, address), address)
    },
    async clientWith(token, address) {
      const { createClient } = await import('../client/client.ts')
      return createClient({ server: address, token, signal: io.signal, userAgent: context.userAgent })
    },
    userAgent: `docsearch/${version}`,
  }
  return context
}

/** A key is what it is; a login renews itself. */
async function tokenOf(context: Context, { token, login }: Credential, address: string): Promise<string | TokenSource> {
  if (login === undefined) return token
  const { LoginTokens } = await import('../client/oauth/login-tokens.ts')
  const { io, userAgent } = context
  return new LoginTokens({ address, login, secrets: await context.credentials(), userAgent, signal: io.signal })
}

async function resolve(io: Io, globals: Globals): Promise<Target> {
  const { resolveTarget } = await import('../client/profiles.ts')
  return resolveTarget({ env: io.env, server: globals.server, profile: globals.profile })
}

async function openStore(context: Context): Promise<CredentialStore> {
  const { openCredentialStore } = await import('../client/credentials/store.ts')
  const { env, keytar } = context.io
  return openCredentialStore({ env, onNotice: context.notice, ...(keytar === undefined ? {} : { keytar }) })
}

/** Where nothing answers, a key would not help: that is said first. */
async function notLoggedIn(context: Context, address: string): Promise<Error> {
  try {
    await (await context.clientWith(null, address)).health()
  } catch (error) {
    if (error instanceof DocsearchError && NO_INSTANCE.has(error.code)) return error
    // It answers, be it with an error: what is missing is the key.
  }
  const stored = (await (await context.credentials()).list())
    .map((entry) => entry.address)
    .filter((known) => known.startsWith('http'))
  const elsewhere = stored.length === 0 ? '' : ` There is one for ${stored.join(', ')}.`
  return new DocsearchError(
    'not_logged_in',
    `Not logged in to ${address}.${elsewhere} Run \`docsearch login ${address}\`; where no browser can be used, ` +
      `make a key in its web page under Settings, API Keys, and run \`docsearch login ${address} --with-token\`.`,
  )
}
