import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRealDaemon } from '../test/support/daemon.ts'
import { residentMemory } from './ingest.ts'
import { type Figure, median, megabytes, ms } from './measure.ts'
import { folderSize } from '../test/support/folder-size.ts'

const IDLE_MS = 5_000

export async function measureFootprint(): Promise<Figure[]> {
  const starts: number[] = []
  let idle: number | null = null
  for (let round = 0; round < 5; round++) {
    const daemon = await startRealDaemon({ args: ['--embedder', 'builtin'] })
    starts.push(daemon.startedAfterMs)
    if (round === 0) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
      idle = residentMemory(daemon.pid)
    }
    await daemon.dispose()
  }
  const { packed, installed } = packageSize()
  return [
    { name: 'from `serve` to listening, empty data folder', value: ms(median(starts)) },
    { name: 'resident memory when idle, parsers not counted', value: idle === null ? 'not known here' : megabytes(idle) },
    { name: 'package', value: `${megabytes(packed)} packed, ${megabytes(installed)} installed with what it depends on` },
  ]
}

/** Packs docsearch and installs it into an empty folder, as a user would. */
function packageSize(): { packed: number; installed: number } {
  const folder = mkdtempSync(join(tmpdir(), 'docsearch-size-'))
  try {
    const root = fileURLToPath(new URL('..', import.meta.url))
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }),
    ) as [{ filename: string }]
    const archive = join(folder, filename)
    execFileSync('npm', ['init', '-y'], { cwd: folder, stdio: 'ignore' })
    execFileSync('npm', ['install', '--no-audit', '--no-fund', archive], { cwd: folder, stdio: 'ignore' })
    return { packed: statSync(archive).size, installed: folderSize(join(folder, 'node_modules')) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
