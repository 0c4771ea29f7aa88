import { processIo } from './io.ts'
import type { Io } from './io.ts'

const SHELL = '/bin/sh'
/** The same as `EXIT.cancelled`, copied here so that its module need not load. */
const CANCELLED = 130
/** The exit code of an output that can't be written, copied here for the same reason. */
const UNWRITABLE = 2

/** Runs the command of this process for bin/docsearch.js, then ends the process with the command's exit code. */
export async function run(): Promise<void> {
  const io = processIo()
  const argv = process.argv.slice(2)
  let writeError: Error | undefined
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `docsearch … | head` closes the pipe when it has read enough. A backup that nobody reads to its end has failed.
      if (error.code === 'EPIPE' && !isBackup(argv)) process.exit(0)
      // A daemon survives a log that can't be written. A lost result is reported at the end.
      if (stream === process.stdout) writeError ??= error
    })
  }
  // A pipe rejects with the error of its stream, which is reported below.
  const code = await main(argv, io, (error) => error === writeError)
  // Nothing is running, so the process ends by itself, without loading anything more.
  if (isVersion(argv)) return
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  await leave(writeError === undefined ? code : await reportWriteError(writeError, argv, io))
}

async function reportWriteError(cause: Error, argv: readonly string[], io: Io): Promise<number> {
  const [{ DocsearchError }, { reportError }] = await Promise.all([import('../core/errors.ts'), import('./report.ts')])
  const message = isBackup(argv)
    ? `The backup is incomplete: ${isBrokenPipe(cause) ? 'the program that reads it has ended' : cause.message}.`
    : `Could not write the result to standard output: ${cause.message}.`
  return reportError(new DocsearchError('output_unwritable', message, { cause }), argv, io)
}

/** Runs one command and returns its exit code. Never throws. `isReported` tells an error that the caller reports. */
export async function main(
  argv: readonly string[],
  io: Io,
  isReported: (error: unknown) => boolean = () => false,
): Promise<number> {
  // Scripts ask for the version often, so nothing else is loaded for it.
  if (isVersion(argv)) {
    io.stdout.write(`${version()}\n`)
    return 0
  }
  try {
    const { runProgram } = await import('./program.ts')
    return await runProgram(argv, io, version())
  } catch (error) {
    if (isReported(error)) return UNWRITABLE
    const { reportError } = await import('./report.ts')
    return reportError(error, argv, io)
  }
}

/** True for a command that writes a backup to standard output. */
function isBackup(argv: readonly string[]): boolean {
  return argv.includes('backup') && argv.includes('-') && !argv.includes('verify')
}

function isBrokenPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE'
}

function isVersion(argv: readonly string[]): boolean {
  return argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  // Not `import`, because the namespace of node:fs loads a large part of Node.
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

/**
 * Ends the process. `process.exit` waits for Node's threads. It never returns while a thread waits for a keychain, and after a
 * cancelled upload it sometimes deadlocks in Node's own shutdown. Replacing the process image ends the threads at once.
 */
async function leave(code: number): Promise<void> {
  const { isKeychainStuck } = await import('../client/credentials/stuck.ts')
  const mustReplace = code === CANCELLED || isKeychainStuck()
  // execve would abort if there is no shell, as in some containers.
  if (mustReplace && process.platform !== 'win32' && process.getBuiltinModule('node:fs').existsSync(SHELL))
    process.execve!(SHELL, ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}
