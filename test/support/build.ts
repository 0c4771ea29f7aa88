import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Vitest's global setup. Builds `src/` once, so that the tests that start the real binary run the current code. */
export default function buildWhenStale(): void {
  if (
    oldest(join(ROOT, 'dist')) >
    newest(
      join(ROOT, 'src'),
      join(ROOT, 'scripts'),
      join(ROOT, 'tsconfig.json'),
      join(ROOT, 'tsconfig.build.json'),
      join(ROOT, 'tsconfig.client.json'),
      join(ROOT, 'package.json'),
    )
  )
    return
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'pipe', encoding: 'utf8' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`npm run build failed, so the real binary cannot be tested:\n${stdout ?? ''}${stderr ?? ''}`, {
      cause: error,
    })
  }
}

/** Returns the newest modification time. Folders count too: their time changes when a file is removed. */
function newest(...paths: string[]): number {
  let time = 0
  for (const path of paths) {
    time = Math.max(time, statSync(path).mtimeMs)
    if (!statSync(path).isDirectory()) continue
    for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' }))
      time = Math.max(time, statSync(join(path, entry)).mtimeMs)
  }
  return time
}

/** Returns the oldest modification time of the files, without folders; 0 if there are none. */
function oldest(path: string): number {
  let time = Infinity
  try {
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) time = Math.min(time, statSync(join(entry.parentPath, entry.name)).mtimeMs)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return time === Infinity ? 0 : time
}
