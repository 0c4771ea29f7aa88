// A thread that reads parts of a file through a block cache, and answers with the bytes or with the error.
import { parentPort } from 'node:worker_threads'
import { readRemote, type RemoteFile } from '../../src/index/segments/remote-file.ts'

parentPort!.on('message', ({ file, start, end }: { file: RemoteFile; start: number; end: number }) => {
  const bytes = new Uint8Array(end - start)
  try {
    readRemote(file, bytes, start)
    parentPort!.postMessage({ bytes })
  } catch (error) {
    const { name, code } = error as Error & { code?: string }
    parentPort!.postMessage({ error: code ?? name })
  }
})
