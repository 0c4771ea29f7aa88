import { processIo } from './io.ts'
import type { Io } from './io.ts'

/** For bin/docsearch.js: runs the command of this process, then ends it with the command's exit code. */
export async function run(): Promise<void> {
  const io = processIo()
  let unwritten: Error | undefined
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `docsearch … | head` has read enough: that is no failure.
      if (error.code === 'EPIPE') process.exit(0)
      // A daemon outlives a log that cannot be written; a result that was lost is said at the end.
      if (stream === process.stdout) unwritten ??= error
    })
  }
  const argv = process.argv.slice(2)
  const code = await main(argv, io)
  // Nothing is left running: the process ends by itself, with nothing more to load.
  if (isVersion(argv)) return
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  await leave(unwritten === undefined ? code : await reportUnwritten(unwritten, argv, io))
}

async function reportUnwritten(cause: Error, argv: readonly string[], io: Io): Promise<number> {
  const [{ DocsearchError }, { reportError }] = await Promise.all([import('../core/errors.ts'), import('./report.ts')])
  const message = `The result could not be written to standard output: ${cause.message}.`
  return reportError(new DocsearchError('output_unwritable', message, { cause }), argv, io)
}

/** One command, from its arguments to its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Before anything else is loaded: scripts ask for the version often.
  if (isVersion(argv)) {
    io.stdout.write(`${version()}\n`)
    return 0
  }
  try {
    const { runProgram } = await import('./program.ts')
    return await runProgram(argv, io, version())
  } catch (error) {
    const { reportError } = await import('./report.ts')
    return reportError(error, argv, io)
  }
}

function isVersion(argv: readonly string[]): boolean {
  return argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  // Not `import`: the namespace of node:fs loads a good part of Node.
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

async function leave(code: number): Promise<void> {
  const { keychainIsStuck } = await import('../client/credentials/stuck.ts')
  // A thread that waits for a keychain keeps `process.exit` from ever coming back; a new process image ends it.
  if (keychainIsStuck() && process.platform !== 'win32') process.execve!('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}
