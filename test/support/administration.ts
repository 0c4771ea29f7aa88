import { runCommand, testFolder } from './cli.ts'
import { type RealDaemon, runCli } from './daemon.ts'

export interface Run {
  code: number
  stdout: string
  stderr: string
}
export type Cli = (args: readonly string[], input?: string) => Promise<Run>

/** `docsearch … --data FOLDER` in this process, with no daemon anywhere. */
export function onFolder(data: string): Cli {
  return (args, stdin) => runCommand([...args, '--data', data], stdin === undefined ? {} : { stdin })
}

/** The real binary against the daemon's API, as the owner whom its first start made. */
export function overApi(daemon: RealDaemon): Cli {
  return (args, input) => runCli(args, daemon.env, input)
}

/** The command line in this process on the data folder of a daemon that runs. The folder is named by the environment. */
export function besideDaemon(daemon: RealDaemon): Cli {
  const { DOCSEARCH_SERVER: _, ...env } = daemon.env
  return (args, stdin) => runCommand(args, { env, ...(stdin === undefined ? {} : { stdin }) })
}

/** A folder that was never one, in a folder that goes with the test. */
export function newDataFolder(): string {
  return `${testFolder()}/data`
}

/** The object a command prints with --json; its standard error is silent. */
export async function json<T>(cli: Cli, args: readonly string[], input?: string): Promise<T> {
  const run = await cli([...args, '--json'], input)
  if (run.code !== 0 || run.stderr !== '') throw new Error(`${args.join(' ')}: ${run.code} ${run.stderr}`)
  return JSON.parse(run.stdout) as T
}
