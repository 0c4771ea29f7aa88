import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { PartSink } from './multipart.ts'

/** A file of the request as it lies in the incoming folder, under a name of ours. */
export interface IncomingFile {
  file: string
  sha256: string
  sizeBytes: number
  /** Over the limit: its bytes were thrown away. */
  isTooLarge: boolean
}

/** The parser of the body hands on a piece for each thing that might have been its boundary: a write for each would take longer than all the rest. */
const WRITE_BYTES = 262_144
/** A body made of nothing else takes no more memory for it. */
const WRITE_PIECES = 4_096

export interface Incoming {
  /** Begins a file; `done` is called once all of it was read. */
  receive(done: (file: IncomingFile) => void): Promise<PartSink>
  /** Removes what was not taken over, in whatever state it is. */
  clean(): Promise<void>
}

/** Streams files into `folder`, each hashed on its way, at most `maxBytes` of each kept. */
export function incomingFiles(folder: string, maxBytes: number): Incoming {
  const opened: { file: string; close(): Promise<void> }[] = []

  return {
    async receive(done) {
      const file = path.join(folder, `${randomUUID()}.part`)
      const handle = await open(file, 'wx', 0o600)
      const hash = createHash('sha256')
      let sizeBytes = 0
      let isOpen = true
      const close = async () => {
        if (!isOpen) return
        isOpen = false
        await handle.close()
      }
      opened.push({ file, close })
      let held: Buffer[] = []
      let heldBytes = 0
      const flush = async () => {
        const chunk = Buffer.concat(held)
        held = []
        heldBytes = 0
        hash.update(chunk)
        await writeAll(handle, chunk)
      }

      return {
        async write(chunk) {
          sizeBytes += chunk.length
          if (sizeBytes > maxBytes) return
          held.push(chunk)
          heldBytes += chunk.length
          if (heldBytes >= WRITE_BYTES || held.length >= WRITE_PIECES) await flush()
        },
        async end() {
          const isTooLarge = sizeBytes > maxBytes
          if (!isTooLarge) await flush()
          await close()
          if (isTooLarge) await rm(file, { force: true })
          done({ file, sha256: hash.digest('hex'), sizeBytes, isTooLarge })
        },
      }
    },
    async clean() {
      for (const { file, close } of opened) {
        await close()
        await rm(file, { force: true })
      }
    },
  }
}

/** A write may take only part of what it is given. */
async function writeAll(handle: Awaited<ReturnType<typeof open>>, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten
}
