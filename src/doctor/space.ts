import { statfs } from 'node:fs/promises'
import { formatBytes } from '../core/format-bytes.ts'
import { finding } from '../core/findings.ts'
import type { FolderCheck } from './scene.ts'

/** Below this, health is degraded too: it is enough for the largest request and its index. */
const LOW_BYTES = 500_000_000
const FULL_BYTES = 20_000_000

export const checkSpace: FolderCheck = async ({ dataDir, add }) => {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const message = `The disk of the data folder has ${formatBytes(free)} free.`
  if (free < FULL_BYTES) add(finding('disk_full', message))
  else if (free < LOW_BYTES) add(finding('disk_low', message))
  return { message }
}
