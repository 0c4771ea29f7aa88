import { runCommand, testFolder } from './cli.ts'
import { type RealDaemon, runCli } from './daemon.ts'

export interface Run {
  code: number
  stdout: string
  stderr: string
}
export type Cli = (args: readonly string[], input?: string) => Promise<Run>

/** Runs `docsearch … --data FOLDER` in this process, without a daemon. */
export function onFolder(data: string): Cli {
  return (args, stdin) => runCommand([...args, '--data', data], stdin === undefined ? {} : { stdin })
}

/** Runs the command line in this process on a new database of `npm run test:shared`, without a daemon. */
export async function onNewDatabase(): Promise<Cli> {
  const { newPlaceEnv } = await import('./new-place.ts')
  const env = await newPlaceEnv()
  const data = newDataFolder()
  return (args, stdin) => runCommand([...args, '--data', data], { env, ...(stdin === undefined ? {} : { stdin }) })
}

/** Runs the real binary against the daemon's API, as the owner that the first start created. */
export function overApi(daemon: RealDaemon): Cli {
  return (args, input) => runCli(args, daemon.env, input)
}

/** Runs the command line in this process on the data folder of a running daemon. The environment names the folder. */
export function besideDaemon(daemon: RealDaemon): Cli {
  const { DOCSEARCH_SERVER: _, ...env } = daemon.env
  return (args, stdin) => runCommand(args, { env, ...(stdin === undefined ? {} : { stdin }) })
}

/** Returns the path of a folder that does not exist, inside a folder that is removed after the test. */
export function newDataFolder(): string {
  return `${testFolder()}/data`
}

/** Returns the object that a command prints with --json. Its standard error must be empty. */
export async function json<T>(cli: Cli, args: readonly string[], input?: string): Promise<T> {
  const run = await cli([...args, '--json'], input)
  if (run.code !== 0 || run.stderr !== '') throw new Error(`${args.join(' ')}: ${run.code} ${run.stderr}`)
  return JSON.parse(run.stdout) as T
}
