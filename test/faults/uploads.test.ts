import { afterAll, beforeAll, expect, test } from 'vitest'
import { incoming } from '../support/data-folder.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { beginUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

let instance: Instance
let running: Running

beforeAll(async () => {
  instance = await newInstance()
  running = await instance.start()
})
afterAll(() => instance?.remove())

test('a client that disconnects during the body leaves nothing; sending it again makes one document', async () => {
  const word = rareWord()
  const content = textWith(word) + 'and so on\n'.repeat(50_000)
  const upload = await beginUpload(running.url, running.token, 'gone.txt', content)
  await until('the first half on the disk', async () => (await incoming(instance.dataDir)).length > 0)
  upload.abandon()
  await until('the half to be removed', async () => (await incoming(instance.dataDir)).length === 0)
  expect((await running.documents()).filter(({ name }) => name === 'gone.txt')).toEqual([])

  await running.upload([{ name: 'gone.txt', content: textWith(word) }], { wait: true })
  await expectSearchableOnce(running, { 'gone.txt': word })
})

test('a client that disconnects before the answer and sends it again makes one document', async () => {
  const word = rareWord()
  const content = textWith(word)
  const upload = await beginUpload(running.url, running.token, 'unheard.txt', content)
  upload.finish()
  upload.abandon()
  await upload.answer
  const again = await running.upload([{ name: 'unheard.txt', content }], { wait: true })
  expect(again.body.documents.map(({ outcome }) => ['created', 'unchanged'].includes(outcome))).toEqual([true])
  await expectSearchableOnce(running, { 'unheard.txt': word })
})

test('the same file uploaded many times at once makes one document and one original', async () => {
  const word = rareWord()
  const files = [{ name: 'twice.txt', content: textWith(word) }]
  const answers = await Promise.all(Array.from({ length: 8 }, () => running.upload(files)))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202))
  const documents = answers.flatMap(({ body }) => body.documents)
  expect(new Set(documents.map(({ id }) => id)).size).toBe(1)
  expect(documents.map(({ outcome }) => outcome).toSorted()).toEqual(['created', ...Array(7).fill('unchanged')])
  await expectSearchableOnce(running, { 'twice.txt': word })
})

test('many versions of a file uploaded at once end as one complete version', async () => {
  const words = Array.from({ length: 6 }, rareWord)
  await Promise.all(words.map((word) => running.upload([{ name: 'racing.txt', content: textWith(word) }])))
  const document = (await running.settled()).filter(({ name }) => name === 'racing.txt')
  expect(document).toHaveLength(1)
  const { body: text } = await running.call<string>('GET', `/api/v1/documents/${document[0]!.id}/content`)
  const winner = words.filter((word) => text.includes(word))
  expect(winner).toHaveLength(1)
  for (const word of words) {
    const { results } = await running.search(word, { mode: 'keyword' })
    expect(results.map(({ document: { name } }) => name)).toEqual(word === winner[0] ? ['racing.txt'] : [])
  }
})

test('a document deleted while it is processed does not come back in searches', async () => {
  const words = Array.from({ length: 10 }, rareWord)
  await Promise.all(
    words.map(async (word, i) => {
      const { body } = await running.upload([{ name: `fleeting-${i}.txt`, content: textWith(word) }])
      expect((await running.call('DELETE', `/api/v1/documents/${body.documents[0]!.id}`)).status).toBe(204)
    }),
  )
  await running.settled()
  for (const word of words) expect((await running.search(word, { mode: 'keyword' })).results).toEqual([])
})

test('leaves no stray files in the data folder', async () => {
  // The next start removes originals without a document.
  await running.daemon.stop()
  running = await instance.start()
  await expectTidy(running, instance.dataDir)
})
