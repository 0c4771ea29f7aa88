import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import { widthOf } from '../io.ts'
import { memorySettings } from '../memory-settings.ts'
import { choice, flag, integer, option, path, text } from '../options.ts'
import { foldMessage } from '../view/fold.ts'
import type { Screen } from '../view/screen.ts'

/** Options of every command that reads a data folder's configuration. */
export const DATA_FOLDER_OPTIONS = {
  data: path('--data <folder>', 'Data folder (DOCSEARCH_DATA)'),
  config: path('--config <file>', 'Settings file to use instead of config.json in the data folder'),
  logLevel: choice('--log-level <level>', 'How much to log', ['debug', 'info', 'warn', 'error', 'silent']),
}

export default defineCommand({
  name: 'serve',
  summary: 'Run the server',
  description:
    'Run the server, which stores, indexes and searches documents. The first start on an empty data folder creates the owner, ' +
    'saves a key for your command line and prints a setup link.',
  options: {
    ...DATA_FOLDER_OPTIONS,
    embedder: text(
      '--embedder <name>',
      'auto, builtin or ollama:MODEL (default auto: the model chosen with `models use`, or else the best one available)',
    ),
    reranker: text(
      '--reranker <name>',
      'auto, builtin, none, ollama:MODEL or the URL of a rerank endpoint, with its key in DOCSEARCH_RERANK_KEY (default auto)',
    ),
    host: text('--host <address>', 'Address to listen on (default 127.0.0.1)'),
    port: option('--port <number>', 'Port to listen on; 0 takes a free one (default 4747)', integer(0, 65_535)),
    publicUrl: text('--public-url <url>', 'URL at which users reach this instance'),
    ollama: text('--ollama <url>', 'URL of Ollama (default http://127.0.0.1:11434)'),
    database: text(
      '--database <url>',
      'PostgreSQL database of an instance with several processes, with its password in PGPASSWORD, a service file or DOCSEARCH_DATABASE',
    ),
    store: text(
      '--store <url>',
      'Object store of an instance with several processes, such as s3://bucket/prefix (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, …)',
    ),
    role: choice('--role <role>', 'What this process does in an instance with several processes (default all)', [
      'all',
      'api',
      'worker',
    ]),
    printConfig: flag('--print-config', 'Print every setting with its source, then exit'),
    install: flag('--install', 'Start the server with these options at every boot (as root) or login, with systemd or launchd', {
      conflictsWith: ['printConfig', 'uninstall'],
    }),
    uninstall: flag('--uninstall', 'Stop and remove the service that --install created; the data stays', {
      conflictsWith: ['printConfig'],
    }),
  },
  examples: [
    'docsearch serve',
    'docsearch serve --port 0 --data ./library --embedder builtin',
    'sudo docsearch serve --install --public-url https://docs.example.org',
  ],
  async run(context, _args, options) {
    if (options.install || options.uninstall) {
      const { installServe, uninstallServe } = await import('./serve-service.ts')
      return options.install ? installServe(context, options) : uninstallServe(context)
    }
    const nodeVersion = process.versions.node
    const settings = options.printConfig ? null : memorySettings({ execArgv: process.execArgv, env: context.io.env, nodeVersion })
    if (settings !== null) context.io.restart(settings)
    const { runServe } = await import('../../serve/main.ts')
    return runServe(options, daemonOutput(context))
  },
})

/**
 * The parts of this process that the daemon may use. It prints escaped text, because its lines can contain text from Ollama or
 * from an error.
 */
export function daemonOutput(context: Context) {
  const { env, stderr } = context.io
  const isQuiet = context.globals.quiet === true
  const line = (screen: Screen) => ({ isTTY: screen.isTTY, write: (text: string) => screen.print(text) })
  return {
    stdout: line(context.io.stdout),
    stderr: line(stderr),
    say(text: string) {
      if (!isQuiet) stderr.print(`${stderr.isTTY ? foldMessage(text, widthOf(stderr)) : text}\n`)
    },
    env,
    json: context.json,
  }
}
