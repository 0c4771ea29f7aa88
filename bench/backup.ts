import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInstance } from '../test/quality/instance.ts'
import { folderSize } from '../test/support/folder-size.ts'
import { generatedText } from '../test/support/generated-text.ts'
import { BIN } from '../test/support/daemon.ts'
import { type Figure, megabytes, ms, ratio } from './measure.ts'

const DOCUMENTS = 3_000

/** Measures backups of an instance that runs, over its API, next to `tar cf` of its data folder, and their restore. */
export async function measureBackup(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'docsearch-bench-backup-'))
  const instance = await startInstance()
  try {
    const text = generatedText()
    const files = Array.from({ length: DOCUMENTS }, (_, i) => ({ name: `${i}.txt`, content: text.document(i).content }))
    await instance.load('default', files)
    const { dataDir, env } = instance.daemon
    const run = (command: string, args: string[]): number => {
      const began = performance.now()
      const { status, stderr } = spawnSync(command, args, { env })
      if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
      return performance.now() - began
    }
    const docsearch = (...args: string[]) => run(process.execPath, [BIN, ...args])
    const place = (name: string) => join(base, name)
    const sizeOf = (name: string) => megabytes(statSync(place(name)).size)
    const plain = run('tar', ['cf', place('plain.tar'), '--exclude', '*.sock', '-C', dataDir, '.'])
    const tar = docsearch('backup', place('backup.tar'))
    const vectors = docsearch('backup', place('vectors.tar'), '--with-vectors')
    const first = docsearch('backup', place('folder'))
    const second = docsearch('backup', place('folder'))
    const verify = docsearch('backup', 'verify', place('backup.tar'))
    const restore = docsearch('restore', place('backup.tar'), '--data', place('restored'))
    const withIndex = docsearch('restore', place('vectors.tar'), '--data', place('with-index'))
    const what = `backup of ${DOCUMENTS} documents`
    return [
      { name: `${what} to a tar : \`tar cf\` of the data folder`, value: `${ratio(tar / plain)} (${ms(tar)} : ${ms(plain)})` },
      {
        name: `size of that backup, with vectors, and of \`tar cf\``,
        value: `${sizeOf('backup.tar')}, ${sizeOf('vectors.tar')}, ${sizeOf('plain.tar')}`,
      },
      { name: `${what} to a tar, with vectors`, value: ms(vectors) },
      {
        name: `${what} to a folder, the first and the next`,
        value: `${ms(first)}, ${ms(second)} (${megabytes(folderSize(place('folder')))})`,
      },
      { name: `\`backup verify\` of the tar`, value: ms(verify) },
      { name: `\`restore\` of the tar, without and with vectors`, value: `${ms(restore)}, ${ms(withIndex)}` },
    ]
  } finally {
    await instance.dispose()
    rmSync(base, { recursive: true, force: true })
  }
}
