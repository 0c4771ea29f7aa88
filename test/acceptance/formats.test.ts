import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FORMATS } from '../../src/core/formats.ts'
import { runCli, startRealDaemon } from '../support/daemon.ts'
import { FORMAT_SAMPLES } from '../support/format-samples.ts'
import { rest } from '../support/rest.ts'

test('a document of every format is uploaded, printed and found', async () => {
  const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  onTestFinished(() => daemon.dispose())
  const folder = join(daemon.dataDir, '..', 'library')
  mkdirSync(folder)
  for (const [name, content] of FORMAT_SAMPLES) writeFileSync(join(folder, name), content)

  const uploaded = await runCli(['upload', folder, '--recursive', '--wait'], daemon.env)
  expect(uploaded.code).toBe(0)
  expect(uploaded.stderr).toContain('Skipped 3 files without text that docsearch reads: 1 .tif, 1 .jpg, 1 .png.')
  const { call, search, documents: list } = rest(daemon.url, await daemon.token())
  const documents = await list()
  expect(documents.map(({ status }) => status)).toEqual(documents.map(() => 'ready'))
  const read = Object.values(FORMATS).filter((format) => !('isPicture' in format))
  expect(new Set(documents.map((document) => document.media_type))).toEqual(new Set(read.map(({ mediaType }) => mediaType)))

  for (const { id, path } of documents) {
    const { body: text } = await call<string>('GET', `/api/v1/documents/${id}/text`)
    const words = text
      .match(/\p{L}{4,}/gu)!
      .slice(0, 5)
      .join(' ')
    const { results } = await search(words, { filter: { path_prefix: path } })
    expect([path, results[0]?.document.path]).toEqual([path, path])
  }
})
