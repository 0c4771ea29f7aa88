import { expect, test } from 'vitest'
import { endlessPdf } from '../../support/hard-files.ts'
import { makePdf } from '../../support/make-documents.ts'
import { openBench } from './harness.ts'

const QUEUED = 40

/** Queues documents of one user, then a small one of another. Returns how many of the first have ended when the small one is ready. */
async function endedBefore(content: Buffer): Promise<number> {
  const stopped = await openBench()
  await stopped.ingest.stop(0)
  const other = await stopped.newPlace()
  for (let i = 0; i < QUEUED; i++) await stopped.upload(`${i}.pdf`, content)
  const { document } = await stopped.upload('small.txt', 'A heron.', 'replace', other)
  await stopped.close()
  const bench = await openBench({ folder: stopped.folder })
  await bench.ingest.start()
  expect(await bench.ingest.settled(new Set([other.projectId]), [document.id], 120_000)).toBe(true)
  const { queued, processing } = await bench.records.queue.counts()
  return QUEUED - queued - processing
}

test("a small file does not wait for another user's documents", async () => {
  const pages = Array.from({ length: 60 }, (_, i) => [{ text: `Page ${i} of a long report about herons.` }])
  expect(await endedBefore(await makePdf(pages))).toBeLessThan(QUEUED / 2)
})

test("a small file does not wait for another user's endless documents", async () => {
  expect(await endedBefore(Buffer.from(endlessPdf()))).toBeLessThan(4)
})
