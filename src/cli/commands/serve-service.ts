import { readFile, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withHiddenPassword } from '../../config/shared-place.ts'
import type { Context } from '../context.ts'
import { EXIT, usage } from '../exit.ts'
import { install, keptVariables, type Manager, systemdManager, uninstall, userManager, execStart } from '../service/manager.ts'

/** The options of `serve` by their names, as given. */
type ServeOptions = Readonly<Record<string, string | number | boolean | undefined>>

const NAME = 'docsearch'
const SYSTEM_UNIT = `/etc/systemd/system/${NAME}.service`
/** The unit of the system, with every restriction. */
const TEMPLATE = new URL('../../../deploy/docsearch.service', import.meta.url)
/** The system unit hides these folders from the service (ProtectHome, PrivateTmp). */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)(\/|$)/
/** Options that become options of the service, and whether their value is a path. */
const PASSED = {
  data: true,
  config: true,
  logLevel: false,
  embedder: false,
  reranker: false,
  host: false,
  port: false,
  publicUrl: false,
  ollama: false,
  database: false,
  store: false,
  role: false,
}

/** Writes the service for `docsearch serve` with these options and starts it. Returns the exit code. */
export async function installServe(context: Context, options: ServeOptions): Promise<number> {
  if (withHiddenPassword(options['database']) !== options['database'])
    throw usage('Other users can see the options of a service. Put the password of the database into a PostgreSQL service file.')
  const manager = await managerFor(context, options)
  await install(manager)
  context.notice(`Wrote ${manager.file} and started it.`)
  for (const line of isSystem() ? SYSTEM_HINTS : userHints()) context.notice(line)
  return EXIT.done
}

/** Stops the service and removes its file. The data stays. Returns the exit code. */
export async function uninstallServe(context: Context): Promise<number> {
  const manager = await managerFor(context, {})
  if (!(await uninstall(manager))) throw usage(`There is no service to remove (${manager.file}).`)
  context.notice(`Stopped the service and removed ${manager.file}. The data stays${isSystem() ? ' in /var/lib/docsearch' : ''}.`)
  return EXIT.done
}

const SYSTEM_HINTS = [
  'Data: /var/lib/docsearch. Settings and secrets: /etc/docsearch/environment.',
  "The link to set the owner's password: journalctl -u docsearch -o cat | grep setup",
]

function userHints(): string[] {
  if (process.platform !== 'linux') return ['It runs while you are logged in.']
  return [
    'It runs while you are logged in. To start it with the machine: loginctl enable-linger',
    'Log: journalctl --user -u docsearch',
  ]
}

function isSystem(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0
}

async function managerFor(context: Context, options: ServeOptions): Promise<Manager> {
  const { env } = context.io
  const program = [await realpath(process.execPath), await realpath(process.argv[1] ?? '')]
  const command = [...program, 'serve', ...argumentsOf(options)]
  if (isSystem()) {
    if (options['data'] !== undefined)
      throw usage(
        'The service of the system keeps its data in /var/lib/docsearch, so it takes no --data. docs/deployment.md says how to move a data folder there. ' +
          'Or run the command as the user that owns the folder, for a service of that user.',
      )
    return systemdManager(SYSTEM_UNIT, await systemUnit(command, options), [])
  }
  const service = { description: 'docsearch, search in documents', command, environment: keptVariables(env, ['DOCSEARCH_DATA']) }
  const manager = process.getuid?.() === 0 ? null : userManager(NAME, service, env)
  if (manager !== null) return manager
  throw usage('--install needs systemd, or launchd without sudo. Start `docsearch serve` with the tool of your system instead.')
}

async function systemUnit(command: readonly string[], options: ServeOptions): Promise<string> {
  const paths = [command[0]!, command[1]!, ...(options['config'] === undefined ? [] : [resolve(String(options['config']))])]
  const hidden = paths.find((path) => HIDDEN.test(path))
  if (hidden !== undefined)
    throw usage(
      `The service of the system cannot read ${hidden}, because it sees no homes and no temporary folders. ` +
        'Install Node.js and docsearch for all users (`sudo npm install --global docsearch`), or run the command without sudo for a service of your user.',
    )
  const template = await readFile(TEMPLATE, 'utf8')
  return template
    .replace(/^#(?:.*\n#)*.*\n/, '# Written by `docsearch serve --install`. Put changes into `systemctl edit docsearch`.\n')
    .replace(/^ExecStart=.*$/m, () => execStart(command))
}

function argumentsOf(options: ServeOptions): string[] {
  return Object.entries(PASSED).flatMap(([name, isPath]) => {
    const value = options[name]
    if (value === undefined) return []
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return [flag, isPath ? resolve(String(value)) : String(value)]
  })
}
