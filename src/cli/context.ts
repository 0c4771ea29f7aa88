import type { Client } from '../client/client.ts'
import type { Credential } from '../client/credentials/secrets.ts'
import type { CredentialStore } from '../client/credentials/store.ts'
import type { Target } from '../client/profiles.ts'
import type { Connection, TokenSource } from '../client/transport.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'
import { wantsColor, widthOf } from './io.ts'
import type { Io, Prompts } from './io.ts'
import { foldMessage } from './view/fold.ts'
import { oneLine, printed, safeJson } from './view/safe.ts'
import type { Printable } from './view/safe.ts'
import { Screen } from './view/screen.ts'
import { styles } from './view/style.ts'
import type { Style } from './view/style.ts'
import type { TableOptions } from './view/table.ts'

/** No instance answers at the address, so a credential would not help. */
const NO_INSTANCE: ReadonlySet<ErrorCode> = new Set(['unreachable', 'timeout', 'aborted', 'redirected'])

/** Options that every command accepts. */
export interface Globals {
  server?: string
  profile?: string
  /** A file with certificates of further authorities to trust. */
  cacert?: string
  json?: boolean
  quiet?: boolean
  color: boolean
  /** False with --no-pager. */
  pager?: boolean
}

/**
 * The parts of the process that a command may use. The streams escape what they print, and the prompts escape their questions.
 */
export interface CommandIo extends Omit<Io, 'stdout' | 'stderr'> {
  stdout: Screen
  stderr: Screen
}

/** What a command works with. Costly parts are created at their first use. */
export interface Context {
  io: CommandIo
  globals: Globals
  json: boolean
  /** True when standard output is a terminal and --json is not given. */
  terminal: boolean
  style: Style
  table: TableOptions
  /** Prints a result. */
  print(text: Printable): void
  /** Prints a result. On a terminal, shows it with the user's pager if it is taller than the screen. */
  printLong(text: Printable): Promise<void>
  /** Prints a result as one line. Line breaks, for example in a name, become spaces. */
  printLine(text: string): void
  printJson(value: unknown): void
  /** Prints a message on standard error; nothing with --quiet or --json. */
  notice(line: string): void
  /** Prints on standard error even with --quiet, for example a table of failures; nothing with --json. */
  report(text: Printable): void
  target(): Promise<Target>
  credentials(): Promise<CredentialStore>
  /** Throws DocsearchError `not_logged_in` when there is no credential for the address. */
  client(): Promise<Client>
  /** A client with this credential instead of the stored one. */
  clientWith(token: string | TokenSource | null, address: string): Promise<Client>
  /** How to connect to any instance. Throws a usage error if the file of --cacert can't be used. */
  connection(): Promise<Connection>
}

export function createContext(processIo: Io, globals: Globals, version: string): Context {
  const io = commandIo(processIo)
  const json = globals.json === true
  const terminal = io.stdout.isTTY && !json
  const style = styles(wantsColor(io.stdout, io.env, globals.color))
  let target: Promise<Target> | undefined
  let credentials: Promise<CredentialStore> | undefined
  let connection: Promise<Connection> | undefined

  const context: Context = {
    io,
    globals,
    json,
    terminal,
    style,
    table: { terminal, width: widthOf(io.stdout), style },
    print: (text) => io.stdout.print(text),
    async printLong(text) {
      if (!terminal || globals.pager === false) return io.stdout.print(text)
      const { isTallerThan, pagerOf } = await import('./pager.ts')
      const pager = isTallerThan(io.stdout, printed(text)) ? pagerOf(io.env) : null
      if (pager === null || !(await io.runPager(pager, printed(text)))) io.stdout.print(text)
    },
    printLine: (text) => io.stdout.printLine(text),
    printJson: (value) => io.stdout.print(safeJson(value, io.stdout.isTTY ? 2 : undefined) + '\n'),
    notice(line) {
      if (json || globals.quiet === true) return
      const text = oneLine(line)
      io.stderr.print(`${io.stderr.isTTY ? foldMessage(text, widthOf(io.stderr)) : text}\n`)
    },
    report(text) {
      if (!json) io.stderr.print(text)
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
      const dataDir = await (await context.credentials()).dataDirOf(address)
      return createClient({ server: address, dataDir, token, signal: io.signal, ...(await context.connection()) })
    },
    connection: () => (connection ??= readConnection(io, globals, version)),
  }
  return context
}

function commandIo(io: Io): CommandIo {
  return {
    ...(io.keytar === undefined ? {} : { keytar: io.keytar }),
    // Reading the property opens standard input.
    get stdin() {
      return io.stdin
    },
    stdout: new Screen(io.stdout),
    stderr: new Screen(io.stderr),
    env: io.env,
    // Reading the signal starts to listen for Ctrl-C.
    get signal() {
      return io.signal
    },
    prompts: async () => safePrompts(await io.prompts()),
    openFile: (path, page) => io.openFile(path, page),
    runPager: (command, text) => io.runPager(command, text),
    openBrowser: (address) => io.openBrowser(address),
    wait: (ms, signal) => io.wait(ms, signal),
    restart: (settings) => io.restart(settings),
  }
}

function safePrompts(prompts: Prompts): Prompts {
  const safe = <T extends { message: string }>(question: T): T => ({ ...question, message: oneLine(question.message) })
  return {
    confirm: (question) => prompts.confirm(safe(question)),
    input: (question) => prompts.input(safe(question)),
    password: (question) => prompts.password(safe(question)),
    select: ({ choices, ...question }) =>
      prompts.select({ ...safe(question), choices: choices.map(({ name, value }) => ({ name: oneLine(name), value })) }),
    browse: (question) => prompts.browse(safe(question)),
  }
}

/** The token of a key, or the self-renewing tokens of a login. */
async function tokenOf(context: Context, { token, login }: Credential, address: string): Promise<string | TokenSource> {
  if (login === undefined) return token
  const { LoginTokens } = await import('../client/oauth/login-tokens.ts')
  const [secrets, connection] = [await context.credentials(), await context.connection()]
  return new LoginTokens({ address, login, secrets, signal: context.io.signal, ...connection })
}

async function readConnection({ env }: CommandIo, { cacert }: Globals, version: string): Promise<Connection> {
  if (cacert === '')
    throw new DocsearchError('usage', '--cacert is empty. Name the file of the certificate authority, or leave --cacert out.')
  const file = cacert ?? env['DOCSEARCH_CACERT']
  const userAgent = `docsearch/${version}`
  if (!file) return { userAgent }
  const { readCertificates } = await import('./certificates.ts')
  return { userAgent, certificates: await readCertificates(file) }
}

async function resolve(io: CommandIo, globals: Globals): Promise<Target> {
  const { resolveTarget } = await import('../client/profiles.ts')
  return resolveTarget({ env: io.env, server: globals.server, profile: globals.profile })
}

async function openStore(context: Context): Promise<CredentialStore> {
  const { openCredentialStore } = await import('../client/credentials/store.ts')
  const { env, keytar } = context.io
  return openCredentialStore({ env, onNotice: context.notice, ...(keytar === undefined ? {} : { keytar }) })
}

/** Reports an unreachable instance first, because a login would not help there. */
async function notLoggedIn(context: Context, address: string): Promise<Error> {
  try {
    await (await context.clientWith(null, address)).health()
  } catch (error) {
    if (error instanceof DocsearchError && NO_INSTANCE.has(error.code)) return error
    // The instance answers, even if with an error, so the credential is what is missing.
  }
  const stored = (await (await context.credentials()).list())
    .map((entry) => entry.address)
    .filter((known) => known.startsWith('http'))
  const elsewhere = stored.length === 0 ? '' : ` You are logged in to ${stored.join(', ')}.`
  return new DocsearchError(
    'not_logged_in',
    `Not logged in to ${address}.${elsewhere} Run \`docsearch login ${address}\`. Without a browser, ` +
      `create a key in the web interface under Settings, API Keys, and run \`docsearch login ${address} --with-token\`.`,
  )
}
