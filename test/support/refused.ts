import { execFile } from 'node:child_process'
import { BIN } from './daemon.ts'
import { within } from './until.ts'

/** Runs `serve`, which must refuse to start, and returns its exit code and messages. If it starts, it is killed and this throws. */
export async function refusedStart(
  env: Record<string, string>,
  args: readonly string[] = ['--port', '0'],
  bin = BIN,
): Promise<{ code: number | null; stderr: string }> {
  const child = execFile(process.execPath, [bin, 'serve', ...args], { env })
  let [stdout, stderr] = ['', '']
  child.stdout!.on('data', (text: string) => {
    stdout += text
    child.kill('SIGKILL')
  })
  child.stderr!.on('data', (text: string) => (stderr += text))
  const code = await within('serve to refuse', new Promise<number | null>((resolve) => child.once('close', resolve)))
  if (stdout !== '') throw new Error(`serve started: ${stdout}`)
  return { code, stderr }
}
